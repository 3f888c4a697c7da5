package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/storage"
)

const (
	uploadKey = "upload.xlsx"
	// pieceBytes is how much of the file is given to the storage at once.
	pieceBytes = 64 << 10
)

// uploadSubject stores a finished workbook that is in memory.
type uploadSubject struct {
	local
	bucket  *storage.Bucket
	content []byte
}

func openUpload(ctx context.Context, j job) (subject, error) {
	content, err := os.ReadFile(j.Source)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("it stores the file of %s, which has to run too: %w", haexcel, err)
	}
	if err != nil {
		return nil, err
	}
	bucket, err := openBucket(ctx, j.S3, j.Bucket)
	return &uploadSubject{local{j}, bucket, content}, err
}

func (s *uploadSubject) run(ctx context.Context) (total int64, err error) {
	w, err := s.bucket.NewWriter(ctx, uploadKey, storage.WriteOptions{ContentType: export.ContentType(uploadKey)})
	if err != nil {
		return 0, err
	}
	for rest := s.content; len(rest) > 0; {
		n := min(pieceBytes, len(rest))
		if _, err := w.Write(rest[:n]); err != nil {
			return 0, errors.Join(err, w.Abort())
		}
		rest = rest[n:]
	}
	return int64(len(s.content)), w.Commit()
}

func (s *uploadSubject) close(ctx context.Context) error { return s.bucket.Delete(ctx, uploadKey) }
