package app_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/wake"
)

// do works on a wake and demands the verdict.
func do(t *testing.T, u *app.Work, w wake.Wake, want app.Verdict) app.Outcome {
	t.Helper()
	return doIn(t, t.Context(), u, w, want)
}

func doIn(t *testing.T, ctx context.Context, u *app.Work, w wake.Wake, want app.Verdict) app.Outcome {
	t.Helper()
	out, err := u.Do(ctx, w)
	if out.Verdict != want || (err != nil) != (want != app.Consumed) {
		t.Fatalf("outcome %+v, %v, want verdict %d", out, err, want)
	}
	return out
}

// content reads a DONE job's object.
func (b *bench) content(t *testing.T, j job.Job) []byte {
	t.Helper()
	r, err := b.bucket.NewReader(t.Context(), j.FilePath)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWorkMakesTheFile(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"params":{"status":"PAID","ids":[2,1],"typo":1},"sheetName":"주문","columns":[{"field":"name","headerName":"고객"},{"field":"nope","headerName":"X"},{"field":"id"}]}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Done || j.Attempt != 1 || j.Failures != 0 || j.ProcessedRows != 10 || j.TotalRows != 10 || j.AsOf == 0 || j.ActiveKey != "" || j.LeaseUntil != 0 {
		t.Fatalf("row %+v", j)
	}
	data := b.content(t, j)
	if int64(len(data)) != j.FileBytes || j.FilePath != export.Key(id, 1, "xlsx") {
		t.Errorf("%d bytes under %s, the row says %d", len(data), j.FilePath, j.FileBytes)
	}
	book, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("주문")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 11 || rows[0][0] != "고객" || rows[1][0] != "고객 1" || rows[10][2] != "10" || rows[5][1] != "" {
		t.Errorf("rows %q", rows)
	}
	for _, want := range []string{"typo", "nope"} {
		if !strings.Contains(j.WarningsJSON, want) {
			t.Errorf("warnings %s do not name %s", j.WarningsJSON, want)
		}
	}
	q := b.orders.asked()
	if q.Params["status"].Items[0] != "PAID" || strings.Join(q.Params["ids"].Items, ",") != "2,1" || strings.Join(q.Fields, ",") != "name,nope,id" {
		t.Errorf("query %+v", q)
	}
	empty(t, b.normal)
}

func TestWorkBindsTheCaller(t *testing.T) {
	b := setup(t)
	b.orders.info = func(i *dataset.Info) { i.Caller = []string{"sub", "tenant"} }
	if _, err := b.submitter().Do(t.Context(), app.Caller{Subject: "u1", Tenant: "t1"}, app.SubmitInput{Dataset: "orders", Body: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if got := b.orders.asked().Caller; len(got) != 2 || got["sub"] != "u1" || got["tenant"] != "t1" {
		t.Errorf("caller %v", got)
	}
}

func TestWorkMovesLargeJobs(t *testing.T) {
	b := setup(t, "HAEXCEL_ZIP_THRESHOLD=2000", "HAEXCEL_CHUNK_SIZE=1000")
	b.orders.rows = 2500
	id := b.submit(t, `{}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Queue != job.Large || j.Hops != 1 || j.Failures != 0 {
		t.Fatalf("row %+v", j)
	}
	if n := b.orders.opened.Load(); n != 0 {
		t.Errorf("the normal worker read the rows")
	}
	empty(t, b.normal)
	do(t, b.work(), receive(t, b.large), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Done || j.ProcessedRows != 2500 {
		t.Fatalf("row %+v", j)
	}
	data := b.content(t, j)
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 3 {
		t.Errorf("%d parts", len(archive.File))
	}
}

func TestWorkKeepsSmallJobsOfTheLargeQueue(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"totalCnt":500000}`).JobID
	do(t, b.work(), receive(t, b.large), app.Consumed)
	if j := b.get(t, id); j.Status != job.Done || j.TotalRows != 10 || !strings.HasSuffix(j.FilePath, ".xlsx") {
		t.Errorf("row %+v", j)
	}
}

func TestWakesWithoutWork(t *testing.T) {
	b := setup(t)
	u := b.work()
	do(t, u, wake.Wake{JobID: "0b8e8f6e-0000-4000-8000-000000000000"}, app.Failed)

	id := b.submit(t, `{}`).JobID
	first := receive(t, b.normal)
	claimed, ok, err := b.store.Claim(t.Context(), id, "other", time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	do(t, u, first, app.Consumed) // live lease
	if j := b.get(t, id); j.Token != claimed.Token || j.Attempt != 1 {
		t.Errorf("a leased job was touched: %+v", j)
	}
	back, _, err := b.store.Retry(t.Context(), claimed.Fence(), 3)
	if err != nil {
		t.Fatal(err)
	}
	do(t, u, first, app.Consumed) // of an older attempt
	if j := b.get(t, id); j.Status != job.Pending {
		t.Errorf("an old wake was worked on: %+v", j)
	}
	do(t, u, wakeOf(back), app.Consumed)
	done := b.get(t, id)
	if done.Status != job.Done || done.Attempt != 2 {
		t.Fatalf("row %+v", done)
	}
	do(t, u, wakeOf(back), app.Consumed) // finished, twice
	do(t, u, wakeOf(done), app.Consumed)
	if n := b.orders.opened.Load(); n != 1 {
		t.Errorf("the rows were read %d times", n)
	}
}

func TestCancelledPendingJobIsNotWorkedOn(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	if _, err := b.store.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.Attempt != 0 {
		t.Errorf("row %+v", j)
	}
}

// failing is the end of a job by errors: how many tries, what message.
func TestFaultsOfAnExport(t *testing.T) {
	passing := fault.Wrap(fault.Unavailable, errors.New("dial tcp db.internal:5432"), "The database is away.")
	for name, tc := range map[string]struct {
		prepare func(o *orders)
		tries   int
		message string
	}{
		"permanent at open": {func(o *orders) {
			o.atOpen = func(context.Context, dataset.Query) error {
				return fault.Wrap(fault.Unprocessable, errors.New("near SELECT"), `Dataset "orders": the query is broken.`)
			}
		}, 1, `Dataset "orders": the query is broken.`},
		"permanent in the count": {func(o *orders) {
			o.count = func(context.Context, dataset.Query) error { return fault.New(fault.Invalid, "bad") }
		}, 1, "bad"},
		"transient at open":  {func(o *orders) { o.atOpen = func(context.Context, dataset.Query) error { return passing } }, 3, "The database is away."},
		"transient in a row": {func(o *orders) { o.atRow = failAt(5, passing) }, 3, "The database is away."},
		"unknown error":      {func(o *orders) { o.atRow = failAt(0, errors.New("secret host")) }, 3, "An internal error occurred."},
		"panic at open":      {func(o *orders) { o.atOpen = func(context.Context, dataset.Query) error { panic("secret") } }, 3, `Dataset "orders": an unexpected error occurred.`},
		"panic in a row": {func(o *orders) {
			o.atRow = func(_ context.Context, row int64) error {
				if row == 3 {
					var none []int
					_ = none[row]
				}
				return nil
			}
		}, 3, `Dataset "orders": an unexpected error occurred.`},
		"too many rows": {func(o *orders) { o.info = func(i *dataset.Info) { i.MaxRows = 9 } }, 1, "maxRows"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
			id := b.submit(t, `{}`).JobID
			receive(t, b.normal)
			tc.prepare(b.orders)
			u := b.work()
			for try := 1; try <= tc.tries; try++ {
				do(t, u, wakeOf(b.get(t, id)), app.Consumed)
				j := b.get(t, id)
				if j.Attempt != try || j.Failures != try {
					t.Fatalf("try %d: row %+v", try, j)
				}
				if want := map[bool]job.Status{true: job.Fail, false: job.Pending}[try == tc.tries]; j.Status != want {
					t.Fatalf("try %d: status %s, want %s", try, j.Status, want)
				}
				empty(t, b.normal) // the next wake is delayed
			}
			j := b.get(t, id)
			if !strings.Contains(j.ErrorMsg, tc.message) || strings.Contains(j.ErrorMsg, "secret") || strings.Contains(j.ErrorMsg, "db.internal") || strings.Contains(j.ErrorMsg, "SELECT") {
				t.Errorf("message %q, want %q", j.ErrorMsg, tc.message)
			}
			if keys := b.objects(t); len(keys) != 0 {
				t.Errorf("objects are left: %v", keys)
			}
			// The worker lives on.
			b.orders.atOpen, b.orders.atRow, b.orders.count, b.orders.info = nil, nil, nil, nil
			next := b.submit(t, `{"fileName":"next"}`).JobID
			do(t, u, wakeOf(b.get(t, next)), app.Consumed)
			if j := b.get(t, next); j.Status != job.Done {
				t.Errorf("the next job: %+v", j)
			}
		})
	}
}

func failAt(row int64, err error) func(context.Context, int64) error {
	return func(_ context.Context, at int64) error {
		if at == row {
			return err
		}
		return nil
	}
}

func TestRetryIsWokenLater(t *testing.T) {
	b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
	b.orders.atOpen = func(context.Context, dataset.Query) error { return fault.New(fault.Unavailable, "away") }
	id := b.submit(t, `{}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	empty(t, b.normal)
	b.orders.atOpen = nil
	got, err := b.normal.Receive(t.Context(), 1, 20*time.Second)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	w, err := wake.Parse(got[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), w, app.Consumed)
	if j := b.get(t, id); j.Status != job.Done || j.Attempt != 2 || j.Failures != 1 || j.FilePath != export.Key(id, 2, "xlsx") {
		t.Errorf("row %+v", j)
	}
}

func TestJobOfARemovedDatasetFailsAtOnce(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	u := b.work()
	u.Catalog = dataset.NewCatalog()
	do(t, u, receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "orders") {
		t.Errorf("row %+v", j)
	}
}

func TestJobWhoseParametersNoLongerFitFailsAtOnce(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"params":{"name":"x"}}`).JobID
	b.orders.info = func(i *dataset.Info) { i.Params = []dataset.Param{{Name: "name", Type: dataset.IntegerParam}} }
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || j.Failures != 1 {
		t.Errorf("row %+v", j)
	}
}

// gate holds an export at its first row until it is opened or its context ends.
type gate struct {
	reached chan struct{}
	open    chan struct{}
	once    atomic.Bool
}

func newGate(o *orders) *gate {
	g := &gate{reached: make(chan struct{}), open: make(chan struct{})}
	o.atRow = func(ctx context.Context, row int64) error {
		if row != 1 || !g.once.CompareAndSwap(false, true) {
			return nil
		}
		close(g.reached)
		select {
		case <-g.open:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return g
}

// start works on a wake in the background; the answer waits for its end.
func start(t *testing.T, ctx context.Context, u *app.Work, w wake.Wake) (wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if out, err := u.Do(ctx, w); out.Verdict != app.Consumed || err != nil {
			t.Errorf("outcome %+v, %v", out, err)
		}
	}()
	return func() {
		t.Helper()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatal("the work does not end")
		}
	}
}

func TestHeartbeatKeepsTheLease(t *testing.T) {
	b := setup(t, "HAEXCEL_LEASE=1s")
	g := newGate(b.orders)
	id := b.submit(t, `{}`).JobID
	wait := start(t, t.Context(), b.work(), receive(t, b.normal))
	<-g.reached
	claimed := b.get(t, id)
	eventually(t, "the lease is renewed past its first end", func() bool {
		now, err := b.store.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now > claimed.LeaseUntil+500
	})
	j := b.get(t, id)
	if now, err := b.store.Now(t.Context()); err != nil || !j.LeaseLive(now) || j.Token != claimed.Token {
		t.Errorf("lease %d at %d, %v", j.LeaseUntil, now, err)
	}
	if j.TotalRows != 10 {
		t.Errorf("the count is not shown: %+v", j)
	}
	close(g.open)
	wait()
	if j := b.get(t, id); j.Status != job.Done || j.Attempt != 1 {
		t.Errorf("row %+v", j)
	}
}

func TestProgressIsShownWhileRowsFlow(t *testing.T) {
	b := setup(t)
	b.orders.rows = 3000
	reached, open := make(chan struct{}), make(chan struct{})
	b.orders.atRow = func(_ context.Context, row int64) error {
		if row == 2500 {
			close(reached)
			<-open
		}
		return nil
	}
	id := b.submit(t, `{}`).JobID
	wait := start(t, t.Context(), b.work(), receive(t, b.normal))
	<-reached
	eventually(t, "2,000 rows are shown", func() bool { return b.get(t, id).ProcessedRows == 2000 })
	r, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u1, id)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != job.Running || r.TotalRows != 3000 || *r.Progress != 66 || r.RowsPerSecond == nil || *r.EstimatedSeconds < 1 || r.Phase != "working" || r.RetryAfter != time.Second || r.StartedAt == nil {
		t.Errorf("reply %+v", r)
	}
	close(open)
	wait()
}

func TestCancelWhileRunning(t *testing.T) {
	b := setup(t, "HAEXCEL_LEASE=1s")
	g := newGate(b.orders)
	id := b.submit(t, `{}`).JobID
	wait := start(t, t.Context(), b.work(), receive(t, b.normal))
	<-g.reached
	if _, err := (&app.Cancel{Store: b.store, Config: b.cfg, Logger: b.log}).Do(t.Context(), u1, id, ""); err != nil {
		t.Fatal(err)
	}
	wait() // the gate is not opened: the cancel ends the reading
	j := b.get(t, id)
	if j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.Failures != 0 || j.FilePath != "" {
		t.Errorf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects are left: %v", keys)
	}
	empty(t, b.normal)
}

// beforeComplete runs a step between the finished file and its completion.
type beforeComplete struct {
	job.Store
	step func()
}

func (s beforeComplete) Complete(ctx context.Context, f job.Fence, c job.Completion) error {
	s.step()
	return s.Store.Complete(ctx, f, c)
}

func TestCancelJustBeforeCompletion(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	u := b.work()
	u.Store = beforeComplete{b.store, func() {
		if len(b.objects(t)) != 1 {
			t.Error("the file is not there yet")
		}
		if _, err := b.store.Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
	}}
	do(t, u, receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.FilePath != "" {
		t.Errorf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects are left: %v", keys)
	}
}

func TestWorkerThatLostChangesNothing(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	first := b.work()
	var winner job.Job
	first.Store = beforeComplete{b.store, func() {
		b.takeOver(t, id)
		do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
		winner = b.get(t, id)
	}}
	do(t, first, receive(t, b.normal), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Done || j.Attempt != 2 || j.FilePath != export.Key(id, 2, "xlsx") || j.UpdatedAt != winner.UpdatedAt {
		t.Errorf("row %+v, winner %+v", j, winner)
	}
	if keys := b.objects(t); len(keys) != 1 || keys[0] != j.FilePath {
		t.Errorf("objects %v", keys)
	}
}

// takeOver lets the job's lease run out and recovers it.
func (b *bench) takeOver(t *testing.T, id string) {
	t.Helper()
	if _, err := b.store.DB().ExecContext(t.Context(), "UPDATE ha_excel_job SET lease_until = 1 WHERE job_id = ?", id); err != nil {
		t.Error(err)
	}
	if _, err := b.store.Recover(t.Context(), 3, 10); err != nil {
		t.Error(err)
	}
}

func TestLostLeaseEndsTheExport(t *testing.T) {
	b := setup(t, "HAEXCEL_LEASE=1s")
	g := newGate(b.orders)
	id := b.submit(t, `{}`).JobID
	wait := start(t, t.Context(), b.work(), receive(t, b.normal))
	<-g.reached
	b.takeOver(t, id)
	wait()
	if j := b.get(t, id); j.Status != job.Pending || j.Attempt != 1 || j.Failures != 1 {
		t.Errorf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects are left: %v", keys)
	}
}

// silent is a table whose heartbeats fail from some moment on.
type silent struct {
	job.Store
	hang bool // they do not even answer
}

func (s silent) Beat(ctx context.Context, _ job.Fence, _ job.Progress, _ time.Duration) (bool, error) {
	if s.hang {
		<-ctx.Done()
	}
	return false, fault.New(fault.Unavailable, "The table is away.")
}

func TestNoHeartbeatForALeaseEndsTheExport(t *testing.T) {
	for name, hang := range map[string]bool{"refused": false, "hanging": true} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "HAEXCEL_LEASE=1s")
			g := newGate(b.orders)
			id := b.submit(t, `{}`).JobID
			u := b.work()
			u.Store = silent{b.store, hang}
			wait := start(t, t.Context(), u, receive(t, b.normal))
			<-g.reached
			wait()
			if j := b.get(t, id); j.Status != job.Running || j.Failures != 0 {
				t.Errorf("the row was changed: %+v", j)
			}
			if keys := b.objects(t); len(keys) != 0 {
				t.Errorf("objects are left: %v", keys)
			}
		})
	}
}

// flaky is a table that cannot be reached for a while at its settling
// statements.
type flaky struct {
	job.Store
	left *atomic.Int32
}

func (s flaky) away() error {
	if s.left.Add(-1) >= 0 {
		return fault.New(fault.Unavailable, "The table is away.")
	}
	return nil
}

func (s flaky) Complete(ctx context.Context, f job.Fence, c job.Completion) error {
	if err := s.away(); err != nil {
		return err
	}
	return s.Store.Complete(ctx, f, c)
}

func (s flaky) Retry(ctx context.Context, f job.Fence, n int) (job.Job, bool, error) {
	if err := s.away(); err != nil {
		return job.Job{}, false, err
	}
	return s.Store.Retry(ctx, f, n)
}

func (s flaky) Fail(ctx context.Context, f job.Fence, m string) (job.Job, error) {
	if err := s.away(); err != nil {
		return job.Job{}, err
	}
	return s.Store.Fail(ctx, f, m)
}

func TestSettlingInsists(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		status job.Status
	}{
		"complete": {nil, job.Done},
		"retry":    {fault.New(fault.Unavailable, "x"), job.Pending},
		"fail":     {fault.New(fault.Unprocessable, "x"), job.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.orders.atOpen = func(context.Context, dataset.Query) error { return tc.err }
			id := b.submit(t, `{}`).JobID
			u := b.work()
			var left atomic.Int32
			left.Store(2)
			u.Store = flaky{b.store, &left}
			do(t, u, receive(t, b.normal), app.Consumed)
			if j := b.get(t, id); j.Status != tc.status {
				t.Errorf("row %+v", j)
			}
		})
	}
}

// away is a table that cannot be reached.
type away struct{ job.Store }

func (away) Get(context.Context, string) (job.Job, error) {
	return job.Job{}, fault.New(fault.Unavailable, "The table is away.")
}

// noClaim can be read, but not written.
type noClaim struct{ job.Store }

func (noClaim) Claim(context.Context, string, string, time.Duration) (job.Job, bool, error) {
	return job.Job{}, false, fault.New(fault.Unavailable, "The table is away.")
}

func TestWakeIsSentAnewWhenTheTableIsAway(t *testing.T) {
	b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
	id := b.submit(t, `{"totalCnt":100000}`).JobID
	w := receive(t, b.large)
	for _, s := range []job.Store{away{b.store}, noClaim{b.store}} {
		u := b.work()
		u.Store = s
		do(t, u, w, app.Consumed)
		empty(t, b.large) // delayed
		got, err := b.large.Receive(t.Context(), 1, 20*time.Second)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		if again, err := wake.Parse(got[0].Body); err != nil || again != w || got[0].ReceiveCount != 1 || got[0].Group != wake.Group("u1") {
			t.Errorf("message %+v, %v, want the wake %+v", got[0], err, w)
		}
		if err := b.large.Delete(t.Context(), got[0].Receipt); err != nil {
			t.Fatal(err)
		}
		u.Wakes = app.Wakes{Normal: brokenQueue{}, Large: brokenQueue{}}
		if out := do(t, u, w, app.TryLater); out.Delay != time.Second {
			t.Errorf("delay %s", out.Delay)
		}
	}
	if j := b.get(t, id); j.Status != job.Pending || j.Attempt != 0 {
		t.Errorf("row %+v", j)
	}
}

// panicky is a table with a defect.
type panicky struct{ job.Store }

func (panicky) Get(context.Context, string) (job.Job, error) { panic("defect") }

func TestPanicStaysInside(t *testing.T) {
	b := setup(t)
	u := b.work()
	u.Store = panicky{b.store}
	do(t, u, wake.Wake{JobID: "x"}, app.TryLater)
}

func TestShutdownGivesTheJobBack(t *testing.T) {
	b := setup(t)
	g := newGate(b.orders)
	id := b.submit(t, `{}`).JobID
	ctx, stop := context.WithCancel(t.Context())
	wait := start(t, ctx, b.work(), receive(t, b.normal))
	<-g.reached
	stop()
	wait()
	if j := b.get(t, id); j.Status != job.Pending || j.Failures != 0 || j.Hops != 1 {
		t.Errorf("row %+v", j)
	}
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Done {
		t.Errorf("row %+v", j)
	}
}

func TestOutOfTime(t *testing.T) {
	for name, tc := range map[string]struct {
		keyed bool
		want  string
	}{"keyed": {true, "Narrow it"}, "without a key": {false, "needs a key"}} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "HAEXCEL_HANDOVER_MARGIN=1m")
			b.orders.info = func(i *dataset.Info) { i.Keyed = tc.keyed }
			newGate(b.orders)
			id := b.submit(t, `{}`).JobID
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute+500*time.Millisecond)
			defer cancel()
			doIn(t, ctx, b.work(), receive(t, b.normal), app.Consumed)
			if ctx.Err() != nil {
				t.Fatal("the margin was used up")
			}
			if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, tc.want) || j.Attempt != 1 {
				t.Errorf("row %+v", j)
			}
			if keys := b.objects(t); len(keys) != 0 {
				t.Errorf("objects are left: %v", keys)
			}
		})
	}
}

func TestNoJobIsBegunWithinTheMargin(t *testing.T) {
	b := setup(t, "HAEXCEL_HANDOVER_MARGIN=1m")
	id := b.submit(t, `{}`).JobID
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	doIn(t, ctx, b.work(), receive(t, b.normal), app.TryLater)
	if j := b.get(t, id); j.Status != job.Pending || j.Attempt != 0 {
		t.Errorf("row %+v", j)
	}
}

// refusing is a storage that takes nothing.
type refusing struct{ storage.Driver }

func (refusing) NewWriter(context.Context, string, storage.WriteOptions) (storage.Writer, error) {
	return nil, fault.New(fault.Unavailable, "The storage is away.")
}

func TestStorageThatRefuses(t *testing.T) {
	b := setup(t)
	good := b.bucket
	b.bucket = storage.NewBucket(refusing{b.driver})
	id := b.submit(t, `{}`).JobID
	u := b.work()
	for range 3 {
		do(t, u, wakeOf(b.get(t, id)), app.Consumed)
	}
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != "The storage is away." {
		t.Errorf("row %+v", j)
	}
	if _, err := (&app.Retry{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}).Do(t.Context(), u1, id, ""); err != nil {
		t.Fatal(err)
	}
	b.bucket = good
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	if j := b.get(t, id); j.Status != job.Done || j.Attempt != 4 {
		t.Errorf("after the retry: %+v", j)
	}
}

func TestTruncatedCellsAreCounted(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"params":{"typo":1},"columns":[{"field":"name","excelCodeMap":{"고객 1":"`+strings.Repeat("x", 40000)+`"}}]}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	r, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u1, id)
	if err != nil {
		t.Fatal(err)
	}
	if r.TruncatedCells != 1 || len(r.Warnings) != 1 {
		t.Errorf("reply %+v", r)
	}
}

func TestZeroRows(t *testing.T) {
	b := setup(t)
	b.orders.rows = 0
	b.orders.info = func(i *dataset.Info) { i.Columns = []cell.ColumnDef{{Field: "id"}} }
	id := b.submit(t, `{"totalCnt":5000}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	r, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u1, id)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != job.Done || r.ProcessedRows != 0 || r.TotalRows != 0 || *r.Bytes == 0 {
		t.Errorf("reply %+v", r)
	}
}
