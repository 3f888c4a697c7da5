package jobsql

import (
	"context"
	"database/sql"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// In: the new job. Count 1: inserted. A duplicate is one of three keys: the job
// id (an earlier try whose reply was lost), the active key, or the idempotency
// key; engines name the key in their own ways, so the rows are read instead.
var insertJobSQL = define("insert job", `
INSERT INTO ha_excel_job (job_id, biz_nm, file_name, worker, status, processed_rows, total_rows,
	params_json, columns_json, template_id, cancel_yn, created_at,
	queue, attempt, failures, hops, woken_at, updated_at,
	filter_hash, export_hash, active_key, idempotency_key, request_id,
	warnings_json, scope_json, options_json)
VALUES (:id, :dataset, :file_name, :requester, 'PENDING', 0, :total_rows,
	:params, :columns, :template, 'N', {now},
	:queue, 0, 0, 0, {now}, {now},
	:filter_hash, :export_hash, :export_hash, :idempotency_key, :request_id,
	:warnings, :scope, :options)`)

// In: a key. Answers its holder, and whether that is older than the window.
var byIdempotencyKeySQL = define("job by idempotency key", `
SELECT `+jobColumns+`, CASE WHEN created_at <= {now} - :window THEN 1 ELSE 0 END
FROM ha_excel_job WHERE idempotency_key = :key`)

var byActiveKeySQL = define("job by active key", `
SELECT `+jobColumns+`, CASE WHEN created_at <= {now} - :window THEN 1 ELSE 0 END
FROM ha_excel_job WHERE active_key = :key`)

// In: a holder older than the window. Count 0: another submit was first. The
// guard names the job, so that a successor's key is never cleared.
var dropIdempotencyKeySQL = define("take over idempotency key", `
UPDATE ha_excel_job SET idempotency_key = NULL
WHERE {same job_id :id} AND idempotency_key = :key AND created_at <= {now} - :window`)

var dropActiveKeySQL = define("take over active key", `
UPDATE ha_excel_job SET active_key = NULL
WHERE {same job_id :id} AND active_key = :key AND created_at <= {now} - :window`)

// In: the active job that answers a submit, and the submit's idempotency key.
// Count 0: the job has ended meanwhile, or has a key already. Duplicate: another
// job holds the key.
var lendIdempotencyKeySQL = define("store idempotency key", `
UPDATE ha_excel_job SET idempotency_key = :key
WHERE {same job_id :id} AND active_key = :active_key AND idempotency_key IS NULL`)

// In: a requester and a bound. Answers how many active jobs there are, counted
// up to the bound.
var countActiveSQL = define("count active jobs", `
SELECT COUNT(*) FROM (SELECT 1 AS one FROM ha_excel_job
	WHERE {same worker :requester} AND status IN ('PENDING', 'RUNNING') AND cancel_yn = 'N' LIMIT :bound) AS active`)

var countPendingSQL = define("count pending jobs", `
SELECT COUNT(*) FROM (SELECT 1 AS one FROM ha_excel_job
	WHERE status = 'PENDING' AND cancel_yn = 'N' LIMIT :bound) AS pending`)

// submitTries bounds how often the keys may change under a submit's hands. Each
// round means that some other submit or the end of a job got through.
const submitTries = 100

// Submit implements job.Store.
func (s *Store) Submit(ctx context.Context, n job.New, lim job.SubmitLimits) (job.Submitted, error) {
	if err := checkText(n.ID, n.Dataset, n.FileName, n.Requester, n.ParamsJSON, n.ColumnsJSON, n.TemplateID,
		n.RequestID, n.ScopeJSON, n.OptionsJSON, n.WarningsJSON); err != nil {
		return job.Submitted{}, err
	}
	insert := insertParams(n)
	unsure := false
	for try := 0; try < submitTries; try++ {
		answer, found, err := s.answered(ctx, n, lim)
		if err != nil || found {
			return answer, err
		}
		inserted, err := s.reuse(ctx, n)
		if err == nil && inserted == 0 {
			// A try whose reply was lost may have inserted; then it is over the
			// limits already. answered has found it by its keys, unless it has
			// none or has ended: the duplicate id tells.
			if !unsure {
				if err := s.checkLimits(ctx, n.Requester, lim); err != nil {
					return job.Submitted{}, err
				}
			}
			_, err = s.exec(ctx, "submit job", insertJobSQL, insert)
		}
		switch fault.CodeOf(err) {
		case "":
			j, err := s.reread(ctx, n.ID)
			return job.Submitted{Job: j, Created: true}, err
		case fault.Duplicate:
			j, err := s.reread(ctx, n.ID)
			if err == nil {
				return job.Submitted{Job: j, Created: true}, nil
			}
			if !fault.Is(err, fault.NotFound) {
				return job.Submitted{}, err
			}
		case fault.UnknownOutcome:
			unsure = true
			if ctx.Err() != nil {
				return job.Submitted{}, err
			}
			s.log.WarnContext(ctx, "reply lost, submitting again", "jobId", n.ID, "error", err)
			if try >= lostTries {
				return job.Submitted{}, err
			}
		default:
			return job.Submitted{}, err
		}
		if err := pause(ctx, min(try, 3)); err != nil {
			return job.Submitted{}, s.translate("submit job", err)
		}
	}
	return job.Submitted{}, fault.New(fault.Unavailable, "Too many submits of the same export at once.")
}

func insertParams(n job.New) params {
	queue := n.Queue
	if queue == "" {
		queue = job.Normal
	}
	return params{
		"id": n.ID, "dataset": n.Dataset, "file_name": n.FileName, "requester": n.Requester,
		"total_rows": rowCount(n.TotalRows),
		"params":     textOrNull(n.ParamsJSON), "columns": textOrNull(n.ColumnsJSON), "template": textOrNull(n.TemplateID),
		"queue": string(queue), "filter_hash": textOrNull(n.FilterHash), "export_hash": textOrNull(n.ExportHash),
		"idempotency_key": textOrNull(n.IdempotencyKey), "request_id": textOrNull(n.RequestID),
		"warnings": textOrNull(n.WarningsJSON), "scope": textOrNull(n.ScopeJSON), "options": textOrNull(n.OptionsJSON),
	}
}

// answered looks for the job that answers a submit: first by its idempotency
// key, then by its active key. Holders older than the window lose the key.
func (s *Store) answered(ctx context.Context, n job.New, lim job.SubmitLimits) (job.Submitted, bool, error) {
	for try := 0; try < submitTries; try++ {
		if n.IdempotencyKey != "" {
			holder, found, err := s.holder(ctx, byIdempotencyKeySQL, dropIdempotencyKeySQL, n.IdempotencyKey, lim)
			if err != nil {
				return job.Submitted{}, false, err
			}
			if found {
				if holder.ExportHash != n.ExportHash {
					return job.Submitted{}, false, fault.New(fault.Unprocessable,
						"This Idempotency-Key was used before with another request.")
				}
				return job.Submitted{Job: holder, Created: holder.ID == n.ID}, true, nil
			}
		}
		if n.ExportHash == "" {
			return job.Submitted{}, false, nil
		}
		active, found, err := s.holder(ctx, byActiveKeySQL, dropActiveKeySQL, n.ExportHash, lim)
		if err != nil || !found {
			return job.Submitted{}, false, err
		}
		if n.IdempotencyKey == "" || active.IdempotencyKey != "" {
			return job.Submitted{Job: active, Created: active.ID == n.ID}, true, nil
		}
		lent, err := s.exec(ctx, "store idempotency key", lendIdempotencyKeySQL,
			params{"id": active.ID, "active_key": n.ExportHash, "key": n.IdempotencyKey})
		switch code := fault.CodeOf(err); {
		case err == nil && lent > 0:
			active.IdempotencyKey = n.IdempotencyKey
			return job.Submitted{Job: active}, true, nil
		case err != nil && code != fault.Duplicate && code != fault.UnknownOutcome:
			return job.Submitted{}, false, err
		case ctx.Err() != nil:
			return job.Submitted{}, false, s.translate("submit job", ctx.Err())
		}
		// The row moved, or another job holds the key, or nobody knows: look
		// again, the idempotency key first.
	}
	return job.Submitted{}, false, fault.New(fault.Unavailable, "Too many submits of the same export at once.")
}

// holder reads who holds a key. One that is older than the window loses it, and
// nobody holds it then.
func (s *Store) holder(ctx context.Context, find, drop *template, key string, lim job.SubmitLimits) (job.Job, bool, error) {
	for try := 0; ; try++ {
		var j job.Job
		var found bool
		var old int
		err := s.read(ctx, "look for the same export", find, params{"key": key, "window": lim.Window.Milliseconds()},
			func() { found = false },
			func(rows *sql.Rows) (err error) {
				found = true
				j, err = scanJob(rows, &old)
				return err
			})
		if err != nil || !found {
			return job.Job{}, false, err
		}
		if old == 0 {
			return j, true, nil
		}
		_, err = s.exec(ctx, "take over a key", drop, params{"id": j.ID, "key": key, "window": lim.Window.Milliseconds()})
		if err != nil && !fault.Is(err, fault.UnknownOutcome) {
			return job.Job{}, false, err
		}
		if err != nil && (ctx.Err() != nil || try >= lostTries) {
			return job.Job{}, false, err
		}
	}
}

// checkLimits looks at both limits. Simultaneous submits may pass them by a few.
func (s *Store) checkLimits(ctx context.Context, requester string, lim job.SubmitLimits) error {
	if lim.MaxActive > 0 {
		n, err := s.number(ctx, "count active jobs", countActiveSQL, params{"requester": requester, "bound": lim.MaxActive})
		if err != nil {
			return err
		}
		if n >= int64(lim.MaxActive) {
			return fault.New(fault.TooManyRequests, "You have too many exports waiting or running.").WithRetryAfter(lim.RetryAfterActive)
		}
	}
	if lim.MaxPending > 0 {
		n, err := s.number(ctx, "count pending jobs", countPendingSQL, params{"bound": lim.MaxPending})
		if err != nil {
			return err
		}
		if n >= int64(lim.MaxPending) {
			return fault.New(fault.Unavailable, "Too many exports are waiting.").WithRetryAfter(lim.RetryAfterPending)
		}
	}
	return nil
}
