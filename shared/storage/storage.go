// Package storage keeps finished files. Bucket is the type the rest of the tree
// uses: it checks keys and maps errors once, over a small Driver per product.
//
// An object appears under its key whole or not at all: a write that fails, is
// aborted or whose context ends leaves nothing visible and no pending upload.
package storage

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrCannotSign is what a driver's SignedURL answers where the product has no
// signed links (LOCAL, NAS): the caller streams the bytes instead.
var ErrCannotSign = errors.New("storage: this storage cannot sign links")

// Attributes describe an object.
type Attributes struct {
	Key      string
	Bytes    int64
	Modified time.Time
}

// WriteOptions travel with a new object.
type WriteOptions struct {
	ContentType string // "" means application/octet-stream
}

// SignOptions shape a download link.
type SignOptions struct {
	Expires            time.Duration // asked lifetime; the link may live shorter, never longer
	ContentType        string
	ContentDisposition string // ASCII only, as RFC 6266 with filename*
}

// Link is a signed download link.
type Link struct {
	URL     string
	Expires time.Time
}

// Writer receives one object's bytes in order. Write may buffer; memory is
// bounded by a few parts whatever the object's size. Exactly one of Commit and
// Abort ends it; after Commit returned nil, Abort does nothing, so that
// `defer w.Abort()` is always right.
type Writer interface {
	io.Writer

	// Commit makes the object visible under its key, replacing an older one.
	// After an error nothing new is visible, except where the outcome is
	// unknown (fault.UnknownOutcome).
	Commit() error

	// Abort gives up and removes everything written. It works even when the
	// writer's context has ended.
	Abort() error
}

// Unfinished is a write that was neither committed nor aborted: it is still under
// way, or its process was killed.
type Unfinished struct {
	// Key is the object's; where the product does not keep it, that of a temporary
	// object with the same prefix up to the last slash.
	Key string
	// ID is the product's own name for the write.
	ID string
	// Touched is when it was begun or, where the product knows, last written to.
	Touched time.Time
}

// Driver is what a product implements. Keys have been checked by Bucket. Errors
// are faults: NotFound for a missing key, Unavailable for what may pass,
// Invalid or Forbidden for what will not; ctx's own error when it ended.
type Driver interface {
	// NewWriter starts an object. ctx governs the whole write.
	NewWriter(ctx context.Context, key string, opt WriteOptions) (Writer, error)

	// NewReader opens an object from offset on. length < 0 means to its end; a
	// range past the end is cut, so it may be empty. A missing key is NotFound
	// here, not at the first Read. ctx governs the reading too. The reader keeps
	// giving the object it opened when the key is overwritten meanwhile.
	NewReader(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)

	// Stat describes an object; a missing key is NotFound.
	Stat(ctx context.Context, key string) (Attributes, error)

	// Delete removes an object; a missing key is no error. A write of the same
	// key that is under way is not disturbed.
	Delete(ctx context.Context, key string) error

	// List calls yield for each object whose key starts with prefix, in the
	// order of the keys' bytes, until yield answers false. Objects written or
	// deleted meanwhile may be there or not; unfinished ones are not.
	List(ctx context.Context, prefix string, yield func(Attributes) bool) error

	// ListUnfinished calls yield for each unfinished write whose key starts with
	// prefix, in any order, until yield answers false. A write of which the
	// product has received nothing yet is not listed.
	ListUnfinished(ctx context.Context, prefix string, yield func(Unfinished) bool) error

	// RemoveUnfinished removes an unfinished write and looks until nothing of it is
	// left. Its writer, if it is still at work, fails and leaves nothing visible.
	// One that has ended is no error.
	RemoveUnfinished(ctx context.Context, u Unfinished) error

	// SignedURL makes a download link, or answers ErrCannotSign. It does not
	// look whether the key exists.
	SignedURL(ctx context.Context, key string, opt SignOptions) (Link, error)
}
