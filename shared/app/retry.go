package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Retry starts failed jobs again.
type Retry struct {
	Store  job.Store
	Wakes  Wakes
	Config config.Config
	Logger *slog.Logger // nil: the default one
}

// Do makes a failed job PENDING again. A job that is absent or someone else's is
// fault.Forbidden; one that has not failed, was cancelled or swept, or whose
// export is active in another job, is fault.Conflict.
func (u *Retry) Do(ctx context.Context, c Caller, jobID, requestID string) (SubmitReply, error) {
	if err := mayChange(ctx, u.Store, u.Config, c, jobID); err != nil {
		return SubmitReply{}, err
	}
	j, err := u.Store.Reopen(ctx, jobID)
	if fault.Is(err, fault.NotFound) { // purged since
		return SubmitReply{}, notYourJob()
	}
	if err != nil {
		return SubmitReply{}, fmt.Errorf("reopen job: %w", err)
	}
	log := logger(u.Logger).With("requestId", requestID)
	log.InfoContext(ctx, "job reopened", "jobId", jobID)
	u.Wakes.announce(ctx, log, j, 0)
	return SubmitReply{JobID: j.ID, Status: j.Status}, nil
}
