package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/storage"
)

// pipelineSubject exports the table into the storage, as a worker does.
type pipelineSubject struct {
	local
	source source
	bucket *storage.Bucket
	key    string // of the finished object
}

func openPipeline(ctx context.Context, j job) (subject, error) {
	s := &pipelineSubject{local: local{j}}
	var err error
	if s.bucket, err = openBucket(ctx, j.S3, j.Bucket); err != nil {
		return nil, err
	}
	s.source, err = openSource(j.Database, s.generator())
	return s, err
}

func (s *pipelineSubject) run(ctx context.Context) (int64, error) {
	exporter := export.New(export.Settings{
		Bucket: s.bucket, Zone: time.UTC, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	done, err := exporter.Write(ctx, export.Request{
		JobID: "bench", Attempt: 1, Dataset: s.source.set, Packaging: export.Workbook, FileName: "bench", SheetName: sheetName,
	}, export.Plan{}, func(int64) {})
	if err != nil {
		return 0, err
	}
	s.key = done.Key
	if done.Rows != s.job.Rows {
		return 0, fmt.Errorf("the file has %d rows instead of %d", done.Rows, s.job.Rows)
	}
	return done.Bytes, nil
}

// close fetches the object where it is to be kept.
func (s *pipelineSubject) close(ctx context.Context) error {
	var err error
	if s.key != "" {
		if s.job.File != "" {
			err = s.download(ctx)
		}
		err = errors.Join(err, s.bucket.Delete(ctx, s.key))
	}
	return errors.Join(err, s.source.close())
}

func (s *pipelineSubject) download(ctx context.Context) (err error) {
	object, err := s.bucket.NewReader(ctx, s.key)
	if err != nil {
		return err
	}
	_, err = writeFile(s.job.File, func(w io.Writer) error {
		_, err := io.Copy(w, object)
		return err
	})
	return errors.Join(err, object.Close())
}
