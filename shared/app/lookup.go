package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// lookup reads a job for its requester. An absent job, someone else's and an id
// that is no UUID are all fault.NotFound with one message; only ids that can be
// there reach the database.
func lookup(ctx context.Context, s job.Store, cfg config.Config, c Caller, id string) (job.Job, error) {
	if !isJobID(id) {
		return job.Job{}, noSuchJob()
	}
	j, err := s.Get(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return job.Job{}, noSuchJob()
	}
	if err != nil {
		return job.Job{}, err
	}
	if !c.owns(j, cfg) {
		return job.Job{}, noSuchJob()
	}
	return j, nil
}

// mayChange is lookup for cancel and retry, whose clients expect
// fault.Forbidden.
func mayChange(ctx context.Context, s job.Store, cfg config.Config, c Caller, id string) error {
	_, err := lookup(ctx, s, cfg, c, id)
	if fault.Is(err, fault.NotFound) {
		return notYourJob()
	}
	return err
}

func noSuchJob() error { return fault.New(fault.NotFound, "There is no such job.") }

func notYourJob() error {
	return fault.New(fault.Forbidden, "This job is not yours, or there is no such job.")
}

// isJobID reports whether id has the one form that ids are made in.
func isJobID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id
}
