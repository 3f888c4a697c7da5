// Package engine does in one process what Lambda, SQS and EventBridge do
// together: it feeds wakes to workers and runs recovery, the sweep and what builds
// exports beforehand on their schedules.
//
// Guarantees. At most worker-count normal and large-worker-count large jobs run
// at once. A message stays invisible while its job runs, however long that
// takes. When the engine stops, running jobs are given back to their queues
// without a failure, and Work returns only when all of them are.
//
// Known limits. Wakes in memory end with the process: the recovery of another
// one wakes their jobs again after orphan-threshold, and a start of this one at
// once. The visibility timeout of SQS queues must be 30 s or more, since the
// first extension comes after 20 s; their dead letters are left to the function
// deadletter.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/wake"
)

const (
	// visibility is how long a message stays away unless it is extended, which
	// happens every extendEvery.
	visibility  = time.Minute
	extendEvery = visibility / 3
	// longPoll is how long a worker waits for a message in one request, and so how
	// long a stop may take with SQS.
	longPoll = 5 * time.Second
	// pause follows a queue's error.
	pause = time.Second
	// settleTimeout bounds the call that gives a message back or deletes it.
	settleTimeout = 10 * time.Second
)

// Engine is the workers and schedules of one process.
type Engine struct {
	Worker     *sqsevent.Worker
	Wakes      app.Wakes
	DeadWakes  wake.Queue // nil where another program reads the dead letters
	DeadLetter *app.DeadLetter
	Recover    *app.Recover
	Sweep      *app.Sweep
	// Pregenerate is nil where another program submits what is built beforehand.
	Pregenerate *app.Pregenerate
	Config      config.Config
	Logger      *slog.Logger
}

// WakeAll runs recovery once and, where wakes live in memory, wakes every
// waiting job: the queues of the process that submitted them may be gone.
func (e *Engine) WakeAll(ctx context.Context) error {
	if _, err := e.Recover.Do(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if e.Config.Wake != config.WakeMemory {
		return nil
	}
	n, err := e.Recover.Start(ctx)
	if err != nil {
		return fmt.Errorf("wake the waiting jobs: %w", err)
	}
	if n > 0 {
		e.Logger.InfoContext(ctx, "waiting jobs were woken", "jobs", n)
	}
	return nil
}

// Work feeds the workers until ctx ends, then waits until they have given their
// jobs back.
func (e *Engine) Work(ctx context.Context) {
	var running sync.WaitGroup
	for range e.Config.WorkerCount {
		running.Go(func() { e.drain(ctx, "normal", e.Wakes.Normal, e.take) })
	}
	for range e.Config.LargeWorkerCount {
		running.Go(func() { e.drain(ctx, "large", e.Wakes.Large, e.take) })
	}
	if e.DeadWakes != nil {
		running.Go(func() { e.drain(ctx, "dead letters", e.DeadWakes, e.settleDead) })
	}
	running.Wait()
}

// Schedule runs recovery and the sweep at their intervals until ctx ends, and
// looks as often as for lost jobs for what is to be built beforehand.
func (e *Engine) Schedule(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() {
		e.every(ctx, "recovery", e.Config.RecoveryInterval, func() error { _, err := e.Recover.Do(ctx); return err })
	})
	running.Go(func() {
		e.every(ctx, "sweep", e.Config.SweepInterval, func() error { _, err := e.Sweep.Do(ctx); return err })
	})
	if e.Pregenerate != nil {
		running.Go(func() {
			e.every(ctx, "pregenerate", e.Config.RecoveryInterval, func() error {
				_, err := e.Pregenerate.Do(ctx, app.PregenerateInput{})
				return err
			})
		})
	}
	running.Wait()
}

// every runs a task at once and then at each interval. What fails is only
// logged: the next run is the repair.
func (e *Engine) every(ctx context.Context, name string, interval time.Duration, task func() error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := guarded(task); err != nil && ctx.Err() == nil {
			e.Logger.WarnContext(ctx, "a scheduled task failed", "task", name, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func guarded(task func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return task()
}

// drain takes one message at a time until ctx ends.
func (e *Engine) drain(ctx context.Context, name string, q wake.Queue, handle func(context.Context, wake.Message) sqsevent.Result) {
	for ctx.Err() == nil {
		messages, err := e.receive(ctx, q)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			e.Logger.WarnContext(ctx, "a queue can't be read", "queue", name, "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			continue
		}
		for _, m := range messages {
			if ctx.Err() != nil {
				e.giveBack(ctx, q, m)
				continue
			}
			e.deliver(ctx, q, m, handle)
		}
	}
}

// receive waits for a message. A request to SQS is not broken off when the
// process is to stop: the service would not notice, and a message that it sends
// to nobody stays away for the whole visibility timeout.
func (e *Engine) receive(ctx context.Context, q wake.Queue) ([]wake.Message, error) {
	if e.Config.Wake == config.WakeSQS {
		ctx = context.WithoutCancel(ctx)
	}
	return q.Receive(ctx, 1, longPoll)
}

// giveBack makes a message that came too late visible again.
func (e *Engine) giveBack(ctx context.Context, q wake.Queue, m wake.Message) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if err := q.SetVisibility(ctx, m.Receipt, 0); err != nil {
		e.Logger.WarnContext(ctx, "a message could not be given back; it comes again later", "messageId", m.ID, "error", err)
	}
}

// deliver handles one message and keeps it invisible meanwhile.
func (e *Engine) deliver(ctx context.Context, q wake.Queue, m wake.Message, handle func(context.Context, wake.Message) sqsevent.Result) {
	release := e.hold(ctx, q, m)
	result := handle(ctx, m)
	release()

	// Also when the process is to stop: a message that is not deleted would wake
	// a job that has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	var err error
	if result.Again {
		err = q.SetVisibility(ctx, m.Receipt, result.Delay)
	} else {
		err = q.Delete(ctx, m.Receipt)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		e.Logger.WarnContext(ctx, "a message could not be settled; it comes again", "messageId", m.ID, "error", err)
	}
}

// hold keeps a message invisible until release returns.
func (e *Engine) hold(ctx context.Context, q wake.Queue, m wake.Message) (release func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(extendEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := q.SetVisibility(ctx, m.Receipt, visibility)
			if err != nil && ctx.Err() == nil {
				e.Logger.WarnContext(ctx, "a message's visibility could not be extended", "messageId", m.ID, "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (e *Engine) take(ctx context.Context, m wake.Message) sqsevent.Result {
	return e.Worker.Take(ctx, m)
}

func (e *Engine) settleDead(ctx context.Context, m wake.Message) sqsevent.Result {
	if err := guarded(func() error { return e.DeadLetter.Do(ctx, m.Body) }); err != nil {
		e.Logger.WarnContext(ctx, "a dead letter is given back", "messageId", m.ID, "error", err)
		return sqsevent.Result{Again: true, Delay: e.Config.RetryBackoff}
	}
	return sqsevent.Result{}
}
