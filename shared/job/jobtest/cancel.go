package jobtest

import (
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testCancel(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	cancelled := func(t *testing.T, id string) job.Job {
		t.Helper()
		j := must[job.Job](t)(s.Cancel(t.Context(), id))
		equal(t, "cancel wanted", j.CancelWanted, true)
		equal(t, "active key", j.ActiveKey, "")
		equal(t, "answer and row", get(t, s, id), j)
		sound(t, j)
		return j
	}

	t.Run("a waiting job ends", func(t *testing.T) {
		id := submit(t, s, newJob()).ID
		j := cancelled(t, id)
		equal(t, "status", j.Status, job.Fail)
		equal(t, "message", j.ErrorMsg, job.CancelledMessage)
		equal(t, "failures", j.Failures, 0)
		_, claimed, err := s.Claim(ctx, id, "host", lease)
		ok(t, err)
		equal(t, "claimed afterwards", claimed, false)
		_, err = s.Cancel(ctx, id)
		wantCode(t, err, fault.Conflict)
		unchanged(t, s, j)
	})

	t.Run("a running job is asked to end, twice if need be", func(t *testing.T) {
		before := running(t, s)
		j := cancelled(t, before.ID)
		equal(t, "status", j.Status, job.Running)
		equal(t, "token", j.Token, before.Token)
		equal(t, "lease", j.LeaseUntil, before.LeaseUntil)
		cancelled(t, before.ID)
	})

	t.Run("a job whose worker is gone ends", func(t *testing.T) {
		for name, leaseUntil := range map[string]any{"expired": int64(1), "no lease": nil} {
			j := running(t, s)
			f.SetJob(t, j.ID, map[string]any{"lease_until": leaseUntil})
			after := cancelled(t, j.ID)
			equal(t, name, after.Status, job.Fail)
			equal(t, "message", after.ErrorMsg, job.CancelledMessage)
			equal(t, "token", after.Token, j.Token)
			equal(t, "attempt", after.Attempt, j.Attempt)
			wantCode(t, s.Complete(ctx, j.Fence(), completion(j)), fault.Lost)
			unchanged(t, s, after)
		}
	})

	t.Run("a cancelled job whose worker then dies ends", func(t *testing.T) {
		j := running(t, s)
		cancelled(t, j.ID)
		f.expire(t, j.ID)
		equal(t, "status", cancelled(t, j.ID).Status, job.Fail)
	})

	t.Run("a split job has no lease and is only flagged", func(t *testing.T) {
		j := splitJob(t, s, 2)
		equal(t, "status", cancelled(t, j.ID).Status, job.Running)
	})

	t.Run("a finished job keeps its file", func(t *testing.T) {
		done := finished(t, s)
		_, err := s.Cancel(ctx, done.ID)
		wantCode(t, err, fault.Conflict)
		unchanged(t, s, done)
		broken := failed(t, s)
		_, err = s.Cancel(ctx, broken.ID)
		wantCode(t, err, fault.Conflict)
		unchanged(t, s, broken)
	})
}
