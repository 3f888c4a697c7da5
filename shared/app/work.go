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

// Exporter makes the file of one job; *export.Exporter is the one there is.
type Exporter interface {
	Plan(ctx context.Context, r export.Request) (export.Plan, error)
	Write(ctx context.Context, r export.Request, p export.Plan, progress func(rows int64)) (export.Result, error)
}

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

// Work does jobs. It is safe for concurrent use; each call works on one job.
type Work struct {
	Store    job.Store
	Catalog  *dataset.Catalog
	Exporter Exporter
	Bucket   *storage.Bucket
	Wakes    Wakes
	Config   config.Config
	Logger   *slog.Logger // nil: the default one
}

// Do works on the job that the wake names, when it still waits for one, and
// returns when it has ended, was given back or was lost. Wakes for finished,
// newer and live-leased jobs are consumed without effect. An unknown job is
// Failed: its row may not be committed yet. When the table cannot be reached,
// the same wake is sent anew, delayed, and the message consumed, so that its
// receive count does not grow.
//
// The error, for logs only, says why the outcome is not Consumed.
//
// ctx ends the work: the job goes back to its queue without a failure. A
// deadline of ctx ends it handover-margin earlier; within that margin no job is
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
	case j.Status != job.Pending || j.CancelWanted || w.Attempt < j.Attempt:
		log.DebugContext(ctx, "wake without work", "status", string(j.Status), "attempt", j.Attempt)
		return Outcome{}, nil
	}
	if d, ok := ctx.Deadline(); ok && time.Until(d) <= u.Config.HandoverMargin {
		return Outcome{Verdict: TryLater, Delay: u.Config.RetryBackoff},
			fault.New(fault.Unavailable, "Too little time is left to begin a job.")
	}
	claimedAt := time.Now()
	j, claimed, err := u.Store.Claim(ctx, w.JobID, u.Config.ServerID, u.Config.Lease)
	switch {
	case fault.Is(err, fault.NotFound):
		return Outcome{Verdict: Failed}, err
	case err != nil:
		return u.sendAnew(ctx, w, err)
	case !claimed:
		return Outcome{}, nil
	}
	u.perform(ctx, j, claimedAt)
	return Outcome{}, nil
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

// perform does a claimed job and settles it.
func (u *Work) perform(ctx context.Context, j job.Job, claimedAt time.Time) {
	r := &run{
		Work:   u,
		job:    j,
		log:    logger(u.Logger).With("jobId", j.ID, "requestId", j.RequestID, "dataset", j.Dataset, "attempt", j.Attempt),
		parent: ctx,
	}
	r.log.InfoContext(ctx, "job claimed", "queue", string(j.Queue))
	stop := r.startHeart(ctx, claimedAt)
	defer stop()
	result, err := r.export()
	r.settle(result, err)
}
