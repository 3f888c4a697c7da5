package boot

import (
	"context"
	"errors"

	"github.com/haexcel/haexcel/shared/storage"
)

// Bucket is where finished files are kept.
func (b *Boot) Bucket(ctx context.Context) (*storage.Bucket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bucket != nil {
		return b.bucket, nil
	}
	if b.openBucket == nil {
		return nil, errors.New("this program was put together without a bucket: pass boot.WithBucket or boot.WithBucketFrom")
	}
	bucket, err := b.openBucket(ctx, b.cfg)
	if err != nil {
		return nil, err
	}
	b.bucket = bucket
	return bucket, nil
}
