package jobsql

import (
	"context"
	"fmt"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// In: a claim, counts (NULL leaves the column alone), a lease. Count 0: lost.
// An expired lease that nobody took over is simply renewed.
var beatJobSQL = define("beat job", `
UPDATE ha_excel_job SET lease_until = {now} + :lease, updated_at = {now},
	processed_rows = COALESCE(:processed, processed_rows), total_rows = COALESCE(:total, total_rows)
WHERE `+mineSQL)

// Beat implements job.Store.
func (s *Store) Beat(ctx context.Context, f job.Fence, p job.Progress, lease time.Duration) (bool, error) {
	j, moved, err := s.beats.transition(ctx, "beat job", f.JobID, beatJobSQL,
		fenced(f, params{"lease": lease.Milliseconds(), "processed": countOrNull(p.ProcessedRows), "total": countOrNull(p.TotalRows)}),
		func(job.Job) bool { return false }) // sent again instead, which does no harm
	if err != nil {
		return false, err
	}
	if !moved || !mine(f, j) {
		return false, fault.New(fault.Lost, "The job belongs to another worker now.")
	}
	return j.CancelWanted, nil
}

func countOrNull(n int64) any {
	if n < 0 {
		return nil
	}
	return rowCount(n)
}

// In: a claim and the finished file. Count 0: lost, or a cancel was accepted.
var completeJobSQL = define("complete job", `
UPDATE ha_excel_job SET status = 'DONE', file_path = :file_path, file_bytes = :file_bytes,
	processed_rows = :rows, total_rows = :rows, as_of = :as_of, as_of_end = :as_of_end,
	warnings_json = :warnings, filter_hash = COALESCE(:filter_hash, filter_hash), error_msg = NULL, `+endedSQL+`
WHERE `+mineSQL+` AND cancel_yn = 'N'`)

// Complete implements job.Store. It may be called again with the same claim: a
// row that is DONE with the caller's token is success.
func (s *Store) Complete(ctx context.Context, f job.Fence, c job.Completion) error {
	if err := checkText(c.FilePath, c.WarningsJSON, c.FilterHash); err != nil {
		return err
	}
	done := func(j job.Job) bool { return j.Status == job.Done && j.Token == f.Token && j.Attempt == f.Attempt }
	j, moved, err := s.transition(ctx, "complete job", f.JobID, completeJobSQL,
		fenced(f, params{
			"file_path": textOrNull(c.FilePath), "file_bytes": c.FileBytes, "rows": rowCount(c.Rows),
			"as_of": zeroOrNull(c.AsOf), "as_of_end": zeroOrNull(c.AsOfEnd), "warnings": textOrNull(c.WarningsJSON),
			"filter_hash": textOrNull(c.FilterHash),
		}), done)
	if err != nil || moved || done(j) {
		return err
	}
	return refused(f, j)
}

// In: a claim and a safe message. Count 0: lost. A job whose cancel was accepted
// ends as cancelled, without one more failure.
var failJobSQL = define("fail job", `
UPDATE ha_excel_job SET status = 'FAIL',
	error_msg = CASE WHEN cancel_yn = 'Y' THEN '`+job.CancelledMessage+`' ELSE :message END,
	failures = CASE WHEN cancel_yn = 'Y' THEN failures ELSE failures + 1 END, `+endedSQL+`
WHERE `+mineSQL)

// Fail implements job.Store.
func (s *Store) Fail(ctx context.Context, f job.Fence, message string) (job.Job, error) {
	j, moved, err := s.transition(ctx, "fail job", f.JobID, failJobSQL,
		fenced(f, params{"message": errorMessage(message)}),
		func(j job.Job) bool { return j.Status == job.Fail && j.Token == f.Token && j.Attempt == f.Attempt })
	if err == nil && !moved {
		err = refused(f, j)
	}
	return j, err
}

// In: a claim. Count 0: lost, cancelled, or out of attempts.
var retryJobSQL = define("retry job", `
UPDATE ha_excel_job SET failures = failures + 1, `+pendingSQL+`
WHERE `+mineSQL+` AND cancel_yn = 'N' AND failures + 1 < :max_attempts`)

// givenBack settles a lost reply of retry and hand over: PENDING at my attempt
// counts as done and is woken. (Recovery may have done it instead; one wake too
// many does no harm.)
func givenBack(f job.Fence) func(job.Job) bool {
	return func(j job.Job) bool { return j.Status == job.Pending && j.Attempt == f.Attempt }
}

// Retry implements job.Store.
func (s *Store) Retry(ctx context.Context, f job.Fence, maxAttempts int) (job.Job, bool, error) {
	j, moved, err := s.transition(ctx, "retry job", f.JobID, retryJobSQL,
		fenced(f, params{"max_attempts": maxAttempts}), givenBack(f))
	switch {
	case err != nil:
		return job.Job{}, false, err
	case moved:
		return j, true, nil
	case mine(f, j) && !j.CancelWanted:
		return j, false, nil // out of attempts
	default:
		return j, false, refused(f, j)
	}
}

// In: a claim, a checkpoint and the queue that goes on (NULL keeps either).
// Count 0: lost, cancelled, or out of hops.
var handOverJobSQL = define("hand over job", `
UPDATE ha_excel_job SET hops = hops + 1, checkpoint_json = COALESCE(:checkpoint, checkpoint_json), queue = COALESCE(:queue, queue), `+pendingSQL+`
WHERE `+mineSQL+` AND cancel_yn = 'N' AND hops < :max_hops`)

// In: a claim that is out of hops. Count 0: lost or cancelled.
var outOfHopsSQL = define("fail job out of hops", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = :message, failures = failures + 1, `+endedSQL+`
WHERE `+mineSQL+` AND cancel_yn = 'N' AND hops >= :max_hops`)

// HandOver implements job.Store.
func (s *Store) HandOver(ctx context.Context, f job.Fence, h job.HandOver) (job.Job, error) {
	if err := checkText(h.CheckpointJSON); err != nil {
		return job.Job{}, err
	}
	j, moved, err := s.transition(ctx, "hand over job", f.JobID, handOverJobSQL,
		fenced(f, params{
			"checkpoint": textOrNull(h.CheckpointJSON), "queue": textOrNull(string(h.Queue)), "max_hops": h.MaxHops,
		}), givenBack(f))
	if err != nil || moved {
		return j, err
	}
	if !mine(f, j) || j.CancelWanted {
		return j, refused(f, j)
	}
	j, moved, err = s.transition(ctx, "fail job out of hops", f.JobID, outOfHopsSQL,
		fenced(f, params{
			"message":  fmt.Sprintf("The export was handed over %d times without coming to its end.", h.MaxHops),
			"max_hops": h.MaxHops,
		}),
		func(j job.Job) bool { return j.Status == job.Fail && j.Token == f.Token && j.Attempt == f.Attempt })
	if err == nil && !moved {
		err = refused(f, j)
	}
	return j, err
}
