package app

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Why a job's context ended, as its cause.
var (
	errCancelWanted = errors.New("cancel accepted")
	errLeaseLost    = errors.New("lease lost")
	errNoBeat       = errors.New("no heartbeat succeeded for a whole lease")
	errOutOfTime    = errors.New("the deadline is near")
)

// progressEvery is the least time between two writes of progress.
const progressEvery = time.Second

// heart keeps a claim alive and ends the job's context when it is lost.
type heart struct {
	rows  atomic.Int64 // data rows so far
	total atomic.Int64 // -1 while not counted

	ctx context.Context // the job's: its cause says why it ended
	end context.CancelCauseFunc
}

// startHeart begins to beat for r, which was claimed at claimedAt at the latest
// possible moment by this process's clock: the lease cannot be older. The
// returned function stops it and waits until no beat is under way.
func (r *run) startHeart(ctx context.Context, claimedAt time.Time) (stop func()) {
	lease := r.Config.Lease
	h := &r.heart
	h.total.Store(-1)
	jobCtx := ctx
	releaseDeadline := func() {}
	if d, ok := ctx.Deadline(); ok {
		jobCtx, releaseDeadline = context.WithDeadlineCause(ctx, d.Add(-r.Config.HandoverMargin), errOutOfTime)
	}
	h.ctx, h.end = context.WithCancelCause(jobCtx)

	// Beats must go on while the job is settled after its context has ended.
	beatCtx, stopBeats := context.WithCancel(context.WithoutCancel(ctx))
	silence := time.AfterFunc(lease-time.Since(claimedAt), func() { h.end(errNoBeat) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.beatUntil(beatCtx, silence)
	}()
	return func() {
		stopBeats()
		<-done
		silence.Stop()
		h.end(context.Canceled)
		releaseDeadline()
	}
}

// beatUntil beats every quarter of the lease, and sooner while rows flow, until
// ctx ends or the claim is lost. Each success moves the end of the silence.
func (r *run) beatUntil(ctx context.Context, silence *time.Timer) {
	lease := r.Config.Lease
	h := &r.heart
	interval := min(lease/4, progressEvery)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	lastBeat, lastProgress := time.Now(), time.Time{}
	var written job.Progress
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := job.Progress{ProcessedRows: h.rows.Load(), TotalRows: h.total.Load()}
		started := time.Now()
		withProgress := now != written && started.Sub(lastProgress) >= progressEvery
		if !withProgress && started.Sub(lastBeat) < lease/4-interval/2 {
			continue
		}
		p := job.Progress{ProcessedRows: -1, TotalRows: -1}
		if withProgress {
			p = now
		}
		beatCtx, cancel := context.WithTimeout(ctx, lease)
		cancelWanted, err := r.Store.Beat(beatCtx, r.job.Fence(), p, lease)
		cancel()
		switch {
		case fault.Is(err, fault.Lost):
			h.end(errLeaseLost)
			return
		case err != nil:
			if ctx.Err() == nil {
				r.log.WarnContext(ctx, "heartbeat failed", "error", err)
			}
			continue
		}
		silence.Reset(lease - time.Since(started))
		lastBeat = started
		if withProgress {
			lastProgress, written = started, now
		}
		if cancelWanted {
			h.end(errCancelWanted)
		}
	}
}
