package app

import (
	"context"
	"errors"
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
	// settlePause lies between two tries of a statement that must not be lost.
	settlePause = 200 * time.Millisecond
)

// settle writes the end of a run into the row. What cannot be written is left
// to recovery, which finds the lease run out. An object that no row came to
// name is removed; attempts never share a key, so it is this run's own.
func (r *run) settle(res export.Result, err error) {
	// The rest must happen although the job's context has ended, and also when
	// the worker is asked to stop; the heart keeps the claim meanwhile.
	limit := settleTimeout
	if d, ok := r.parent.Deadline(); ok {
		limit = min(limit, max(time.Until(d), time.Second))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.parent), limit)
	defer cancel()

	cause := context.Cause(r.heart.ctx)
	switch {
	case err == nil:
		r.complete(ctx, res)
		return
	case errors.Is(err, errBelongsToLarge) && r.heart.ctx.Err() == nil:
		r.handOver(ctx, job.Large)
		return
	}
	r.removeOwn(ctx)
	switch {
	case errors.Is(cause, errCancelWanted):
		r.fail(ctx, job.CancelledMessage)
	case errors.Is(cause, errLeaseLost), errors.Is(cause, errNoBeat):
		r.log.WarnContext(ctx, "job lost", "cause", cause)
	case errors.Is(cause, errOutOfTime):
		r.log.WarnContext(ctx, "export ran out of time", "error", err)
		r.fail(ctx, r.outOfTime())
	case r.parent.Err() != nil:
		r.handOver(ctx, r.job.Queue)
	case fault.Retryable(err):
		r.retry(ctx, err)
	default:
		r.log.WarnContext(ctx, "export failed for good", "error", err)
		r.fail(ctx, fault.SafeMessage(err))
	}
}

// outOfTime says what a too long export needs.
func (r *run) outOfTime() string {
	if !r.keyed {
		return "The export did not finish within the time a worker has. Its dataset needs a key, so that the work can be split."
	}
	return "The export did not finish within the time a worker has. Narrow it with parameters, or use a worker without a time limit."
}

// complete ends the job DONE.
func (r *run) complete(ctx context.Context, res export.Result) {
	done := job.Completion{
		FilePath:     res.Key,
		FileBytes:    res.Bytes,
		Rows:         res.Rows,
		AsOf:         res.AsOf,
		WarningsJSON: export.ParseWarnings(r.job.WarningsJSON).Merge(res.Warnings).JSON(),
	}
	err := r.insist(ctx, func() error { return r.Store.Complete(ctx, r.job.Fence(), done) })
	switch {
	case err == nil:
		r.log.InfoContext(ctx, "job done", "rows", res.Rows, "bytes", res.Bytes)
	case fault.Is(err, fault.Cancelled):
		r.removeOwn(ctx)
		r.fail(ctx, job.CancelledMessage)
	case fault.Is(err, fault.Lost):
		r.log.WarnContext(ctx, "job lost before its completion")
		r.removeUnnamed(ctx, res.Key)
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
	err := r.insist(ctx, func() (err error) {
		back, retried, err = r.Store.Retry(ctx, r.job.Fence(), r.Config.MaxAttempts)
		return err
	})
	switch {
	case fault.Is(err, fault.Cancelled):
		r.fail(ctx, job.CancelledMessage)
	case err != nil:
		r.unsettled(ctx, "retry", err)
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
func (r *run) handOver(ctx context.Context, queue job.Queue) {
	var back job.Job
	err := r.insist(ctx, func() (err error) {
		back, err = r.Store.HandOver(ctx, r.job.Fence(), job.HandOver{Queue: queue, MaxHops: r.Config.MaxHops})
		return err
	})
	switch {
	case fault.Is(err, fault.Cancelled):
		r.fail(ctx, job.CancelledMessage)
	case err != nil:
		r.unsettled(ctx, "hand over", err)
	case back.Status != job.Pending:
		r.log.WarnContext(ctx, "job handed over too often", "status", string(back.Status))
	default:
		r.log.InfoContext(ctx, "job handed over", "queue", string(back.Queue))
		r.Wakes.announce(ctx, r.log, back, 0)
	}
}

// fail ends the job FAIL.
func (r *run) fail(ctx context.Context, message string) {
	var ended job.Job
	err := r.insist(ctx, func() (err error) {
		ended, err = r.Store.Fail(ctx, r.job.Fence(), cut(message, job.MaxErrorRunes))
		return err
	})
	if err != nil {
		r.unsettled(ctx, "fail", err)
		return
	}
	r.log.InfoContext(ctx, "job failed", "errorMsg", ended.ErrorMsg)
}

func (r *run) unsettled(ctx context.Context, what string, err error) {
	if fault.Is(err, fault.Lost) {
		r.log.WarnContext(ctx, "job lost", "while", what)
		return
	}
	r.log.ErrorContext(ctx, "job is left to recovery", "while", what, "error", err)
}

// insist repeats a statement while the table is away, until ctx ends.
func (r *run) insist(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.UnknownOutcome) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(settlePause):
		}
	}
}

// removeOwn removes what this attempt may have left, for a run whose completion
// was not accepted: no row can name it.
func (r *run) removeOwn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	for _, ext := range []string{"xlsx", "zip"} {
		if err := r.Bucket.Delete(ctx, export.Key(r.job.ID, r.job.Attempt, ext)); err != nil {
			r.log.WarnContext(ctx, "an object was left behind", "key", export.Key(r.job.ID, r.job.Attempt, ext), "error", err)
		}
	}
}

// removeUnnamed removes the object unless a row names it: in doubt it stays.
func (r *run) removeUnnamed(ctx context.Context, key string) {
	named, err := r.Store.Named(ctx, key)
	if err == nil && !named {
		err = r.Bucket.Delete(ctx, key)
	}
	if err != nil {
		r.log.WarnContext(ctx, "an object was left behind", "key", key, "error", err)
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
