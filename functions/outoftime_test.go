package functions_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/job"
)

// W2 (of the catalogue of local/cases): a worker whose time is nearly over hands
// a keyed job over, without a failure, and the next ones finish it in pieces. One
// without a key fails at once, and its reason names what it lacks.
func TestCase_W2_Deadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		create func(testing.TB) string
		pause  string // a millisecond and a bit
	}{
		"mariadb":  {testservices.MariaDB, "SLEEP(0.001)"},
		"postgres": {testservices.Postgres, "pg_sleep(0.001)::text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rows = 8_000
			s := newServices(t, c.create(t))
			store := migrated(t, s.database, rows)
			sets := t.TempDir()
			for file, text := range map[string]string{
				"keyed.yaml":   "name: keyed\nkey: id\nselect:\n  id: o.id\n  pause: \"" + c.pause + "\"\nfrom: demo_orders o\ncolumns: [{field: id}, {field: pause}]\n",
				"unkeyed.yaml": "name: unkeyed\nsql: SELECT id, " + c.pause + " AS pause FROM demo_orders\ncolumns: [{field: id}, {field: pause}]\n",
			} {
				if err := os.WriteFile(filepath.Join(sets, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			environment := append(slices.Clone(s.environment), "HAEXCEL_DATASET_DIR="+sets, "HAEXCEL_HANDOVER_MARGIN=4s", "HAEXCEL_RETRY_BACKOFF=1s")
			submit, worker := start(t, "submit", environment...), start(t, "worker", environment...)
			export := func(dataset string) (jobID string) {
				var e events.APIGatewayProxyRequest
				if err := json.Unmarshal(event(t, "submit", ""), &e); err != nil {
					t.Fatal(err)
				}
				e.Path, e.PathParameters, e.Body = "/api/excel/"+dataset, map[string]string{"id": dataset}, `{"packaging":"workbook"}`
				accepted, _ := call[app.SubmitReply](t, submit, encode(t, e), http.StatusAccepted)
				return accepted.JobID
			}
			// next takes the next message of the job's queue, with three seconds
			// before the margin.
			next := func(jobID string) job.Job {
				t.Helper()
				j, err := store.Get(t.Context(), jobID)
				if err != nil {
					t.Fatal(err)
				}
				queue := map[job.Queue]string{job.Normal: s.normal, job.Large: s.large}[j.Queue]
				message := s.receive(t, queue)
				r := worker.try(t, encode(t, message), 7*time.Second)
				if r.failed {
					t.Fatalf("the worker failed: %s", r.payload)
				}
				s.consume(t, queue, message, r.payload)
				if j, err = store.Get(t.Context(), jobID); err != nil {
					t.Fatal(err)
				}
				return j
			}

			keyed := export("keyed")
			j := next(keyed)
			if j.Status != job.Pending || j.Failures != 0 || j.Hops != 1 || j.CheckpointJSON == "" || j.Token != "" || j.LeaseUntil != 0 {
				t.Fatalf("after the first worker: %s, %d failures, %d hops, checkpoint %q, token %q", j.Status, j.Failures, j.Hops, j.CheckpointJSON, j.Token)
			}
			for end := time.Now().Add(2 * patience); !j.Status.Finished() && time.Now().Before(end); {
				j = next(keyed)
			}
			if j.Status != job.Done || j.ProcessedRows != rows || j.Failures != 0 {
				t.Errorf("the keyed job: %s %q, %d rows, %d failures", j.Status, j.ErrorMsg, j.ProcessedRows, j.Failures)
			}
			if n := slices.Index(s.objects(t), j.FilePath); n < 0 {
				t.Errorf("the bucket holds %v, the row names %s", s.objects(t), j.FilePath)
			}

			unkeyed := export("unkeyed")
			j = next(unkeyed)
			if j.Status != job.Fail || j.Failures != 1 || !strings.Contains(j.ErrorMsg, "key") {
				t.Errorf("the unkeyed job: %s %q after %d failures", j.Status, j.ErrorMsg, j.Failures)
			}
			for _, key := range s.objects(t) {
				if strings.Contains(key, unkeyed) {
					t.Errorf("the unkeyed job has left %s", key)
				}
			}
		})
	}
}
