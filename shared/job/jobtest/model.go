package jobtest

import (
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// model is a small job table in memory. It was written from the transition table
// of the specification, not from any backend's statements, and it does one thing
// at a time, so that it has no races to get right.
//
// What only the database can know stands in its rows as a wish (below), until the
// row has been read and compared.
type model struct {
	jobs  map[string]*modelJob
	order []string // ids in the order of creation

	now    int64       // the database's clock, about: after the step before
	unsure func() bool // whether a write of this step lost its request or its reply
}

// modelJob is a job row. ProcessedRows is what the row itself stores.
type modelJob struct {
	job.Job
	chunks []*modelChunk
	woken  int64 // woken_at before the step
}

// modelChunk is a chunk row.
type modelChunk struct {
	job.Chunk
	touched int64 // updated_at, about
}

// The limits that the model and the store are given. Leases and thresholds are
// far longer than a sequence takes: time passes only where the machine sets it.
const (
	modelLease     = time.Hour
	modelThreshold = 10 * time.Minute
	modelRetention = 10 * time.Hour
	modelReuse     = 20 * time.Minute
	modelHops      = 2
)

// Wishes: what the database fills in.
const (
	fresh      int64 = -1 - iota // the moment of the statement
	freshLease                   // that moment and a lease
	freshWake                    // that moment, or later than the wake before
)

const (
	freshToken = "?token"   // one that no claim had before
	anyMessage = "?message" // some text for the user
)

func newModel() *model { return &model{jobs: map[string]*modelJob{}} }

// view is the row as the store answers it: while chunks run, the rows done are
// theirs.
func (j *modelJob) view() job.Job {
	v := j.Job
	if j.Phase == job.PhaseChunks {
		v.ProcessedRows = j.chunkRows()
	}
	return v
}

func (j *modelJob) chunkRows() int64 {
	var n int64
	for _, c := range j.chunks {
		n += c.RowCount
	}
	return n
}

func (j *modelJob) chunk(no int) *modelChunk {
	if no < 1 || no > len(j.chunks) {
		return nil
	}
	return j.chunks[no-1]
}

// every reports whether all chunks are in the state.
func (j *modelJob) every(s job.Status) bool {
	for _, c := range j.chunks {
		if c.Status != s {
			return false
		}
	}
	return true
}

func (j *modelJob) any(s job.Status) bool {
	for _, c := range j.chunks {
		if c.Status == s {
			return true
		}
	}
	return false
}

// mine is the guard of every statement of a worker.
func (j *modelJob) mine(f job.Fence) bool {
	return j.Status == job.Running && f.Token != "" && j.Token == f.Token && j.Attempt == f.Attempt
}

// endedBy reports whether the row ended under this claim.
func (j *modelJob) endedBy(f job.Fence, s job.Status) bool {
	return j.Status == s && j.Token == f.Token && j.Attempt == f.Attempt
}

// refused is what a worker hears whose statement changed nothing.
func (j *modelJob) refused(f job.Fence) fault.Code {
	if j.mine(f) && j.CancelWanted {
		return fault.Cancelled
	}
	return fault.Lost
}

// split reports whether chunks may be worked on.
func (j *modelJob) split() bool {
	return j.Status == job.Running && j.Phase == job.PhaseChunks && !j.CancelWanted
}

// expired reports whether the lease has run out: a missing one counts as long
// ago, except while chunks run.
func (j *modelJob) expired(now int64) bool {
	return j.Status == job.Running && j.Phase != job.PhaseChunks && j.LeaseUntil <= now
}

// active reports whether the job counts towards limits and keeps others out.
func (j *modelJob) active() bool { return !j.Status.Finished() && !j.CancelWanted }

func (j *modelJob) wake() { j.woken, j.WokenAt = j.WokenAt, freshWake }

// toPending is what every statement sets that gives a job back.
func (j *modelJob) toPending() {
	j.Status, j.Token, j.LeaseUntil, j.Phase = job.Pending, "", 0, job.PhaseNone
	j.UpdatedAt = fresh
	j.wake()
}

// end is what every statement sets that ends a job. server_id and attempt stay.
func (j *modelJob) end(s job.Status, message string) {
	j.Status, j.ErrorMsg, j.ActiveKey, j.LeaseUntil, j.Phase = s, message, "", 0, job.PhaseNone
	j.CompletedAt, j.UpdatedAt = fresh, fresh
}

// endCancelled ends a job whose cancel was accepted, without a failure more.
func (j *modelJob) endCancelled() {
	j.CancelWanted = true
	j.end(job.Fail, job.CancelledMessage)
}

// readings compare rows with the model, and put in what the database filled in.
type readings struct {
	from, to int64           // the database's clock before and after the step
	tokens   map[string]bool // every token ever seen
}

// fillJob puts the values of the row read where the model has a wish that they
// fulfil. What does not fulfil it stays a wish, and so differs.
func (r readings) fillJob(want *modelJob, got job.Job) {
	r.at(&want.StartedAt, got.StartedAt, 0)
	r.at(&want.CreatedAt, got.CreatedAt, 0)
	r.at(&want.CompletedAt, got.CompletedAt, 0)
	r.at(&want.LeaseUntil, got.LeaseUntil, 0)
	r.at(&want.WokenAt, got.WokenAt, want.woken)
	r.at(&want.SweptAt, got.SweptAt, 0)
	r.at(&want.UpdatedAt, got.UpdatedAt, 0)
	r.token(&want.Token, got.Token)
	if want.ErrorMsg == anyMessage && strings.TrimSpace(got.ErrorMsg) != "" {
		want.ErrorMsg = got.ErrorMsg
	}
}

func (r readings) fillChunk(want *modelChunk, got job.Chunk) {
	r.at(&want.LeaseUntil, got.LeaseUntil, 0)
	r.token(&want.Token, got.Token)
}

func (r readings) at(want *int64, got, before int64) {
	within := func(from, to int64) bool { return from <= got && got <= to }
	lease := modelLease.Milliseconds()
	if *want == fresh && within(r.from, r.to) ||
		*want == freshLease && within(r.from+lease, r.to+lease) ||
		*want == freshWake && got > before && (within(r.from, r.to) || got == before+1) {
		*want = got
	}
}

func (r readings) token(want *string, got string) {
	if *want == freshToken && got != "" && !r.tokens[got] {
		*want, r.tokens[got] = got, true
	}
}
