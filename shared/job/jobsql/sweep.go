package jobsql

import (
	"context"
	"database/sql"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// endedLongAgoSQL: a job of the Java library may have ended without a time.
const endedLongAgoSQL = `status IN ('DONE', 'FAIL') AND COALESCE(completed_at, created_at) <= {now} - :ttl`

var expiredFilesSQL = define("expired jobs", `
SELECT `+jobColumns+` FROM ha_excel_job
WHERE swept_at IS NULL AND `+endedLongAgoSQL+` AND NOT (`+pregeneratedSQL+`)
ORDER BY completed_at LIMIT :bound`)

// Expired implements job.Store.
func (s *Store) Expired(ctx context.Context, ttl time.Duration, limit int) ([]job.Job, error) {
	return s.jobs(ctx, "expired jobs", expiredFilesSQL,
		params{"ttl": ttl.Milliseconds(), "bound": limit, "pregenerator": job.Pregenerator})
}

// In: a job id. Answers and locks the row if it is to be swept. SQLite's
// transaction holds the write lock already.
var lockExpiredSQL = define("lock expired job", `
SELECT file_path FROM ha_excel_job
WHERE {same job_id :id} AND swept_at IS NULL AND `+endedLongAgoSQL+` {update}`)

var markSweptSQL = define("mark swept", `
UPDATE ha_excel_job SET swept_at = {now}, file_path = NULL, updated_at = {now}
WHERE {same job_id :id} AND swept_at IS NULL AND `+endedLongAgoSQL)

// All rows are locked, also those that name nothing yet: a worker that is just
// finishing one goes first, and its object is among the answers.
var chunkFilesSQL = define("chunk files", `
SELECT file_path FROM ha_excel_chunk WHERE {same job_id :id} ORDER BY chunk_no {update}`)

var deleteChunksSQL = define("delete chunks", `DELETE FROM ha_excel_chunk WHERE {same job_id :id}`)

// MarkSwept implements job.Store. The names go in one transaction, committed
// before anyone deletes an object: a crash in between leaves an orphan object,
// never a row that names a missing one. The chunk rows go with it, since a swept
// job can't be reopened.
//
// After a lost commit the keys are answered all the same: the caller deletes an
// object only when Named says that no row names it.
func (s *Store) MarkSwept(ctx context.Context, id string, ttl time.Duration) ([]string, bool, error) {
	if !storable(id) {
		return nil, false, nil
	}
	p := params{"id": id, "ttl": ttl.Milliseconds()}
	for try := 0; ; try++ {
		var keys []string
		var swept bool
		err := s.transaction(ctx, "mark swept", func(tx *sql.Tx) (err error) {
			keys, swept, err = s.markSweptIn(ctx, tx, id, p)
			return err
		})
		if err == nil {
			return keys, swept, nil
		}
		if !fault.Is(err, fault.UnknownOutcome) || try >= lostTries || pause(ctx, try) != nil {
			return nil, false, err
		}
		j, readErr := s.Get(ctx, id)
		if gone(readErr) {
			return nil, false, nil
		}
		if readErr != nil {
			return nil, false, err
		}
		if j.SweptAt != 0 {
			return keys, true, nil
		}
	}
}

func (s *Store) markSweptIn(ctx context.Context, tx *sql.Tx, id string, p params) (keys []string, swept bool, err error) {
	keys, err = s.textsIn(ctx, tx, lockExpiredSQL, p)
	if err != nil {
		return nil, false, err
	}
	n, err := s.execIn(ctx, tx, markSweptSQL, p)
	if err != nil || n == 0 {
		return nil, false, err
	}
	chunkKeys, err := s.textsIn(ctx, tx, chunkFilesSQL, params{"id": id})
	if err != nil {
		return nil, false, err
	}
	_, err = s.execIn(ctx, tx, deleteChunksSQL, params{"id": id})
	return append(keys, chunkKeys...), true, err
}

// In: an object key. Answers how many rows name it.
var namedSQL = define("rows that name an object", `
SELECT (SELECT COUNT(*) FROM ha_excel_job WHERE {same file_path :key})
	+ (SELECT COUNT(*) FROM ha_excel_chunk WHERE {same file_path :key})`)

// Named implements job.Store.
func (s *Store) Named(ctx context.Context, key string) (bool, error) {
	if err := checkText(key); err != nil {
		return false, err
	}
	n, err := s.number(ctx, "rows that name an object", namedSQL, params{"key": key})
	return n > 0, err
}

// In: an object and whose it is. Answers how many rows name it or may come to
// name it, and 1 more when the job is unknown. A job's own objects have the chunk
// number 0, which no chunk row has.
var neededSQL = define("rows that need an object", `
SELECT (SELECT COUNT(*) FROM ha_excel_job WHERE {same file_path :key})
	+ (SELECT COUNT(*) FROM ha_excel_chunk WHERE {same file_path :key})
	+ (SELECT COUNT(*) FROM ha_excel_job
		WHERE {same job_id :id} AND status = 'RUNNING' AND {int :chunk} = 0 AND attempt = {int :attempt})
	+ (SELECT COUNT(*) FROM ha_excel_chunk
		WHERE {same job_id :id} AND status = 'RUNNING' AND chunk_no = {int :chunk} AND attempt = {int :attempt})
	+ (SELECT CASE WHEN COUNT(*) = 0 THEN 1 ELSE 0 END FROM ha_excel_job WHERE {same job_id :id})`)

// Orphaned implements job.Store.
func (s *Store) Orphaned(ctx context.Context, o job.Object) (bool, error) {
	if err := checkText(o.Key, o.JobID); err != nil {
		return false, err
	}
	n, err := s.number(ctx, "rows that need an object", neededSQL,
		params{"key": o.Key, "id": o.JobID, "chunk": o.Chunk, "attempt": o.Attempt})
	return err == nil && n == 0, err
}

var purgeableSQL = define("purgeable jobs", `
SELECT job_id FROM ha_excel_job
WHERE swept_at IS NOT NULL AND `+endedLongAgoSQL+`
ORDER BY completed_at LIMIT :bound`)

// In: a job id. Count 0: another purge was first.
var deleteJobSQL = define("delete job", `
DELETE FROM ha_excel_job
WHERE {same job_id :id} AND swept_at IS NOT NULL AND `+endedLongAgoSQL)

// Purge implements job.Store.
func (s *Store) Purge(ctx context.Context, retention time.Duration, limit int) (int, error) {
	ttl := retention.Milliseconds()
	ids, err := s.texts(ctx, "purge jobs", purgeableSQL, params{"ttl": ttl, "bound": limit})
	if err != nil {
		return 0, err
	}
	purged := 0
	for _, id := range ids {
		var n int64
		err := s.transaction(ctx, "purge job", func(tx *sql.Tx) (err error) {
			if n, err = s.execIn(ctx, tx, deleteJobSQL, params{"id": id, "ttl": ttl}); err != nil || n == 0 {
				return err
			}
			_, err = s.execIn(ctx, tx, deleteChunksSQL, params{"id": id})
			return err
		})
		// A row that is gone after a lost commit is as good as purged: the
		// next run sees what is left.
		if err != nil && (!fault.Is(err, fault.UnknownOutcome) || ctx.Err() != nil) {
			return purged, err
		}
		if n > 0 {
			purged++
		}
	}
	return purged, nil
}
