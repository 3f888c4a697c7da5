package jobsql

import (
	"context"
	"database/sql"

	"github.com/haexcel/haexcel/shared/job"
)

// reusableSQL: the row s is a finished job whose file may answer a submit. A file
// of the pregenerator is kept by its age alone, the others until their ttl.
const reusableSQL = `s.filter_hash = :filter_hash AND s.status = 'DONE' AND s.swept_at IS NULL AND s.file_path IS NOT NULL
	AND ({int :max_age} > 0 AND s.as_of >= {now} - :max_age AND s.completed_at > {now} - :ttl
		OR {int :pregenerated} > 0 AND s.as_of >= {now} - :pregenerated AND {same s.worker :pregenerator})`

// In: a filter hash and the greatest ages. Answers the newest file's job, of two
// of one moment the one that is kept for longer. It locks nothing: what it finds
// is looked at again by the insert.
var reusableFileSQL = define("reusable file", `
SELECT s.job_id, s.warnings_json FROM ha_excel_job s
WHERE `+reusableSQL+`
ORDER BY s.as_of DESC, s.completed_at DESC, s.job_id LIMIT 1`)

// In: the new job, and the row whose file it takes. Count 1: inserted as DONE.
// Count 0: the row has been swept or has expired since it was found.
//
// The source is locked until the new row is there, and found by its primary key,
// so that MySQL locks no gap that other reuses would wait for. MarkSwept locks
// the same row: whichever is first, either the sweep's look at who names the
// object sees the new row, or the guard here sees swept_at. SQLite's statement
// holds the write lock from its start.
var reuseFileSQL = define("reuse file", `
INSERT INTO ha_excel_job (job_id, biz_nm, file_name, worker, status, processed_rows, total_rows, file_path,
	params_json, columns_json, template_id, cancel_yn, created_at, completed_at,
	queue, attempt, failures, hops, updated_at,
	filter_hash, export_hash, idempotency_key, request_id, as_of, as_of_end, file_bytes,
	warnings_json, scope_json, options_json, reused_from)
SELECT :id, :dataset, :file_name, :requester, 'DONE', s.processed_rows, s.total_rows, s.file_path,
	:params, :columns, :template, 'N', {now}, {now},
	:queue, 0, 0, 0, {now},
	s.filter_hash, :export_hash, :idempotency_key, :request_id, s.as_of, s.as_of_end, s.file_bytes,
	:warnings, :scope, :options, s.job_id
FROM ha_excel_job s
WHERE {same s.job_id :source} AND `+reusableSQL+` {update}`)

// reuse inserts the job as DONE where a finished file serves it, and answers the
// count: 0 when none does. Its faults are those of an insert.
func (s *Store) reuse(ctx context.Context, n job.New) (int64, error) {
	if !n.Reuse.Wanted() || n.FilterHash == "" {
		return 0, nil
	}
	guard := params{
		"filter_hash": n.FilterHash, "max_age": n.Reuse.MaxAge.Milliseconds(), "ttl": n.Reuse.TTL.Milliseconds(),
		"pregenerated": n.Reuse.Pregenerated.Milliseconds(), "pregenerator": job.Pregenerator,
	}
	for range submitTries {
		var source, warnings string
		err := s.read(ctx, "look for a finished file", reusableFileSQL, guard,
			func() { source, warnings = "", "" },
			func(rows *sql.Rows) error { return rows.Scan(&source, opt(&warnings)) })
		if err != nil || source == "" {
			return 0, err
		}
		if n.Reuse.Warnings != nil {
			warnings = n.Reuse.Warnings(warnings)
		}
		if err := checkText(warnings); err != nil {
			return 0, err
		}
		p := insertParams(n)
		delete(p, "total_rows") // it is the file's
		p["source"], p["warnings"] = source, textOrNull(warnings)
		for name, value := range guard {
			p[name] = value
		}
		if count, err := s.exec(ctx, "reuse a file", reuseFileSQL, p); err != nil || count > 0 {
			return count, err
		}
		// A sweep was first: an older file or none is left.
	}
	return 0, nil
}
