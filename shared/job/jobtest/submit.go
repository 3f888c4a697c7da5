package jobtest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testSubmit(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("every member is stored", func(t *testing.T) {
		n := job.New{
			ID: uuid.NewString(), Dataset: "orderList", FileName: "2026년 주문 😀", Requester: "kim",
			ParamsJSON: `{"b": 1,  "a":"가"}`, ColumnsJSON: `[ {"field":"x"} ]`, TemplateID: "tpl-1",
			Queue: job.Large, TotalRows: 150000, FilterHash: hash("f"), ExportHash: hash("every member"),
			IdempotencyKey: hash("i"), RequestID: "req-1", ScopeJSON: `{"tenant":"t1"}`,
			OptionsJSON: `{"packaging":"zip"}`, WarningsJSON: `{"warnings":["x"]}`,
		}
		from := f.now(t)
		j := submit(t, s, n)
		to := f.now(t)
		if j.CreatedAt < from || j.CreatedAt > to {
			t.Errorf("created at %d, want the database's clock between %d and %d", j.CreatedAt, from, to)
		}
		equal(t, "woken_at", j.WokenAt, j.CreatedAt)
		equal(t, "updated_at", j.UpdatedAt, j.CreatedAt)
		j.CreatedAt, j.WokenAt, j.UpdatedAt = 0, 0, 0
		equal(t, "job", j, job.Job{
			ID: n.ID, Dataset: n.Dataset, FileName: n.FileName, Requester: n.Requester, Status: job.Pending,
			TotalRows: n.TotalRows, ParamsJSON: n.ParamsJSON, ColumnsJSON: n.ColumnsJSON, TemplateID: n.TemplateID,
			Queue: job.Large, FilterHash: n.FilterHash, ExportHash: n.ExportHash, ActiveKey: n.ExportHash,
			IdempotencyKey: n.IdempotencyKey, RequestID: n.RequestID, ScopeJSON: n.ScopeJSON,
			OptionsJSON: n.OptionsJSON, WarningsJSON: n.WarningsJSON,
		})
	})

	t.Run("the queue is normal by default", func(t *testing.T) {
		n := newJob()
		n.Queue = ""
		equal(t, "queue", submit(t, s, n).Queue, job.Normal)
	})

	t.Run("a hint beyond the column stops at its end", func(t *testing.T) {
		n := newJob()
		n.TotalRows = 1 << 40
		equal(t, "total", submit(t, s, n).TotalRows, 1<<31-1)
	})

	t.Run("an active job answers the same export", func(t *testing.T) {
		n := newJob()
		first := submit(t, s, n)
		again := n
		again.ID = uuid.NewString()
		answer := must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "created", answer.Created, false)
		equal(t, "answer while pending", answer.Job, first)

		j := claim(t, s, n.ID)
		answer = must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "created", answer.Created, false)
		equal(t, "answer while running", answer.Job, j)
		equal(t, "rows", f.CountJobs(t, "export_hash", n.ExportHash), 1)
	})

	for name, end := range map[string]func(t *testing.T, j job.Job){
		"done": func(t *testing.T, j job.Job) { ok(t, s.Complete(t.Context(), j.Fence(), completion(j))) },
		"failed": func(t *testing.T, j job.Job) {
			must[job.Job](t)(s.Fail(t.Context(), j.Fence(), "broken"))
		},
		"cancelled while running": func(t *testing.T, j job.Job) { must[job.Job](t)(s.Cancel(t.Context(), j.ID)) },
	} {
		t.Run("a new job after one that is "+name, func(t *testing.T) {
			n := newJob()
			submit(t, s, n)
			end(t, claim(t, s, n.ID))
			n.ID = uuid.NewString()
			submit(t, s, n)
		})
	}

	t.Run("the same id again counts as inserted", func(t *testing.T) {
		n := newJob()
		first := submit(t, s, n)
		answer := must[job.Submitted](t)(s.Submit(ctx, n, noLimits))
		equal(t, "created", answer.Created, true)
		equal(t, "answer", answer.Job, first)
		equal(t, "rows", f.CountJobs(t, "export_hash", n.ExportHash), 1)
	})

	t.Run("the same id again after its end counts as inserted", func(t *testing.T) {
		n := newJob()
		submit(t, s, n)
		j := claim(t, s, n.ID)
		ok(t, s.Complete(t.Context(), j.Fence(), completion(j)))
		answer := must[job.Submitted](t)(s.Submit(t.Context(), n, noLimits))
		equal(t, "created", answer.Created, true)
		equal(t, "status", answer.Job.Status, job.Done)
	})

	t.Run("past the window the key is taken over", func(t *testing.T) {
		n := newJob()
		old := submit(t, s, n)
		f.age(t, old.ID, window+time.Second)
		n.ID = uuid.NewString()
		fresh := submit(t, s, n)
		equal(t, "active key of the new job", fresh.ActiveKey, n.ExportHash)
		before := get(t, s, old.ID)
		equal(t, "active key of the old job", before.ActiveKey, "")
		equal(t, "export hash of the old job", before.ExportHash, n.ExportHash)
		equal(t, "status of the old job", before.Status, job.Pending)

		// The old job's end must not take the key from its successor.
		j := claim(t, s, old.ID)
		ok(t, s.Complete(t.Context(), j.Fence(), completion(j)))
		equal(t, "active key after the old job's end", get(t, s, fresh.ID).ActiveKey, n.ExportHash)
	})

	t.Run("within the window nothing is taken over", func(t *testing.T) {
		n := newJob()
		first := submit(t, s, n)
		f.age(t, first.ID, window-time.Minute)
		n.ID = uuid.NewString()
		answer := must[job.Submitted](t)(s.Submit(ctx, n, noLimits))
		equal(t, "answer", answer.Job.ID, first.ID)
	})

	t.Run("an export without a hash is never the same", func(t *testing.T) {
		for range 2 {
			n := newJob()
			n.ExportHash = ""
			submit(t, s, n)
		}
	})
}

func testLimits(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	lim := job.SubmitLimits{
		Window: window, MaxActive: 3, MaxPending: 5,
		RetryAfterActive: 7 * time.Second, RetryAfterPending: 9 * time.Second,
	}
	of := func(requester string) job.New {
		n := newJob()
		n.Requester = requester
		return n
	}
	try := func(n job.New) error {
		_, err := s.Submit(ctx, n, lim)
		return err
	}
	retryAfter := func(err error) time.Duration {
		var advice *fault.Error
		if !errors.As(err, &advice) {
			return 0
		}
		return advice.RetryAfter
	}

	first := of("a")
	first.IdempotencyKey = hash("limits")
	ok(t, try(first))
	ok(t, try(of("a")))
	claim(t, s, first.ID) // RUNNING counts for the requester, not for the waiting
	ok(t, try(of("a")))
	err := try(of("a"))
	wantCode(t, err, fault.TooManyRequests)
	equal(t, "advice to the requester", retryAfter(err), 7*time.Second)

	// Both keys are looked at before the limits.
	again := first
	again.ID = uuid.NewString()
	ok(t, try(again))
	again.IdempotencyKey = ""
	ok(t, try(again))

	// Case and trailing blanks make another requester.
	ok(t, try(of("A")))
	ok(t, try(of("a ")))
	ok(t, try(of("b")))
	err = try(of("b")) // five wait
	wantCode(t, err, fault.Unavailable)
	equal(t, "advice to all", retryAfter(err), 9*time.Second)

	// Cancelled jobs count for neither.
	must[job.Job](t)(s.Cancel(ctx, first.ID))
	equal(t, "status", get(t, s, first.ID).Status, job.Running)
	waiting := must[job.Page](t)(s.List(ctx, "b", 1, "")).Jobs[0]
	must[job.Job](t)(s.Cancel(ctx, waiting.ID))
	ok(t, try(of("a")))

	// Zero is no limit.
	for range 3 {
		_, err := s.Submit(ctx, of("a"), noLimits)
		ok(t, err)
	}
}

func testIdempotency(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	keyed := func() job.New {
		n := newJob()
		n.IdempotencyKey = hash("key", n.ID)
		return n
	}

	t.Run("answers with the first job, finished or not", func(t *testing.T) {
		n := keyed()
		submit(t, s, n)
		again := n
		again.ID = uuid.NewString()
		equal(t, "waiting", must[job.Submitted](t)(s.Submit(ctx, again, noLimits)).Job.ID, n.ID)
		j := claim(t, s, n.ID)
		ok(t, s.Complete(ctx, j.Fence(), completion(j)))
		answer := must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "finished", answer.Job.ID, n.ID)
		equal(t, "created", answer.Created, false)
		equal(t, "status", answer.Job.Status, job.Done)
	})

	t.Run("another export is refused", func(t *testing.T) {
		n := keyed()
		submit(t, s, n)
		other := newJob()
		other.IdempotencyKey = n.IdempotencyKey
		_, err := s.Submit(ctx, other, noLimits)
		wantCode(t, err, fault.Unprocessable)
		equal(t, "rows", f.CountJobs(t, "job_id", other.ID), 0)
	})

	t.Run("past the window the key is taken over", func(t *testing.T) {
		n := keyed()
		submit(t, s, n)
		f.age(t, n.ID, window+time.Second)
		other := newJob()
		other.IdempotencyKey = n.IdempotencyKey
		fresh := submit(t, s, other)
		equal(t, "key of the new job", fresh.IdempotencyKey, n.IdempotencyKey)
		equal(t, "key of the old job", get(t, s, n.ID).IdempotencyKey, "")
		equal(t, "active key of the old job", get(t, s, n.ID).ActiveKey, n.ExportHash)
	})

	t.Run("the active job gets the key of a submit it answers", func(t *testing.T) {
		n := newJob()
		submit(t, s, n)
		again := n
		again.ID, again.IdempotencyKey = uuid.NewString(), hash("lent", n.ID)
		answer := must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "answer", answer.Job.ID, n.ID)
		equal(t, "key in the answer", answer.Job.IdempotencyKey, again.IdempotencyKey)
		equal(t, "key in the row", get(t, s, n.ID).IdempotencyKey, again.IdempotencyKey)

		j := claim(t, s, n.ID)
		ok(t, s.Complete(ctx, j.Fence(), completion(j)))
		again.ID = uuid.NewString()
		equal(t, "answer by the key afterwards", must[job.Submitted](t)(s.Submit(ctx, again, noLimits)).Job.ID, n.ID)
	})

	t.Run("a key that is there is not replaced", func(t *testing.T) {
		n := keyed()
		submit(t, s, n)
		again := n
		again.ID, again.IdempotencyKey = uuid.NewString(), hash("second", n.ID)
		equal(t, "answer", must[job.Submitted](t)(s.Submit(ctx, again, noLimits)).Job.ID, n.ID)
		equal(t, "key", get(t, s, n.ID).IdempotencyKey, n.IdempotencyKey)
	})
}
