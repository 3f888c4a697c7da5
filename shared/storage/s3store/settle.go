package s3store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/awsclient"
	"github.com/haexcel/haexcel/shared/fault"
)

// markName is the metadata member (x-amz-meta-…) in which a writer leaves its
// random mark. ETag and size would do less: two attempts of one export may be
// equal, and the ETag of an encrypted object is no digest.
const markName = "haexcel-write"

// settleTimeout bounds what is done after the caller's context has ended.
const settleTimeout = 30 * time.Second

func (w *writer) metadata() map[string]string { return map[string]string{markName: w.mark} }

// detached is a context for what must be done even when the caller's has ended.
func (w *writer) detached() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(w.ctx), settleTimeout)
}

// landed reports whether the object under the key is this writer's.
func (w *writer) landed() (bool, error) {
	ctx, cancel := w.detached()
	defer cancel()
	out, err := w.api.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &w.target.bucket, Key: &w.target.key})
	err = s3Errors.Map(ctx, "look at the object", err)
	switch {
	case fault.Is(err, fault.NotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	return out.Metadata[markName] == w.mark, nil
}

// Abort implements storage.Writer. After an error it may be called again.
func (w *writer) Abort() error {
	w.ended = true
	return w.discard()
}

// discard ends the senders and aborts the upload until no part is left: a part
// that was on its way when the upload was aborted may be stored, and charged,
// all the same.
func (w *writer) discard() error {
	w.stop()
	w.senders.Wait()
	w.buf = nil
	if w.uploadID == "" {
		return nil
	}
	ctx, cancel := w.detached()
	defer cancel()
	err := abortUpload(ctx, w.api, w.target.bucket, w.target.key, w.uploadID)
	if err == nil {
		w.uploadID = ""
	}
	return err
}

// abortUpload aborts an upload until none of its parts is left, or ctx ends.
func abortUpload(ctx context.Context, api uploadAPI, bucket, key, uploadID string) error {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		gone, err := abortOnce(ctx, api, bucket, key, uploadID)
		if gone {
			return nil
		}
		if fault.Is(err, fault.Forbidden) || fault.Is(err, fault.Invalid) {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.Wrap(fault.Unavailable, err, "An unfinished upload could not be removed.")
		case <-time.After(pause):
		}
	}
}

// abortOnce aborts the upload and looks whether it is gone.
func abortOnce(ctx context.Context, api uploadAPI, bucket, key, uploadID string) (gone bool, err error) {
	_, err = api.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &bucket, Key: &key, UploadId: &uploadID})
	if err != nil && !awsclient.IsCode(err, "NoSuchUpload") {
		return false, s3Errors.Map(ctx, "abort the upload", err)
	}
	out, err := api.ListParts(ctx, &s3.ListPartsInput{Bucket: &bucket, Key: &key, UploadId: &uploadID})
	if awsclient.IsCode(err, "NoSuchUpload") {
		return true, nil
	}
	if err != nil {
		return false, s3Errors.Map(ctx, "list the upload's parts", err)
	}
	return len(out.Parts) == 0, nil
}
