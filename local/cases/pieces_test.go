package cases

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/engine"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/wake"
)

// pieces are the parts of a program, put together in the test's own process, so
// that faults can be put between them.
type pieces struct {
	jobTable
	boot   *boot.Boot
	engine *engine.Engine
	submit *app.Submit
	cancel *app.Cancel
	work   *app.Work

	mu   sync.Mutex
	runs map[string]int // file name → how often its rows were read
}

// assemble opens the parts on a database. There are two datasets of Go code, of
// three rows: good, and panics, which does so at its second row.
func assemble(t *testing.T, d database, settings ...string) *pieces {
	t.Helper()
	p := &pieces{jobTable: newJobTable(t, d), runs: map[string]int{}}
	cfg, err := config.Load(append([]string{
		"HAEXCEL_DATABASE_URL=" + d.url, "HAEXCEL_LOCAL_STORAGE_PATH=" + p.files, "HAEXCEL_SERVER_ID=test", "HAEXCEL_RETRY_BACKOFF=1s",
	}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	p.boot = boot.Open(cfg, boot.WithLogger(slog.New(slog.DiscardHandler)), boot.WithBucketFrom(bootstore.Open),
		boot.WithDataset(p.rows("good", 0), p.rows("panics", 2)))
	t.Cleanup(func() {
		if err := p.boot.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx := t.Context()
	if _, err := p.boot.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	var faults [7]error
	p.submit, faults[0] = p.boot.Submit(ctx)
	p.cancel, faults[1] = p.boot.Cancel(ctx)
	p.work, faults[2] = p.boot.Work(ctx)
	p.engine = &engine.Engine{Config: cfg, Logger: p.boot.Logger()}
	p.engine.Wakes, faults[3] = p.boot.Wakes(ctx)
	p.engine.DeadWakes, faults[4] = p.boot.DeadWakes(ctx)
	p.engine.DeadLetter, faults[5] = p.boot.DeadLetter(ctx)
	p.engine.Recover, faults[6] = p.boot.Recover(ctx)
	if err := errors.Join(faults[:]...); err != nil {
		t.Fatal(err)
	}
	p.engine.Worker = &sqsevent.Worker{Work: p.work, Config: cfg, Logger: p.boot.Logger()}
	return p
}

// rows is a dataset of three rows that panics at the given one.
func (p *pieces) rows(name string, panicAt int) dataset.Dataset {
	info := dataset.Info{
		Name: name, Digest: name, Columns: []cell.ColumnDef{{Field: "no"}},
		Params: []dataset.Param{{Name: "label", Type: dataset.StringParam}},
	}
	return counted{dataset.FromSeq(info, []cell.Field{{Name: "no", Kind: cell.Integer}},
		func(_ context.Context, q dataset.Query) iter.Seq2[dataset.Row, error] {
			return func(yield func(dataset.Row, error) bool) {
				p.mu.Lock()
				p.runs[q.Params.JSON()]++
				p.mu.Unlock()
				for i := range 3 {
					if i+1 == panicAt {
						panic("a defect of the provider: password hunter2")
					}
					if !yield(dataset.Row{i}, nil) {
						return
					}
				}
			}
		})}
}

// counted is a dataset that tells its three rows beforehand, which keeps its jobs
// in the normal queue.
type counted struct{ dataset.Dataset }

func (counted) Count(context.Context, dataset.Query) (n int64, known bool, err error) {
	return 3, true, nil
}

// read says how often the rows of a label were read.
func (p *pieces) read(label string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs[`{"label":"`+label+`"}`]
}

// run lets the workers and schedules run until the test ends.
func (p *pieces) run(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.engine.Work(ctx) })
	running.Go(func() {
		for ctx.Err() == nil { // recovery alone: nothing is swept here
			_, _ = p.engine.Recover.Do(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(p.engine.Config.RecoveryInterval):
			}
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
}

// export submits an export of a dataset, told apart by its label.
func (p *pieces) export(ctx context.Context, name, label string) (app.SubmitReply, error) {
	return p.submit.Do(ctx, app.Caller{Subject: "kim"}, app.SubmitInput{
		Dataset: name, ContentType: "application/json", Body: []byte(`{"params": {"label": "` + label + `"}}`), RequestID: label,
	})
}

// useWakes puts other queues in the place of those in memory.
func (p *pieces) useWakes(q func(wake.Queue) wake.Queue) {
	w := app.Wakes{Normal: q(p.engine.Wakes.Normal), Large: q(p.engine.Wakes.Large)}
	p.submit.Wakes, p.work.Wakes, p.engine.Recover.Wakes, p.engine.DeadLetter.Wakes = w, w, w, w
	p.engine.Wakes = w
}
