package job_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/job"
)

func TestStoredRequester(t *testing.T) {
	for name, c := range map[string]struct{ user, want string }{
		"short":                   {"kim", "kim"},
		"64 characters":           {strings.Repeat("a", 64), strings.Repeat("a", 64)},
		"64 characters of Korean": {strings.Repeat("가", 64), strings.Repeat("가", 64)},
		"65 characters":           {strings.Repeat("a", 65), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
	} {
		if got := job.StoredRequester(c.user); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := job.StoredRequester(job.Pregenerator); got == job.Pregenerator || len(got) != 64 {
		t.Errorf("a user may be called like the pregenerator: %q", got)
	}
	long := strings.Repeat("가", 64)
	one, two := job.StoredRequester(long+"1"), job.StoredRequester(long+"2")
	if one == two {
		t.Error("two users became one")
	}
	if n := utf8.RuneCountInString(one); n != 64 {
		t.Errorf("%d characters, the column holds 64", n)
	}
}

func TestStatusFinished(t *testing.T) {
	for status, want := range map[job.Status]bool{job.Pending: false, job.Running: false, job.Done: true, job.Fail: true} {
		if status.Finished() != want {
			t.Errorf("%s finished: %v", status, !want)
		}
	}
}
