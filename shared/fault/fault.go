// Package fault is the error of the whole tree: a code that callers decide by,
// a message that is safe to show to anyone, and the internal cause, which is
// only ever logged.
//
// Drivers translate their own errors at their edge; nothing above matches on
// error text. An error that carries no fault counts as Internal, and its text
// never leaves the process.
package fault

import (
	"errors"
	"maps"
	"strings"
	"time"
)

// Code classifies a fault. Its text is stable and goes into logs.
type Code string

// The codes. The HTTP status each becomes is decided once, in shared/apigw.
const (
	Invalid          Code = "invalid"           // the request is malformed: 400
	Unauthenticated  Code = "unauthenticated"   // no identity: 401
	Forbidden        Code = "forbidden"         // known, but not allowed: 403
	NotFound         Code = "not_found"         // absent, or someone else's: 404
	Conflict         Code = "conflict"          // the state does not allow it: 409
	Gone             Code = "gone"              // it was there, its time is over: 410
	TooLarge         Code = "too_large"         // body too large: 413
	UnsupportedMedia Code = "unsupported_media" // not JSON: 415
	Unprocessable    Code = "unprocessable"     // e.g. an idempotency key used for another body: 422
	TooManyRequests  Code = "too_many_requests" // this caller's limit: 429
	HeadersTooLarge  Code = "headers_too_large" // 431
	Internal         Code = "internal"          // a defect or an unknown error: 500
	Unavailable      Code = "unavailable"       // a dependency is away or busy, worth another try: 503
	Busy             Code = "busy"              // a database is at its limit of connections, nobody's failure: 503
	Lost             Code = "lost"              // the lease of a job belongs to someone else now
	Cancelled        Code = "cancelled"         // the job's cancel was accepted
	Duplicate        Code = "duplicate"         // a unique key is taken
	UnknownOutcome   Code = "unknown_outcome"   // the reply was lost: read the row to know
)

// Error is one fault.
type Error struct {
	Code    Code
	Message string            // safe text, shown to clients and stored in error_msg
	Fields  map[string]string // path in the request → reason; on Invalid only

	// RetryAfter is how long a client should wait before the next try; zero
	// when there is no advice.
	RetryAfter time.Duration

	cause error
}

// New returns a fault without a cause.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// Wrap returns a fault that keeps err as its internal cause. A nil err is
// allowed and gives the same as New.
func Wrap(code Code, err error, message string) *Error {
	return &Error{Code: code, Message: message, cause: err}
}

// WithField returns a copy that names one faulty member of the request.
func (e *Error) WithField(path, reason string) *Error {
	c := *e
	c.Fields = maps.Clone(e.Fields)
	if c.Fields == nil {
		c.Fields = map[string]string{}
	}
	c.Fields[path] = reason
	return &c
}

// WithRetryAfter returns a copy that advises a wait.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Error is for logs: it includes the cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Message
	}
	return strings.TrimSuffix(e.Message, ".") + ": " + e.cause.Error()
}

// Unwrap gives the internal cause.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of the outermost fault in err's chain, Internal when
// there is none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return Internal
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// SafeMessage returns text that may be shown to anyone: the message of the
// outermost fault, or a general sentence.
func SafeMessage(err error) string {
	var f *Error
	if errors.As(err, &f) && f.Message != "" {
		return f.Message
	}
	return "An internal error occurred."
}

// Retryable reports whether trying the same again may help. Unknown errors
// count as retryable, since a crash or a cut connection looks like that; a
// fault of the request or of the dataset does not go away by itself.
func Retryable(err error) bool {
	switch CodeOf(err) {
	case Internal, Unavailable, Busy, TooManyRequests, UnknownOutcome:
		return true
	default:
		return false
	}
}
