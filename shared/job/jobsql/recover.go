package jobsql

import (
	"context"
	"fmt"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Candidates only; each is then moved by a statement that looks again. Two
// queries instead of an OR, so that both use their index.
var expiredJobsSQL = define("jobs with an expired lease", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE status = 'RUNNING' AND COALESCE(phase, '') <> 'CHUNKS' AND (lease_until IS NULL OR lease_until <= {now})
ORDER BY lease_until LIMIT :bound`)

var cancelledPendingSQL = define("cancelled pending jobs", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE status = 'PENDING' AND cancel_yn = 'Y'
ORDER BY created_at LIMIT :bound`)

// In: a job as read. Count 0: its worker came back, or another recovery was
// first.
const stillExpiredSQL = `{same job_id :id} AND status = 'RUNNING' AND attempt = :attempt AND failures = :failures
	AND ` + leaseExpiredSQL

var recoverCancelledSQL = define("end cancelled job", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = '`+job.CancelledMessage+`', `+endedSQL+`
WHERE `+stillExpiredSQL+` AND cancel_yn = 'Y'`)

var recoverPendingSQL = define("recover job", `
UPDATE ha_excel_job SET failures = failures + 1, `+pendingSQL+`
WHERE `+stillExpiredSQL+` AND cancel_yn = 'N' AND COALESCE(phase, '') <> 'PACKING'`)

// A lost packer gives back the packing only: its chunks are done.
var recoverPackingSQL = define("recover packing", `
UPDATE ha_excel_job SET failures = failures + 1, phase = 'CHUNKS', server_id = NULL, lease_until = NULL,
	woken_at = `+wokenSQL+`, updated_at = {now}
WHERE {same job_id :id} AND status = 'RUNNING' AND attempt = :attempt AND failures = :failures
	AND phase = 'PACKING' AND COALESCE(lease_until, 0) <= {now} AND cancel_yn = 'N'`)

var recoverFailSQL = define("fail lost job", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = :message, failures = failures + 1, `+endedSQL+`
WHERE `+stillExpiredSQL+` AND cancel_yn = 'N'`)

var endCancelledPendingSQL = define("end cancelled pending job", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = '`+job.CancelledMessage+`', `+endedSQL+`
WHERE {same job_id :id} AND status = 'PENDING' AND cancel_yn = 'Y'`)

// Recover implements job.Store.
func (s *Store) Recover(ctx context.Context, maxAttempts, limit int) ([]job.Recovered, error) {
	expired, err := s.jobs(ctx, "recover jobs", expiredJobsSQL, params{"bound": limit})
	if err != nil {
		return nil, err
	}
	var done []job.Recovered
	for _, j := range expired {
		r, moved, err := s.recoverOne(ctx, j, maxAttempts)
		if err != nil {
			return done, err
		}
		if moved {
			done = append(done, r)
		}
	}
	if len(expired) >= limit {
		return done, nil
	}
	cancelled, err := s.jobs(ctx, "recover jobs", cancelledPendingSQL, params{"bound": limit - len(expired)})
	if err != nil {
		return done, err
	}
	for _, j := range cancelled {
		j, moved, err := s.transition(ctx, "recover job", j.ID, endCancelledPendingSQL, params{"id": j.ID}, ended)
		if gone(err) {
			continue
		}
		if err != nil {
			return done, err
		}
		if moved {
			done = append(done, job.Recovered{Job: j, Failed: true})
		}
	}
	return done, nil
}

func (s *Store) recoverOne(ctx context.Context, j job.Job, maxAttempts int) (job.Recovered, bool, error) {
	p := params{"id": j.ID, "attempt": j.Attempt, "failures": j.Failures}
	t, applied, wake := recoverPendingSQL, givenBack(j.Fence()), true
	switch {
	case j.CancelWanted:
		t, applied, wake = recoverCancelledSQL, ended, false
	case j.Failures+1 >= maxAttempts:
		t, applied, wake = recoverFailSQL, ended, false
		p["message"] = lostMessage(j.Failures + 1)
	case j.Phase == job.PhasePacking:
		t = recoverPackingSQL
		applied = func(now job.Job) bool { return now.Phase == job.PhaseChunks && now.Attempt == j.Attempt }
	}
	after, moved, err := s.transition(ctx, "recover job", j.ID, t, p, applied)
	if gone(err) {
		return job.Recovered{}, false, nil
	}
	return job.Recovered{Job: after, Wake: wake, Failed: !wake}, moved, err
}

func lostMessage(failures int) string { return fmt.Sprintf("Worker lost %d times", failures) }

func ended(j job.Job) bool { return j.Status == job.Fail }

// gone: the row was purged between reading and moving it.
func gone(err error) bool { return fault.Is(err, fault.NotFound) }

var orphansSQL = define("orphaned jobs", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE status = 'PENDING' AND cancel_yn = 'N' AND updated_at <= {now} - :threshold
ORDER BY updated_at LIMIT :bound`)

// In: a job and the threshold. Count 0: something touched it, so that there is
// at most one extra message per threshold however many run this.
var touchJobSQL = define("touch job", `
UPDATE ha_excel_job SET updated_at = {now}
WHERE {same job_id :id} AND status = 'PENDING' AND cancel_yn = 'N' AND updated_at <= {now} - :threshold`)

// Rewake implements job.Store.
func (s *Store) Rewake(ctx context.Context, threshold time.Duration, limit int) ([]job.Job, error) {
	orphans, err := s.jobs(ctx, "re-wake jobs", orphansSQL, params{"threshold": threshold.Milliseconds(), "bound": limit})
	if err != nil {
		return nil, err
	}
	var touched []job.Job
	for _, seen := range orphans {
		after, moved, err := s.transition(ctx, "re-wake job", seen.ID, touchJobSQL,
			params{"id": seen.ID, "threshold": threshold.Milliseconds()},
			func(j job.Job) bool { return j.Status == job.Pending && j.UpdatedAt > seen.UpdatedAt })
		if gone(err) {
			continue
		}
		if err != nil {
			return touched, err
		}
		if moved && after.Status == job.Pending {
			touched = append(touched, after)
		}
	}
	return touched, nil
}
