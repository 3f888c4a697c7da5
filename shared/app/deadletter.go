package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// DeadLetter settles wakes that were delivered too often.
type DeadLetter struct {
	Store  job.Store
	Wakes  Wakes
	Config config.Config
	Logger *slog.Logger // nil: the default one
}

// Do settles one message. A body that is no wake, and a wake that is not the
// job's latest, are dropped with a log line. An error means that the table could
// not be asked: let the message come again.
func (u *DeadLetter) Do(ctx context.Context, body string) error {
	log := logger(u.Logger)
	w, err := wake.Parse(body)
	if err != nil {
		log.WarnContext(ctx, "dead letter dropped: it is no wake", "error", err)
		return nil
	}
	log = log.With("requestId", w.RequestID)
	j, verdict, err := u.Store.DeadLetter(ctx, w.JobID, w.WokenAt, u.Config.MaxAttempts)
	if err != nil {
		return fmt.Errorf("settle dead letter: %w", err)
	}
	log.WarnContext(ctx, "dead letter settled", "jobId", w.JobID, "verdict", string(verdict))
	if verdict == job.DeadRetried {
		u.Wakes.announce(ctx, log, j, backoff(u.Config.RetryBackoff, j.Failures))
	}
	return nil
}
