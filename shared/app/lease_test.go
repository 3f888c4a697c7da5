package app_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

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
func start(ctx context.Context, t *testing.T, u *app.Work, w wake.Wake) (wait func()) {
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
	wait := start(t.Context(), t, b.work(), receive(t, b.normal))
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
	if now, err := b.store.Now(t.Context()); err != nil || j.Status != job.Running || j.LeaseUntil <= now || j.Token != claimed.Token {
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
	wait := start(t.Context(), t, b.work(), receive(t, b.normal))
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
	wait := start(t.Context(), t, b.work(), receive(t, b.normal))
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
	wait := start(t.Context(), t, b.work(), receive(t, b.normal))
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
			wait := start(t.Context(), t, u, receive(t, b.normal))
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
