package jobsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/haexcel/haexcel/shared/fault"
)

// outcome is what an error says about the statement that gave it.
type outcome int

const (
	outcomeUnknownKind outcome = iota // not an error of the engine's own types
	outcomeBusy                       // rolled back in favour of others: try again
	outcomeDuplicate                  // a unique key is taken
	outcomeUnavailable                // refused: nothing was executed
	outcomeLost                       // the connection broke: executed or not, nobody knows
	outcomeInvalid                    // a value the column can't hold
	outcomeDefect                     // anything else
)

// classify tells the outcome by error types and codes, never by text.
func (s *Store) classify(err error) outcome {
	if errors.Is(err, errSignInTimeout) {
		return outcomeUnavailable
	}
	if o := s.dialect.classify(err); o != outcomeUnknownKind {
		return o
	}
	var opErr *net.OpError
	var dnsErr *net.DNSError
	var netErr net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		// Before errors of the network: a deadline is a net.Error, too.
		return outcomeLost
	case errors.Is(err, driver.ErrBadConn), // drivers give it only when nothing was sent
		errors.Is(err, syscall.ECONNREFUSED),
		errors.As(err, &opErr) && opErr.Op == "dial",
		errors.As(err, &dnsErr),
		errors.Is(err, sql.ErrConnDone):
		return outcomeUnavailable
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.As(err, &netErr):
		return outcomeLost
	}
	return outcomeDefect
}

// translate turns a driver's error into the fault that callers see.
func (s *Store) translate(op string, err error) error {
	var code fault.Code
	var message string
	switch s.classify(err) {
	case outcomeDuplicate:
		code, message = fault.Duplicate, "The same key exists already."
	case outcomeLost:
		code, message = fault.UnknownOutcome, "The job table did not answer."
	case outcomeBusy:
		code, message = fault.Unavailable, "The job table is busy."
	case outcomeUnavailable:
		code, message = fault.Unavailable, "The job table can't be reached."
	case outcomeInvalid:
		code, message = fault.Invalid, "A value is too long, or holds characters that can't be stored."
	default:
		code, message = fault.Internal, "The job table refused a statement."
	}
	return fault.Wrap(code, &opError{op: op, err: err}, message)
}

// opError says in logs which operation failed.
type opError struct {
	op  string
	err error
}

func (e *opError) Error() string { return e.op + ": " + e.err.Error() }
func (e *opError) Unwrap() error { return e.err }

// isFault reports whether err is a fault already, not a driver's error.
func isFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}
