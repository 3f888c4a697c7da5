package export

import (
	"testing"

	"github.com/haexcel/haexcel/shared/job"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	const id = "0b8e8f6e-0000-4000-8000-00000000000a"
	for key, want := range map[string]job.Object{
		Key(id, 3, "xlsx"):                    {JobID: id, Attempt: 3},
		Key(id, 12, "zip"):                    {JobID: id, Attempt: 12},
		"exports/" + id + "/3/.haexcel-x.tmp": {JobID: id, Attempt: 3},
		ChunkKey(id, 7, 2):                    {JobID: id, Chunk: 7, Attempt: 2},
	} {
		want.Key = key
		if got, ok := ParseKey(key); !ok || got != want {
			t.Errorf("%s: %+v, %v, want %+v", key, got, ok, want)
		}
	}
	for _, key := range []string{
		"", "exports/", "exports/" + id, "exports/" + id + "/3", "exports/" + id + "/3/", "other/" + id + "/3/file.xlsx",
		"exports/" + id + "/0/file.xlsx", "exports/" + id + "/-1/file.xlsx", "exports/" + id + "/03/file.xlsx", "exports/" + id + "/x/file.xlsx",
		"exports/" + id + "/99999999999/file.xlsx", "exports/orders/3/file.xlsx", "exports/0B8E8F6E-0000-4000-8000-00000000000A/3/file.xlsx",
		"exports/" + id + "/chunks/7/2", "exports/" + id + "/chunks/7/file.xlsx", "exports/" + id + "/chunks/x/2/rows", "exports/" + id + "/chunks/7/x/rows",
		"exports/" + id + "/chunks/0/2/rows",
	} {
		if got, ok := ParseKey(key); ok {
			t.Errorf("%q was taken for %+v", key, got)
		}
	}
}
