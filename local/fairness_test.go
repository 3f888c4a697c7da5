package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// giant is a dataset that nobody comes to the end of, and whose size is not known
// beforehand.
const giant = "name: giant\nsql: SELECT seq, SLEEP(0.01) AS pause FROM seq_1_to_1000000000\ncount: off\ncolumns: [{field: seq}, {field: pause}]\n"

// blocked is a dataset of one row that does not come before its job is cancelled.
const blocked = "name: blocked\nkey: id\nselect:\n  id: o.id\n  pause: SLEEP(3600)\nfrom: demo_orders o\nwhere: [{sql: o.id = 1}]\ncolumns: [{field: id}, {field: pause}]\n"

// submitTo starts an export of a dataset and returns its job's id.
func (s server) submitTo(t *testing.T, dataset, user, body string) string {
	t.Helper()
	a := s.do(t, http.MethodPost, "/"+dataset, user, body)
	if a.status != http.StatusAccepted {
		t.Fatalf("submit %s: %d %s", dataset, a.status, a.body)
	}
	var accepted state
	a.json(t, &accepted)
	return accepted.JobID
}

// cancelAll cancels a user's jobs and waits for their end.
func (s server) cancelAll(t *testing.T, user string, ids []string) {
	t.Helper()
	for _, id := range ids {
		if a := s.do(t, http.MethodDelete, "/"+id+"/cancel", user, ""); a.status != http.StatusOK {
			t.Errorf("cancel: %d %s", a.status, a.body)
		}
	}
	for _, id := range ids {
		if end := s.finish(t, user, id); end.Status != string(job.Fail) {
			t.Errorf("a cancelled job ended %+v", end)
		}
	}
}

// jobs counts those of a dataset whose row fulfils a condition.
func jobs(t *testing.T, store *jobsql.Store, dataset, condition string, arguments ...any) (n int) {
	t.Helper()
	query := "SELECT COUNT(*) FROM ha_excel_job WHERE biz_nm = ? AND " + condition
	if err := store.DB().QueryRowContext(t.Context(), query, append([]any{dataset}, arguments...)...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Giant exports have workers of their own: 1,000 small ones all end while four
// giants are still at their beginning.
func TestGiantsDelayNoSmallJob(t *testing.T) {
	t.Parallel()
	databaseURL := testservices.MariaDB(t)
	makeOrders(t, databaseURL, 20)
	sets := t.TempDir()
	write(t, filepath.Join(sets, "giant.yaml"), giant)
	s := serve(t, t.TempDir(), []string{
		"HAEXCEL_DATABASE_URL=" + databaseURL, "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
		"HAEXCEL_MAX_ACTIVE_PER_REQUESTER=0", "HAEXCEL_LEASE=4s",
	})
	store := openStore(t, databaseURL)
	var giants []string
	for i := range 4 {
		giants = append(giants, s.submitTo(t, "giant", "giant", fmt.Sprintf(`{"fileName":"%d","packaging":"workbook"}`, i)))
	}
	const started = "queue = 'large' AND status = 'RUNNING'"
	eventually(t, "two giants run and two wait", func() bool {
		return jobs(t, store, "giant", started) == 2 && jobs(t, store, "giant", "queue = 'large' AND status = 'PENDING'") == 2
	})

	submitMany(t, []server{s}, 20, 50)
	eventually(t, "all small jobs have ended", func() bool {
		return jobs(t, store, "orders", "status IN ('PENDING', 'RUNNING')") == 0
	})
	if n := jobs(t, store, "orders", "status = 'DONE' AND attempt = 1 AND failures = 0 AND processed_rows = 20"); n != 1_000 {
		t.Errorf("%d small jobs are done at their first attempt, want all 1,000", n)
	}
	if n := jobs(t, store, "giant", started); n != 2 || jobs(t, store, "giant", "completed_at IS NOT NULL") != 0 {
		t.Errorf("%d giants run, want two of four that have not ended", n)
	}
	s.cancelAll(t, "giant", giants)
}

// Whoever submits 500 exports at once does not starve somebody who submits one
// after them: it is done before more than a few of the 500 are.
func TestBusyRequesterStarvesNobody(t *testing.T) {
	t.Parallel()
	databaseURL := testservices.MariaDB(t)
	makeOrders(t, databaseURL, 20)
	sets := t.TempDir()
	write(t, filepath.Join(sets, "blocked.yaml"), blocked)
	const workers = 2
	s := serve(t, t.TempDir(), []string{
		"HAEXCEL_DATABASE_URL=" + databaseURL, "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
		"HAEXCEL_MAX_ACTIVE_PER_REQUESTER=0", "HAEXCEL_LEASE=2s", fmt.Sprintf("HAEXCEL_WORKER_COUNT=%d", workers),
	})
	store := openStore(t, databaseURL)
	// No worker is free while the exports are submitted.
	var held []string
	for i := range workers {
		held = append(held, s.submitTo(t, "blocked", "holder", fmt.Sprintf(`{"fileName":"%d"}`, i)))
	}
	eventually(t, "the workers are held", func() bool { return jobs(t, store, "blocked", "status = 'RUNNING'") == workers })
	submitMany(t, []server{s}, 1, 500)
	late := s.submit(t, "lee", "{}")
	if n := jobs(t, store, "orders", "status = 'PENDING'"); n != 501 {
		t.Fatalf("%d jobs wait, want 501", n)
	}
	s.cancelAll(t, "holder", held)

	eventually(t, "all jobs have ended", func() bool { return jobs(t, store, "orders", "status IN ('PENDING', 'RUNNING')") == 0 })
	j, err := store.Get(t.Context(), late)
	if err != nil || j.Status != job.Done {
		t.Fatalf("the late job: %s, %v", j.Status, err)
	}
	// One for each worker of the first round, and what ends in the same moment.
	if n := jobs(t, store, "orders", "worker = 'user-0' AND completed_at <= ?", j.CompletedAt); n > 10 {
		t.Errorf("%d of the 500 jobs were done before the one of another requester", n)
	}
	if n := jobs(t, store, "orders", "status = 'DONE' AND attempt = 1"); n != 501 {
		t.Errorf("%d jobs are done at their first attempt, want all", n)
	}
}
