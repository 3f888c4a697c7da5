package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/haexcel/haexcel/local/engine"
	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/sqsevent"
)

// site is everything of haexcel in one process: the API's handlers, the workers
// and the schedules.
type site struct {
	boot    *boot.Boot
	handler http.Handler
	engine  *engine.Engine
}

// openSite migrates the job table and puts the parts together. Nothing runs yet.
func openSite(ctx context.Context, settings config.Config, log *slog.Logger) (*site, error) {
	b := boot.Open(settings, boot.WithBucketFrom(bootstore.Open), boot.WithLogger(log))
	s := &site{boot: b}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return s, nil
}

func (s *site) open(ctx context.Context) error {
	// What the settings lack is found before the database is touched.
	if _, err := s.boot.Bucket(ctx); err != nil {
		return err
	}
	if _, err := s.boot.Catalog(); err != nil {
		return err
	}
	if _, err := s.boot.Wakes(ctx); err != nil {
		return err
	}
	applied, err := s.boot.Migrate(ctx)
	if err != nil {
		return err
	}
	if len(applied) > 0 {
		s.boot.Logger().InfoContext(ctx, "the job table was migrated", "applied", applied)
	}
	if s.handler, err = s.newHandler(ctx); err != nil {
		return err
	}
	s.engine, err = s.newEngine(ctx)
	return err
}

func (s *site) newHandler(ctx context.Context) (http.Handler, error) {
	b, cfg := s.boot, s.boot.Config()
	submit, submitErr := b.Submit(ctx)
	status, statusErr := b.Status(ctx)
	jobs, jobsErr := b.Jobs(ctx)
	cancel, cancelErr := b.Cancel(ctx)
	retry, retryErr := b.Retry(ctx)
	download, downloadErr := b.Download(ctx)
	datasets, datasetsErr := b.Datasets()
	if err := errors.Join(submitErr, statusErr, jobsErr, cancelErr, retryErr, downloadErr, datasetsErr); err != nil {
		return nil, err
	}
	return apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.Submit(submit), apigw.Status(status), apigw.Jobs(jobs), apigw.Cancel(cancel), apigw.Retry(retry),
		apigw.Download(download), apigw.ClientConfig(b.ClientConfig()), apigw.Datasets(datasets), apigw.Template(b.Template()),
	), nil
}

func (s *site) newEngine(ctx context.Context) (*engine.Engine, error) {
	b := s.boot
	work, workErr := b.Work(ctx)
	wakes, wakesErr := b.Wakes(ctx)
	dead, deadErr := b.DeadWakes(ctx)
	letters, lettersErr := b.DeadLetter(ctx)
	recovery, recoveryErr := b.Recover(ctx)
	sweep, sweepErr := b.Sweep(ctx)
	pregenerate, pregenerateErr := b.Pregenerate(ctx)
	if err := errors.Join(workErr, wakesErr, deadErr, lettersErr, recoveryErr, sweepErr, pregenerateErr); err != nil {
		return nil, err
	}
	return &engine.Engine{
		Worker:      &sqsevent.Worker{Work: work, Config: b.Config(), Logger: b.Logger()},
		Wakes:       wakes,
		DeadWakes:   dead,
		DeadLetter:  letters,
		Recover:     recovery,
		Sweep:       sweep,
		Pregenerate: pregenerate,
		Config:      b.Config(),
		Logger:      b.Logger(),
	}, nil
}

// start runs tasks beside the caller until stop, which waits for their end. They
// outlive ctx: whoever stops them decides when.
func start(ctx context.Context, tasks ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// close releases the connections; the tasks must have ended.
func (s *site) close() {
	if err := s.boot.Close(); err != nil {
		s.boot.Logger().Warn("closing left something behind", "error", err)
	}
}
