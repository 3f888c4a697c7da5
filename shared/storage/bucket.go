package storage

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/fault"
)

// MaxKeyBytes is the longest key every product takes (file_path holds 512
// characters; S3 1,024 bytes).
const MaxKeyBytes = 512

// Bucket is the storage that the rest of the tree sees. It is safe for
// concurrent use.
type Bucket struct {
	driver Driver
}

// NewBucket wraps a driver.
func NewBucket(d Driver) *Bucket { return &Bucket{driver: d} }

// NewWriter starts an object; see Writer.
func (b *Bucket) NewWriter(ctx context.Context, key string, opt WriteOptions) (Writer, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if opt.ContentType == "" {
		opt.ContentType = "application/octet-stream"
	}
	return b.driver.NewWriter(ctx, key, opt)
}

// NewReader opens a whole object. A missing key is fault.NotFound.
func (b *Bucket) NewReader(ctx context.Context, key string) (io.ReadCloser, error) {
	return b.NewRangeReader(ctx, key, 0, -1)
}

// NewRangeReader opens length bytes from offset on; length < 0 means to the
// end, a range past the end is cut. A missing key is fault.NotFound.
func (b *Bucket) NewRangeReader(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if offset < 0 {
		return nil, fault.New(fault.Invalid, "The offset is negative.")
	}
	return b.driver.NewReader(ctx, key, offset, length)
}

// Stat describes an object. A missing key is fault.NotFound.
func (b *Bucket) Stat(ctx context.Context, key string) (Attributes, error) {
	if err := checkKey(key); err != nil {
		return Attributes{}, err
	}
	return b.driver.Stat(ctx, key)
}

// Delete removes an object; a missing key is no error.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return b.driver.Delete(ctx, key)
}

// List calls yield for each object under prefix in key order until it answers
// false.
func (b *Bucket) List(ctx context.Context, prefix string, yield func(Attributes) bool) error {
	return b.driver.List(ctx, prefix, yield)
}

// ListUnfinished calls yield for each unfinished write under prefix, in any order,
// until it answers false.
func (b *Bucket) ListUnfinished(ctx context.Context, prefix string, yield func(Unfinished) bool) error {
	return b.driver.ListUnfinished(ctx, prefix, yield)
}

// RemoveUnfinished removes an unfinished write; one that has ended is no error.
func (b *Bucket) RemoveUnfinished(ctx context.Context, u Unfinished) error {
	if err := checkKey(u.Key); err != nil {
		return err
	}
	return b.driver.RemoveUnfinished(ctx, u)
}

// SignedURL makes a download link, or answers ErrCannotSign. A header value that
// is not printable ASCII, or a lifetime below one second, is fault.Invalid:
// real S3 refuses the first only when the link is followed.
func (b *Bucket) SignedURL(ctx context.Context, key string, opt SignOptions) (Link, error) {
	if err := checkKey(key); err != nil {
		return Link{}, err
	}
	bad := fault.New(fault.Invalid, "The download link's options are not valid.")
	switch {
	case opt.Expires < time.Second:
		return Link{}, bad.WithField("expires", "shorter than a second")
	case !isHeaderText(opt.ContentType):
		return Link{}, bad.WithField("contentType", "not printable ASCII")
	case !isHeaderText(opt.ContentDisposition):
		return Link{}, bad.WithField("contentDisposition", "not printable ASCII")
	}
	return b.driver.SignedURL(ctx, key, opt)
}

// isHeaderText reports whether s can be a header's value as it is.
func isHeaderText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}

// checkKey refuses keys that some product would read as another key.
func checkKey(key string) error {
	bad := func(reason string) error {
		return fault.New(fault.Invalid, "The object key is not valid.").WithField("key", reason)
	}
	switch {
	case key == "":
		return bad("empty")
	case len(key) > MaxKeyBytes:
		return bad("longer than 512 bytes")
	case !utf8.ValidString(key):
		return bad("not UTF-8")
	case strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }):
		return bad("control character or backslash")
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part == "." || part == ".." {
			return bad("empty, . or .. segment")
		}
	}
	return nil
}
