package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

const (
	// settleTimeout bounds what is done after the worker's own context ended.
	settleTimeout = 20 * time.Second
	// removeTimeout bounds the removal of objects: a storage that does not answer
	// must not take the time in which the row is to be written.
	removeTimeout = 3 * time.Second
	// splitWorkers bounds how many workers are woken for one split job.
	splitWorkers = 8
	// settlePause lies between two tries of a statement that must not be lost.
	settlePause = 200 * time.Millisecond
)

// settleContext is for what must happen although the work's context has ended, and
// also when the worker is asked to stop; the heart keeps the claim meanwhile.
func settleContext(parent context.Context) (context.Context, context.CancelFunc) {
	limit := settleTimeout
	if d, ok := parent.Deadline(); ok {
		limit = min(limit, max(time.Until(d), time.Second))
	}
	return context.WithTimeout(context.WithoutCancel(parent), limit)
}

// settle writes the end of a run into the row. What cannot be written is left
// to recovery, which finds the lease run out. An object that no row came to
// name is removed; attempts never share a key, so it is this run's own.
func (r *run) settle(err error) {
	ctx, cancel := settleContext(r.parent)
	defer cancel()
	planning := r.split
	r.split = false
	switch {
	case err == nil && planning:
		r.planDone(ctx)
		return
	case err == nil:
		r.complete(ctx, *r.result)
		return
	case errors.Is(err, errBelongsToLarge) && r.heart.ctx.Err() == nil:
		r.handOver(ctx, job.HandOver{Queue: job.Large}, 0)
		return
	}
	if !planning {
		r.removeOwn(ctx)
	}
	cause := context.Cause(r.heart.ctx)
	switch {
	case errors.Is(cause, errCancelWanted), fault.Is(err, fault.Cancelled):
		r.fail(ctx, job.CancelledMessage)
	case errors.Is(cause, errLeaseLost), errors.Is(cause, errNoBeat), fault.Is(err, fault.Lost):
		r.log.WarnContext(ctx, "job lost", "cause", cause)
	case errors.Is(cause, errOutOfTime):
		r.outOfTime(ctx, planning, err)
	case r.parent.Err() != nil:
		r.handOver(ctx, job.HandOver{}, 0)
	case fault.Is(err, fault.Busy):
		r.log.WarnContext(ctx, "the source has no connection to spare", "error", err)
		r.handOver(ctx, job.HandOver{}, backoff(r.Config.RetryBackoff, r.job.Hops+1))
	case fault.Retryable(err):
		r.retry(ctx, err)
	default:
		r.log.WarnContext(ctx, "export failed for good", "error", err)
		r.fail(ctx, fault.SafeMessage(err))
	}
}

// outOfTime makes of a job whose worker has no more time one that another goes on
// with, where its dataset can be read in pieces.
func (r *run) outOfTime(ctx context.Context, planning bool, err error) {
	r.log.WarnContext(ctx, "export ran out of time", "error", err)
	switch {
	case planning && r.found > 0: // they are stored
		r.handOver(ctx, job.HandOver{}, 0)
	case planning: // as little as the next one will find
		r.retry(ctx, fault.Wrap(fault.Unavailable, err, "The export could not be divided within the time a worker has. An index for its order makes that fast."))
	case r.job.Phase == job.PhasePacking:
		r.retry(ctx, fault.Wrap(fault.Unavailable, err, "The finished parts could not be joined within the time a worker has."))
	case r.request.Dataset == nil || !export.Divisible(r.request):
		r.fail(ctx, "The export did not finish within the time a worker has. Its dataset needs a key, so that the work can be split.")
	case r.plan == export.Plan{}: // there was hardly time to count
		r.handOver(ctx, job.HandOver{}, 0)
	default:
		pieces := r.Exporter.Split(r.request, r.plan, sureRows(r.heart.rows.Load()))
		r.handOver(ctx, job.HandOver{Queue: job.Large, CheckpointJSON: pieces.JSON()}, 0)
	}
}

// sureRows is how many rows a worker is sure to get done in its time when another
// got done as many as that: half of them, as far as that makes no crowd of chunks.
// Where not even one was done, the first may have been what took so long.
func sureRows(done int64) int64 {
	const least, unknown = 100, 1000
	if done == 0 {
		return unknown
	}
	return max(done/2, least)
}

// planDone lets the chunks run, and wakes workers for them besides this one.
func (r *run) planDone(ctx context.Context) {
	var running job.Job
	unsure, err := insist(ctx, func() (err error) {
		running, err = r.Store.PlanDone(ctx, r.job.Fence(), *r.planned)
		return err
	})
	if running.Phase == job.PhaseChunks && running.Attempt == r.job.Attempt && unsure && fault.Is(err, fault.Lost) {
		err = nil // an earlier try has done it
	}
	switch {
	case fault.Is(err, fault.Cancelled):
		r.fail(ctx, job.CancelledMessage)
		return
	case err != nil:
		r.unsettled(ctx, "plan", err, false)
		return
	}
	r.job, r.split = running, true
	r.log.InfoContext(ctx, "job split")
	announceSplit(ctx, r.log, r.Store, r.Wakes, r.job, 1)
}

// complete ends the job DONE.
func (r *run) complete(ctx context.Context, res export.Result) {
	done := job.Completion{
		FilePath:     res.Key,
		FileBytes:    res.Bytes,
		Rows:         res.Rows,
		AsOf:         res.AsOf,
		AsOfEnd:      res.AsOfEnd,
		WarningsJSON: export.ParseWarnings(r.job.WarningsJSON).Merge(res.Warnings).JSON(),
		FilterHash:   r.filterHash,
	}
	_, err := insist(ctx, func() error { return r.Store.Complete(ctx, r.job.Fence(), done) })
	switch {
	case err == nil:
		r.log.InfoContext(ctx, "job done", "rows", res.Rows, "bytes", res.Bytes)
		if r.job.Phase == job.PhasePacking {
			r.clearChunks(ctx, r.log, r.job.ID)
		}
	case fault.Is(err, fault.Cancelled):
		r.removeOwn(ctx)
		r.fail(ctx, job.CancelledMessage)
	case fault.Is(err, fault.Lost):
		r.log.WarnContext(ctx, "job lost before its completion")
		r.removeUnnamed(ctx, r.log, res.Key)
	default:
		// Whether the row names the object is not known, so it stays.
		r.log.ErrorContext(ctx, "completion could not be written", "error", err)
	}
}

// retry gives the job back with one failure more, or ends it when its attempts
// are used up.
func (r *run) retry(ctx context.Context, cause error) {
	var back job.Job
	var retried bool
	unsure, err := insist(ctx, func() (err error) {
		back, retried, err = r.Store.Retry(ctx, r.job.Fence(), r.Config.MaxAttempts)
		return err
	})
	switch {
	case fault.Is(err, fault.Cancelled):
		r.fail(ctx, job.CancelledMessage)
	case err != nil:
		r.unsettled(ctx, "retry", err, unsure)
	case !retried:
		r.log.WarnContext(ctx, "export failed, attempts used up", "error", cause)
		r.fail(ctx, fault.SafeMessage(cause))
	default:
		delay := backoff(r.Config.RetryBackoff, back.Failures)
		r.log.WarnContext(ctx, "export failed, will be tried again", "error", cause, "failures", back.Failures, "delay", delay)
		r.Wakes.announce(ctx, r.log, back, delay)
	}
}

// handOver gives the job back without a failure.
func (r *run) handOver(ctx context.Context, h job.HandOver, delay time.Duration) {
	h.MaxHops = r.Config.MaxHops
	var back job.Job
	unsure, err := insist(ctx, func() (err error) {
		back, err = r.Store.HandOver(ctx, r.job.Fence(), h)
		return err
	})
	switch {
	case fault.Is(err, fault.Cancelled):
		r.fail(ctx, job.CancelledMessage)
	case err != nil:
		r.unsettled(ctx, "hand over", err, unsure)
	case back.Status != job.Pending:
		r.log.WarnContext(ctx, "job handed over too often", "status", string(back.Status))
	default:
		r.log.InfoContext(ctx, "job handed over", "queue", string(back.Queue), "hops", back.Hops)
		r.Wakes.announce(ctx, r.log, back, delay)
	}
}

// fail ends the job FAIL.
func (r *run) fail(ctx context.Context, message string) {
	var ended job.Job
	_, err := insist(ctx, func() (err error) {
		ended, err = r.Store.Fail(ctx, r.job.Fence(), cut(message, job.MaxErrorRunes))
		return err
	})
	if err != nil {
		r.unsettled(ctx, "fail", err, false)
		return
	}
	r.log.InfoContext(ctx, "job failed", "errorMsg", ended.ErrorMsg)
}

// unsettled tells of a statement that was not accepted. Where an earlier try of it
// had an unknown outcome, that one may be why: then the job waits, and is woken.
func (r *run) unsettled(ctx context.Context, what string, err error, unsure bool) {
	if fault.Is(err, fault.Lost) && unsure {
		if j, getErr := r.Store.Get(ctx, r.job.ID); getErr == nil && j.Status == job.Pending && j.Attempt == r.job.Attempt {
			r.Wakes.announce(ctx, r.log, j, 0)
			return
		}
	}
	if fault.Is(err, fault.Lost) {
		r.log.WarnContext(ctx, "job lost", "while", what)
		return
	}
	r.log.ErrorContext(ctx, "job is left to recovery", "while", what, "error", err)
}

// insist repeats a statement while the table is away, until ctx ends. unsure says
// that the outcome of one of the tries was not known: what the last one answers
// may be that one's doing.
func insist(ctx context.Context, do func() error) (unsure bool, err error) {
	for {
		err = do()
		if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.UnknownOutcome) {
			return unsure, err
		}
		unsure = unsure || fault.Is(err, fault.UnknownOutcome)
		select {
		case <-ctx.Done():
			return unsure, err
		case <-time.After(settlePause):
		}
	}
}

// removeOwn removes what this attempt may have left, for a run whose completion
// was not accepted: no row can name it.
func (r *run) removeOwn(ctx context.Context) {
	for _, ext := range []string{"xlsx", "zip"} {
		r.remove(ctx, r.log, export.Key(r.job.ID, r.job.Attempt, ext))
	}
}

// remove removes an object that no row names. What cannot be removed at once is
// left to the sweep.
func (u *Work) remove(ctx context.Context, log *slog.Logger, key string) {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	if err := u.Bucket.Delete(ctx, key); err != nil {
		log.WarnContext(ctx, "an object was left behind", "key", key, "error", err)
	}
}

// removeUnnamed removes the object unless a row names it: in doubt it stays.
func (u *Work) removeUnnamed(ctx context.Context, log *slog.Logger, key string) {
	named, err := u.Store.Named(ctx, key)
	if err == nil && !named {
		err = u.Bucket.Delete(ctx, key)
	}
	if err != nil {
		log.WarnContext(ctx, "an object was left behind", "key", key, "error", err)
	}
}

// backoff is the wait before the next attempt after so many failures.
func backoff(base time.Duration, failures int) time.Duration {
	d := base
	for i := 1; i < failures && d < config.MaxRetryBackoff; i++ {
		d *= 2
	}
	return min(d, config.MaxRetryBackoff)
}
