package functions_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/job"
)

// A query that needs longer than the function has: the worker stops by itself
// before its deadline, the job ends with a clear reason, and the query is gone
// from the database.
func TestWorkerStopsBeforeItsDeadline(t *testing.T) {
	t.Parallel()
	s := newServices(t, testservices.MariaDB(t))
	store := migrated(t, s.database, 1)
	sets := t.TempDir()
	const slow = "name: slow\nsql: SELECT id, SLEEP(600) AS pause FROM demo_orders\ncolumns: [{field: id}]\ncount: off\n"
	if err := os.WriteFile(filepath.Join(sets, "slow.yaml"), []byte(slow), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := append(slices.Clone(s.environment), "HAEXCEL_DATASET_DIR="+sets, "HAEXCEL_HANDOVER_MARGIN=10s")
	submit := start(t, "submit", environment...)
	var e events.APIGatewayProxyRequest
	if err := json.Unmarshal(event(t, "submit", ""), &e); err != nil {
		t.Fatal(err)
	}
	e.Path, e.PathParameters, e.Body = "/api/excel/slow", map[string]string{"id": "slow"}, `{"packaging":"workbook","totalCnt":1}`
	accepted, _ := call[app.SubmitReply](t, submit, encode(t, e), http.StatusAccepted)

	worker := start(t, "worker", environment...)
	for range 2 { // without a count the job moves to the large queue first
		j, err := store.Get(t.Context(), accepted.JobID)
		if err != nil {
			t.Fatal(err)
		}
		queue := map[job.Queue]string{job.Normal: s.normal, job.Large: s.large}[j.Queue]
		message := s.receive(t, queue)
		r := worker.try(t, encode(t, message), 13*time.Second)
		if r.failed {
			t.Fatalf("the worker failed: %s", r.payload)
		}
		if again := s.consume(t, queue, message, r.payload); len(again) != 0 {
			t.Errorf("the worker gave back %v", again)
		}
	}
	j, err := store.Get(t.Context(), accepted.JobID)
	if err != nil || j.Status != job.Fail || j.ErrorMsg == "" || j.Failures != 1 {
		t.Errorf("job: %s %q after %d failures, %v", j.Status, j.ErrorMsg, j.Failures, err)
	}
	var running int
	err = store.DB().QueryRowContext(t.Context(),
		"SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'SELECT id, SLEEP%'").Scan(&running)
	if err != nil || running != 0 {
		t.Errorf("%d of its queries go on running: %v", running, err)
	}
}
