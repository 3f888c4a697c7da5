package dataset

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // prepares the library that is called below
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/haexcel/haexcel/shared/fault"
)

// SQLite is read through the library's C interface and not through its
// database/sql driver: that one turns the text of date columns into times and
// back into another text, boxes every value, and cannot be interrupted between
// rows.

// busyWait is how long a statement waits for another process's lock, in
// milliseconds.
const busyWait = 10_000

// interruptEvery is how often an ended context interrupts: SQLite forgets an
// interrupt that comes between two statements.
const interruptEvery = 20 * time.Millisecond

var sqliteDialect = &dialect{
	name:     "sqlite",
	backtick: true,
	bracket:  true,
	foreign:  "?@$",
	quote:    '"',
	bind:     bindSQLite,
	placed:   sqlitePlaced,

	nullsApart: true,
}

// bindSQLite gives numbers as numbers (the database has no exact decimals) and
// dates as the ISO texts that its date functions print.
func bindSQLite(t ParamType, item string, null bool, zone *time.Location) bound {
	if null {
		return bound{}
	}
	switch t {
	case IntegerParam, DecimalParam:
		if v, err := strconv.ParseInt(item, 10, 64); err == nil {
			return bound{value: v}
		}
		return bound{before: "CAST(", after: " AS NUMERIC)", value: item}
	case BooleanParam:
		if item == "true" {
			return bound{value: int64(1)}
		}
		return bound{value: int64(0)}
	case DateTimeParam:
		return bound{value: isoTime(item, zone)}
	}
	return bound{value: item}
}

// sqliteParameters are what the driver of database/sql takes behind a file's name.
var sqliteParameters = regexp.MustCompile(`\?\w+=[^&]*(?:&\w+=[^&]*)*$`)

// sqlitePath is the file that a URL names. Parameters are for other readers of
// the same URL: none of them changes how this package reads.
func sqlitePath(address string) string {
	path := strings.TrimPrefix(address, "sqlite:")
	path = strings.TrimPrefix(path, "//") // of sqlite://path, as for the job table
	return sqliteParameters.ReplaceAllString(path, "")
}

// sqliteEngine opens the file anew for each session, which costs no more than a
// pool would.
type sqliteEngine struct {
	path string
	free chan struct{} // one token per allowed connection

	closing  context.Context
	shutDown context.CancelFunc
}

func openSQLite(path string, o SourceOptions) *sqliteEngine {
	e := &sqliteEngine{path: path, free: make(chan struct{}, o.MaxConns)}
	e.closing, e.shutDown = context.WithCancel(context.Background())
	return e
}

func (e *sqliteEngine) close() error {
	e.shutDown()
	return nil
}

func (e *sqliteEngine) begin(ctx context.Context, _ *time.Location, snapshot bool) (session, error) {
	select {
	case e.free <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-e.closing.Done():
		return nil, errClosed
	}
	s := &sqliteSession{engine: e, ctx: ctx, done: make(chan struct{})}
	if err := s.open(snapshot); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// sqliteSession is one connection. Its methods run on one goroutine; only the
// interrupt comes from another.
type sqliteSession struct {
	engine *sqliteEngine
	ctx    context.Context
	tls    *libc.TLS
	db     uintptr
	at     int64
	cursor *sqliteCursor

	watch  sync.WaitGroup
	done   chan struct{}
	closed bool
}

func (s *sqliteSession) open(snapshot bool) error {
	s.tls = libc.NewTLS()
	db, err := openSQLiteFile(s.tls, s.engine.path)
	s.db = db
	if err != nil {
		return err
	}
	s.watch.Go(s.interrupt)
	sqlite3.Xsqlite3_busy_timeout(s.tls, s.db, busyWait)
	setup := []string{"PRAGMA query_only = 1"}
	if snapshot {
		setup = append(setup, "BEGIN")
	}
	for _, text := range setup {
		if err := s.run(text); err != nil {
			return err
		}
	}
	// The transaction's snapshot begins with its first look at the file.
	st := newStatement(sqliteDialect)
	st.write("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM (SELECT COUNT(*) FROM sqlite_schema)")
	s.at, err = readNumber(s, st)
	return err
}

func (s *sqliteSession) run(text string) error {
	st := newStatement(sqliteDialect)
	st.write(text)
	cur, err := s.query(st)
	if err != nil {
		return err
	}
	for cur.next() {
		continue
	}
	return errors.Join(cur.err(), cur.close())
}

// interrupt stops the running statement when the context ends or the sources
// are closed, again and again until the session is over.
func (s *sqliteSession) interrupt() {
	select {
	case <-s.done:
		return
	case <-s.ctx.Done():
	case <-s.engine.closing.Done():
	}
	tls := libc.NewTLS() // the session's own must not be shared
	defer tls.Close()
	tick := time.NewTicker(interruptEvery)
	defer tick.Stop()
	for {
		sqlite3.Xsqlite3_interrupt(tls, s.db)
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
	}
}

func (s *sqliteSession) asOf() int64 { return s.at }

func (s *sqliteSession) query(st *statement) (cursor, error) {
	if s.engine.closing.Err() != nil {
		return nil, errClosed
	}
	c, err := newSQLiteCursor(s, st)
	if err != nil {
		return nil, err
	}
	s.cursor = c
	return c, nil
}

func (s *sqliteSession) close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.done)
	s.watch.Wait()
	var err error
	if s.cursor != nil {
		err = s.cursor.close()
	}
	if s.db != 0 {
		// Closing ends the transaction too.
		if rc := sqlite3.Xsqlite3_close_v2(s.tls, s.db); rc != sqlite3.SQLITE_OK {
			err = errors.Join(err, &sqliteError{code: rc})
		}
	}
	s.tls.Close()
	<-s.engine.free
	return err
}

// sqliteError is a result code of the library with its text.
type sqliteError struct {
	code int32
	text string
}

func (e *sqliteError) Error() string { return "sqlite: " + e.text }

func (e *sqliteEngine) classify(err error) fault.Code {
	refused, ok := errors.AsType[*sqliteError](err)
	if !ok {
		return fault.Unavailable
	}
	switch refused.code & 0xff { // the rest tells details
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
		return fault.Unavailable
	}
	return fault.Unprocessable
}
