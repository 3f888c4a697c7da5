// Package boot puts a program together: it opens the job table, the wakes and
// the datasets that the settings name, and hands out the use cases over them.
// The Lambda functions and the local program are built with it, and so are
// users' own programs:
//
//	func main() { os.Exit(run()) }
//
//	func run() int {
//		b, err := boot.Function(os.Environ(), boot.WithDataset(invoices))
//		if err != nil {
//			return boot.Failed(err)
//		}
//		submit, err := b.Submit(context.Background())
//		…
//	}
//
// examples/custom-worker is a whole one.
//
// Guarantees. Only what a use case needs is opened, when it is asked for, once.
// What is missing or wrong in the settings fails there, naming the setting, and
// so does a job table that lacks a migration: nothing here ever migrates, unless
// Migrate is called. A database that is away is no reason not to start: the use
// cases answer fault.Unavailable until it is back.
//
// A process keeps within these numbers of connections, whatever it is asked for;
// w is how many jobs it does at once, worker-count + large-worker-count, 6 unless
// set. To the job table w + 6 and, for the heartbeats alone, w more; to each
// source 2 w, and on MySQL for a moment one more for each statement that has to
// be stopped. A function does one job: it has 1 to the job table, a worker 1 more
// for its heartbeat and 2 to each source. An SQLite job table has 4 in place of
// w + 6. What a database's limit must bear is that times the processes, or the
// functions' concurrency; a source beyond its limit delays jobs and fails none.
//
// The bucket comes in through an option, usually WithBucketFrom(bootstore.Open),
// so that programs which touch no files link no storage SDK.
//
// Known limits. While the database is away at the start, the migrations are not
// looked at.
package boot

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// Boot is a program's parts. It is safe for concurrent use.
type Boot struct {
	cfg        config.Config
	log        *slog.Logger
	own        []dataset.Dataset
	openBucket func(context.Context, config.Config) (*storage.Bucket, error) // nil: none
	identity   Identity
	clock      func() time.Time
	wrapStore  func(job.Store) job.Store // nil: the table as it is
	function   bool                      // one invocation at a time, woken by SQS only

	// What is open.
	mu      sync.Mutex
	table   *table
	wakes   *wakes
	catalog *catalog
	bucket  *storage.Bucket
}

// Identity maps the caller whom the sign-in named to the requester whom jobs
// belong to, e.g. a user to a team whose members share their exports. It may
// also add roles, a tenant and claims that datasets bind. An error refuses the
// request: fault.Unauthenticated or fault.Forbidden with a safe message.
type Identity func(signedIn app.Caller) (app.Caller, error)

// Option adds users' own parts.
type Option func(*Boot)

// WithDataset adds datasets written in Go, beside those in YAML. Names must be
// unique.
func WithDataset(d ...dataset.Dataset) Option {
	return func(b *Boot) { b.own = append(b.own, d...) }
}

// WithBucket sets where finished files are kept. Work, Sweep and Download need a
// bucket.
func WithBucket(bucket *storage.Bucket) Option {
	return WithBucketFrom(func(context.Context, config.Config) (*storage.Bucket, error) { return bucket, nil })
}

// WithBucketFrom is WithBucket with a function that opens the bucket when it is
// first needed; bootstore.Open opens what the settings name.
func WithBucketFrom(open func(context.Context, config.Config) (*storage.Bucket, error)) Option {
	return func(b *Boot) { b.openBucket = open }
}

// WithIdentity sets how signed-in callers become requesters; see Identity. It
// takes effect where the program gives Boot.Identity to apigw.NewIdentity, as all
// functions do.
func WithIdentity(i Identity) Option {
	return func(b *Boot) { b.identity = i }
}

// WithClock sets the wall clock that dates what is inside files; without it
// time.Now is used. It decides nothing else: leases, waits and ages go by the
// database's clock, the silence of a heartbeat by the machine's monotonic one.
func WithClock(now func() time.Time) Option {
	return func(b *Boot) { b.clock = now }
}

// WithStore wraps the job table that the use cases get, e.g. to watch its calls.
// Whatever wraps it has to keep job.Store's promises. Migrations and the look at
// their version go past it. The wrapper's Close is not called.
func WithStore(wrap func(job.Store) job.Store) Option {
	return func(b *Boot) { b.wrapStore = wrap }
}

// WithLogger sets the log; without it slog.Default() is used.
func WithLogger(l *slog.Logger) Option {
	return func(b *Boot) { b.log = l }
}

// Open prepares a program that runs on its own and may do several jobs at once.
// It connects to nothing yet.
func Open(cfg config.Config, options ...Option) *Boot {
	b := &Boot{cfg: cfg, log: slog.Default(), clock: time.Now}
	for _, o := range options {
		o(b)
	}
	return b
}

// Config returns the settings.
func (b *Boot) Config() config.Config { return b.cfg }

// Logger returns the log.
func (b *Boot) Logger() *slog.Logger { return b.log }

// Identity returns the mapping of WithIdentity, or one that changes nothing.
func (b *Boot) Identity() Identity {
	if b.identity != nil {
		return b.identity
	}
	return func(signedIn app.Caller) (app.Caller, error) { return signedIn, nil }
}

// Close releases everything that was opened. Use cases must have ended.
func (b *Boot) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var faults []error
	if b.catalog != nil {
		faults = append(faults, b.catalog.close())
	}
	if b.table != nil {
		faults = append(faults, b.table.store.Close())
	}
	if b.wakes != nil {
		b.wakes.close()
	}
	b.catalog, b.table, b.wakes = nil, nil, nil
	return errors.Join(faults...)
}
