package app_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Only what was not finished is done again after a crash.
func TestLostChunkIsDoneAgain(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	for range 2 { // two workers take a chunk each; the first one dies
		if _, ok, err := b.store.ClaimChunk(t.Context(), id, "dead", time.Minute); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	b.drain(t)
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed) // the third chunk, and no packing
	if j := b.get(t, id); j.Phase != job.PhaseChunks || j.ProcessedRows != 1000 {
		t.Fatalf("row %+v", j)
	}
	b.setChunk(t, id, 1, "lease_until = 1")
	b.setChunk(t, id, 2, "lease_until = 1")
	rep, err := b.recoverer().Do(t.Context())
	if err != nil || rep.Chunks != 1 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 3000)
	if n := b.orders.opened.Load(); n != 3 {
		t.Errorf("%d readings of 3 chunks", n)
	}
}

// A packer that dies is replaced; the chunks are not touched again.
func TestLostPackerIsReplaced(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	for no := 1; no <= 3; no++ {
		b.doChunk(t, id)
	}
	if _, ok, err := b.store.Pack(t.Context(), id, "dead", time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}
	b.set(t, id, "lease_until = 1")
	if rep, err := b.recoverer().Do(t.Context()); err != nil || rep.Revived != 1 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	b.drain(t)
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	b.wantRows(t, id, 3000)
	if j := b.get(t, id); j.Failures != 1 || j.Attempt != 3 {
		t.Errorf("row %+v", j)
	}
}

// A chunk that failed lets the others go first, and is not tried again before its
// pause, however many workers come by.
func TestFailedChunkWaits(t *testing.T) {
	b := splitSetup(t, 1500)
	id := b.plan(t, "")
	b.drain(t)
	b.cfg.RetryBackoff, b.cfg.Lease = time.Hour, time.Hour
	b.setChunk(t, id, 1, "failures = 1")
	ctx, stop := context.WithCancel(t.Context())
	wait := start(ctx, t, b.work(), wakeOf(b.get(t, id)))
	eventually(t, "the good chunk is done and the failed one claimed", func() bool {
		c := b.chunks(t, id)
		return c[0].Status == job.Running && c[1].Status == job.Done
	})
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed) // finds nothing
	if n := b.orders.opened.Load(); n != 1 {
		t.Errorf("%d readings", n)
	}
	stop()
	wait()
	if c := b.chunks(t, id)[0]; c.Status != job.Pending || c.Failures != 1 {
		t.Errorf("chunk %+v", c)
	}
}

// A chunk that fails for good ends the job at once. Tried again, the job keeps
// what was finished.
func TestFailedChunkEndsTheJob(t *testing.T) {
	b := splitSetup(t, 4000)
	id := b.plan(t, "")
	b.drain(t)
	b.orders.atOpen = func(_ context.Context, q dataset.Query) error {
		if q.After == "2000" {
			return fault.New(fault.Unprocessable, "The third chunk is broken.")
		}
		return nil
	}
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Fail || j.ErrorMsg != "The third chunk is broken." || j.Failures != 1 {
		t.Fatalf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 2 {
		t.Errorf("objects %v, want those of two chunks", keys)
	}
	b.orders.atOpen = nil
	before := b.orders.opened.Load()
	retry := &app.Retry{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
	if _, err := retry.Do(t.Context(), u1, id, "req-2"); err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 4000)
	if n := b.orders.opened.Load() - before; n != 2 {
		t.Errorf("%d chunks were read again, want 2", n)
	}
	if j := b.get(t, id); b.orders.planned.Load() != 1 || j.AsOf != 1_788_000_000_000 {
		t.Errorf("%d plans, as of %d", b.orders.planned.Load(), j.AsOf)
	}
}

// What may pass is tried again after a pause, and counted at the chunk.
func TestChunkIsTriedAgain(t *testing.T) {
	b := splitSetup(t, 2000)
	id := b.plan(t, "")
	b.orders.atOpen = func(_ context.Context, q dataset.Query) error {
		if q.After == "" {
			return fault.New(fault.Unavailable, "The database is away.")
		}
		return nil
	}
	for failures := 1; failures <= 3; failures++ {
		b.drain(t)
		do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
		if c := b.chunks(t, id)[0]; c.Failures != failures {
			t.Fatalf("chunk %+v", c)
		}
	}
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != "The database is away." || j.ProcessedRows != 1000 {
		t.Errorf("row %+v", j)
	}
}

// A database without a connection to spare delays a job and never fails it.
func TestBusySourceDelays(t *testing.T) {
	b := splitSetup(t, 2000, "HAEXCEL_MAX_ATTEMPTS=1")
	busy := func(context.Context, dataset.Query) error { return fault.New(fault.Busy, "Too many connections.") }
	b.orders.count = busy
	id := b.submitLarge(t, "")
	for hops := 1; hops <= 5; hops++ {
		var w = receiveSoon(t, b.large)
		do(t, b.work(), w, app.Consumed)
		if j := b.get(t, id); j.Status != job.Pending || j.Failures != 0 || j.Hops != hops {
			t.Fatalf("row %+v", j)
		}
	}
	b.orders.count, b.orders.atOpen = nil, busy
	for range 3 {
		do(t, b.work(), receiveSoon(t, b.large), app.Consumed)
		if c := b.chunks(t, id)[0]; c.Status != job.Pending || c.Failures != 0 {
			t.Fatalf("chunk %+v", c)
		}
	}
	b.orders.atOpen = nil
	do(t, b.work(), receiveSoon(t, b.large), app.Consumed)
	b.wantRows(t, id, 2000)
}

// An accepted cancel ends a split job at once, whether or not somebody is at work,
// and nothing of it stays.
func TestCancelOfASplitJob(t *testing.T) {
	cancelJob := func(t *testing.T, b *bench, id string) {
		t.Helper()
		if _, err := (&app.Cancel{Store: b.store, Config: b.cfg, Logger: b.log}).Do(t.Context(), u1, id, ""); err != nil {
			t.Fatal(err)
		}
		if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.Failures != 0 {
			t.Errorf("row %+v", j)
		}
	}
	t.Run("nobody at work", func(t *testing.T) {
		b := splitSetup(t, 3000)
		id := b.plan(t, "")
		b.doChunk(t, id)
		cancelJob(t, b, id)
		if rep, err := b.recoverer().Do(t.Context()); err != nil || rep.Cleared != 1 {
			t.Errorf("report %+v, %v", rep, err)
		}
		if keys := b.objects(t); len(keys) != 0 || len(b.chunks(t, id)) != 0 {
			t.Errorf("objects %v, chunks %v", keys, b.chunks(t, id))
		}
	})
	t.Run("a worker in a chunk", func(t *testing.T) {
		b := splitSetup(t, 3000, "HAEXCEL_LEASE=1s")
		id := b.plan(t, "")
		b.drain(t)
		g := newGate(b.orders)
		wait := start(t.Context(), t, b.work(), wakeOf(b.get(t, id)))
		<-g.reached
		cancelJob(t, b, id)
		wait() // its next beat tells it
		if keys := b.objects(t); len(keys) != 0 || len(b.chunks(t, id)) != 0 {
			t.Errorf("objects %v, chunks %v", keys, b.chunks(t, id))
		}
	})
}

// Segments of one dataset's text are never joined with those of another.
func TestDatasetChangesWhileSplit(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	b.doChunk(t, id)
	b.orders.info = func(i *dataset.Info) { i.Digest = "digest-2" }
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "was changed while the export ran") {
		t.Errorf("row %+v", j)
	}
}

// A split job's dead wake says nothing of its chunks.
func TestDeadLetterOfASplitJob(t *testing.T) {
	b := splitSetup(t, 2000)
	id := b.plan(t, "")
	j := b.get(t, id)
	letters := &app.DeadLetter{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
	if err := letters.Do(t.Context(), wakeOf(j).Encode()); err != nil {
		t.Fatal(err)
	}
	if after := b.get(t, id); after.Status != job.Running || after.Failures != 0 {
		t.Errorf("row %+v", after)
	}
}

// forgetful is a table whose first reply to a statement of a worker is lost, after the
// statement took effect and every way of the store to find that out.
type forgetful struct {
	job.Store
	lost atomic.Bool
}

var errReplyLost = fault.New(fault.UnknownOutcome, "The job table did not answer.")

func (s *forgetful) PlanDone(ctx context.Context, f job.Fence, p job.Planned) (job.Job, error) {
	j, err := s.Store.PlanDone(ctx, f, p)
	if s.lost.CompareAndSwap(false, true) {
		return job.Job{}, errReplyLost
	}
	return j, err
}

func (s *forgetful) Retry(ctx context.Context, f job.Fence, attempts int) (job.Job, bool, error) {
	j, retried, err := s.Store.Retry(ctx, f, attempts)
	if s.lost.CompareAndSwap(false, true) {
		return job.Job{}, false, errReplyLost
	}
	return j, retried, err
}

func (s *forgetful) HandOver(ctx context.Context, f job.Fence, h job.HandOver) (job.Job, error) {
	j, err := s.Store.HandOver(ctx, f, h)
	if s.lost.CompareAndSwap(false, true) {
		return job.Job{}, errReplyLost
	}
	return j, err
}

func (s *forgetful) RetryChunk(ctx context.Context, f job.ChunkFence, attempts int) (bool, error) {
	retried, err := s.Store.RetryChunk(ctx, f, attempts)
	if s.lost.CompareAndSwap(false, true) {
		return false, errReplyLost
	}
	return retried, err
}

// What took effect although nobody heard of it is woken for.
func TestLostRepliesAreWokenFor(t *testing.T) {
	away := func(context.Context, dataset.Query) error {
		return fault.New(fault.Unavailable, "The database is away.")
	}
	t.Run("plan", func(t *testing.T) {
		b := splitSetup(t, 3000)
		id := b.submitLarge(t, "")
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, receive(t, b.large), app.Consumed)
		b.wantRows(t, id, 3000)
	})
	t.Run("retry", func(t *testing.T) {
		b := setup(t)
		id := b.submit(t, `{}`).JobID
		b.orders.atOpen = away
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, receive(t, b.normal), app.Consumed)
		if w := receive(t, b.normal); w.JobID != id || b.get(t, id).Failures != 1 {
			t.Errorf("wake %+v, row %+v", w, b.get(t, id))
		}
	})
	t.Run("hand over", func(t *testing.T) {
		b := splitSetup(t, 3000)
		id := b.submit(t, `{}`).JobID
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, receive(t, b.normal), app.Consumed)
		do(t, b.work(), receive(t, b.large), app.Consumed)
		b.wantRows(t, id, 3000)
	})
	t.Run("chunk", func(t *testing.T) {
		b := splitSetup(t, 1000)
		id := b.plan(t, "")
		b.drain(t)
		b.orders.atOpen = away
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, wakeOf(b.get(t, id)), app.Consumed)
		b.orders.atOpen = nil
		do(t, b.work(), receive(t, b.large), app.Consumed)
		b.wantRows(t, id, 1000)
	})
}
