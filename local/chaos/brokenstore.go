//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// brokenStore claims as one would who reads a row and then writes it: whoever
// comes last has the job, whatever has become of it meanwhile. The harness has to
// find out.
type brokenStore struct {
	job.Store
	db *sql.DB
}

// Claim implements job.Store, without the guard that makes it one.
func (s *brokenStore) Claim(ctx context.Context, id, serverID string, lease time.Duration) (job.Job, bool, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return job.Job{}, false, err
	}
	// The plain UPDATE by the job's id: no word on its status, nor on a cancel.
	_, err = s.db.ExecContext(ctx, fmt.Sprintf(
		`UPDATE ha_excel_job SET status = 'RUNNING', server_id = '%s#%s', attempt = attempt + 1, lease_until = %d, updated_at = %d WHERE job_id = '%s'`,
		serverID, rand.Text(), now+lease.Milliseconds(), now, id)) //nolint:gosec // a process of the harness, which named all of it
	if err != nil {
		return job.Job{}, false, err
	}
	j, err := s.Get(ctx, id)
	return j, err == nil, err
}
