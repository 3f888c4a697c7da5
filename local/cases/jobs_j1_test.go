package cases

import (
	"net/http"
	"sync"
	"testing"

	"github.com/haexcel/haexcel/shared/job"
)

// withoutWorkers are the settings of a program that only answers requests.
var withoutWorkers = []string{"HAEXCEL_WORKER_COUNT=0", "HAEXCEL_LARGE_WORKER_COUNT=0"}

// J1: whatever is clicked twice, at once or later, in whichever spelling, is one
// job with one message while it is active, and never another user's job. The
// races of submits alone are in shared/job/jobtest.
func TestCase_J1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		sets := []string{d.sales(t, 10), d.held(t)}
		table, queues := newJobTable(t, d), onSQS(t)
		fronts := []program{
			table.start(t, sets, append(queues.environment, withoutWorkers...)...),
			table.start(t, sets, append(queues.environment, withoutWorkers...)...),
		}
		const body = `{"fileName": "sales", "params": {"first": "1", "status": "1"}, "sort": [{"field": "id", "dir": "desc"}],
			"columns": [{"field": "id", "headerName": "No", "width": 80}, {"field": "amount", "cellStyle": {"textAlign": "right", "color": "#0000FF"}}]}`
		first := clickedTogether(t, fronts, 50, body)
		wantTable := func(rows int) {
			t.Helper()
			if n := d.count(t, "SELECT COUNT(*) FROM ha_excel_job"); n != rows {
				t.Errorf("%d rows, want %d", n, rows)
			}
			if n := queues.messages(t); n != rows {
				t.Errorf("%d messages, want %d", n, rows)
			}
		}
		wantTable(1)
		for name, again := range map[string]string{
			"members in another order": `{"columns": [{"width": 80, "headerName": "No", "field": "id"}, {"cellStyle": {"color": "#0000FF", "textAlign": "right"}, "field": "amount"}],
				"sort": [{"dir": "desc", "field": "id"}], "params": {"status": "1", "first": "1"}, "fileName": "sales"}`,
			"a number for an integer": `{"fileName": "sales", "params": {"first": 1, "status": "1"}, "sort": [{"field": "id", "dir": "desc"}],
				"columns": [{"field": "id", "headerName": "No", "width": 80}, {"field": "amount", "cellStyle": {"textAlign": "right", "color": "#0000FF"}}]}`,
			// A string parameter takes a number as its text.
			"a number for a string": `{"fileName": "sales", "params": {"first": "1", "status": 1}, "sort": [{"field": "id", "dir": "desc"}],
				"columns": [{"field": "id", "headerName": "No", "width": 80}, {"field": "amount", "cellStyle": {"textAlign": "right", "color": "#0000FF"}}]}`,
		} {
			if id := fronts[0].submit(t, "sales", again); id != first {
				t.Errorf("%s: another job", name)
			}
		}
		wantTable(1)

		other := fronts[1].submitAs(t, "lee", "sales", body)
		if other == first {
			t.Fatal("lee was given kim's job")
		}
		if a := fronts[0].ask(t, http.MethodGet, first+"/status", "", "X-User-Id", "lee"); a.code != http.StatusNotFound {
			t.Errorf("lee sees kim's job: %d %s", a.code, a.body)
		}
		wantTable(2)

		worker := table.start(t, sets, append(queues.environment, "HAEXCEL_LEASE=2s")...)
		for _, id := range []string{first, other} {
			until(t, "the job ends", func() bool { return table.row(t, id).Status.Finished() })
			if j := table.row(t, id); j.Status != job.Done || j.Attempt != 1 {
				t.Errorf("%s: %s at attempt %d: %s", id, j.Status, j.Attempt, j.ErrorMsg)
			}
		}

		// A job that runs is active too; one that is done is not.
		held := worker.submit(t, "held", "{}")
		table.running(t, held)
		if id := fronts[0].submit(t, "held", "{}"); id != held {
			t.Error("while it runs: another job")
		}
		if a := worker.do(t, http.MethodDelete, held+"/cancel", ""); a.code != http.StatusOK {
			t.Errorf("cancel: %d %s", a.code, a.body)
		}
		later := fronts[0].submit(t, "sales", body)
		if later == first || later == other {
			t.Error("after its end: the same job")
		}
		if end := worker.await(t, later); end.Status != "DONE" {
			t.Errorf("the later job ended %+v", end)
		}
		if n := d.count(t, "SELECT COUNT(*) FROM ha_excel_job"); n != 4 {
			t.Errorf("%d rows at the end, want 4", n)
		}
	})
}

// clickedTogether sends so many identical submits of kim at once, in turn to the
// programs, and answers the one job that they must all be given.
func clickedTogether(t *testing.T, programs []program, n int, body string) (jobID string) {
	t.Helper()
	answers := make([]answer, n)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-begin
			var err error
			answers[i], err = programs[i%len(programs)].try(t, http.MethodPost, "sales", body, "X-User-Id", "kim")
			if err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	ids := map[string]int{}
	for _, a := range answers {
		if a.code != http.StatusAccepted {
			t.Fatalf("submit: %d %s", a.code, a.body)
		}
		jobID = decoded[status](t, a.body).JobID
		ids[jobID]++
	}
	if len(ids) != 1 || jobID == "" {
		t.Fatalf("the submits were given these jobs: %v", ids)
	}
	return jobID
}
