package jobsql

import (
	"context"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// deadLetterMessage is error_msg of a job whose wakes could not be worked off.
const deadLetterMessage = "No worker could start this export; its messages came back too often."

// In: a wake. Count 0: the wake is stale, or the attempts are used up. A NULL
// woken_at (a row of the Java library) was woken as 0.
const wakeIsCurrentSQL = `{same job_id :id} AND status = 'PENDING' AND cancel_yn = 'N' AND COALESCE(woken_at, 0) = :woken_at`

var deadRetrySQL = define("retry dead letter", `
UPDATE ha_excel_job SET failures = failures + 1, `+pendingSQL+`
WHERE `+wakeIsCurrentSQL+` AND failures + 1 < :max_attempts`)

var deadFailSQL = define("fail dead letter", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = :message, failures = failures + 1, `+endedSQL+`
WHERE `+wakeIsCurrentSQL+` AND failures + 1 >= :max_attempts`)

// DeadLetter implements job.Store.
func (s *Store) DeadLetter(ctx context.Context, id string, wokenAt int64, maxAttempts int) (job.Job, job.DeadLetterVerdict, error) {
	before, err := s.Get(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return job.Job{}, job.DeadDropped, nil
	}
	if err != nil {
		return job.Job{}, "", err
	}
	j, moved, err := s.transition(ctx, "retry dead letter", id, deadRetrySQL,
		params{"id": id, "woken_at": wokenAt, "max_attempts": maxAttempts},
		func(j job.Job) bool {
			return j.Status == job.Pending && j.Attempt == before.Attempt && j.WokenAt != wokenAt && j.Failures > before.Failures
		})
	if err == nil && moved {
		return j, job.DeadRetried, nil
	}
	if err == nil {
		j, moved, err = s.transition(ctx, "fail dead letter", id, deadFailSQL,
			params{"id": id, "woken_at": wokenAt, "max_attempts": maxAttempts, "message": deadLetterMessage},
			func(j job.Job) bool {
				return j.Status == job.Fail && j.ErrorMsg == deadLetterMessage && before.Status != job.Fail
			})
	}
	switch {
	case gone(err):
		return job.Job{}, job.DeadDropped, nil
	case err != nil:
		return job.Job{}, "", err
	case moved:
		return j, job.DeadFailed, nil
	default:
		return j, job.DeadDropped, nil
	}
}
