//go:build unix

package main

import (
	"context"
	"fmt"
	"time"
)

// leaseWatch looks whether rows stay RUNNING although their lease has expired. The
// time counts only while recovery could have run: the database answers and a
// worker is up.
type leaseWatch struct {
	tally    *tally
	database *database
	workers  []*slot
	down     func() bool
	limit    time.Duration

	expired map[string]time.Duration // by claim
}

// watchEvery is how often it looks; a longer silence counts as no more than this.
const watchEvery = 500 * time.Millisecond

// workerStart is what a process needs before its first recovery.
const workerStart = time.Second

func (w *leaseWatch) run(ctx context.Context) {
	w.expired = map[string]time.Duration{}
	for wait(ctx, watchEvery) {
		able := !w.down()
		up := false
		for _, s := range w.workers {
			up = up || s.up(workerStart)
		}
		claims, err := w.look(ctx)
		if err != nil || w.down() || !able || !up {
			continue
		}
		w.add(claims)
	}
}

// add lets each claim's time grow; those that are gone are forgotten.
func (w *leaseWatch) add(claims []string) {
	now := make(map[string]time.Duration, len(claims))
	for _, c := range claims {
		now[c] = w.expired[c] + watchEvery
		if now[c] > w.limit {
			w.tally.violate("%s is RUNNING with an expired lease for more than %s", c, w.limit)
		}
	}
	w.expired = now
}

// look names the claims whose lease is over.
func (w *leaseWatch) look(ctx context.Context) (claims []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	rows, err := w.database.QueryContext(ctx, fmt.Sprintf(`SELECT job_id, 0, attempt FROM ha_excel_job
WHERE status = 'RUNNING' AND COALESCE(phase, '') <> 'CHUNKS' AND COALESCE(lease_until, 0) <= %[1]s
UNION ALL SELECT c.job_id, c.chunk_no, c.attempt FROM ha_excel_chunk c JOIN ha_excel_job j ON j.job_id = c.job_id
WHERE c.status = 'RUNNING' AND COALESCE(c.lease_until, 0) <= %[1]s AND j.status = 'RUNNING' AND j.phase = 'CHUNKS' AND j.cancel_yn = 'N'`, w.database.now()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var l lostAttempt
		if err := rows.Scan(&l.jobID, &l.chunk, &l.attempt); err != nil {
			return nil, err
		}
		claims = append(claims, fmt.Sprintf("%s at attempt %d", l.place, l.attempt))
	}
	return claims, rows.Err()
}
