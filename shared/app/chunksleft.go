package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// dropChunks removes what an ended job has left of its chunks: the rows first, by
// themselves, then the objects that they named. A crash between leaves orphans,
// which the sweep finds. A job that may still need them keeps all.
func dropChunks(ctx context.Context, store job.Store, bucket *storage.Bucket, jobID string) error {
	keys, err := store.DropChunks(ctx, jobID)
	if err != nil {
		return fmt.Errorf("drop chunks: %w", err)
	}
	var faults []error
	for _, key := range keys {
		if err := bucket.Delete(ctx, key); err != nil {
			faults = append(faults, fmt.Errorf("remove %s: %w", key, err))
		}
	}
	return errors.Join(faults...)
}
