package jobsql

import (
	"context"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// A cancel finds the job in one of three states. Each has its own statement,
// since MySQL's SET could not decide three columns by the old values of each
// other. All of them set cancel_yn and clear the active key.

// In: a job id. Count 1: it waited and has ended.
var cancelPendingSQL = define("cancel pending job", `
UPDATE ha_excel_job SET status = 'FAIL', cancel_yn = 'Y', error_msg = '`+job.CancelledMessage+`', `+endedSQL+`
WHERE {same job_id :id} AND status = 'PENDING'`)

// Count 1: its worker is gone, so nobody else would end it soon. While chunks
// run, the job row has no lease and this does not apply.
var cancelExpiredSQL = define("cancel expired job", `
UPDATE ha_excel_job SET status = 'FAIL', cancel_yn = 'Y', error_msg = '`+job.CancelledMessage+`', `+endedSQL+`
WHERE {same job_id :id} AND status = 'RUNNING' AND `+leaseExpiredSQL)

// Count 1: its worker will learn of it at the next beat.
var cancelRunningSQL = define("cancel running job", `
UPDATE ha_excel_job SET cancel_yn = 'Y', active_key = NULL, updated_at = {now}
WHERE {same job_id :id} AND status = 'RUNNING'`)

// leaseExpiredSQL: a NULL lease counts as long ago, except while chunks run.
const leaseExpiredSQL = `COALESCE(phase, '') <> 'CHUNKS' AND COALESCE(lease_until, 0) <= {now}`

// Cancel implements job.Store.
func (s *Store) Cancel(ctx context.Context, id string) (job.Job, error) {
	if !storable(id) {
		return job.Job{}, notFound()
	}
	unsure := false
	for try := 0; try < submitTries; try++ {
		for _, t := range []*template{cancelPendingSQL, cancelExpiredSQL, cancelRunningSQL} {
			n, err := s.exec(ctx, "cancel job", t, params{"id": id})
			if fault.Is(err, fault.UnknownOutcome) && ctx.Err() == nil && try < lostTries {
				s.log.WarnContext(ctx, "reply lost, reading the row", "op", "cancel job", "jobId", id, "error", err)
				unsure = true
				break // read the row
			}
			if err != nil {
				return job.Job{}, err
			}
			if n > 0 {
				return s.Get(ctx, id)
			}
		}
		j, err := s.Get(ctx, id)
		if err != nil {
			return job.Job{}, err
		}
		if unsure && j.CancelWanted {
			return j, nil
		}
		if j.Status.Finished() {
			return j, fault.New(fault.Conflict, "The job has already finished.")
		}
		// It moved between the statements, e.g. from PENDING to RUNNING and
		// back: once more.
		if err := pause(ctx, min(try, 3)); err != nil {
			return job.Job{}, s.translate("cancel job", err)
		}
	}
	return job.Job{}, fault.New(fault.Unavailable, "The job changes too fast to be cancelled.")
}
