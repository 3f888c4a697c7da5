package boot

import (
	"context"
	"errors"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// countTimeout bounds the count before an export; then its size is unknown.
const countTimeout = 30 * time.Second

// compressions are those of the settings.
var compressions = map[string]xlsx.Compression{
	config.CompressionFast:  xlsx.Fast,
	config.CompressionSmall: xlsx.Small,
}

// Submit accepts exports.
func (b *Boot) Submit(ctx context.Context) (*app.Submit, error) {
	store, storeErr := b.Store(ctx)
	sets, setsErr := b.Catalog()
	wakes, wakesErr := b.Wakes(ctx)
	if err := errors.Join(storeErr, setsErr, wakesErr); err != nil {
		return nil, err
	}
	return &app.Submit{Store: store, Catalog: sets, Wakes: wakes, Config: b.cfg, Logger: b.log}, nil
}

// Status describes one job.
func (b *Boot) Status(ctx context.Context) (*app.Status, error) {
	store, err := b.Store(ctx)
	if err != nil {
		return nil, err
	}
	return &app.Status{Store: store, Config: b.cfg}, nil
}

// Jobs lists a requester's own jobs.
func (b *Boot) Jobs(ctx context.Context) (*app.Jobs, error) {
	store, err := b.Store(ctx)
	if err != nil {
		return nil, err
	}
	return &app.Jobs{Store: store, Config: b.cfg}, nil
}

// Cancel ends jobs at their requester's wish.
func (b *Boot) Cancel(ctx context.Context) (*app.Cancel, error) {
	store, err := b.Store(ctx)
	if err != nil {
		return nil, err
	}
	return &app.Cancel{Store: store, Config: b.cfg, Logger: b.log}, nil
}

// Retry runs failed jobs again.
func (b *Boot) Retry(ctx context.Context) (*app.Retry, error) {
	store, storeErr := b.Store(ctx)
	wakes, wakesErr := b.Wakes(ctx)
	if err := errors.Join(storeErr, wakesErr); err != nil {
		return nil, err
	}
	return &app.Retry{Store: store, Wakes: wakes, Config: b.cfg, Logger: b.log}, nil
}

// Download hands out finished files.
func (b *Boot) Download(ctx context.Context) (*app.Download, error) {
	store, storeErr := b.Store(ctx)
	bucket, bucketErr := b.Bucket(ctx)
	if err := errors.Join(storeErr, bucketErr); err != nil {
		return nil, err
	}
	return &app.Download{Store: store, Bucket: bucket, Config: b.cfg}, nil
}

// ClientConfig tells front ends the settings they may care about.
func (b *Boot) ClientConfig() *app.ClientConfig { return &app.ClientConfig{Config: b.cfg} }

// Datasets lists what a caller may export.
func (b *Boot) Datasets() (*app.Datasets, error) {
	sets, err := b.Catalog()
	if err != nil {
		return nil, err
	}
	return &app.Datasets{Catalog: sets}, nil
}

// Template answers for templates.
func (b *Boot) Template() *app.Template { return &app.Template{} }

// Work does jobs.
func (b *Boot) Work(ctx context.Context) (*app.Work, error) {
	store, storeErr := b.Store(ctx)
	sets, setsErr := b.Catalog()
	bucket, bucketErr := b.Bucket(ctx)
	wakes, wakesErr := b.Wakes(ctx)
	if err := errors.Join(storeErr, setsErr, bucketErr, wakesErr); err != nil {
		return nil, err
	}
	exporter := export.New(export.Settings{
		Bucket:         bucket,
		ZipThreshold:   b.cfg.ZipThreshold,
		ChunkSize:      b.cfg.ChunkSize,
		CountTimeout:   countTimeout,
		Compression:    compressions[b.cfg.XLSXCompression],
		OmitReferences: !b.cfg.XLSXReferences,
		Zone:           b.cfg.ReportZone,
		Now:            b.clock,
		Logger:         b.log,
	})
	return &app.Work{
		Store:    store,
		Catalog:  sets,
		Exporter: exporter,
		Bucket:   bucket,
		Wakes:    wakes,
		Config:   b.cfg,
		Logger:   b.log,
	}, nil
}

// Recover brings back what workers and queues have lost.
func (b *Boot) Recover(ctx context.Context) (*app.Recover, error) {
	store, storeErr := b.Store(ctx)
	wakes, wakesErr := b.Wakes(ctx)
	bucket, bucketErr := b.Bucket(ctx)
	if err := errors.Join(storeErr, wakesErr, bucketErr); err != nil {
		return nil, err
	}
	return &app.Recover{Store: store, Wakes: wakes, Bucket: bucket, Config: b.cfg, Logger: b.log}, nil
}

// Sweep removes expired files and old rows.
func (b *Boot) Sweep(ctx context.Context) (*app.Sweep, error) {
	store, storeErr := b.Store(ctx)
	bucket, bucketErr := b.Bucket(ctx)
	if err := errors.Join(storeErr, bucketErr); err != nil {
		return nil, err
	}
	return &app.Sweep{Store: store, Bucket: bucket, Config: b.cfg, Logger: b.log}, nil
}

// Pregenerate submits the exports that datasets want built beforehand.
func (b *Boot) Pregenerate(ctx context.Context) (*app.Pregenerate, error) {
	store, storeErr := b.Store(ctx)
	sets, setsErr := b.Catalog()
	wakes, wakesErr := b.Wakes(ctx)
	if err := errors.Join(storeErr, setsErr, wakesErr); err != nil {
		return nil, err
	}
	return &app.Pregenerate{Store: store, Catalog: sets, Wakes: wakes, Config: b.cfg, Logger: b.log}, nil
}

// DeadLetter settles wakes that were delivered too often.
func (b *Boot) DeadLetter(ctx context.Context) (*app.DeadLetter, error) {
	store, storeErr := b.Store(ctx)
	wakes, wakesErr := b.Wakes(ctx)
	if err := errors.Join(storeErr, wakesErr); err != nil {
		return nil, err
	}
	return &app.DeadLetter{Store: store, Wakes: wakes, Config: b.cfg, Logger: b.log}, nil
}
