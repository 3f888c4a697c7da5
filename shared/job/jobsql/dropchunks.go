package jobsql

import (
	"context"
	"database/sql"

	"github.com/haexcel/haexcel/shared/fault"
)

// chunksUnneededSQL: the chunks of the job j are of no use. No statement brings
// such a job back, so what is true once stays true.
const chunksUnneededSQL = `(j.status = 'DONE' OR j.status = 'FAIL' AND j.cancel_yn = 'Y' OR j.swept_at IS NOT NULL)`

// The chunk table is the small one: rows leave it when their job is over.
var chunksLeftSQL = define("jobs with chunks left", `
SELECT DISTINCT c.job_id FROM ha_excel_chunk c JOIN ha_excel_job j ON j.job_id = c.job_id
WHERE `+chunksUnneededSQL+`
ORDER BY c.job_id LIMIT :bound`)

// ChunksLeft implements job.ChunkStore.
func (s *Store) ChunksLeft(ctx context.Context, limit int) ([]string, error) {
	return s.texts(ctx, "jobs with chunks left", chunksLeftSQL, params{"bound": limit})
}

// In: a job id. Answers and locks the row if its chunks may go. SQLite's
// transaction holds the write lock already.
var lockUnneededSQL = define("lock job with chunks left", `
SELECT j.job_id FROM ha_excel_job j
WHERE {same j.job_id :id} AND `+chunksUnneededSQL+` {update}`)

// DropChunks implements job.ChunkStore. The names go first and are committed, so
// that a crash before the objects are deleted leaves orphans, never a row that
// names a missing object.
//
// After a lost commit it looks again: rows that are still there go now, and where
// there are none, the earlier try has taken them and its keys are the answer.
func (s *Store) DropChunks(ctx context.Context, jobID string) ([]string, error) {
	if !storable(jobID) {
		return nil, nil
	}
	var seen []string
	for try := 0; ; try++ {
		var keys []string
		err := s.transaction(ctx, "drop chunks", func(tx *sql.Tx) (err error) {
			keys, err = s.dropChunksIn(ctx, tx, jobID)
			return err
		})
		if len(keys) == 0 {
			keys = seen
		}
		if err == nil {
			return keys, nil
		}
		if !fault.Is(err, fault.UnknownOutcome) || try >= lostTries || pause(ctx, try) != nil {
			return nil, err
		}
		seen = keys
		s.log.WarnContext(ctx, "reply lost, dropping again", "op", "drop chunks", "jobId", jobID, "error", err)
	}
}

func (s *Store) dropChunksIn(ctx context.Context, tx *sql.Tx, jobID string) ([]string, error) {
	p := params{"id": jobID}
	locked, err := s.textsIn(ctx, tx, lockUnneededSQL, p)
	if err != nil || len(locked) == 0 {
		return nil, err
	}
	keys, err := s.textsIn(ctx, tx, chunkFilesSQL, p)
	if err != nil {
		return nil, err
	}
	_, err = s.execIn(ctx, tx, deleteChunksSQL, p)
	return keys, err
}
