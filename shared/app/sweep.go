package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// sweepLimit bounds what one run of the sweep takes on.
const sweepLimit = 500

// Sweep removes expired files, old rows, and objects that nobody needs. It may run
// in many places at once. Objects of jobs that the table does not know are left
// alone: they may be another table's.
type Sweep struct {
	Store  job.Store
	Bucket *storage.Bucket
	Config config.Config
	Logger *slog.Logger // nil: the default one
}

// SweepReport counts what one run did.
type SweepReport struct {
	Swept   int // jobs whose file has expired
	Deleted int // objects of those jobs
	Orphans int // objects and unfinished writes that nobody needs
	Purged  int // rows
}

// Do runs once. The row is marked first, by itself; only then each object that
// no row names any more is deleted, so a crash between leaves an orphan and
// never a row without its file. One job's failure does not stop the others.
func (u *Sweep) Do(ctx context.Context) (SweepReport, error) {
	var rep SweepReport
	var faults []error
	// Links that were made just before the end stay good for their lifetime.
	ttl := u.Config.JobTTL + u.Config.LinkTTL
	list, err := u.Store.Expired(ctx, ttl, sweepLimit)
	if err != nil {
		faults = append(faults, fmt.Errorf("list expired jobs: %w", err))
	}
	for _, j := range list {
		faults = append(faults, u.sweep(ctx, j.ID, ttl, &rep)...)
	}
	ahead, err := u.Store.ExpiredPregenerated(ctx, ttl, sweepLimit)
	if err != nil {
		faults = append(faults, fmt.Errorf("list expired pregenerated jobs: %w", err))
	}
	for _, p := range ahead {
		faults = append(faults, u.sweep(ctx, p.ID, keptFor(p, ttl, u.Config.LinkTTL), &rep)...)
	}
	var orphanFaults []error
	rep.Orphans, orphanFaults = u.removeOrphans(ctx)
	faults = append(faults, orphanFaults...)
	rep.Purged, err = u.Store.Purge(ctx, u.Config.RowRetention, sweepLimit)
	if err != nil {
		faults = append(faults, fmt.Errorf("purge rows: %w", err))
	}
	if rep != (SweepReport{}) {
		logger(u.Logger).InfoContext(ctx, "swept", "jobs", rep.Swept, "objects", rep.Deleted, "orphans", rep.Orphans, "rows", rep.Purged)
	}
	return rep, errors.Join(faults...)
}

// sweep marks one job that completed more than ttl ago, and removes its objects.
func (u *Sweep) sweep(ctx context.Context, id string, ttl time.Duration, rep *SweepReport) (faults []error) {
	keys, swept, err := u.Store.MarkSwept(ctx, id, ttl)
	if err != nil {
		return []error{fmt.Errorf("mark job %s: %w", id, err)}
	}
	if !swept {
		return nil
	}
	rep.Swept++
	for _, key := range keys {
		deleted, err := u.remove(ctx, key)
		if err != nil {
			faults = append(faults, fmt.Errorf("remove %s: %w", key, err))
		}
		if deleted {
			rep.Deleted++
		}
	}
	return faults
}

// remove deletes an object that no row names.
func (u *Sweep) remove(ctx context.Context, key string) (bool, error) {
	named, err := u.Store.Named(ctx, key)
	if err != nil || named {
		return false, err
	}
	return true, u.Bucket.Delete(ctx, key)
}
