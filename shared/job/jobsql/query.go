package jobsql

import (
	"context"
	"database/sql"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

var getJobSQL = define("get job", `SELECT `+jobColumns+` FROM ha_excel_job WHERE {same job_id :id}`)

// Get implements job.Store.
func (s *Store) Get(ctx context.Context, id string) (job.Job, error) {
	if !storable(id) {
		return job.Job{}, notFound()
	}
	jobs, err := s.jobs(ctx, "read job", getJobSQL, params{"id": id})
	if err != nil {
		return job.Job{}, err
	}
	if len(jobs) == 0 {
		return job.Job{}, notFound()
	}
	return jobs[0], nil
}

func notFound() error { return fault.New(fault.NotFound, "There is no such job.") }

// jobs runs a query of jobColumns.
func (s *Store) jobs(ctx context.Context, op string, t *template, p params) ([]job.Job, error) {
	var jobs []job.Job
	err := s.read(ctx, op, t, p,
		func() { jobs = nil },
		func(rows *sql.Rows) error {
			j, err := scanJob(rows)
			jobs = append(jobs, j)
			return err
		})
	return jobs, err
}

// In: a requester and the last row of the page before.
var listJobsSQL = define("list jobs", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE {same worker :requester} AND (created_at < :created_at OR created_at = :created_at AND job_id < :after)
ORDER BY created_at DESC, job_id DESC LIMIT :bound`)

var listFirstJobsSQL = define("list first jobs", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE {same worker :requester}
ORDER BY created_at DESC, job_id DESC LIMIT :bound`)

// List implements job.Store.
func (s *Store) List(ctx context.Context, requester string, limit int, cursor string) (job.Page, error) {
	if limit < 1 || limit > 100 {
		return job.Page{}, fault.New(fault.Invalid, "The limit is a number from 1 to 100.").WithField("limit", "1 to 100")
	}
	if err := checkText(requester); err != nil {
		return job.Page{}, err
	}
	t, p := listFirstJobsSQL, params{"requester": requester, "bound": limit + 1}
	if cursor != "" {
		createdAt, id, err := parseCursor(cursor)
		if err != nil {
			return job.Page{}, err
		}
		t, p["created_at"], p["after"] = listJobsSQL, createdAt, id
	}
	jobs, err := s.jobs(ctx, "list jobs", t, p)
	if err != nil {
		return job.Page{}, err
	}
	page := job.Page{Jobs: jobs}
	if len(jobs) > limit {
		page.Jobs = jobs[:limit]
		page.Next = makeCursor(jobs[limit-1])
	}
	return page, nil
}

// A cursor is the created_at and the id of the last job of a page.
func makeCursor(last job.Job) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(last.CreatedAt, 10) + "." + last.ID))
}

func parseCursor(cursor string) (createdAt int64, id string, err error) {
	bad := fault.New(fault.Invalid, "The cursor is not one of this list.").WithField("cursor", "unknown")
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, "", bad
	}
	at, id, found := strings.Cut(string(raw), ".")
	createdAt, err = strconv.ParseInt(at, 10, 64)
	if !found || err != nil || id == "" || !storable(id) {
		return 0, "", bad
	}
	return createdAt, id, nil
}

// In: a job of a queue. Answers how many come before it.
var queuePositionSQL = define("queue position", `
SELECT COUNT(*) FROM ha_excel_job
WHERE status = 'PENDING' AND cancel_yn = 'N' AND queue = :queue
	AND (created_at < :created_at OR created_at = :created_at AND job_id < :id)`)

// QueuePosition implements job.Store.
func (s *Store) QueuePosition(ctx context.Context, j job.Job) (int, error) {
	n, err := s.number(ctx, "queue position", queuePositionSQL,
		params{"queue": string(j.Queue), "created_at": j.CreatedAt, "id": j.ID})
	return int(n) + 1, err
}

// recentJobs is how many finished jobs the mean is taken of.
const recentJobs = 20

// In: a queue. The newest by created_at, since that is indexed with the status.
// A reused file took no time and says nothing.
var recentDurationSQL = define("recent duration", `
SELECT COALESCE(SUM(duration), 0), COUNT(*) FROM (
	SELECT completed_at - started_at AS duration FROM ha_excel_job
	WHERE status = 'DONE' AND queue = :queue AND started_at IS NOT NULL AND completed_at >= started_at AND reused_from IS NULL
	ORDER BY created_at DESC LIMIT :bound) AS recent`)

// RecentDuration implements job.Store.
func (s *Store) RecentDuration(ctx context.Context, q job.Queue) (time.Duration, error) {
	var sum, count int64
	err := s.read(ctx, "recent duration", recentDurationSQL, params{"queue": string(q), "bound": recentJobs},
		func() { sum, count = 0, 0 },
		func(rows *sql.Rows) error { return rows.Scan(&sum, &count) })
	if err != nil || count == 0 {
		return 0, err
	}
	return time.Duration(sum/count) * time.Millisecond, nil
}

var pendingJobsSQL = define("pending jobs", `
SELECT `+jobColumns+` FROM ha_excel_job WHERE status = 'PENDING' AND cancel_yn = 'N' ORDER BY created_at, job_id`)

// PendingJobs implements job.Store.
func (s *Store) PendingJobs(ctx context.Context) ([]job.Job, error) {
	return s.jobs(ctx, "pending jobs", pendingJobsSQL, nil)
}
