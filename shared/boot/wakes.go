package boot

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/memwake"
	"github.com/haexcel/haexcel/shared/wake/sqswake"
)

// Of the queues in memory: as the queues on AWS are set up, but for the
// visibility, which local workers extend while they work.
const (
	memoryVisibility  = time.Minute
	memoryMaxReceives = 5
)

// wakes are the queues once they are open.
type wakes struct {
	app.Wakes
	byName map[string]wake.Queue // by the queue's name in its URL
	dead   wake.Queue            // nil with SQS, where a function of its own reads it
	close  func()
}

// Wakes opens the two queues that feed the workers.
func (b *Boot) Wakes(ctx context.Context) (app.Wakes, error) {
	w, err := b.openWakes(ctx)
	if err != nil {
		return app.Wakes{}, err
	}
	return w.Wakes, nil
}

// QueueNamed finds a queue by the name at the end of its URL, which is also the
// end of its ARN.
func (b *Boot) QueueNamed(ctx context.Context) (func(name string) (wake.Queue, bool), error) {
	w, err := b.openWakes(ctx)
	if err != nil {
		return nil, err
	}
	return func(name string) (wake.Queue, bool) {
		q, ok := w.byName[name]
		return q, ok
	}, nil
}

// DeadWakes is the dead-letter queue of wakes in memory; nil with SQS, whose
// dead letters go to a function.
func (b *Boot) DeadWakes(ctx context.Context) (wake.Queue, error) {
	w, err := b.openWakes(ctx)
	if err != nil {
		return nil, err
	}
	return w.dead, nil
}

func (b *Boot) openWakes(ctx context.Context) (*wakes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wakes != nil {
		return b.wakes, nil
	}
	open := b.openMemory
	switch {
	case b.cfg.Wake == config.WakeSQS:
		open = b.openSQS
	case b.function:
		return nil, fmt.Errorf("HAEXCEL_WAKE: it is %q: a function is woken through SQS only, set it to %q", b.cfg.Wake, config.WakeSQS)
	}
	w, err := open(ctx)
	if err != nil {
		return nil, err
	}
	b.wakes = w
	return w, nil
}

func (b *Boot) openSQS(ctx context.Context) (*wakes, error) {
	if err := b.cfg.RequireWakes(); err != nil {
		return nil, err
	}
	client, err := sqswake.NewClient(ctx, sqswake.ClientOptions{})
	if err != nil {
		return nil, fmt.Errorf("HAEXCEL_WAKE is sqs: %w", err)
	}
	normal, large := sqswake.New(client, b.cfg.NormalQueueURL), sqswake.New(client, b.cfg.LargeQueueURL)
	return &wakes{
		Wakes: app.Wakes{Normal: normal, Large: large},
		byName: map[string]wake.Queue{
			path.Base(b.cfg.NormalQueueURL): normal,
			path.Base(b.cfg.LargeQueueURL):  large,
		},
		close: func() {},
	}, nil
}

func (b *Boot) openMemory(context.Context) (*wakes, error) {
	dead, err := memwake.New(memwake.Options{Visibility: memoryVisibility})
	if err != nil {
		return nil, err
	}
	o := memwake.Options{Visibility: memoryVisibility, MaxReceives: memoryMaxReceives, DeadLetter: dead}
	normal, err := memwake.New(o)
	if err != nil {
		return nil, err
	}
	large, err := memwake.New(o)
	if err != nil {
		return nil, err
	}
	return &wakes{
		Wakes: app.Wakes{Normal: normal, Large: large},
		dead:  dead,
		close: func() { normal.Close(); large.Close(); dead.Close() },
	}, nil
}
