package job

import (
	"context"
	"time"
)

// New is what submit inserts. Store fills status, times and counters.
type New struct {
	ID             string
	Dataset        string
	FileName       string
	Requester      string // already StoredRequester
	ParamsJSON     string
	ColumnsJSON    string
	TemplateID     string
	Queue          Queue
	TotalRows      int64 // the client's hint, shown until the worker has counted
	FilterHash     string
	ExportHash     string // becomes active_key
	IdempotencyKey string // "" when the client sent none
	RequestID      string
	ScopeJSON      string
	OptionsJSON    string
	WarningsJSON   string
	Reuse          Reuse // finished files that may answer instead
}

// SubmitLimits bound what submit accepts.
type SubmitLimits struct {
	Window            time.Duration // idempotency window
	MaxActive         int           // PENDING and RUNNING jobs of one requester, cancelled ones left out; 0 = no limit
	MaxPending        int           // PENDING jobs of all, cancelled ones left out; 0 = no limit
	RetryAfterActive  time.Duration // advice sent with TooManyRequests
	RetryAfterPending time.Duration // advice sent with Unavailable
}

// Submitted is the answer of Submit.
type Submitted struct {
	Job Job
	// Created: this submit inserted the row, and a PENDING one needs a wake; one
	// that reuses a file is DONE. false: an active or earlier job answers.
	Created bool
}

// Progress is what a heartbeat writes. Negative counts leave the column alone.
type Progress struct {
	ProcessedRows int64
	TotalRows     int64
}

// Completion ends a job well.
type Completion struct {
	FilePath     string
	FileBytes    int64
	Rows         int64 // data rows in the file; becomes processed_rows and total_rows
	AsOf         int64
	AsOfEnd      int64 // 0 unless several snapshots were read
	WarningsJSON string
	FilterHash   string // of what the file is of; "" keeps the job's
}

// HandOver gives a job back without a failure.
type HandOver struct {
	CheckpointJSON string // "" keeps the job's
	Queue          Queue  // the queue that goes on; "" keeps the job's
	MaxHops        int
}

// Recovered says what recovery did to one job.
type Recovered struct {
	Job    Job  // after the transition
	Wake   bool // PENDING again, or back in CHUNKS: send a wake
	Failed bool // ended
}

// Page is one page of a requester's own jobs, newest first.
type Page struct {
	Jobs []Job
	Next string // cursor of the next page; "" at the end
}

// Object is a stored object, or an unfinished write of one, as far as its key
// tells whose it is.
type Object struct {
	Key     string
	JobID   string
	Chunk   int // number of the chunk whose work it is; 0: the job's own
	Attempt int // of the job, or of the chunk
}

// DeadLetterVerdict says what became of a dead-lettered wake.
type DeadLetterVerdict string

// What DeadLetter can answer.
const (
	DeadRetried DeadLetterVerdict = "retried" // PENDING again: send a new wake
	DeadFailed  DeadLetterVerdict = "failed"  // attempts used up: FAIL
	DeadDropped DeadLetterVerdict = "dropped" // the wake was stale or its job unknown
)

// Store is the job table. Every transition is one statement whose WHERE names
// the state it expects (see the package comment); "now" is the database's clock.
//
// Deadlocks, lock waits, serialisation failures and a busy SQLite are retried
// inside and never shown. A statement whose outcome is unknown is settled by
// reading the row. A database that cannot be reached is fault.Unavailable, an
// absent job fault.NotFound.
//
// The methods of a worker take a Fence and answer fault.Lost when the claim is
// not the row's any more, and fault.Cancelled when it is but a cancel was
// accepted and the transition is not allowed after that.
type Store interface {
	// Now is the database's clock in epoch milliseconds.
	Now(ctx context.Context) (int64, error)

	// Submit inserts the job, or answers with the job that the idempotency key
	// or the active key names. An idempotency key used for another export within
	// the window is fault.Unprocessable; limits give fault.TooManyRequests
	// (requester) and fault.Unavailable (all), looked at after both keys.
	//
	// Where n.Reuse finds a finished file of the same filter hash, the newest one,
	// the job is inserted as DONE, pointing at that file's object; reused_from
	// names the job it was found at. It is looked for after both keys and before
	// the limits, which don't count for it. The object is there as long as a row
	// names it: a reuse never crosses the deletion by a sweep, see MarkSwept.
	Submit(ctx context.Context, n New, lim SubmitLimits) (Submitted, error)

	// Get reads a job by id.
	Get(ctx context.Context, id string) (Job, error)

	// Newest reads the job of a requester that was created last for a filter hash.
	Newest(ctx context.Context, requester, filterHash string) (Job, error)

	// List reads a requester's own jobs, newest first (created_at, then id).
	// limit is 1–100. A cursor that List did not make is fault.Invalid.
	List(ctx context.Context, requester string, limit int, cursor string) (Page, error)

	// QueuePosition is the 1-based place of a PENDING job in its queue, ties
	// broken by id; cancelled jobs don't count.
	QueuePosition(ctx context.Context, j Job) (int, error)

	// RecentDuration is the mean run time of a queue's recently DONE jobs, 0
	// when there are none.
	RecentDuration(ctx context.Context, q Queue) (time.Duration, error)

	// Claim makes the job the caller's when it is PENDING and no cancel is
	// wanted. serverID names the process; the token in the answer is fresh. When
	// it was not claimed, claimed is false and the job is as read.
	Claim(ctx context.Context, id, serverID string, lease time.Duration) (j Job, claimed bool, err error)

	// Beat extends the lease, writes progress, and tells whether a cancel is
	// wanted.
	Beat(ctx context.Context, f Fence, p Progress, lease time.Duration) (cancelWanted bool, err error)

	// Complete ends the job DONE. An accepted cancel never ends DONE:
	// fault.Cancelled. Called again with the same claim it is no error: DONE with
	// the caller's token is success.
	Complete(ctx context.Context, f Fence, c Completion) error

	// Fail ends the job FAIL with a safe message and one more failure. A job
	// whose cancel was accepted ends with CancelledMessage and no failure more.
	Fail(ctx context.Context, f Fence, message string) (Job, error)

	// Retry sets the job PENDING with one more failure, when failures+1 is below
	// maxAttempts; otherwise retried is false and nothing has changed.
	Retry(ctx context.Context, f Fence, maxAttempts int) (j Job, retried bool, err error)

	// HandOver sets the job PENDING with a checkpoint (or the one it has) and
	// hops+1, without a failure; past MaxHops it ends FAIL instead (the answer's
	// status tells).
	HandOver(ctx context.Context, f Fence, h HandOver) (Job, error)

	// Cancel ends a PENDING job and one whose lease has run out, and asks a
	// running one to end. A job that has already ended is fault.Conflict.
	// Cancelling a running job twice is no error.
	Cancel(ctx context.Context, id string) (Job, error)

	// Reopen is the retry endpoint: a FAIL job that was neither cancelled nor
	// swept is PENDING again with failures and hops 0, its unfinished chunks too;
	// what is finished stays, and so do the checkpoint and as_of. Otherwise
	// fault.Conflict, whose message names the active job when the same export is
	// active.
	Reopen(ctx context.Context, id string) (Job, error)

	// Recover handles at most limit RUNNING jobs whose lease has run out, and
	// PENDING jobs whose cancel was accepted. Safe to run many at once.
	Recover(ctx context.Context, maxAttempts, limit int) ([]Recovered, error)

	// Rewake takes at most limit PENDING jobs that nothing has touched for the
	// threshold, marks them touched and returns them: send their wakes again.
	Rewake(ctx context.Context, threshold time.Duration, limit int) ([]Job, error)

	// PendingJobs returns every PENDING job without a wanted cancel, oldest
	// first: a process whose wakes live in memory wakes them at its start.
	PendingJobs(ctx context.Context) ([]Job, error)

	// DeadLetter settles a dead-lettered wake: it counts as a failed attempt
	// when the job is PENDING and wokenAt is still the row's.
	DeadLetter(ctx context.Context, id string, wokenAt int64, maxAttempts int) (Job, DeadLetterVerdict, error)

	// Expired lists at most limit finished jobs that completed more than ttl ago
	// and are not swept. The DONE jobs of Pregenerator are kept for longer and are
	// not among them.
	Expired(ctx context.Context, ttl time.Duration, limit int) ([]Job, error)

	// ExpiredPregenerated lists the DONE jobs of Pregenerator that Expired leaves
	// out, those with a successor first: the caller decides by it how long a file
	// is kept.
	ExpiredPregenerated(ctx context.Context, ttl time.Duration, limit int) ([]Pregenerated, error)

	// MarkSwept sets swept_at, clears file_path and removes the chunk rows, when
	// the job is still as Expired listed it; false when another sweep was first
	// or the job was reopened. It returns the keys that the row and its chunk rows
	// named; other rows may name them still, see Named.
	MarkSwept(ctx context.Context, id string, ttl time.Duration) (keys []string, swept bool, err error)

	// Named reports whether any job or chunk row still names the object.
	Named(ctx context.Context, key string) (bool, error)

	// Orphaned reports whether nobody needs the object: its job is in this table, no
	// job or chunk row names it, and its job or chunk is not RUNNING at that
	// attempt. Since attempts never go back, no row can come to name it later. It
	// is one statement, so no row slips by between two looks. An object of an
	// unknown job may be another table's and is none.
	Orphaned(ctx context.Context, o Object) (bool, error)

	// Purge removes at most limit swept rows that completed more than retention
	// ago, with their chunk rows, each in one transaction.
	Purge(ctx context.Context, retention time.Duration, limit int) (int, error)

	ChunkStore

	// Close releases the connections.
	Close() error
}
