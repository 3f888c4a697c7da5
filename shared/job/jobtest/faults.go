package jobtest

import (
	"context"
	"database/sql/driver"
	"io"
	"net"
	"sync"
	"syscall"
)

// Faults is the switch of a FaultyConnector. A "write" is a statement run by
// Exec outside of a transaction, or a commit. It is safe for concurrent use.
type Faults struct {
	mu    sync.Mutex
	next  faultKind
	down  bool
	after bool
}

type faultKind int

const (
	noFault faultKind = iota
	loseRequest
	loseReply
)

// LoseRequest lets the connection break before the next write gets to the server.
func (f *Faults) LoseRequest() { f.set(loseRequest, false) }

// LoseReply lets the next write take effect and then the connection break.
func (f *Faults) LoseReply() { f.set(loseReply, false) }

// LoseReplyThenDown is LoseReply, and the server is away from then on.
func (f *Faults) LoseReplyThenDown() { f.set(loseReply, true) }

func (f *Faults) set(kind faultKind, down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next, f.after = kind, down
}

// Down takes the server away: connections refuse and break. Down(false) brings
// it back.
func (f *Faults) Down(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

// Pending reports whether a fault was asked for and has not happened yet.
func (f *Faults) Pending() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.next != noFault
}

func (f *Faults) isDown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.down
}

// take answers what is to happen to the write that begins now.
func (f *Faults) take() faultKind {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return loseRequest
	}
	kind := f.next
	f.next = noFault
	if kind != noFault && f.after {
		f.down, f.after = true, false
	}
	return kind
}

// FaultyConnector puts the switch between database/sql and a driver. Everything
// else passes through, so what is tested is the driver and the server.
func FaultyConnector(c driver.Connector, f *Faults) driver.Connector {
	return faultyConnector{Connector: c, faults: f}
}

type faultyConnector struct {
	driver.Connector
	faults *Faults
}

func (c faultyConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.faults.isDown() {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConn{Conn: conn, faults: c.faults}, nil
}

// faultyConn forwards every optional interface that the drivers implement.
type faultyConn struct {
	driver.Conn
	faults *Faults
	inTx   bool
	broken bool
}

// errCut is what a driver gives when the other side went away in mid-answer.
var errCut = io.ErrUnexpectedEOF

func (c *faultyConn) cut() error {
	c.broken = true
	return errCut
}

func (c *faultyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	kind := noFault
	if !c.inTx {
		kind = c.faults.take()
	}
	if c.broken || kind == loseRequest {
		return nil, c.cut()
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	if err == nil && kind == loseReply {
		return nil, c.cut()
	}
	return result, err
}

func (c *faultyConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.broken || c.faults.isDown() {
		return nil, c.cut()
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c *faultyConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c *faultyConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if c.broken || c.faults.isDown() {
		return nil, c.cut()
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	c.inTx = true
	return &faultyTx{Tx: tx, conn: c}, nil
}

func (c *faultyConn) Ping(ctx context.Context) error { return c.Conn.(driver.Pinger).Ping(ctx) }

func (c *faultyConn) ResetSession(ctx context.Context) error {
	if c.broken || c.faults.isDown() {
		return driver.ErrBadConn
	}
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}

func (c *faultyConn) IsValid() bool {
	if v, ok := c.Conn.(driver.Validator); ok && !v.IsValid() {
		return false
	}
	return !c.broken
}

func (c *faultyConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

type faultyTx struct {
	driver.Tx
	conn *faultyConn
}

func (tx *faultyTx) Commit() error {
	tx.conn.inTx = false
	kind := tx.conn.faults.take()
	if kind == loseRequest {
		// The server rolls back what a broken connection left open.
		if err := tx.Tx.Rollback(); err != nil {
			return err
		}
		return tx.conn.cut()
	}
	err := tx.Tx.Commit()
	if err == nil && kind == loseReply {
		return tx.conn.cut()
	}
	return err
}

func (tx *faultyTx) Rollback() error {
	tx.conn.inTx = false
	return tx.Tx.Rollback()
}
