package jobsql

import (
	"context"
	"database/sql"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// This file holds what keeps split jobs going: the end of those that a cancel or
// a failed chunk has ended, and the wakes of those that nobody works on.

// splitEndedSQL answers jobs that are over although their row runs on. The
// message of a failed chunk goes with each.
const splitEndedSQL = `
SELECT ` + jobColumns + `, (SELECT MIN(f.error_msg) FROM ha_excel_chunk f WHERE f.job_id = ha_excel_job.job_id AND f.status = 'FAIL')
FROM ha_excel_job
WHERE status = 'RUNNING' AND phase = 'CHUNKS' AND (cancel_yn = 'Y'
	OR EXISTS (SELECT 1 FROM ha_excel_chunk c WHERE c.job_id = ha_excel_job.job_id AND c.status = 'FAIL'))`

// Candidates only; each is then ended by a statement that looks again.
var endedSplitsSQL = define("ended split jobs", splitEndedSQL+`
ORDER BY created_at LIMIT :bound`)

var endedSplitSQL = define("ended split job", splitEndedSQL+` AND {same job_id :id}`)

// From here on the row itself tells how far the job has come.
const splitRowsSQL = `processed_rows = (SELECT COALESCE(SUM(s.row_count), 0) FROM ha_excel_chunk s WHERE {same s.job_id :id})`

// In: a job and the attempt read with the verdict. Count 0: it moved on.
var endCancelledSplitSQL = define("end cancelled split job", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = '`+job.CancelledMessage+`', `+splitRowsSQL+`, `+endedSQL+`
WHERE {same job_id :id} AND status = 'RUNNING' AND phase = 'CHUNKS' AND attempt = :attempt AND cancel_yn = 'Y'`)

var failSplitSQL = define("fail split job", `
UPDATE ha_excel_job SET status = 'FAIL', error_msg = :message, failures = failures + 1, `+splitRowsSQL+`, `+endedSQL+`
WHERE {same job_id :id} AND status = 'RUNNING' AND phase = 'CHUNKS' AND attempt = :attempt AND cancel_yn = 'N'`)

// splitVerdict is a job that is over, as read, and the message of its failed
// chunk.
type splitVerdict struct {
	job     job.Job
	message string
}

func (s *Store) splitVerdicts(ctx context.Context, t *template, p params) ([]splitVerdict, error) {
	var verdicts []splitVerdict
	err := s.read(ctx, t.name, t, p,
		func() { verdicts = nil },
		func(rows *sql.Rows) error {
			var v splitVerdict
			var err error
			v.job, err = scanJob(rows, opt(&v.message))
			verdicts = append(verdicts, v)
			return err
		})
	return verdicts, err
}

// endSplit carries a verdict out. moved is false when the row is not any more
// what the verdict was about.
func (s *Store) endSplit(ctx context.Context, v splitVerdict) (j job.Job, moved bool, err error) {
	t, p := endCancelledSplitSQL, params{"id": v.job.ID, "attempt": v.job.Attempt}
	if !v.job.CancelWanted {
		t, p["message"] = failSplitSQL, v.message
	}
	return s.transition(ctx, "end split job", v.job.ID, t, p, ended)
}

// EndSplit implements job.ChunkStore.
func (s *Store) EndSplit(ctx context.Context, jobID string) (job.Job, bool, error) {
	if !storable(jobID) {
		return job.Job{}, false, notFound()
	}
	for {
		verdicts, err := s.splitVerdicts(ctx, endedSplitSQL, params{"id": jobID})
		if err != nil {
			return job.Job{}, false, err
		}
		if len(verdicts) == 0 {
			j, err := s.Get(ctx, jobID)
			return j, false, err
		}
		j, moved, err := s.endSplit(ctx, verdicts[0])
		if err != nil || moved {
			return j, moved, err
		}
		// A cancel was accepted after the verdict, or another process was first:
		// look again. Each round takes one such change.
	}
}

// Candidates: split jobs with work to do that nothing has touched, neither the
// job row nor any of its chunks.
const splitWaitsSQL = `status = 'RUNNING' AND phase = 'CHUNKS' AND cancel_yn = 'N' AND updated_at <= {now} - :threshold`

var waitingSplitsSQL = define("waiting split jobs", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE `+splitWaitsSQL+`
	AND NOT EXISTS (SELECT 1 FROM ha_excel_chunk t WHERE t.job_id = ha_excel_job.job_id AND t.updated_at > {now} - :threshold)
	AND (EXISTS (SELECT 1 FROM ha_excel_chunk p WHERE p.job_id = ha_excel_job.job_id AND p.status = 'PENDING')
		OR NOT EXISTS (SELECT 1 FROM ha_excel_chunk u WHERE u.job_id = ha_excel_job.job_id AND u.status <> 'DONE'))
ORDER BY updated_at LIMIT :bound`)

// Count 0: another recovery was first, or the job moved on.
var touchSplitSQL = define("touch split job", `
UPDATE ha_excel_job SET updated_at = {now}
WHERE {same job_id :id} AND `+splitWaitsSQL)

// SettleSplit implements job.ChunkStore.
func (s *Store) SettleSplit(ctx context.Context, threshold time.Duration, limit int) ([]job.Recovered, error) {
	settled, err := s.endSplits(ctx, limit)
	if err != nil || len(settled) >= limit {
		return settled, err
	}
	ms := threshold.Milliseconds()
	waiting, err := s.jobs(ctx, "waiting split jobs", waitingSplitsSQL, params{"threshold": ms, "bound": limit - len(settled)})
	if err != nil {
		return settled, err
	}
	for _, seen := range waiting {
		j, moved, err := s.transition(ctx, "touch split job", seen.ID, touchSplitSQL,
			params{"id": seen.ID, "threshold": ms},
			func(j job.Job) bool { return j.Phase == job.PhaseChunks && j.UpdatedAt > seen.UpdatedAt })
		if gone(err) {
			continue
		}
		if err != nil {
			return settled, err
		}
		if moved {
			settled = append(settled, job.Recovered{Job: j, Wake: true})
		}
	}
	return settled, nil
}

func (s *Store) endSplits(ctx context.Context, limit int) ([]job.Recovered, error) {
	verdicts, err := s.splitVerdicts(ctx, endedSplitsSQL, params{"bound": limit})
	if err != nil {
		return nil, err
	}
	var ends []job.Recovered
	for _, v := range verdicts {
		j, moved, err := s.endSplit(ctx, v)
		if gone(err) {
			continue
		}
		if err != nil {
			return ends, err
		}
		if moved {
			ends = append(ends, job.Recovered{Job: j, Failed: true})
		}
	}
	return ends, nil
}
