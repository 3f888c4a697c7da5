package jobsql

import (
	"context"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// transition runs one guarded statement on one job row and answers the row as
// it is afterwards. moved tells whether the statement took effect.
//
// A lost reply is settled by the row: when applied says that it shows the
// effect, it counts as moved; otherwise the statement is sent again, since its
// guard makes that harmless. applied is asked only after a lost reply.
func (s *Store) transition(ctx context.Context, op, id string, t *template, p params, applied func(job.Job) bool) (j job.Job, moved bool, err error) {
	if !storable(id) {
		return job.Job{}, false, notFound()
	}
	unsure := false
	for try := 0; ; try++ {
		n, execErr := s.exec(ctx, op, t, p)
		lost := fault.Is(execErr, fault.UnknownOutcome)
		if execErr != nil && !lost {
			return job.Job{}, false, execErr
		}
		if lost {
			unsure = true
			if ctx.Err() != nil {
				return job.Job{}, false, execErr
			}
			s.log.WarnContext(ctx, "reply lost, reading the row", "op", op, "jobId", id, "error", execErr)
		}
		if n > 0 {
			j, err = s.reread(ctx, id)
		} else {
			j, err = s.Get(ctx, id)
		}
		if err != nil {
			if (unsure || n > 0) && !fault.Is(err, fault.NotFound) {
				err = fault.Wrap(fault.UnknownOutcome, err, "The job table did not answer.")
			}
			return job.Job{}, false, err
		}
		if n > 0 || unsure && applied(j) {
			return j, true, nil
		}
		if !lost {
			return j, false, nil
		}
		if try >= lostTries || pause(ctx, try) != nil {
			return job.Job{}, false, execErr
		}
	}
}

// reread is Get for a row that a statement has just changed or made.
func (s *Store) reread(ctx context.Context, id string) (job.Job, error) {
	return persist(ctx, func() (job.Job, error) { return s.Get(ctx, id) })
}

// persist reads what a statement has just changed: a table that cannot be reached
// for a moment, such as one without a connection to spare, must not hide what took
// effect.
func persist[T any](ctx context.Context, read func() (T, error)) (T, error) {
	began := time.Now()
	for try := 0; ; try++ {
		row, err := read()
		if !fault.Is(err, fault.Unavailable) || time.Since(began) >= tryLimit || pause(ctx, try) != nil {
			return row, err
		}
	}
}

// mine reports whether the claim is the row's.
func mine(f job.Fence, j job.Job) bool {
	return j.Status == job.Running && f.Token != "" && j.Token == f.Token && j.Attempt == f.Attempt
}

// refused says why a worker's statement changed nothing.
func refused(f job.Fence, j job.Job) error {
	if mine(f, j) && j.CancelWanted {
		return fault.New(fault.Cancelled, job.CancelledMessage)
	}
	return fault.New(fault.Lost, "The job belongs to another worker now.")
}

// mineSQL is the guard of every worker's statement.
const mineSQL = `{same job_id :id} AND status = 'RUNNING' AND server_id = :token AND attempt = :attempt`

// fenced starts the arguments of a statement guarded by mineSQL.
func fenced(f job.Fence, more params) params {
	p := params{"id": f.JobID, "token": f.Token, "attempt": f.Attempt}
	for k, v := range more {
		p[k] = v
	}
	return p
}

// wokenSQL gives woken_at a value that it never had before, even within one
// millisecond or after the clock was set back: a dead letter tells wakes apart
// by it.
const wokenSQL = `CASE WHEN woken_at >= {now} THEN woken_at + 1 ELSE {now} END`

// pendingSQL is what every statement that sets PENDING sets.
const pendingSQL = `status = 'PENDING', server_id = NULL, lease_until = NULL, phase = NULL,
	woken_at = ` + wokenSQL + `, updated_at = {now}`

// endedSQL is what every statement that ends a job sets besides the status.
// server_id and attempt stay: they say who ended it.
const endedSQL = `completed_at = {now}, active_key = NULL, lease_until = NULL, phase = NULL, updated_at = {now}`
