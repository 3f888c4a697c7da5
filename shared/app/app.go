// Package app holds the use cases, one type and one file each: what submit,
// status, cancel, retry, download, the worker, recovery, the sweep and the
// dead-letter handler do, whatever carries their calls (API Gateway, HTTP, SQS,
// a schedule, the in-process queue).
//
// Guarantees. Every use case answers faults with messages that are safe to show.
// An absent job and someone else's give the same answer. An id that is no UUID
// never reaches the database. A worker that lost its claim changes nothing in
// the row, and leaves no object. No panic leaves Work.
//
// A large export of a keyed dataset is split: whoever claims the job plans its
// chunks, any number of workers do them, and one of them packs. What a worker
// does not get done in its time another goes on with.
//
// Known limits. Without a key an export runs on one worker in one go: one that
// does not end within a function's time fails, saying what is needed. Templates
// are refused. The rate shown by status counts from the first claim, so it is too
// low for a job that was tried again.
package app

import (
	"errors"
	"log/slog"

	"github.com/haexcel/haexcel/shared/fault"
)

// logger is l, or the default one.
func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.Default()
	}
	return l
}

// asFault finds the outermost fault in err's chain.
func asFault(err error) (*fault.Error, bool) {
	var f *fault.Error
	ok := errors.As(err, &f)
	return f, ok
}
