package jobtest

import (
	"context"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// mutants are stores with one rule broken each. Calls whose connection is to
// break go past them. The steps are those that lead to the broken rule: with all
// of them the search would take long.
var mutants = []struct {
	name   string
	mutate func(t testing.TB, f Fixture) job.Store
	steps  []string
}{
	{
		name:   "a claim that looks at nothing",
		mutate: func(t testing.TB, f Fixture) job.Store { return blindClaim{f.Store, f, t} },
	},
	{
		name:   "a cancel that keeps others out",
		mutate: func(t testing.TB, f Fixture) job.Store { return greedyCancel{f.Store, f, t} },
	},
	{
		name:   "a plan that takes a moment of its own",
		mutate: func(t testing.TB, f Fixture) job.Store { return newMoment{f.Store, f, t} },
		steps:  []string{"submit", "claim", "add chunk", "plan done", "claim chunk", "fail chunk", "end split", "reopen"},
	},
	{
		name:   "a recovery that counts no failure",
		mutate: func(t testing.TB, f Fixture) job.Store { return kindRecovery{f.Store, f, t} },
		steps:  []string{"submit", "claim", "beat", "lose a worker", "recover"},
	},
	{
		name:   "a release that counts as a failure",
		mutate: func(_ testing.TB, f Fixture) job.Store { return harshRelease{f.Store} },
		steps:  []string{"submit", "claim", "add chunk", "plan done", "claim chunk", "release chunk"},
	},
	{
		name:   "a sweep that forgets its files",
		mutate: func(_ testing.TB, f Fixture) job.Store { return forgetfulSweep{f.Store} },
		steps:  []string{"submit", "claim", "complete", "grow old", "sweep"},
	},
}

// blindClaim claims a job in any state.
type blindClaim struct {
	job.Store
	f Fixture
	t testing.TB
}

func (s blindClaim) Claim(ctx context.Context, id, serverID string, lease time.Duration) (job.Job, bool, error) {
	before, err := s.Get(ctx, id)
	if err != nil {
		return job.Job{}, false, err
	}
	s.f.SetJob(s.t, id, map[string]any{
		"status": "RUNNING", "server_id": serverID + "#" + hash("token", before.Attempt, id), "attempt": before.Attempt + 1,
		"lease_until": s.f.now(s.t) + lease.Milliseconds(), "started_at": s.f.now(s.t), "updated_at": s.f.now(s.t),
	})
	j, err := s.Get(ctx, id)
	return j, true, err
}

// greedyCancel leaves the active key where it is.
type greedyCancel struct {
	job.Store
	f Fixture
	t testing.TB
}

func (s greedyCancel) Cancel(ctx context.Context, id string) (job.Job, error) {
	before, err := s.Get(ctx, id)
	if err != nil {
		return job.Job{}, err
	}
	j, err := s.Store.Cancel(ctx, id)
	if err != nil || before.ActiveKey == "" {
		return j, err
	}
	s.f.SetJob(s.t, id, map[string]any{"active_key": before.ActiveKey})
	return s.Get(ctx, id)
}

// newMoment gives the job the moment of its latest plan.
type newMoment struct {
	job.Store
	f Fixture
	t testing.TB
}

func (s newMoment) PlanDone(ctx context.Context, f job.Fence, p job.Planned) (job.Job, error) {
	j, err := s.Store.PlanDone(ctx, f, p)
	if err != nil || p.AsOf == 0 {
		return j, err
	}
	s.f.SetJob(s.t, f.JobID, map[string]any{"as_of": p.AsOf})
	return s.Get(ctx, f.JobID)
}

// kindRecovery lets lost workers try for ever.
type kindRecovery struct {
	job.Store
	f Fixture
	t testing.TB
}

func (s kindRecovery) Recover(ctx context.Context, maxAttempts, limit int) ([]job.Recovered, error) {
	done, err := s.Store.Recover(ctx, maxAttempts, limit)
	for i, r := range done {
		if r.Wake {
			s.f.SetJob(s.t, r.Job.ID, map[string]any{"failures": r.Job.Failures - 1})
			done[i].Job.Failures--
		}
	}
	return done, err
}

// harshRelease counts a failure where a worker was only told to stop.
type harshRelease struct{ job.Store }

func (s harshRelease) ReleaseChunk(ctx context.Context, f job.ChunkFence) error {
	_, err := s.RetryChunk(ctx, f, attempts+1)
	return err
}

// forgetfulSweep leaves the objects of a swept job to nobody.
type forgetfulSweep struct{ job.Store }

func (s forgetfulSweep) MarkSwept(ctx context.Context, id string, ttl time.Duration) ([]string, bool, error) {
	_, swept, err := s.Store.MarkSwept(ctx, id, ttl)
	return nil, swept, err
}
