package boot

import (
	"context"
	"fmt"
	"strings"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// functionConns is what one Lambda environment needs beside its heartbeat, which
// only a worker has. A database has to bear this many times the concurrency.
const functionConns = 1

// spareConns are for requests and schedules beside the workers.
const spareConns = 6

// versionTries is how often the version is asked for, see checkVersion.
const versionTries = 5

// table is the job table once it is open.
type table struct {
	store  *jobsql.Store
	shared job.Store // what the use cases get
}

// Store opens the job table, which must be at this program's version.
func (b *Boot) Store(ctx context.Context) (job.Store, error) {
	t, err := b.openTable(ctx, true)
	if err != nil {
		return nil, err
	}
	return t.shared, nil
}

// Migrate applies pending migrations and returns the names of those it applied.
func (b *Boot) Migrate(ctx context.Context) (applied []string, err error) {
	t, err := b.openTable(ctx, false)
	if err != nil {
		return nil, err
	}
	return t.store.Migrate(ctx)
}

func (b *Boot) openTable(ctx context.Context, check bool) (*table, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.table != nil {
		return b.table, nil
	}
	if err := b.cfg.RequireDatabase(); err != nil {
		return nil, err
	}
	store, err := jobsql.Open(ctx, b.cfg.DatabaseURL, jobsql.Options{
		MaxConns: b.tableConns(), BeatConns: b.workers(), Logger: b.log,
	})
	if err != nil {
		return nil, fmt.Errorf("HAEXCEL_DATABASE_URL: %w", err)
	}
	if check {
		if err := b.checkVersion(ctx, store); err != nil {
			_ = store.Close()
			return nil, err
		}
	}
	b.table = &table{store: store, shared: store}
	if b.wrapStore != nil {
		b.table.shared = b.wrapStore(store)
	}
	return b.table, nil
}

// checkVersion fails when migrations are missing, not when the database is away:
// that passes, and a start that fails would answer users worse than a 503.
func (b *Boot) checkVersion(ctx context.Context, store *jobsql.Store) (err error) {
	// A database that comes up between the two questions refuses the first one and
	// answers the second: it is asked again.
	for range versionTries {
		if err = store.CheckVersion(ctx); err == nil {
			return nil
		}
		if _, clockErr := store.Now(ctx); fault.Is(clockErr, fault.Unavailable) {
			b.log.WarnContext(ctx, "the job table can't be reached yet; its version is not checked", "reason", err)
			return nil
		}
	}
	return err
}

// tableConns bounds the connections to the job table, those of the heartbeats
// left out; 0 means the default.
func (b *Boot) tableConns() int {
	if b.function {
		return functionConns
	}
	if strings.HasPrefix(b.cfg.DatabaseURL, "sqlite:") {
		return 0 // one writer at a time anyway
	}
	return b.workers() + spareConns
}

// workers is how many jobs the program does at once.
func (b *Boot) workers() int {
	if b.function {
		return 1
	}
	return b.cfg.WorkerCount + b.cfg.LargeWorkerCount
}
