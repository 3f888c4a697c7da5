package jobsql

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// Options shape the pool and the log of a Store. The zero value is usable.
type Options struct {
	// MaxConns bounds the connections; 0 means 8 (4 on SQLite). A worker needs
	// two: its heartbeat has one of its own.
	MaxConns int

	// Logger gets retries and settled outcomes; nil discards them.
	Logger *slog.Logger
}

// idleTime is how long an unused connection stays open.
const idleTime = 5 * time.Minute

// Store is the job table. It is safe for concurrent use.
type Store struct {
	db         *sql.DB
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
	return New(sql.OpenDB(connector), dialect, o), nil
}

// New makes a Store on a database that is open already, such as one whose
// connector asks for fresh credentials. Close closes it. Its sessions must be
// set up as Connector does; in particular MySQL needs clientFoundRows.
func New(db *sql.DB, dialect *Dialect, o Options) *Store {
	if o.MaxConns <= 0 {
		o.MaxConns = dialect.maxConns
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db.SetMaxOpenConns(o.MaxConns)
	db.SetMaxIdleConns(o.MaxConns)
	db.SetConnMaxIdleTime(idleTime)
	s := &Store{db: db, dialect: dialect, log: o.Logger, statements: make(map[*template]statement, len(templates))}
	for _, t := range templates {
		s.statements[t] = t.compile(dialect)
	}
	return s
}

// DB is the database below, for a dataset that reads the job database.
func (s *Store) DB() *sql.DB { return s.db }

// Dialect is the engine of the database.
func (s *Store) Dialect() *Dialect { return s.dialect }

// Close releases the connections.
func (s *Store) Close() error { return s.db.Close() }

var nowSQL = define("now", `SELECT {now}`)

// Now is the database's clock in epoch milliseconds.
func (s *Store) Now(ctx context.Context) (int64, error) {
	return s.number(ctx, "read the clock", nowSQL, nil)
}
