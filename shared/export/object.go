package export

import (
	"context"
	"fmt"

	"github.com/haexcel/haexcel/shared/storage"
)

// object is a storage writer that knows its key and length.
type object struct {
	storage.Writer
	key   string
	bytes int64
}

// create starts an object.
func (e *Exporter) create(ctx context.Context, key, contentType string) (*object, error) {
	w, err := e.set.Bucket.NewWriter(ctx, key, storage.WriteOptions{ContentType: contentType})
	if err != nil {
		return nil, fmt.Errorf("start object: %w", err)
	}
	return &object{Writer: w, key: key}, nil
}

// createFile starts the object that a job delivers.
func (e *Exporter) createFile(ctx context.Context, r Request, ext string) (*object, error) {
	key := Key(r.JobID, r.Attempt, ext)
	return e.create(ctx, key, ContentType(key))
}

func (o *object) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.bytes += int64(n)
	return n, err
}

// finish makes the object visible.
func (o *object) finish(ctx context.Context) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if err := o.Commit(); err != nil {
		return Result{}, fmt.Errorf("store object: %w", err)
	}
	return Result{Key: o.key, Bytes: o.bytes}, nil
}

// giveUp removes what was written of an object that is not finished; of one that
// is, it removes nothing. What cannot be removed is logged: no row names it.
func (e *Exporter) giveUp(ctx context.Context, jobID string, o *object) {
	if err := o.Abort(); err != nil {
		e.set.Logger.WarnContext(ctx, "an unfinished object was left behind", "jobId", jobID, "key", o.key, "error", err)
	}
}
