package functions_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/job"
)

// hourlyOrders is the demo's table as a dataset that is built beforehand.
const hourlyOrders = `name: hourly
select: {id: id, orderNo: order_no}
from: demo_orders
key: id
columns: [{field: orderNo, headerName: 주문번호}]
pregenerate: rate(1 hour)
`

// A schedule has the file built; a user's submit is answered with it at once, and
// the next one's too, without a word to the workers.
func TestFileThatIsBuiltBeforehand(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, databaseURL string) {
		s := newServices(t, databaseURL)
		store := migrated(t, databaseURL, 321)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "hourly.yaml"), []byte(hourlyOrders), 0o600); err != nil {
			t.Fatal(err)
		}
		environment := slices.Concat(s.environment, []string{"HAEXCEL_DATASET_DIR=" + dir})

		pregenerate := start(t, "pregenerate", environment...)
		run := func(payload []byte, want app.PregenerateReport) {
			t.Helper()
			var report app.PregenerateReport
			if err := json.Unmarshal(pregenerate.invoke(t, payload), &report); err != nil || report != want {
				t.Errorf("pregenerate: %+v, %v, want %+v", report, err, want)
			}
		}
		scheduled := event(t, "pregenerate", "")
		run(scheduled, app.PregenerateReport{Submitted: 1})
		run(scheduled, app.PregenerateReport{}) // not due
		run([]byte(`{"dataset":"hourly"}`), app.PregenerateReport{Active: 1})

		worker := start(t, "worker", environment...)
		message := s.receive(t, s.normal)
		if again := s.consume(t, s.normal, message, worker.invoke(t, encode(t, message))); len(again) != 0 {
			t.Errorf("the worker gave back %v", again)
		}
		page, err := store.List(t.Context(), job.Pregenerator, 10, "")
		if err != nil || len(page.Jobs) != 1 || page.Jobs[0].Status != job.Done || page.Jobs[0].TotalRows != 321 {
			t.Fatalf("built: %+v, %v", page.Jobs, err)
		}
		source := page.Jobs[0]

		submit, download := start(t, "submit", environment...), start(t, "download", environment...)
		for _, name := range []string{"아침", "점심"} {
			e := changed(t, event(t, "submit", ""), "body", `{"fileName":"`+name+`"}`)
			e = changed(t, e, "pathParameters", map[string]string{"id": "hourly"})
			e = []byte(strings.ReplaceAll(string(e), "/api/excel/orders", "/api/excel/hourly"))
			accepted, _ := call[app.SubmitReply](t, submit, e, http.StatusAccepted)
			if accepted.Status != job.Done || accepted.JobID == source.ID {
				t.Errorf("%s: %+v", name, accepted)
			}
			link, _ := call[struct {
				URL, FileName, AsOf string
				Bytes               int64
			}](t, download, event(t, "download", accepted.JobID), http.StatusOK)
			if link.Bytes != source.FileBytes || !strings.HasPrefix(link.FileName, name+"_") || link.AsOf == "" {
				t.Errorf("%s: %+v", name, link)
			}
			answer, err := http.Get(link.URL) //nolint:gosec,noctx // the link is what is tested
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK || answer.ContentLength != source.FileBytes {
				t.Errorf("%s: the link answers %d with %d bytes", name, answer.StatusCode, answer.ContentLength)
			}
		}
		if keys := s.objects(t); len(keys) != 1 || keys[0] != source.FilePath {
			t.Errorf("the bucket holds %v, want %s", keys, source.FilePath)
		}
		run([]byte(`{"dataset":"hourly"}`), app.PregenerateReport{Submitted: 1}) // wanted, due or not
	})
}

func TestPregenerateRefusesUnknownDatasets(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	migrated(t, s.database, 1)
	f := start(t, "pregenerate", s.environment...)
	for payload, want := range map[string]string{
		`{"dataset":"nowhere"}`: "There is no such dataset.",
		`{"dataset":"orders"}`:  `The dataset \"orders\" has no pregenerate.`,
	} {
		if got := f.try(t, []byte(payload), patience); !got.failed || !strings.Contains(string(got.payload), want) {
			t.Errorf("%s: failed %v: %s, want %s", payload, got.failed, got.payload, want)
		}
	}
}
