package job

import (
	"context"
	"time"
)

// Chunk is one row of ha_excel_chunk: a key range of a split job.
type Chunk struct {
	JobID      string
	No         int // 1-based, in key order
	Status     Status
	KeyFrom    string // exclusive lower bound as JSON; "" for the first chunk
	KeyTo      string // inclusive upper bound as JSON; "" for the last chunk
	RowCount   int64
	Bytes      int64
	CRC32      uint32
	FilePath   string
	Attempt    int
	Failures   int
	Token      string // server_id
	LeaseUntil int64
	AsOf       int64
	ErrorMsg   string
}

// ChunkFence names one claim of a chunk.
type ChunkFence struct {
	JobID   string
	No      int
	Token   string
	Attempt int
}

// Fence returns the claim that the row currently carries.
func (c Chunk) Fence() ChunkFence {
	return ChunkFence{JobID: c.JobID, No: c.No, Token: c.Token, Attempt: c.Attempt}
}

// ChunkDone ends a chunk well.
type ChunkDone struct {
	FilePath string
	Rows     int64
	Bytes    int64
	CRC32    uint32
	AsOf     int64
}

// Planned is what a planner found out besides the chunks.
type Planned struct {
	AsOf           int64  // the plan's moment; a job that has one already keeps it
	CheckpointJSON string // what the chunks are read with; "" leaves the job none
}

// ChunkStore holds the transitions of a split job. A chunk's statements also
// demand that its job is RUNNING in CHUNKS without an accepted cancel; otherwise
// they answer fault.Lost.
type ChunkStore interface {
	// AddChunk stores a planned chunk while the job is mine, by one INSERT …
	// SELECT from the job row. A chunk of that number that is already there is
	// answered instead: a resumed planner goes on after the last stored one.
	AddChunk(ctx context.Context, f Fence, c Chunk) (Chunk, error)

	// PlanDone lets the chunks run: phase CHUNKS, no token, no lease. The
	// checkpoint is stored as given. as_of is set only where there is none: the
	// chunks that an earlier plan left were read at its moment.
	PlanDone(ctx context.Context, f Fence, p Planned) (Job, error)

	// Chunks lists a job's chunks by number.
	Chunks(ctx context.Context, jobID string) ([]Chunk, error)

	// ClaimChunk claims the lowest of the PENDING chunks that failed the least; claimed is false when there is
	// none, or when the job's chunks are not to be worked on.
	ClaimChunk(ctx context.Context, jobID, serverID string, lease time.Duration) (c Chunk, claimed bool, err error)

	// BeatChunk extends the chunk's lease and writes its rows so far (negative:
	// leaves them); the job's processed_rows is the sum over its chunks. When the
	// chunk is the caller's but the job's cancel was accepted, cancelWanted is
	// true and nothing is extended.
	BeatChunk(ctx context.Context, f ChunkFence, rows int64, lease time.Duration) (cancelWanted bool, err error)

	// FinishChunk ends the chunk DONE. Called again with the same claim it is no
	// error.
	FinishChunk(ctx context.Context, f ChunkFence, d ChunkDone) error

	// RetryChunk sets the chunk PENDING with one more failure, when failures+1
	// is below maxAttempts; otherwise retried is false and nothing has changed.
	RetryChunk(ctx context.Context, f ChunkFence, maxAttempts int) (retried bool, err error)

	// ReleaseChunk sets the chunk PENDING without a failure: its worker was told
	// to stop.
	ReleaseChunk(ctx context.Context, f ChunkFence) error

	// FailChunk ends the chunk FAIL with a safe message.
	FailChunk(ctx context.Context, f ChunkFence, message string) error

	// Pack makes the caller the packer when no chunk is unfinished: phase
	// PACKING, attempt+1. claimed is false otherwise.
	Pack(ctx context.Context, jobID, serverID string, lease time.Duration) (j Job, claimed bool, err error)

	// RecoverChunks handles at most limit chunks whose lease has run out: PENDING
	// again or FAIL. It returns the ids of their jobs, which want a wake.
	RecoverChunks(ctx context.Context, maxAttempts, limit int) (jobIDs []string, err error)

	// SettleSplit ends at most limit jobs in CHUNKS that a failed chunk or an
	// accepted cancel has ended, and returns those that wait for a wake (a chunk
	// is PENDING, or all are DONE) and that nothing has touched for the
	// threshold.
	SettleSplit(ctx context.Context, threshold time.Duration, limit int) ([]Recovered, error)

	// EndSplit ends one job in CHUNKS as SettleSplit does: as cancelled where a
	// cancel was accepted, else with the message of a failed chunk. ended is false
	// when neither holds, and the job is as read.
	EndSplit(ctx context.Context, jobID string) (j Job, ended bool, err error)

	// ChunksLeft lists at most limit jobs that are DONE, cancelled or swept and
	// still have chunk rows, which nobody needs any more.
	ChunksLeft(ctx context.Context, limit int) (jobIDs []string, err error)

	// DropChunks removes the chunk rows of a job that ChunksLeft may list, and
	// returns the keys that they named. Only then may the objects be deleted. The
	// rows of any other job stay, and no key is returned.
	DropChunks(ctx context.Context, jobID string) (keys []string, err error)
}
