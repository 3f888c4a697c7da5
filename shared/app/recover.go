package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// recoverLimit bounds what one run of recovery takes on of each kind.
const recoverLimit = 500

// Recover brings back what workers and queues have lost. It may run in many
// places at once.
type Recover struct {
	Store  job.Store
	Wakes  Wakes
	Bucket *storage.Bucket
	Config config.Config
	Logger *slog.Logger // nil: the default one
}

// RecoverReport counts what one run did.
type RecoverReport struct {
	Revived int // lost by a worker, waiting again
	Ended   int // failed or cancelled
	Chunks  int // jobs with lost chunks
	Rewoken int // waiting without a wake for too long
	Cleared int // ended jobs whose chunks were removed
}

// Do runs once. A step that fails does not keep the others from running; the
// error joins them.
func (u *Recover) Do(ctx context.Context) (RecoverReport, error) {
	var rep RecoverReport
	var faults []error
	step := func(name string, do func() error) {
		if err := do(); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	step("recover jobs", func() error {
		list, err := u.Store.Recover(ctx, u.Config.MaxAttempts, recoverLimit)
		u.take(ctx, list, &rep)
		return err
	})
	step("recover chunks", func() error {
		ids, err := u.Store.RecoverChunks(ctx, u.Config.MaxAttempts, recoverLimit)
		rep.Chunks = len(ids)
		for _, id := range ids {
			j, getErr := u.Store.Get(ctx, id)
			if getErr != nil {
				err = errors.Join(err, getErr)
				continue
			}
			u.wake(ctx, j)
		}
		return err
	})
	step("settle split jobs", func() error {
		list, err := u.Store.SettleSplit(ctx, u.Config.OrphanThreshold, recoverLimit)
		u.take(ctx, list, &rep)
		return err
	})
	step("wake again", func() error {
		list, err := u.Store.Rewake(ctx, u.Config.OrphanThreshold, recoverLimit)
		rep.Rewoken = len(list)
		for _, j := range list {
			u.wake(ctx, j)
		}
		return err
	})
	step("remove chunks", func() error {
		ids, err := u.Store.ChunksLeft(ctx, recoverLimit)
		for _, id := range ids {
			if dropErr := dropChunks(ctx, u.Store, u.Bucket, id); dropErr != nil {
				err = errors.Join(err, dropErr)
				continue
			}
			rep.Cleared++
		}
		return err
	})
	if rep != (RecoverReport{}) {
		logger(u.Logger).InfoContext(ctx, "recovered", "revived", rep.Revived, "ended", rep.Ended, "chunks", rep.Chunks, "rewoken", rep.Rewoken, "cleared", rep.Cleared)
	}
	return rep, errors.Join(faults...)
}

// take counts recovered jobs and wakes those that wait.
func (u *Recover) take(ctx context.Context, list []job.Recovered, rep *RecoverReport) {
	for _, r := range list {
		if r.Failed {
			rep.Ended++
		}
		if r.Wake {
			rep.Revived++
			u.wake(ctx, r.Job)
		}
	}
}

func (u *Recover) wake(ctx context.Context, j job.Job) {
	if j.Phase == job.PhaseChunks {
		announceSplit(ctx, logger(u.Logger), u.Store, u.Wakes, j, 0)
		return
	}
	u.Wakes.announce(ctx, logger(u.Logger), j, 0)
}

// Start wakes every waiting job, split ones too: what a process whose wakes live in
// its memory does once before it works, after Do.
func (u *Recover) Start(ctx context.Context) (int, error) {
	list, err := u.Store.PendingJobs(ctx)
	if err != nil {
		return 0, fmt.Errorf("list waiting jobs: %w", err)
	}
	split, err := u.Store.SettleSplit(ctx, 0, recoverLimit)
	if err != nil {
		return 0, fmt.Errorf("list split jobs: %w", err)
	}
	woken := len(list)
	for _, r := range split {
		if r.Wake {
			u.wake(ctx, r.Job)
			woken++
		}
	}
	for _, j := range list {
		if err := u.Wakes.Send(ctx, j, 0); err != nil {
			return 0, err
		}
	}
	return woken, nil
}
