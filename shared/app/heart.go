package app

import (
	"context"
	"errors"
	"log/slog"
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

// heart keeps a claim alive and ends the work's context when it is lost.
type heart struct {
	claim
	rows  atomic.Int64 // data rows so far
	total atomic.Int64 // -1 while not counted

	ctx context.Context // the work's: its cause says why it ended
	end context.CancelCauseFunc
}

// claim is what a heart keeps.
type claim struct {
	// at is the latest possible moment of it by this process's clock: the lease
	// cannot be older.
	at    time.Time
	lease time.Duration
	// reserve is how long before a deadline of the worker the work ends.
	reserve time.Duration
	beat    func(ctx context.Context, p job.Progress) (cancelWanted bool, err error)
	log     *slog.Logger
}

// startHeart begins to beat. stop ends that and waits until no beat is under way.
func startHeart(ctx context.Context, c claim) (h *heart, stop func()) {
	h = &heart{claim: c}
	h.total.Store(-1)
	workCtx := ctx
	releaseDeadline := func() {}
	if d, ok := ctx.Deadline(); ok {
		workCtx, releaseDeadline = context.WithDeadlineCause(ctx, d.Add(-c.reserve), errOutOfTime)
	}
	h.ctx, h.end = context.WithCancelCause(workCtx)

	// Beats must go on while the work is settled after its context has ended.
	beatCtx, stopBeats := context.WithCancel(context.WithoutCancel(ctx))
	silence := time.AfterFunc(c.lease-time.Since(c.at), func() { h.end(errNoBeat) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.beatUntil(beatCtx, silence)
	}()
	return h, func() {
		stopBeats()
		<-done
		silence.Stop()
		h.end(context.Canceled)
		releaseDeadline()
	}
}

// beatUntil beats every quarter of the lease, and sooner while rows flow, until
// ctx ends or the claim is lost. Each success moves the end of the silence.
func (h *heart) beatUntil(ctx context.Context, silence *time.Timer) {
	interval := min(h.lease/4, progressEvery)
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
		if !withProgress && started.Sub(lastBeat) < h.lease/4-interval/2 {
			continue
		}
		p := job.Progress{ProcessedRows: -1, TotalRows: -1}
		if withProgress {
			p = now
		}
		beatCtx, cancel := context.WithTimeout(ctx, h.lease)
		cancelWanted, err := h.beat(beatCtx, p)
		cancel()
		switch {
		case fault.Is(err, fault.Lost):
			h.end(errLeaseLost)
			return
		case err != nil:
			if ctx.Err() == nil {
				h.log.WarnContext(ctx, "heartbeat failed", "error", err)
			}
			continue
		}
		silence.Reset(h.lease - time.Since(started))
		lastBeat = started
		if withProgress {
			lastProgress, written = started, now
		}
		if cancelWanted {
			h.end(errCancelWanted)
		}
	}
}
