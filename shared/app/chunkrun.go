package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// chunkSlice is how long a worker stays with one split job before it passes the
// rest on by a wake, so that another job's turn comes.
const chunkSlice = 30 * time.Second

// workChunks does chunks of a split job until none waits, then tries to become
// its packer. fresh says that the worker has the whole of its time for them. An
// error means that the table could not be asked.
func (u *Work) workChunks(ctx context.Context, j job.Job, fresh bool) error {
	log := logger(u.Logger).With("jobId", j.ID, "requestId", j.RequestID, "dataset", j.Dataset)
	began := time.Now()
	for first := true; ; first = false {
		if u.timeIsUp(ctx) || !first && time.Since(began) > chunkSlice {
			u.Wakes.announce(ctx, log, j, 0)
			return nil
		}
		claimedAt := time.Now()
		c, claimed, err := u.Store.ClaimChunk(ctx, j.ID, u.Config.ServerID, u.Config.Lease)
		if err != nil {
			return err
		}
		if !claimed {
			break
		}
		if !u.performChunk(ctx, j, c, claimedAt, first && fresh) {
			return nil
		}
	}
	claimedAt := time.Now()
	packed, claimed, err := u.Store.Pack(ctx, j.ID, u.Config.ServerID, u.Config.Lease)
	switch {
	case claimed:
		u.perform(ctx, packed, claimedAt)
	case err == nil:
		u.endSplit(ctx, log, j.ID)
	case fault.Is(err, fault.NotFound): // purged meanwhile
		err = nil
	}
	return err
}

// endSplit ends a split job that a failed chunk or an accepted cancel has ended.
// What cannot be done is left to recovery.
func (u *Work) endSplit(ctx context.Context, log *slog.Logger, jobID string) {
	j, ended, err := u.Store.EndSplit(ctx, jobID)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		log.WarnContext(ctx, "a split job is left to recovery", "error", err)
	case ended:
		log.InfoContext(ctx, "job failed", "errorMsg", j.ErrorMsg)
	}
	if j.Status == job.Fail && j.CancelWanted {
		u.clearChunks(ctx, log, jobID)
	}
}

// clearChunks removes what an ended job has left of its chunks. What cannot be
// removed is left to recovery and the sweep.
func (u *Work) clearChunks(ctx context.Context, log *slog.Logger, jobID string) {
	if err := dropChunks(ctx, u.Store, u.Bucket, jobID); err != nil {
		log.WarnContext(ctx, "chunks were left behind", "error", err)
	}
}

// chunkRun is one claimed chunk while it is worked on.
type chunkRun struct {
	*Work
	job    job.Job
	chunk  job.Chunk
	whole  bool // it had the whole of the worker's time
	log    *slog.Logger
	parent context.Context
	heart  *heart
}

// performChunk does a claimed chunk and settles it. It reports whether the worker
// may go on with the next one.
func (u *Work) performChunk(ctx context.Context, j job.Job, c job.Chunk, claimedAt time.Time, whole bool) (goOn bool) {
	r := &chunkRun{
		Work: u, job: j, chunk: c, whole: whole, parent: ctx,
		log: logger(u.Logger).With("jobId", j.ID, "requestId", j.RequestID, "dataset", j.Dataset, "chunk", c.No, "attempt", c.Attempt),
	}
	r.log.InfoContext(ctx, "chunk claimed")
	var stop func()
	r.heart, stop = startHeart(ctx, claim{
		// Half of the margin is for finishing a chunk that is under way when no new
		// one is begun any more.
		at: claimedAt, lease: u.Config.Lease, reserve: u.Config.HandoverMargin / 2, log: r.log,
		beat: func(ctx context.Context, p job.Progress) (bool, error) {
			return u.Store.BeatChunk(ctx, c.Fence(), p.ProcessedRows, u.Config.Lease)
		},
	})
	defer stop()
	done, err := r.write()
	return r.settle(done, err)
}

// write makes the chunk's object. A panic is an error like any other.
func (r *chunkRun) write() (done job.ChunkDone, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(r.parent, "export panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "An unexpected error occurred.")
		}
	}()
	if err := r.pause(); err != nil {
		return done, err
	}
	req, err := r.request(r.job)
	if err != nil {
		return done, err
	}
	checkpoint, _ := export.ParseCheckpoint(r.job.CheckpointJSON)
	if !checkpoint.Planned() || !export.Divisible(req) {
		return done, wasChanged(r.job)
	}
	return r.Exporter.WriteChunk(r.heart.ctx, req, checkpoint, r.chunk, r.heart.rows.Store)
}

// pause waits before another attempt. Whoever comes by next claims a chunk that has
// failed, so it is the attempt itself that waits, not its wake. It waits no longer
// than a lease: should the worker die meanwhile, that is a failure as well.
func (r *chunkRun) pause() error {
	if r.chunk.Failures == 0 {
		return nil
	}
	wait := time.NewTimer(min(backoff(r.Config.RetryBackoff, r.chunk.Failures), r.Config.Lease))
	defer wait.Stop()
	select {
	case <-r.heart.ctx.Done():
		return context.Cause(r.heart.ctx)
	case <-wait.C:
		return nil
	}
}

// settle writes the end of a chunk's run into its row. What cannot be written is
// left to recovery.
func (r *chunkRun) settle(done job.ChunkDone, err error) (goOn bool) {
	ctx, cancel := settleContext(r.parent)
	defer cancel()
	if err == nil {
		return r.finish(ctx, done)
	}
	r.removeOwn(ctx)
	cause := context.Cause(r.heart.ctx)
	switch {
	case errors.Is(cause, errCancelWanted):
		r.endSplit(ctx, r.log, r.job.ID)
	case errors.Is(cause, errLeaseLost), errors.Is(cause, errNoBeat):
		r.log.WarnContext(ctx, "chunk lost", "cause", cause)
		return true
	case errors.Is(cause, errOutOfTime) && r.whole:
		r.retry(ctx, fault.Wrap(fault.Unavailable, err, tooSlow))
	case errors.Is(cause, errOutOfTime), r.parent.Err() != nil:
		r.release(ctx, 0)
	case fault.Is(err, fault.Busy) && r.chunk.Attempt <= r.Config.MaxHops:
		r.log.WarnContext(ctx, "the source has no connection to spare", "error", err)
		r.release(ctx, r.Config.RetryBackoff)
	case fault.Retryable(err):
		r.retry(ctx, err)
	default:
		r.fail(ctx, err)
	}
	return false
}

// tooSlow is what a job fails with whose smallest piece takes longer than a
// worker lives.
const tooSlow = "A part of the export did not finish within the time a worker has. Narrow it with parameters, or use a worker without a time limit."

func (r *chunkRun) finish(ctx context.Context, done job.ChunkDone) (goOn bool) {
	_, err := insist(ctx, func() error { return r.Store.FinishChunk(ctx, r.chunk.Fence(), done) })
	switch {
	case err == nil:
		r.log.InfoContext(ctx, "chunk done", "rows", done.Rows, "bytes", done.Bytes)
		return true
	case fault.Is(err, fault.Lost):
		r.log.WarnContext(ctx, "chunk lost before its completion")
		r.removeUnnamed(ctx, r.log, done.FilePath)
		return true
	default:
		// Whether the row names the object is not known, so it stays.
		r.log.ErrorContext(ctx, "a chunk's completion could not be written", "error", err)
		return false
	}
}

// retry gives the chunk back with one failure more, or ends it when its attempts
// are used up.
func (r *chunkRun) retry(ctx context.Context, cause error) {
	retried := false
	unsure, err := insist(ctx, func() (err error) {
		retried, err = r.Store.RetryChunk(ctx, r.chunk.Fence(), r.Config.MaxAttempts)
		return err
	})
	switch {
	case err != nil:
		r.unsettled(ctx, "retry", err, unsure)
	case !retried:
		r.fail(ctx, cause)
	default:
		r.log.WarnContext(ctx, "chunk failed, will be tried again", "error", cause, "failures", r.chunk.Failures+1)
		r.Wakes.announce(ctx, r.log, r.job, 0)
	}
}

// release gives the chunk back without a failure.
func (r *chunkRun) release(ctx context.Context, delay time.Duration) {
	unsure, err := insist(ctx, func() error { return r.Store.ReleaseChunk(ctx, r.chunk.Fence()) })
	if err != nil {
		r.unsettled(ctx, "release", err, unsure)
		return
	}
	r.log.InfoContext(ctx, "chunk handed over")
	r.Wakes.announce(ctx, r.log, r.job, delay)
}

// fail ends the chunk for good, and the job with it.
func (r *chunkRun) fail(ctx context.Context, cause error) {
	r.log.WarnContext(ctx, "chunk failed for good", "error", cause)
	_, err := insist(ctx, func() error {
		return r.Store.FailChunk(ctx, r.chunk.Fence(), cut(fault.SafeMessage(cause), job.MaxErrorRunes))
	})
	if err != nil {
		r.unsettled(ctx, "fail", err, false)
		return
	}
	r.endSplit(ctx, r.log, r.job.ID)
}

// unsettled tells of a statement that was not accepted. Where an earlier try of it
// had an unknown outcome, the chunk may wait by its doing: somebody is woken.
func (r *chunkRun) unsettled(ctx context.Context, what string, err error, unsure bool) {
	if unsure {
		r.Wakes.announce(ctx, r.log, r.job, 0)
	}
	if fault.Is(err, fault.Lost) {
		r.log.WarnContext(ctx, "chunk lost", "while", what)
		return
	}
	r.log.ErrorContext(ctx, "chunk is left to recovery", "while", what, "error", err)
}

// removeOwn removes what this attempt may have left: no row can name it.
func (r *chunkRun) removeOwn(ctx context.Context) {
	r.remove(ctx, r.log, export.ChunkKey(r.chunk.JobID, r.chunk.No, r.chunk.Attempt))
}
