package app

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/job"
)

// How long a client should wait before it polls again.
const (
	pollPending = 2 * time.Second
	pollRunning = time.Second
)

// Status tells how far a job is.
type Status struct {
	Store  job.Store
	Config config.Config
}

// Do describes the job. A job that is absent or someone else's is
// fault.NotFound.
func (u *Status) Do(ctx context.Context, c Caller, jobID string) (StatusReply, error) {
	j, err := lookup(ctx, u.Store, u.Config, c, jobID)
	if err != nil {
		return StatusReply{}, err
	}
	r := statusReply(j, u.Config)
	switch j.Status {
	case job.Pending:
		r.RetryAfter = pollPending
		err = u.addQueue(ctx, j, &r)
	case job.Running:
		r.RetryAfter = pollRunning
		err = u.addSpeed(ctx, j, &r)
	}
	return r, err
}

// addQueue says how long a PENDING job may take.
func (u *Status) addQueue(ctx context.Context, j job.Job, r *StatusReply) error {
	position, err := u.Store.QueuePosition(ctx, j)
	if err != nil {
		return fmt.Errorf("queue position: %w", err)
	}
	mean, err := u.meanDuration(ctx, j.Queue)
	if err != nil {
		return err
	}
	workers := u.Config.WorkerCount
	if j.Queue == job.Large {
		workers = u.Config.LargeWorkerCount
	}
	workers = max(workers, 1)
	position = max(position, 1)
	rounds := (position + workers - 1) / workers
	r.QueuePosition = &position
	r.EstimatedSeconds = ceilSeconds(mean * time.Duration(rounds))
	return nil
}

// addSpeed says how fast a RUNNING job is.
func (u *Status) addSpeed(ctx context.Context, j job.Job, r *StatusReply) error {
	now, err := u.Store.Now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	elapsed := time.Duration(max(now-j.StartedAt, 1)) * time.Millisecond
	rate := float64(j.ProcessedRows) / elapsed.Seconds()
	progress := 0
	if j.TotalRows > 0 {
		progress = int(min(j.ProcessedRows*100/j.TotalRows, 100))
	}
	whole := int64(rate)
	r.Progress, r.RowsPerSecond, r.Phase = &progress, &whole, phase(j)
	if left := j.TotalRows - j.ProcessedRows; j.TotalRows > 0 && left > 0 && j.ProcessedRows > 0 {
		seconds := int64(math.Ceil(float64(left) / rate))
		r.EstimatedSeconds = &seconds
		return nil
	}
	mean, err := u.meanDuration(ctx, j.Queue)
	if err != nil {
		return err
	}
	r.EstimatedSeconds = ceilSeconds(mean - elapsed)
	return nil
}

// meanDuration is the run time of recent jobs, or the configured guess.
func (u *Status) meanDuration(ctx context.Context, q job.Queue) (time.Duration, error) {
	mean, err := u.Store.RecentDuration(ctx, q)
	if err != nil {
		return 0, fmt.Errorf("recent run times: %w", err)
	}
	if mean <= 0 {
		mean = time.Duration(u.Config.EstimatedSeconds) * time.Second
	}
	return mean, nil
}

// ceilSeconds is at least one second.
func ceilSeconds(d time.Duration) *int64 {
	s := max(int64(math.Ceil(d.Seconds())), 1)
	return &s
}

// phase names what a RUNNING job is doing.
func phase(j job.Job) string {
	switch {
	case j.CancelWanted:
		return "cancelling"
	case j.Phase == job.PhaseChunks:
		return "chunks"
	case j.Phase == job.PhasePacking:
		return "packing"
	default:
		return "working"
	}
}
