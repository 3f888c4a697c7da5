package jobsql

import (
	"context"
	"database/sql"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

var newestJobSQL = define("newest job", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE filter_hash = :filter_hash AND {same worker :requester}
ORDER BY created_at DESC, job_id DESC LIMIT 1`)

// Newest implements job.Store.
func (s *Store) Newest(ctx context.Context, requester, filterHash string) (job.Job, error) {
	if !storable(requester) || !storable(filterHash) {
		return job.Job{}, notFound()
	}
	jobs, err := s.jobs(ctx, "newest job", newestJobSQL, params{"requester": requester, "filter_hash": filterHash})
	if err != nil {
		return job.Job{}, err
	}
	if len(jobs) == 0 {
		return job.Job{}, notFound()
	}
	return jobs[0], nil
}

// pregeneratedSQL: the row is a finished job of the pregenerator.
const pregeneratedSQL = `status = 'DONE' AND {same worker :pregenerator}`

// A successor is a later job of the same filter hash that is DONE, whether or not
// its own file is there still.
var expiredPregeneratedSQL = define("expired pregenerated jobs", `
SELECT `+jobColumns+`, CASE WHEN EXISTS (SELECT 1 FROM ha_excel_job n
		WHERE n.filter_hash = ha_excel_job.filter_hash AND n.status = 'DONE' AND {same n.worker :pregenerator}
			AND n.completed_at > ha_excel_job.completed_at)
	THEN 1 ELSE 0 END AS succeeded
FROM ha_excel_job
WHERE swept_at IS NULL AND `+pregeneratedSQL+` AND `+endedLongAgoSQL+`
ORDER BY succeeded DESC, completed_at LIMIT :bound`)

// ExpiredPregenerated implements job.Store.
func (s *Store) ExpiredPregenerated(ctx context.Context, ttl time.Duration, limit int) ([]job.Pregenerated, error) {
	var list []job.Pregenerated
	err := s.read(ctx, "expired pregenerated jobs", expiredPregeneratedSQL,
		params{"ttl": ttl.Milliseconds(), "bound": limit, "pregenerator": job.Pregenerator},
		func() { list = nil },
		func(rows *sql.Rows) error {
			var succeeded int
			j, err := scanJob(rows, &succeeded)
			list = append(list, job.Pregenerated{Job: j, Succeeded: succeeded > 0})
			return err
		})
	return list, err
}
