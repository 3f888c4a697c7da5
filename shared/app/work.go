package app

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/wake"
)

// Verdict says what is to become of a wake's message.
type Verdict int

// The verdicts.
const (
	Consumed Verdict = iota // delete it
	TryLater                // let it come again after Outcome.Delay
	Failed                  // let it come again when its visibility ends
)

// Outcome is Work's answer to a wake.
type Outcome struct {
	Verdict Verdict
	Delay   time.Duration // of TryLater
}

// Work does jobs. It is safe for concurrent use; each call works on one job, or on
// chunks of one.
type Work struct {
	Store    job.Store
	Catalog  *dataset.Catalog
	Exporter *export.Exporter
	Bucket   *storage.Bucket
	Wakes    Wakes
	Config   config.Config
	Logger   *slog.Logger // nil: the default one
}

// Do works on the job that the wake names, when it still waits for work: on the
// whole of it, or on the chunks of one that was split. It returns when the job
// has ended, was given back or was lost, or when nothing of a split one waits.
// Wakes for finished, newer and live-leased jobs, and for those that wait in the
// other queue by now, are consumed without effect. An unknown job is Failed: its
// row may not be committed yet. When the table cannot be reached, the same wake is
// sent anew, delayed, and the message consumed, so that its receive count does not
// grow.
//
// The error, for logs only, says why the outcome is not Consumed.
//
// ctx ends the work: the job goes back to its queue without a failure. A
// deadline of ctx ends it handover-margin earlier; within that margin nothing is
// begun.
func (u *Work) Do(ctx context.Context, w wake.Wake) (out Outcome, err error) {
	log := logger(u.Logger).With("jobId", w.JobID, "requestId", w.RequestID)
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "worker panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out, err = Outcome{Verdict: TryLater, Delay: u.Config.RetryBackoff}, fault.New(fault.Internal, "The worker panicked.")
		}
	}()

	j, err := u.Store.Get(ctx, w.JobID)
	switch {
	case fault.Is(err, fault.NotFound):
		log.WarnContext(ctx, "wake for an unknown job")
		return Outcome{Verdict: Failed}, err
	case err != nil:
		return u.sendAnew(ctx, w, err)
	}
	split := j.Status == job.Running && j.Phase == job.PhaseChunks
	if wokenFor := job.Queue(w.Queue); wokenFor != "" && wokenFor != j.Queue {
		// It moved to the other queue, and was woken there.
		log.DebugContext(ctx, "wake of the other queue", "queue", w.Queue)
		return Outcome{}, nil
	}
	if !split && (j.Status != job.Pending || j.CancelWanted || w.Attempt < j.Attempt) {
		log.DebugContext(ctx, "wake without work", "status", string(j.Status), "attempt", j.Attempt)
		return Outcome{}, nil
	}
	if u.timeIsUp(ctx) {
		return Outcome{Verdict: TryLater, Delay: u.Config.RetryBackoff},
			fault.New(fault.Unavailable, "Too little time is left to begin a job.")
	}
	fresh := split
	if !split {
		claimedAt := time.Now()
		var claimed bool
		j, claimed, err = u.Store.Claim(ctx, w.JobID, u.Config.ServerID, u.Config.Lease)
		switch {
		case fault.Is(err, fault.NotFound):
			return Outcome{Verdict: Failed}, err
		case err != nil:
			return u.sendAnew(ctx, w, err)
		case !claimed:
			return Outcome{}, nil
		}
		if j, split = u.perform(ctx, j, claimedAt); !split {
			return Outcome{}, nil
		}
		w = wakeFor(j)
	}
	if err := u.workChunks(ctx, j, fresh); err != nil {
		return u.sendAnew(ctx, w, err)
	}
	return Outcome{}, nil
}

// timeIsUp reports whether the worker is to stop, or its deadline too near, to begin
// anything.
func (u *Work) timeIsUp(ctx context.Context) bool {
	d, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && time.Until(d) <= u.Config.HandoverMargin
}

// sendAnew answers for a table that cannot be reached.
func (u *Work) sendAnew(ctx context.Context, w wake.Wake, cause error) (Outcome, error) {
	log := logger(u.Logger).With("jobId", w.JobID, "requestId", w.RequestID)
	log.WarnContext(ctx, "job table cannot be reached; the wake is sent anew", "error", cause)
	sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if err := u.Wakes.resend(sctx, w, u.Config.RetryBackoff); err != nil {
		log.ErrorContext(ctx, "the wake could not be sent anew", "error", err)
		return Outcome{Verdict: TryLater, Delay: u.Config.RetryBackoff}, err
	}
	return Outcome{}, nil
}

// perform does a claimed job, or a packing that was claimed, and settles it. split
// says that its chunks are to be worked on now.
func (u *Work) perform(ctx context.Context, j job.Job, claimedAt time.Time) (after job.Job, split bool) {
	r := &run{
		Work:   u,
		job:    j,
		log:    logger(u.Logger).With("jobId", j.ID, "requestId", j.RequestID, "dataset", j.Dataset, "attempt", j.Attempt),
		parent: ctx,
	}
	r.log.InfoContext(ctx, "job claimed", "queue", string(j.Queue), "phase", string(j.Phase))
	var stop func()
	r.heart, stop = startHeart(ctx, claim{
		at: claimedAt, lease: u.Config.Lease, reserve: u.Config.HandoverMargin, log: r.log,
		beat: func(ctx context.Context, p job.Progress) (bool, error) {
			return u.Store.Beat(ctx, j.Fence(), p, u.Config.Lease)
		},
	})
	defer stop()
	err := r.do()
	r.settle(err)
	return r.job, r.split
}
