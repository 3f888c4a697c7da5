package jobtest

import (
	"testing"

	"github.com/haexcel/haexcel/shared/job"
)

func testDeadLetter(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	settle := func(t *testing.T, id string, wokenAt int64) (job.Job, job.DeadLetterVerdict) {
		t.Helper()
		j, verdict, err := s.DeadLetter(t.Context(), id, wokenAt, attempts)
		ok(t, err)
		return j, verdict
	}

	t.Run("counts as a failed attempt until they are used up", func(t *testing.T) {
		before := submit(t, s, newJob())
		j := before
		for failures := 1; failures < attempts; failures++ {
			after, verdict := settle(t, j.ID, j.WokenAt)
			equal(t, "verdict", verdict, job.DeadRetried)
			sound(t, after)
			equal(t, "status", after.Status, job.Pending)
			equal(t, "failures", after.Failures, failures)
			if after.WokenAt <= j.WokenAt {
				t.Error("the wake is not a new one")
			}
			// The same message once more is stale now.
			again, verdict := settle(t, j.ID, j.WokenAt)
			equal(t, "verdict on a duplicate", verdict, job.DeadDropped)
			equal(t, "row", again, after)
			j = after
		}
		after, verdict := settle(t, j.ID, j.WokenAt)
		equal(t, "verdict", verdict, job.DeadFailed)
		sound(t, after)
		equal(t, "status", after.Status, job.Fail)
		equal(t, "failures", after.Failures, attempts)
	})

	t.Run("a re-wake is the same wake", func(t *testing.T) {
		j := submit(t, s, newJob())
		f.SetJob(t, j.ID, map[string]any{"updated_at": int64(1)})
		again := must[[]job.Job](t)(s.Rewake(ctx, lease, 100))
		equal(t, "re-woken", len(again), 1)
		_, verdict := settle(t, j.ID, again[0].WokenAt)
		equal(t, "verdict", verdict, job.DeadRetried)
	})

	t.Run("a row without woken_at was woken as 0", func(t *testing.T) {
		j := submit(t, s, newJob())
		f.SetJob(t, j.ID, map[string]any{"woken_at": nil})
		_, verdict := settle(t, j.ID, 5)
		equal(t, "verdict on another wake", verdict, job.DeadDropped)
		after, verdict := settle(t, j.ID, 0)
		equal(t, "verdict", verdict, job.DeadRetried)
		sound(t, after)
	})

	t.Run("anything else is dropped", func(t *testing.T) {
		cancelled := submit(t, s, newJob())
		f.SetJob(t, cancelled.ID, map[string]any{"cancel_yn": "Y"})
		for name, j := range map[string]job.Job{
			"cancelled": get(t, s, cancelled.ID), "running": running(t, s), "split": splitJob(t, s, 1),
			"done": finished(t, s), "failed": failed(t, s),
		} {
			t.Run(name, func(t *testing.T) {
				after, verdict := settle(t, j.ID, j.WokenAt)
				equal(t, "verdict", verdict, job.DeadDropped)
				equal(t, "answer", after, j)
				unchanged(t, s, j)
			})
		}
	})
}
