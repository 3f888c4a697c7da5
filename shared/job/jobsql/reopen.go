package jobsql

import (
	"context"
	"database/sql"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// In: a job id. Count 1: it waits again. Duplicate: the same export is active.
var reopenJobSQL = define("reopen job", `
UPDATE ha_excel_job SET active_key = export_hash, failures = 0, hops = 0, error_msg = NULL, completed_at = NULL, `+pendingSQL+`
WHERE {same job_id :id} AND status = 'FAIL' AND cancel_yn = 'N' AND swept_at IS NULL`)

// In: a job that was just reopened. Finished chunks are kept.
var reopenChunksSQL = define("reopen chunks", `
UPDATE ha_excel_chunk SET status = 'PENDING', failures = 0, server_id = NULL, lease_until = NULL,
	row_count = 0, error_msg = NULL, completed_at = NULL, updated_at = {now}
WHERE {same job_id :id} AND status <> 'DONE'`)

// The holder of a FAIL job's key, as Reopen's conflict names it.
var activeRivalSQL = define("active rival", `
SELECT job_id FROM ha_excel_job
WHERE active_key = (SELECT f.export_hash FROM ha_excel_job f WHERE {same f.job_id :id})`)

// Reopen implements job.Store. The job row is taken first, then its chunks, so
// that a chunk worker of the failed run is fenced off together with the job.
func (s *Store) Reopen(ctx context.Context, id string) (job.Job, error) {
	if !storable(id) {
		return job.Job{}, notFound()
	}
	unsure := false
	for try := 0; ; try++ {
		var n int64
		err := s.transaction(ctx, "reopen job", func(tx *sql.Tx) (err error) {
			if n, err = s.execIn(ctx, tx, reopenJobSQL, params{"id": id}); err != nil || n == 0 {
				return err
			}
			_, err = s.execIn(ctx, tx, reopenChunksSQL, params{"id": id})
			return err
		})
		switch fault.CodeOf(err) {
		case "":
			j, err := s.Get(ctx, id)
			if err != nil {
				return job.Job{}, err
			}
			// After a lost commit, an open row is what this call wanted.
			if n > 0 || unsure && !j.Status.Finished() {
				return j, nil
			}
			return j, notReopenable(j)
		case fault.Duplicate:
			rival, err := s.rival(ctx, id)
			if err != nil {
				return job.Job{}, err
			}
			if rival != "" || try >= lostTries {
				return job.Job{}, fault.New(fault.Conflict, "The same export is active as job "+rival+".")
			}
			// The rival has ended meanwhile: once more.
		case fault.UnknownOutcome:
			unsure = true
			if ctx.Err() != nil || try >= lostTries {
				return job.Job{}, err
			}
			s.log.WarnContext(ctx, "reply lost, reading the row", "op", "reopen job", "jobId", id, "error", err)
		default:
			return job.Job{}, err
		}
		if err := pause(ctx, try); err != nil {
			return job.Job{}, s.translate("reopen job", err)
		}
	}
}

func (s *Store) rival(ctx context.Context, id string) (string, error) {
	var rival string
	err := s.read(ctx, "read the active job", activeRivalSQL, params{"id": id},
		func() { rival = "" },
		func(rows *sql.Rows) error { return rows.Scan(&rival) })
	return rival, err
}

func notReopenable(j job.Job) error {
	switch {
	case j.Status != job.Fail:
		return fault.New(fault.Conflict, "Only a failed job can be tried again; this one is "+string(j.Status)+".")
	case j.CancelWanted:
		return fault.New(fault.Conflict, "A cancelled job can't be tried again.")
	default:
		return fault.New(fault.Conflict, "The job's files have been removed; submit the export anew.")
	}
}
