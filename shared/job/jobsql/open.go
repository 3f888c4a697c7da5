package jobsql

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// Options shape the pool and the log of a Store. The zero value is usable.
type Options struct {
	// MaxConns bounds the connections; 0 means 8 (4 on SQLite).
	MaxConns int

	// BeatConns is how many connections there are for heartbeats alone, beside
	// MaxConns: one for each worker, so that no crowd of other statements keeps a
	// beat waiting until its lease is over. 0 means that beats share the others.
	BeatConns int

	// Logger gets retries and settled outcomes; nil discards them.
	Logger *slog.Logger
}

// idleTime is how long an unused connection stays open.
const idleTime = 5 * time.Minute

// Store is the job table. It is safe for concurrent use.
type Store struct {
	db         *sql.DB
	beats      *Store // runs the heartbeats; the store itself where they share its connections
	dialect    *Dialect
	log        *slog.Logger
	statements map[*template]statement
}

var _ job.Store = (*Store)(nil)

// Open makes a Store for mysql://user:pass@host:port/db, postgres://… or
// sqlite:path. It does not migrate, and so far no engine dials here, so the
// context is not waited on: the first use reports a database that is away as
// fault.Unavailable, and CheckVersion one that is not migrated. A malformed URL
// is fault.Invalid.
func Open(_ context.Context, databaseURL string, o Options) (*Store, error) {
	connector, dialect, err := Connector(databaseURL)
	if err != nil {
		return nil, err
	}
	s := New(sql.OpenDB(connector), dialect, o)
	if o.BeatConns > 0 {
		beats := *s
		beats.db = sql.OpenDB(connector)
		limitConns(beats.db, o.BeatConns)
		s.beats = &beats
	}
	return s, nil
}

// New makes a Store on a database that is open already, such as one whose
// connector asks for fresh credentials. Close closes it. Its sessions must be
// set up as Connector does; in particular MySQL needs clientFoundRows. Heartbeats
// share its connections.
func New(db *sql.DB, dialect *Dialect, o Options) *Store {
	if o.MaxConns <= 0 {
		o.MaxConns = dialect.maxConns
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	limitConns(db, o.MaxConns)
	s := &Store{db: db, dialect: dialect, log: o.Logger, statements: make(map[*template]statement, len(templates))}
	for _, t := range templates {
		s.statements[t] = t.compile(dialect)
	}
	s.beats = s
	return s
}

func limitConns(db *sql.DB, n int) {
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	db.SetConnMaxIdleTime(idleTime)
}

// DB is the database below, for a dataset that reads the job database.
func (s *Store) DB() *sql.DB { return s.db }

// Dialect is the engine of the database.
func (s *Store) Dialect() *Dialect { return s.dialect }

// Close releases the connections.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.beats != s {
		err = errors.Join(err, s.beats.db.Close())
	}
	return err
}

var nowSQL = define("now", `SELECT {now}`)

// Now is the database's clock in epoch milliseconds.
func (s *Store) Now(ctx context.Context) (int64, error) {
	return s.number(ctx, "read the clock", nowSQL, nil)
}
