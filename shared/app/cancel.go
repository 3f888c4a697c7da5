package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Cancel ends jobs at their requester's wish.
type Cancel struct {
	Store  job.Store
	Config config.Config
	Logger *slog.Logger // nil: the default one
}

// CancelReply is the body of the answer.
type CancelReply struct {
	JobID   string `json:"jobId"`
	Message string `json:"message"`
}

// Do cancels the job: it will not end DONE any more. A job that is absent or
// someone else's is fault.Forbidden, one that has ended fault.Conflict.
func (u *Cancel) Do(ctx context.Context, c Caller, jobID, requestID string) (CancelReply, error) {
	if err := mayChange(ctx, u.Store, u.Config, c, jobID); err != nil {
		return CancelReply{}, err
	}
	j, err := u.Store.Cancel(ctx, jobID)
	if fault.Is(err, fault.NotFound) { // purged since
		return CancelReply{}, notYourJob()
	}
	if err != nil {
		return CancelReply{}, fmt.Errorf("cancel job: %w", err)
	}
	log := logger(u.Logger).With("jobId", jobID, "requestId", requestID)
	if j.Phase == job.PhaseChunks {
		// Nobody may be at work on a chunk who would learn of it. What this does not
		// get done is left to them and to recovery.
		if ended, _, err := u.Store.EndSplit(ctx, jobID); err == nil {
			j = ended
		} else {
			log.WarnContext(ctx, "a split job is left to recovery", "error", err)
		}
	}
	log.InfoContext(ctx, "cancel accepted", "status", string(j.Status))
	return CancelReply{JobID: jobID, Message: "Cancel request accepted."}, nil
}
