package jobsql

import (
	"context"
	"database/sql"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// This file holds the transitions of the job row of a split job; those of its
// chunk rows are in chunk.go, what recovery does in settle.go.

// In: a claim and a planned chunk. Count 0: lost, or the job is not being planned:
// a chunk that comes to a set which is being packed would never be read.
// Duplicate: the chunk is stored already. The job row is locked against change
// until the chunk is stored, so that a planner that lost adds nothing behind its
// successor's back. (MySQL locks it in any INSERT … SELECT; SQLite has one writer
// at a time.)
var addChunkSQL = define("add chunk", `
INSERT INTO ha_excel_chunk (job_id, chunk_no, status, key_from, key_to, row_count, created_at, updated_at)
SELECT job_id, {int :no}, 'PENDING', :key_from, :key_to, 0, {now}, {now}
FROM ha_excel_job WHERE `+mineSQL+` AND phase IS NULL {share}`)

var getChunkSQL = define("get chunk", `
SELECT `+chunkColumns+` FROM ha_excel_chunk WHERE {same job_id :id} AND chunk_no = :no`)

var listChunksSQL = define("list chunks", `
SELECT `+chunkColumns+` FROM ha_excel_chunk WHERE {same job_id :id} ORDER BY chunk_no`)

// AddChunk implements job.ChunkStore.
func (s *Store) AddChunk(ctx context.Context, f job.Fence, c job.Chunk) (job.Chunk, error) {
	if err := checkText(c.KeyFrom, c.KeyTo); err != nil {
		return job.Chunk{}, err
	}
	if !storable(f.JobID) {
		return job.Chunk{}, notFound()
	}
	for try := 0; ; try++ {
		n, err := s.exec(ctx, "add chunk", addChunkSQL,
			fenced(f, params{"no": c.No, "key_from": textOrNull(c.KeyFrom), "key_to": textOrNull(c.KeyTo)}))
		switch fault.CodeOf(err) {
		case "":
			if n == 0 {
				j, err := s.Get(ctx, f.JobID)
				if err != nil {
					return job.Chunk{}, err
				}
				return job.Chunk{}, refused(f, j)
			}
			return s.chunk(ctx, f.JobID, c.No)
		case fault.Duplicate: // also what an earlier try stored whose reply was lost
			return s.chunk(ctx, f.JobID, c.No)
		case fault.UnknownOutcome:
			if ctx.Err() != nil || try >= lostTries || pause(ctx, try) != nil {
				return job.Chunk{}, err
			}
		default:
			return job.Chunk{}, err
		}
	}
}

// chunk reads one chunk row. A missing one is fault.Lost: the job was purged or
// ended, and its chunks with it.
func (s *Store) chunk(ctx context.Context, jobID string, no int) (job.Chunk, error) {
	chunks, err := s.chunks(ctx, "read chunk", getChunkSQL, params{"id": jobID, "no": no})
	if err != nil {
		return job.Chunk{}, err
	}
	if len(chunks) == 0 {
		return job.Chunk{}, fault.New(fault.Lost, "There is no such chunk any more.")
	}
	return chunks[0], nil
}

func (s *Store) chunks(ctx context.Context, op string, t *template, p params) ([]job.Chunk, error) {
	var chunks []job.Chunk
	err := s.read(ctx, op, t, p,
		func() { chunks = nil },
		func(rows *sql.Rows) error {
			c, err := scanChunk(rows)
			chunks = append(chunks, c)
			return err
		})
	return chunks, err
}

// Chunks implements job.ChunkStore.
func (s *Store) Chunks(ctx context.Context, jobID string) ([]job.Chunk, error) {
	if !storable(jobID) {
		return nil, nil
	}
	return s.chunks(ctx, "list chunks", listChunksSQL, params{"id": jobID})
}

// In: a claim, the plan's moment (kept out where the job has one) and the
// checkpoint. Count 0: lost or cancelled. From here on the leases are those of
// the chunk rows.
var planDoneSQL = define("plan done", `
UPDATE ha_excel_job SET phase = 'CHUNKS', as_of = COALESCE(as_of, :as_of), checkpoint_json = :checkpoint,
	server_id = NULL, lease_until = NULL, woken_at = `+wokenSQL+`, updated_at = {now}
WHERE `+mineSQL+` AND cancel_yn = 'N'`)

// PlanDone implements job.ChunkStore.
func (s *Store) PlanDone(ctx context.Context, f job.Fence, p job.Planned) (job.Job, error) {
	if err := checkText(p.CheckpointJSON); err != nil {
		return job.Job{}, err
	}
	j, moved, err := s.transition(ctx, "plan done", f.JobID, planDoneSQL,
		fenced(f, params{"as_of": zeroOrNull(p.AsOf), "checkpoint": textOrNull(p.CheckpointJSON)}),
		func(j job.Job) bool {
			return j.Status == job.Running && j.Phase == job.PhaseChunks && j.Attempt == f.Attempt
		})
	if err == nil && !moved {
		err = refused(f, j)
	}
	return j, err
}

// In: a job id and a fresh token. Count 1: the caller packs. A FAIL chunk is
// unfinished, too, so that only a complete set is packed. The subquery reads
// another table than the one updated. Chunks can't become unfinished again
// while the job is in CHUNKS, so an older view of them is no danger.
var packJobSQL = define("pack job", `
UPDATE ha_excel_job SET phase = 'PACKING', server_id = :token, attempt = attempt + 1,
	processed_rows = (SELECT COALESCE(SUM(s.row_count), 0) FROM ha_excel_chunk s WHERE {same s.job_id :id}),
	lease_until = {now} + :lease, updated_at = {now}
WHERE {same job_id :id} AND status = 'RUNNING' AND phase = 'CHUNKS' AND cancel_yn = 'N'
	AND NOT EXISTS (SELECT 1 FROM ha_excel_chunk c WHERE {same c.job_id :id} AND c.status <> 'DONE')`)

// Pack implements job.ChunkStore.
func (s *Store) Pack(ctx context.Context, jobID, serverID string, lease time.Duration) (job.Job, bool, error) {
	token := newToken(serverID)
	j, moved, err := s.transition(ctx, "pack job", jobID, packJobSQL,
		params{"id": jobID, "token": token, "lease": lease.Milliseconds()},
		func(j job.Job) bool { return j.Token == token })
	if err != nil {
		return job.Job{}, false, err
	}
	return j, moved && j.Status == job.Running && j.Token == token, nil
}
