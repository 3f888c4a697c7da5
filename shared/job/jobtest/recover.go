package jobtest

import (
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// recoverAll recovers once and answers what became of each job.
func recoverAll(t *testing.T, s job.Store) map[string]job.Recovered {
	t.Helper()
	byID := map[string]job.Recovered{}
	for _, r := range must[[]job.Recovered](t)(s.Recover(t.Context(), attempts, 1000)) {
		if _, twice := byID[r.Job.ID]; twice {
			t.Errorf("job %s was recovered twice", r.Job.ID)
		}
		byID[r.Job.ID] = r
	}
	return byID
}

func testRecover(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("a lost worker", func(t *testing.T) {
		for name, leaseUntil := range map[string]any{"expired": int64(1), "no lease": nil} {
			before := running(t, s)
			f.SetJob(t, before.ID, map[string]any{"lease_until": leaseUntil})
			r := recoverAll(t, s)[before.ID]
			equal(t, name+" wakes", r.Wake, true)
			equal(t, name+" failed", r.Failed, false)
			sound(t, r.Job)
			equal(t, "status", r.Job.Status, job.Pending)
			equal(t, "failures", r.Job.Failures, 1)
			equal(t, "attempt", r.Job.Attempt, 1)
			equal(t, "active key", r.Job.ActiveKey, before.ActiveKey)
			if r.Job.WokenAt <= before.WokenAt {
				t.Error("the wake is not a new one")
			}
			equal(t, "row", get(t, s, before.ID), r.Job)
		}
	})

	t.Run("a lease that runs is left alone", func(t *testing.T) {
		j := running(t, s)
		if _, found := recoverAll(t, s)[j.ID]; found {
			t.Error("recovered")
		}
		unchanged(t, s, j)
	})

	t.Run("until the attempts are used up", func(t *testing.T) {
		j := running(t, s)
		for range attempts - 1 {
			f.expire(t, j.ID)
			equal(t, "wake", recoverAll(t, s)[j.ID].Wake, true)
			j = claim(t, s, j.ID)
		}
		f.expire(t, j.ID)
		r := recoverAll(t, s)[j.ID]
		equal(t, "wake", r.Wake, false)
		equal(t, "failed", r.Failed, true)
		sound(t, r.Job)
		equal(t, "status", r.Job.Status, job.Fail)
		equal(t, "message", r.Job.ErrorMsg, "Worker lost 3 times")
		equal(t, "failures", r.Job.Failures, attempts)
		equal(t, "token", r.Job.Token, j.Token)
		equal(t, "attempt", r.Job.Attempt, attempts)
	})

	t.Run("a cancelled job ends without a failure more", func(t *testing.T) {
		j := running(t, s)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		f.expire(t, j.ID)
		r := recoverAll(t, s)[j.ID]
		equal(t, "failed", r.Failed, true)
		sound(t, r.Job)
		equal(t, "message", r.Job.ErrorMsg, job.CancelledMessage)
		equal(t, "failures", r.Job.Failures, 0)
	})

	t.Run("a waiting job whose cancel was accepted ends", func(t *testing.T) {
		j := submit(t, s, newJob())
		f.SetJob(t, j.ID, map[string]any{"cancel_yn": "Y"})
		r := recoverAll(t, s)[j.ID]
		equal(t, "failed", r.Failed, true)
		sound(t, r.Job)
		equal(t, "message", r.Job.ErrorMsg, job.CancelledMessage)
	})

	t.Run("a lost packer gives the packing back", func(t *testing.T) {
		j := packing(t, s)
		f.expire(t, j.ID)
		r := recoverAll(t, s)[j.ID]
		equal(t, "wake", r.Wake, true)
		sound(t, r.Job)
		equal(t, "status", r.Job.Status, job.Running)
		equal(t, "phase", r.Job.Phase, job.PhaseChunks)
		equal(t, "failures", r.Job.Failures, 1)
		equal(t, "attempt", r.Job.Attempt, j.Attempt)
		again, claimed, err := s.Pack(ctx, j.ID, "other", lease)
		ok(t, err)
		equal(t, "packed again", claimed, true)
		equal(t, "attempt", again.Attempt, j.Attempt+1)

		f.SetJob(t, j.ID, map[string]any{"failures": attempts - 1, "lease_until": int64(1)})
		r = recoverAll(t, s)[j.ID]
		equal(t, "failed", r.Failed, true)
		sound(t, r.Job)
	})

	t.Run("a split job is not recovered by its missing lease", func(t *testing.T) {
		j := splitJob(t, s, 1)
		if _, found := recoverAll(t, s)[j.ID]; found {
			t.Error("recovered")
		}
		unchanged(t, s, j)
	})

	t.Run("at most so many at once", func(t *testing.T) {
		for range 5 {
			f.expire(t, running(t, s).ID)
		}
		equal(t, "first", len(must[[]job.Recovered](t)(s.Recover(ctx, attempts, 3))), 3)
		equal(t, "second", len(must[[]job.Recovered](t)(s.Recover(ctx, attempts, 3))), 2)
		equal(t, "third", len(must[[]job.Recovered](t)(s.Recover(ctx, attempts, 3))), 0)
	})
}

func testRewake(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	const threshold = 10 * time.Minute
	rewake := func(t *testing.T) map[string]job.Job {
		t.Helper()
		byID := map[string]job.Job{}
		for _, j := range must[[]job.Job](t)(s.Rewake(t.Context(), threshold, 1000)) {
			byID[j.ID] = j
		}
		return byID
	}

	t.Run("a waiting job that nothing has touched, once per threshold", func(t *testing.T) {
		old, fresh := submit(t, s, newJob()), submit(t, s, newJob())
		f.age(t, old.ID, threshold+time.Second)
		before := get(t, s, old.ID)
		got := rewake(t)
		equal(t, "woken", len(got), 1)
		want := before
		want.UpdatedAt = got[old.ID].UpdatedAt
		equal(t, "row: only updated_at is new", got[old.ID], want)
		if want.UpdatedAt <= before.UpdatedAt {
			t.Error("updated_at stands still")
		}
		equal(t, "woken again at once", len(rewake(t)), 0)
		f.age(t, old.ID, threshold+time.Second)
		equal(t, "woken after another threshold", len(rewake(t)), 1)
		unchanged(t, s, fresh)
	})

	t.Run("no job in another state", func(t *testing.T) {
		cancelled := submit(t, s, newJob())
		f.SetJob(t, cancelled.ID, map[string]any{"cancel_yn": "Y"})
		for _, j := range []job.Job{cancelled, running(t, s), finished(t, s), failed(t, s), splitJob(t, s, 1)} {
			f.age(t, j.ID, time.Hour)
			before := get(t, s, j.ID)
			equal(t, "woken", len(rewake(t)), 0)
			unchanged(t, s, before)
		}
	})

	t.Run("at most so many at once, the longest untouched first", func(t *testing.T) {
		var ids []string
		for i := range 4 {
			j := submit(t, s, newJob())
			f.age(t, j.ID, time.Hour-time.Duration(i)*time.Minute)
			ids = append(ids, j.ID)
		}
		got := must[[]job.Job](t)(s.Rewake(ctx, threshold, 3))
		for i, j := range got {
			equal(t, "order", j.ID, ids[i])
		}
		equal(t, "woken", len(got), 3)
		equal(t, "left", len(rewake(t)), 1)
	})
}
