package app

import (
	"context"
	"fmt"
	"time"

	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/storage"
)

// orphans are objects and unfinished writes that nobody needs: what a killed
// worker has written, and what the sweep could not delete in its turn.
type orphans struct {
	*Sweep
	before  time.Time // younger ones are left alone
	removed int
	faults  []error
	away    bool // the table can't be asked
}

// removeOrphans looks at every object under the exports' prefix. The table is
// asked about each by itself, right before it is removed.
func (u *Sweep) removeOrphans(ctx context.Context) (removed int, faults []error) {
	now, err := u.Store.Now(ctx)
	if err != nil {
		return 0, []error{fmt.Errorf("read clock: %w", err)}
	}
	// Two leases leave room for the storage's clock and for a worker that has
	// not yet learned of its lost lease.
	o := &orphans{Sweep: u, before: time.UnixMilli(now).Add(-2 * u.Config.Lease)}
	err = u.Bucket.List(ctx, export.KeyPrefix, func(a storage.Attributes) bool {
		return o.look(ctx, a.Key, a.Modified, func() error { return u.Bucket.Delete(ctx, a.Key) })
	})
	if err != nil {
		o.faults = append(o.faults, fmt.Errorf("list objects: %w", err))
	}
	if o.away {
		return o.removed, o.faults
	}
	err = u.Bucket.ListUnfinished(ctx, export.KeyPrefix, func(w storage.Unfinished) bool {
		return o.look(ctx, w.Key, w.Touched, func() error { return u.Bucket.RemoveUnfinished(ctx, w) })
	})
	if err != nil {
		o.faults = append(o.faults, fmt.Errorf("list unfinished writes: %w", err))
	}
	return o.removed, o.faults
}

// look removes one object, if nobody needs it, and reports whether to go on. In
// doubt it stays: the next sweep looks again.
func (o *orphans) look(ctx context.Context, key string, touched time.Time, remove func() error) (goOn bool) {
	owner, ours := export.ParseKey(key)
	if !ours || !touched.Before(o.before) {
		return true
	}
	orphaned, err := o.Store.Orphaned(ctx, owner)
	switch {
	case err != nil:
		o.away = true
		o.faults = append(o.faults, fmt.Errorf("ask for the owner of %s: %w", key, err))
		return false
	case !orphaned:
		return true
	}
	if err := remove(); err != nil {
		o.faults = append(o.faults, fmt.Errorf("remove the orphan %s: %w", key, err))
		return ctx.Err() == nil
	}
	logger(o.Logger).InfoContext(ctx, "orphan removed", "key", key)
	o.removed++
	return true
}
