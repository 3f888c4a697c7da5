package jobsql

import (
	"context"
	"database/sql"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// jobSplitSQL: the chunk's job is RUNNING in CHUNKS and nobody cancelled it. It
// reads another table than the one updated. A cancel accepted in the same
// moment may slip past it; that does no harm, since packing looks at the job row
// itself.
const jobSplitSQL = `EXISTS (SELECT 1 FROM ha_excel_job j WHERE {same j.job_id :id}
	AND j.status = 'RUNNING' AND j.phase = 'CHUNKS' AND j.cancel_yn = 'N')`

// chunkMineSQL is the guard of every chunk worker's statement.
const chunkMineSQL = `{same job_id :id} AND chunk_no = :no AND status = 'RUNNING' AND server_id = :token AND attempt = :attempt
	AND ` + jobSplitSQL

// chunkPendingSQL is what every statement that gives a chunk back sets.
const chunkPendingSQL = `status = 'PENDING', server_id = NULL, lease_until = NULL, row_count = 0, updated_at = {now}`

// chunkEndedSQL is what every statement that ends a chunk sets besides the status.
const chunkEndedSQL = `completed_at = {now}, lease_until = NULL, updated_at = {now}`

func chunkFenced(f job.ChunkFence, more params) params {
	p := params{"id": f.JobID, "no": f.No, "token": f.Token, "attempt": f.Attempt}
	for k, v := range more {
		p[k] = v
	}
	return p
}

func chunkMine(f job.ChunkFence, c job.Chunk) bool {
	return c.Status == job.Running && f.Token != "" && c.Token == f.Token && c.Attempt == f.Attempt
}

// chunkTransition is transition for a chunk row.
func (s *Store) chunkTransition(ctx context.Context, op, jobID string, no int, t *template, p params, applied func(job.Chunk) bool) (c job.Chunk, moved bool, err error) {
	if !storable(jobID) {
		return job.Chunk{}, false, chunkLost()
	}
	unsure := false
	for try := 0; ; try++ {
		n, execErr := s.exec(ctx, op, t, p)
		lost := fault.Is(execErr, fault.UnknownOutcome)
		if execErr != nil && (!lost || ctx.Err() != nil) {
			return job.Chunk{}, false, execErr
		}
		if lost {
			unsure = true
			s.log.WarnContext(ctx, "reply lost, reading the row", "op", op, "jobId", jobID, "chunk", no, "error", execErr)
		}
		if n > 0 {
			c, err = persist(ctx, func() (job.Chunk, error) { return s.chunk(ctx, jobID, no) })
		} else {
			c, err = s.chunk(ctx, jobID, no)
		}
		if err != nil {
			if (unsure || n > 0) && fault.Is(err, fault.Unavailable) {
				err = fault.Wrap(fault.UnknownOutcome, err, "The job table did not answer.")
			}
			return job.Chunk{}, false, err
		}
		if n > 0 || unsure && applied(c) {
			return c, true, nil
		}
		if !lost {
			return c, false, nil
		}
		if try >= lostTries || pause(ctx, try) != nil {
			return job.Chunk{}, false, execErr
		}
	}
}

func chunkLost() error { return fault.New(fault.Lost, "The chunk is not this worker's any more.") }

// A chunk that has failed waits for those that have not: it may fail again.
var pendingChunkSQL = define("pending chunk", `
SELECT chunk_no FROM ha_excel_chunk WHERE {same job_id :id} AND status = 'PENDING' AND `+jobSplitSQL+`
ORDER BY failures, chunk_no LIMIT 1`)

// In: a chunk and a fresh token. Count 0: another worker was first.
var claimChunkSQL = define("claim chunk", `
UPDATE ha_excel_chunk SET status = 'RUNNING', server_id = :token, attempt = attempt + 1,
	started_at = COALESCE(started_at, {now}), lease_until = {now} + :lease, updated_at = {now}
WHERE {same job_id :id} AND chunk_no = :no AND status = 'PENDING' AND `+jobSplitSQL)

// ClaimChunk implements job.ChunkStore.
func (s *Store) ClaimChunk(ctx context.Context, jobID, serverID string, lease time.Duration) (job.Chunk, bool, error) {
	if !storable(jobID) {
		return job.Chunk{}, false, nil
	}
	token := newToken(serverID)
	for {
		no, err := s.number(ctx, "pending chunk", pendingChunkSQL, params{"id": jobID})
		if err != nil || no == 0 {
			return job.Chunk{}, false, err
		}
		c, moved, err := s.chunkTransition(ctx, "claim chunk", jobID, int(no), claimChunkSQL,
			params{"id": jobID, "no": no, "token": token, "lease": lease.Milliseconds()},
			func(c job.Chunk) bool { return c.Token == token })
		if fault.Is(err, fault.Lost) { // the job has ended, and its chunks with it
			return job.Chunk{}, false, nil
		}
		if err != nil {
			return job.Chunk{}, false, err
		}
		if moved && c.Status == job.Running && c.Token == token {
			return c, true, nil
		}
		// Another worker took it, or this claim was lost at once: the next one,
		// under a token of its own.
		token = newToken(serverID)
	}
}

// In: a claim and the rows so far. Count 0: lost or cancelled.
var beatChunkSQL = define("beat chunk", `
UPDATE ha_excel_chunk SET lease_until = {now} + :lease, row_count = COALESCE(:rows, row_count), updated_at = {now}
WHERE `+chunkMineSQL)

// BeatChunk implements job.ChunkStore.
func (s *Store) BeatChunk(ctx context.Context, f job.ChunkFence, rows int64, lease time.Duration) (bool, error) {
	c, moved, err := s.beats.chunkTransition(ctx, "beat chunk", f.JobID, f.No, beatChunkSQL,
		chunkFenced(f, params{"rows": countOrNull(rows), "lease": lease.Milliseconds()}),
		func(job.Chunk) bool { return false })
	if err != nil {
		return false, err
	}
	if !chunkMine(f, c) {
		return false, chunkLost()
	}
	if moved {
		return false, nil
	}
	j, err := s.beats.Get(ctx, f.JobID)
	if err != nil {
		return false, err
	}
	if j.Status == job.Running && j.CancelWanted {
		return true, nil
	}
	return false, chunkLost()
}

// In: a claim and the finished object. Count 0: lost.
var finishChunkSQL = define("finish chunk", `
UPDATE ha_excel_chunk SET status = 'DONE', file_path = :file_path, row_count = :rows, bytes = :bytes, crc32 = :crc,
	as_of = :as_of, error_msg = NULL, `+chunkEndedSQL+`
WHERE `+chunkMineSQL)

// FinishChunk implements job.ChunkStore. As with Complete, a chunk that is DONE
// with the caller's token is success.
func (s *Store) FinishChunk(ctx context.Context, f job.ChunkFence, d job.ChunkDone) error {
	if err := checkText(d.FilePath); err != nil {
		return err
	}
	done := func(c job.Chunk) bool { return c.Status == job.Done && c.Token == f.Token && c.Attempt == f.Attempt }
	c, moved, err := s.chunkTransition(ctx, "finish chunk", f.JobID, f.No, finishChunkSQL,
		chunkFenced(f, params{
			"file_path": textOrNull(d.FilePath), "rows": rowCount(d.Rows), "bytes": d.Bytes, "crc": int64(d.CRC32),
			"as_of": zeroOrNull(d.AsOf),
		}), done)
	if err != nil || moved || done(c) {
		return err
	}
	return chunkLost()
}

// In: a claim. Count 0: lost, or out of attempts.
var retryChunkSQL = define("retry chunk", `
UPDATE ha_excel_chunk SET failures = failures + 1, `+chunkPendingSQL+`
WHERE `+chunkMineSQL+` AND failures + 1 < :max_attempts`)

// RetryChunk implements job.ChunkStore.
func (s *Store) RetryChunk(ctx context.Context, f job.ChunkFence, maxAttempts int) (bool, error) {
	c, moved, err := s.chunkTransition(ctx, "retry chunk", f.JobID, f.No, retryChunkSQL,
		chunkFenced(f, params{"max_attempts": maxAttempts}),
		func(c job.Chunk) bool { return c.Status == job.Pending && c.Attempt == f.Attempt })
	if err != nil || moved {
		return moved, err
	}
	if !chunkMine(f, c) || c.Failures+1 < maxAttempts {
		return false, chunkLost() // taken over, or its job does not run any more
	}
	return false, s.jobStillSplit(ctx, f.JobID)
}

// In: a claim. Count 0: lost.
var releaseChunkSQL = define("release chunk", `
UPDATE ha_excel_chunk SET `+chunkPendingSQL+`
WHERE `+chunkMineSQL)

// ReleaseChunk implements job.ChunkStore.
func (s *Store) ReleaseChunk(ctx context.Context, f job.ChunkFence) error {
	_, moved, err := s.chunkTransition(ctx, "release chunk", f.JobID, f.No, releaseChunkSQL, chunkFenced(f, nil),
		func(c job.Chunk) bool { return c.Status == job.Pending && c.Attempt == f.Attempt })
	if err == nil && !moved {
		err = chunkLost()
	}
	return err
}

// jobStillSplit is fault.Lost unless chunks of the job may be worked on.
func (s *Store) jobStillSplit(ctx context.Context, jobID string) error {
	j, err := s.Get(ctx, jobID)
	if err != nil {
		return err
	}
	if j.Status != job.Running || j.Phase != job.PhaseChunks || j.CancelWanted {
		return chunkLost()
	}
	return nil
}

// In: a claim and a safe message. Count 0: lost.
var failChunkSQL = define("fail chunk", `
UPDATE ha_excel_chunk SET status = 'FAIL', error_msg = :message, failures = failures + 1, `+chunkEndedSQL+`
WHERE `+chunkMineSQL)

// FailChunk implements job.ChunkStore.
func (s *Store) FailChunk(ctx context.Context, f job.ChunkFence, message string) error {
	_, moved, err := s.chunkTransition(ctx, "fail chunk", f.JobID, f.No, failChunkSQL,
		chunkFenced(f, params{"message": errorMessage(message)}),
		func(c job.Chunk) bool { return c.Status == job.Fail && c.Token == f.Token && c.Attempt == f.Attempt })
	if err == nil && !moved {
		err = chunkLost()
	}
	return err
}

// chunkExpiredSQL: a NULL lease of a RUNNING chunk counts as long ago.
const chunkExpiredSQL = `status = 'RUNNING' AND COALESCE(lease_until, 0) <= {now}`

var expiredChunksSQL = define("chunks with an expired lease", `
SELECT `+chunkColumns+` FROM ha_excel_chunk
WHERE status = 'RUNNING' AND (lease_until IS NULL OR lease_until <= {now})
	AND EXISTS (SELECT 1 FROM ha_excel_job j WHERE j.job_id = ha_excel_chunk.job_id
		AND j.status = 'RUNNING' AND j.phase = 'CHUNKS' AND j.cancel_yn = 'N')
ORDER BY lease_until LIMIT :bound`)

// In: a chunk as read. Count 0: its worker came back, or another recovery was
// first.
const chunkStillExpiredSQL = `{same job_id :id} AND chunk_no = :no AND attempt = :attempt AND failures = :failures
	AND ` + chunkExpiredSQL + ` AND ` + jobSplitSQL

var recoverChunkSQL = define("recover chunk", `
UPDATE ha_excel_chunk SET failures = failures + 1, `+chunkPendingSQL+`
WHERE `+chunkStillExpiredSQL)

var failLostChunkSQL = define("fail lost chunk", `
UPDATE ha_excel_chunk SET status = 'FAIL', error_msg = :message, failures = failures + 1, `+chunkEndedSQL+`
WHERE `+chunkStillExpiredSQL)

// RecoverChunks implements job.ChunkStore.
func (s *Store) RecoverChunks(ctx context.Context, maxAttempts, limit int) ([]string, error) {
	var expired []job.Chunk
	err := s.read(ctx, "recover chunks", expiredChunksSQL, params{"bound": limit},
		func() { expired = nil },
		func(rows *sql.Rows) error {
			c, err := scanChunk(rows)
			expired = append(expired, c)
			return err
		})
	if err != nil {
		return nil, err
	}
	var jobIDs []string
	seen := map[string]bool{}
	for _, c := range expired {
		t, p := recoverChunkSQL, params{"id": c.JobID, "no": c.No, "attempt": c.Attempt, "failures": c.Failures}
		if c.Failures+1 >= maxAttempts {
			t, p["message"] = failLostChunkSQL, lostMessage(c.Failures+1)
		}
		_, moved, err := s.chunkTransition(ctx, "recover chunk", c.JobID, c.No, t, p,
			func(now job.Chunk) bool { return now.Attempt == c.Attempt && now.Failures == c.Failures+1 })
		if fault.Is(err, fault.Lost) {
			continue
		}
		if err != nil {
			return jobIDs, err
		}
		if moved && !seen[c.JobID] {
			seen[c.JobID] = true
			jobIDs = append(jobIDs, c.JobID)
		}
	}
	return jobIDs, nil
}
