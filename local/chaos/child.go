//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/haexcel/haexcel/local/engine"
	"github.com/haexcel/haexcel/local/httpfront"
	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/sqswake"
)

// What the program is when the harness starts it.
const (
	roleWorker = "worker" // does jobs, recovers, sweeps, settles dead letters
	roleFront  = "front"  // answers the API on the listener that it inherits
)

// listenerFile is the descriptor of the front's listener. The harness keeps it
// open, so that the address outlives each front.
const listenerFile = 3

// child runs one of the harness's processes until it is told to stop, or is
// killed, or the harness is gone.
func (p program) child(ctx context.Context, role string, args []string) int {
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	set := flag.NewFlagSet(role, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	skew := set.Duration("skew", 0, "how wrong the process's clock is")
	broken := set.Bool("broken-claim", false, "claim without the guard")
	if err := set.Parse(args); err != nil {
		return exitMisuse
	}
	cfg, err := config.Load(p.environment)
	if err != nil {
		log.Error("settings", "error", err)
		return exitBroken
	}
	options := []boot.Option{
		boot.WithBucketFrom(bootstore.Open),
		boot.WithLogger(log),
		boot.WithClock(func() time.Time { return time.Now().Add(*skew) }),
	}
	if *broken {
		table, err := connect(cfg.DatabaseURL)
		if err != nil {
			log.Error("broken claim", "error", err)
			return exitBroken
		}
		options = append(options, boot.WithStore(func(s job.Store) job.Store { return &brokenStore{Store: s, db: table} }))
	}
	go endWhenOrphaned()

	b := boot.Open(cfg, options...)
	run := work
	if role == roleFront {
		run = answerAPI
	}
	if err := errors.Join(run(ctx, b), b.Close()); err != nil {
		log.Error(role, "error", err)
		return exitBroken
	}
	return exitKept
}

// endWhenOrphaned ends the process when the harness has died without doing it: the
// servers are gone as well, so there is nothing to end in order.
func endWhenOrphaned() {
	parent := os.Getppid()
	for os.Getppid() == parent {
		time.Sleep(200 * time.Millisecond)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// deadQueueSetting names the dead-letter queue, which is no setting of haexcel's:
// on AWS a function of its own reads it.
const deadQueueSetting = "CHAOS_DEAD_QUEUE_URL"

// work does what the functions worker, recovery, sweep and deadletter do.
func work(ctx context.Context, b *boot.Boot) error {
	worker, workErr := b.Work(ctx)
	wakes, wakesErr := b.Wakes(ctx)
	letters, lettersErr := b.DeadLetter(ctx)
	recovery, recoveryErr := b.Recover(ctx)
	sweep, sweepErr := b.Sweep(ctx)
	dead, deadErr := deadLetters(ctx)
	if err := errors.Join(workErr, wakesErr, lettersErr, recoveryErr, sweepErr, deadErr); err != nil {
		return err
	}
	e := &engine.Engine{
		Worker:     &sqsevent.Worker{Work: worker, Config: b.Config(), Logger: b.Logger()},
		Wakes:      wakes,
		DeadWakes:  dead,
		DeadLetter: letters,
		Recover:    recovery,
		Sweep:      sweep,
		Config:     b.Config(),
		Logger:     b.Logger(),
	}
	var tasks sync.WaitGroup
	tasks.Go(func() { e.Work(ctx) })
	tasks.Go(func() { e.Schedule(ctx) })
	tasks.Wait()
	return nil
}

func deadLetters(ctx context.Context) (wake.Queue, error) {
	client, err := sqswake.NewClient(ctx, sqswake.ClientOptions{})
	if err != nil {
		return nil, err
	}
	return sqswake.New(client, os.Getenv(deadQueueSetting)), nil
}

// answerAPI serves what the harness's clients call.
func answerAPI(ctx context.Context, b *boot.Boot) error {
	file := os.NewFile(listenerFile, "listener")
	listener, err := net.FileListener(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("the inherited listener: %w", err)
	}
	submit, submitErr := b.Submit(ctx)
	status, statusErr := b.Status(ctx)
	cancel, cancelErr := b.Cancel(ctx)
	retry, retryErr := b.Retry(ctx)
	download, downloadErr := b.Download(ctx)
	if err := errors.Join(submitErr, statusErr, cancelErr, retryErr, downloadErr); err != nil {
		return err
	}
	cfg := b.Config()
	front := httpfront.Front{
		Handler: apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
			apigw.Submit(submit), apigw.Status(status), apigw.Cancel(cancel), apigw.Retry(retry), apigw.Download(download)),
		HeadersTooLarge: http.HandlerFunc(apigw.HeadersTooLarge),
		Logger:          b.Logger(),
	}
	return front.Serve(ctx, listener)
}
