package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// Download hands out finished files.
type Download struct {
	Store  job.Store
	Bucket *storage.Bucket
	Config config.Config
}

// File is a finished file: a signed link, or, where the storage cannot sign,
// the way to its bytes.
type File struct {
	URL         string // signed link; "" where the storage cannot sign
	ExpiresAt   string // end of the link, or of the file where there is no link
	Name        string
	ContentType string
	Disposition string // Content-Disposition, pure ASCII
	Bytes       int64
	AsOf        *string

	bucket *storage.Bucket
	key    string
}

// Open reads the file's bytes.
func (f File) Open(ctx context.Context) (io.ReadCloser, error) {
	r, err := f.bucket.NewReader(ctx, f.key)
	if fault.Is(err, fault.NotFound) {
		return nil, fileGone()
	}
	return r, err
}

// Do finds the file. A job that is absent or someone else's is fault.NotFound,
// one that is not DONE fault.Conflict, a file that has expired or is missing
// fault.Gone. Links are made per call and never stored.
func (u *Download) Do(ctx context.Context, c Caller, jobID string) (File, error) {
	j, err := lookup(ctx, u.Store, u.Config, c, jobID)
	if err != nil {
		return File{}, err
	}
	switch {
	case j.Status == job.Fail:
		return File{}, fault.New(fault.Conflict, "The job has failed; there is no file.")
	case j.Status != job.Done:
		return File{}, fault.New(fault.Conflict, "The file is not ready yet.")
	case j.SweptAt != 0 || j.FilePath == "":
		return File{}, fileGone()
	}
	now, err := u.Store.Now(ctx)
	if err != nil {
		return File{}, fmt.Errorf("read clock: %w", err)
	}
	if now >= expiry(j, u.Config) {
		return File{}, fileGone()
	}
	object, err := u.Bucket.Stat(ctx, j.FilePath)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		// A path that is no key is that of a file the Java library has made.
		return File{}, fileGone()
	}
	if err != nil {
		return File{}, fmt.Errorf("look at file: %w", err)
	}

	f := File{
		ExpiresAt:   *timestamp(expiry(j, u.Config)),
		Name:        downloadName(j, u.Config),
		ContentType: export.ContentType(j.FilePath),
		Bytes:       object.Bytes,
		AsOf:        timestamp(j.AsOf),
		bucket:      u.Bucket,
		key:         j.FilePath,
	}
	f.Disposition = export.ContentDisposition(f.Name)
	link, err := u.Bucket.SignedURL(ctx, j.FilePath, storage.SignOptions{
		Expires:            u.Config.LinkTTL,
		ContentType:        f.ContentType,
		ContentDisposition: f.Disposition,
	})
	switch {
	case errors.Is(err, storage.ErrCannotSign):
		return f, nil
	case err != nil:
		return File{}, fmt.Errorf("sign link: %w", err)
	}
	f.URL = link.URL
	f.ExpiresAt = *timestamp(link.Expires.UnixMilli())
	return f, nil
}

func fileGone() error {
	return fault.New(fault.Gone, "The file has expired. Submit the export again.")
}
