package dataset

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// netWriteTimeout is how long the server waits, in seconds, while the file's
	// storage is slow to take the rows.
	netWriteTimeout = 3600

	// readAhead is the size in bytes of one value that each session asks for. The
	// driver reads into 4 KiB until a packet needs more, and keeps that room for
	// all that follows: from then on one read takes many rows.
	readAhead = 64 << 10

	// sortBytes is how much of a text each session sorts by; the server's default is
	// 1,024, while comparing knows no bound. sortRoom is for some such texts in each
	// row: the server wants room for 15 rows at least.
	sortBytes = 32 << 10
	sortRoom  = 4 << 20
	// bytesOfCharacter is the most that a character weighs in any collation.
	bytesOfCharacter = 24

	killTimeout = 10 * time.Second
	// killEvery is how often KILL is repeated while the statement runs on: it
	// may have come between two statements.
	killEvery = time.Second
	// killTries bounds the repetition; then the connection is cut.
	killTries = 10
)

// mysqlConnector signs in. The driver's own timeout ends with the dialling: a
// server that takes the connection and then says nothing would be waited for
// without end.
type mysqlConnector struct {
	driver.Connector
	limit time.Duration
}

// Connect implements driver.Connector.
func (c *mysqlConnector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	return c.Connector.Connect(ctx)
}

// mysqlSession is one connection. The driver's calls run under a context of
// their own: an ended one would only cut the connection and leave the statement
// running at the server. It is stopped by KILL QUERY instead.
type mysqlSession struct {
	engine *mysqlEngine
	ctx    context.Context
	conn   *sql.Conn
	inner  context.Context
	cut    context.CancelFunc // cuts the connection
	zone   mysqlZone          // of the session

	id   int64 // of the connection, with the server that it belongs to
	host string
	port int64
	at   int64

	busy   atomic.Bool // a call waits for the server
	broken bool        // the connection must not be used again
	cursor *mysqlCursor
	done   chan struct{}
	killed chan struct{} // closed when guard's first KILL has answered, or guard ended
	watch  sync.WaitGroup
	closed bool
}

func (e *mysqlEngine) begin(ctx context.Context, zone *time.Location, snapshot bool) (session, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &mysqlSession{engine: e, ctx: ctx, conn: conn, done: make(chan struct{}), killed: make(chan struct{})}
	s.inner, s.cut = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.open(zone, snapshot); err != nil {
		s.broken = true
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// call runs f as a call that waits for the server.
func (s *mysqlSession) call(f func() error) error {
	if err := s.stopped(); err != nil {
		return err
	}
	s.busy.Store(true)
	defer s.busy.Store(false)
	return f()
}

// stopped is why the session's statements are stopped, nil while they go on.
func (s *mysqlSession) stopped() error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.engine.closing.Err() != nil:
		return errClosed
	}
	return nil
}

// What the text of a statement means and how values are written, whatever the
// URL, init_connect and the server's settings say. What is left to them is named
// in GUIDE.md.
const (
	mysqlNames = "SET NAMES utf8mb4"
	// An sql_mode could end texts otherwise than this package expects, print CHAR
	// with the blanks that fill it up, and lose half-zero dates. The modes that give
	// " and || their meaning stay: a dataset's SQL was written for its server, and
	// would give other values without a word.
	mysqlTexts = "SET SESSION sql_mode = CONCAT_WS(',', " +
		"IF(FIND_IN_SET('ANSI_QUOTES', @@SESSION.sql_mode), 'ANSI_QUOTES', NULL), " +
		"IF(FIND_IN_SET('PIPES_AS_CONCAT', @@SESSION.sql_mode), 'PIPES_AS_CONCAT', NULL)), " +
		"sql_select_limit = 18446744073709551615"
)

func (s *mysqlSession) open(zone *time.Location, snapshot bool) error {
	// The statements here are short; until the connection's number is known,
	// an ended context cuts it.
	stop := context.AfterFunc(s.ctx, s.cut)
	var room []byte // of no interest; NULL where the server sends no such packet
	err := s.call(func() error {
		text := fmt.Sprintf("SELECT CONNECTION_ID(), @@hostname, @@port, SPACE(%d)", readAhead)
		return s.conn.QueryRowContext(s.inner, text).Scan(&s.id, &s.host, &s.port, &room)
	})
	stop()
	if err != nil {
		return err
	}
	s.watch.Go(s.guard)
	known, err := s.engine.knows(s.inner, s, zone)
	if err != nil {
		return err
	}
	s.zone = newMySQLZone(zone, known)
	setup := []string{
		mysqlNames,
		mysqlTexts + fmt.Sprintf(", time_zone = '%s', net_write_timeout = %d", s.zone.name, netWriteTimeout) +
			fmt.Sprintf(", max_sort_length = GREATEST(@@SESSION.max_sort_length, %d)", sortBytes) +
			fmt.Sprintf(", sort_buffer_size = GREATEST(@@SESSION.sort_buffer_size, %d)", sortRoom),
		"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
	}
	if snapshot {
		setup = append(setup, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
	} else {
		setup = append(setup, "SET SESSION TRANSACTION READ ONLY")
	}
	for _, text := range setup {
		if err := s.call(func() error { _, err := s.conn.ExecContext(s.inner, text); return err }); err != nil {
			return err
		}
	}
	return s.call(func() error {
		// Not by the session's clock, which may show a moment twice.
		const now = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"
		return s.conn.QueryRowContext(s.inner, now).Scan(&s.at)
	})
}

func (s *mysqlSession) asOf() int64 { return s.at }

// onDriver runs f with the driver's connection, as a call that waits for the
// server.
func (s *mysqlSession) onDriver(f func(conn any) error) error {
	return s.call(func() error { return s.conn.Raw(f) })
}

// query always prepares: the binary protocol alone has every digit of a FLOAT,
// and of a DOUBLE that the server would round for display, and so a statement
// gives the same values with parameters and without. Numbers and dates also cost
// both sides less that way than as text.
func (s *mysqlSession) query(st *statement) (cursor, error) {
	c := &mysqlCursor{session: s}
	err := s.onDriver(func(conn any) error {
		err := c.start(conn, st)
		if err != nil {
			err = errors.Join(err, c.release())
		}
		return err
	})
	if err != nil {
		if refused, ok := errors.AsType[*mysql.MySQLError](err); ok && refused.Number == mysqlDuplicateColumn {
			err = &duplicateColumnError{cause: err}
		}
		return nil, err
	}
	if err := c.describe(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	s.cursor = c
	return c, nil
}

// guard stops the running statement when the context ends or the sources are
// closed. The connection leaves its session only after guard is over, so that
// a late KILL never hits another's statement.
func (s *mysqlSession) guard() {
	answered := sync.OnceFunc(func() { close(s.killed) })
	defer answered()
	select {
	case <-s.done:
		return
	case <-s.ctx.Done():
	case <-s.engine.closing.Done():
	}
	tick := time.NewTicker(killEvery)
	defer tick.Stop()
	for range killTries {
		if err := s.kill(); err != nil {
			s.engine.options.Logger.Warn("a statement could not be stopped at its server; its connection is cut", "error", err)
			break
		}
		answered()
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		if !s.busy.Load() {
			// The reader is elsewhere, and will not start another statement.
			return
		}
	}
	s.cut()
}

// kill sends KILL QUERY from a second sign-in, if that reached the same server:
// behind a balancer the number could be another's.
func (s *mysqlSession) kill() (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), killTimeout)
	defer cancel()
	second := sql.OpenDB(s.engine.connector)
	defer func() { err = errors.Join(err, second.Close()) }()
	second.SetMaxOpenConns(1)
	var host string
	var port int64
	if err := second.QueryRowContext(ctx, "SELECT @@hostname, @@port").Scan(&host, &port); err != nil {
		return err
	}
	if host != s.host || port != s.port {
		return errors.New("mysql: a second sign-in reached another server")
	}
	_, err = second.ExecContext(ctx, fmt.Sprintf("KILL QUERY %d", s.id))
	const unknownThread = 1094 // it has left already
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok && refused.Number == unknownThread {
		return nil
	}
	return err
}

// close ends the transaction and gives the connection back; one whose statement
// was stopped, or that failed, is closed instead.
func (s *mysqlSession) close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if s.cursor != nil {
		err = s.cursor.close()
	}
	stopped := s.stopped() != nil
	close(s.done)
	s.watch.Wait()
	if stopped {
		s.broken = true
	}
	if !s.broken {
		ctx, cancel := context.WithTimeout(s.inner, leaveTimeout)
		if _, rollback := s.conn.ExecContext(ctx, "ROLLBACK"); rollback != nil {
			s.broken = true
		}
		cancel()
	}
	if s.broken {
		// database/sql closes a connection that calls itself bad.
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	s.cut()
	if closing := s.conn.Close(); closing != nil && !errors.Is(closing, sql.ErrConnDone) {
		err = errors.Join(err, closing)
	}
	return err
}
