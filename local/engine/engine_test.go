package engine

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/memwake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// workFunc stands for the use case, so that a job can last as long as a test
// wants and end as it wants.
type workFunc func(ctx context.Context, w wake.Wake) (app.Outcome, error)

func (f workFunc) Do(ctx context.Context, w wake.Wake) (app.Outcome, error) { return f(ctx, w) }

// newEngine is an engine whose queues lose a message after three deliveries.
func newEngine(t *testing.T, normal, large int, work workFunc) *Engine {
	t.Helper()
	queue := func(o memwake.Options) *memwake.Queue {
		q, err := memwake.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	dead := queue(memwake.Options{})
	o := memwake.Options{Visibility: 30 * time.Second, MaxReceives: 3, DeadLetter: dead}
	log := slog.New(slog.DiscardHandler)
	cfg := config.Config{WorkerCount: normal, LargeWorkerCount: large, RetryBackoff: 2 * time.Second}
	return &Engine{
		Worker: &sqsevent.Worker{Work: work, Config: cfg, Logger: log},
		Wakes:  app.Wakes{Normal: queue(o), Large: queue(o)},
		Config: cfg,
		Logger: log,
	}
}

func send(t *testing.T, q wake.Queue, jobID string) {
	t.Helper()
	if err := q.Send(t.Context(), wake.Wake{JobID: jobID, WokenAt: 1}.Encode(), wake.SendOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A job may last far longer than the queue's visibility timeout; its message is
// not delivered a second time meanwhile, and not at all afterwards.
func TestMessageStaysAwayWhileItsJobRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var deliveries atomic.Int64
		e := newEngine(t, 3, 0, func(context.Context, wake.Wake) (app.Outcome, error) {
			deliveries.Add(1)
			time.Sleep(30 * time.Minute)
			return app.Outcome{}, nil
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { e.Work(ctx); close(done) }()
		send(t, e.Wakes.Normal, "job")
		time.Sleep(2 * time.Hour)
		if n := deliveries.Load(); n != 1 {
			t.Errorf("%d deliveries, want one", n)
		}
		stop()
		<-done
	})
}

func TestMessageComesBackAfterItsDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var times []time.Duration
		e := newEngine(t, 1, 0, func(context.Context, wake.Wake) (app.Outcome, error) {
			times = append(times, time.Since(start))
			if len(times) == 1 {
				return app.Outcome{Verdict: app.TryLater, Delay: 42 * time.Second}, fault.New(fault.Unavailable, "away")
			}
			return app.Outcome{}, nil
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { e.Work(ctx); close(done) }()
		send(t, e.Wakes.Normal, "job")
		time.Sleep(time.Hour)
		stop()
		<-done
		if len(times) != 2 || times[1]-times[0] != 42*time.Second {
			t.Errorf("deliveries at %v, want two, 42 seconds apart", times)
		}
	})
}

func TestWorkersAreAsManyAsConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		e := newEngine(t, 3, 2, func(context.Context, wake.Wake) (app.Outcome, error) {
			now := running.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			time.Sleep(time.Minute)
			running.Add(-1)
			return app.Outcome{}, nil
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { e.Work(ctx); close(done) }()
		for range 20 {
			send(t, e.Wakes.Normal, "job")
			send(t, e.Wakes.Large, "job")
		}
		time.Sleep(time.Hour)
		stop()
		<-done
		if most.Load() != 5 {
			t.Errorf("%d jobs ran at once, want 3 normal and 2 large ones", most.Load())
		}
	})
}

// Work returns only when the jobs under way have been given back.
func TestStopWaitsForRunningJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		gaveBack := false
		e := newEngine(t, 1, 0, func(ctx context.Context, _ wake.Wake) (app.Outcome, error) {
			close(started)
			<-ctx.Done()
			time.Sleep(3 * time.Second) // the row is settled
			gaveBack = true
			return app.Outcome{}, nil
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { e.Work(ctx); close(done) }()
		send(t, e.Wakes.Normal, "job")
		<-started
		stop()
		<-done
		if !gaveBack {
			t.Error("Work returned before its job was given back")
		}
		// Its message is consumed.
		time.Sleep(time.Hour)
		if left, err := e.Wakes.Normal.Receive(t.Context(), 10, 0); err != nil || len(left) != 0 {
			t.Errorf("left in the queue: %v, %v", left, err)
		}
	})
}

// SQS would send a message to a request that was broken off, and keep it away
// from everybody: the last request is waited for and its message given back.
func TestMessageThatComesWithTheStopIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, 1, 0, func(context.Context, wake.Wake) (app.Outcome, error) {
			t.Error("the job was worked on after the stop")
			return app.Outcome{}, nil
		})
		e.Config.Wake = config.WakeSQS
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { e.Work(ctx); close(done) }()
		time.Sleep(time.Second)
		synctest.Wait()
		stop()
		send(t, e.Wakes.Normal, "job")
		<-done
		back, err := e.Wakes.Normal.Receive(t.Context(), 1, 0)
		if err != nil || len(back) != 1 || back[0].ReceiveCount != 2 {
			t.Errorf("in the queue: %v, %v; want the message once more, at once", back, err)
		}
	})
}

func TestSchedulesGoOnAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, 0, 0, nil)
		ctx, stop := context.WithCancel(t.Context())
		runs := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			e.every(ctx, "test", time.Minute, func() error {
				if runs++; runs%2 == 0 {
					panic("a defect")
				}
				return fault.New(fault.Unavailable, "away")
			})
		}()
		time.Sleep(10*time.Minute + time.Second)
		stop()
		<-done
		if runs != 11 {
			t.Errorf("%d runs in ten minutes, want one at once and ten more", runs)
		}
	})
}

// openReal is an engine over the real use cases on SQLite.
func openReal(t *testing.T, options ...boot.Option) (*Engine, job.Store) {
	t.Helper()
	cfg, err := config.Load([]string{"HAEXCEL_DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "jobs.db"), "HAEXCEL_RETRY_BACKOFF=1s"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	driver, err := filestore.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := boot.Open(cfg, append(options, boot.WithBucket(storage.NewBucket(driver)), boot.WithLogger(slog.New(slog.DiscardHandler)))...)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := b.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	store, err := b.Store(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wakes, err := b.Wakes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := b.DeadWakes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	letters, err := b.DeadLetter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	recovery, err := b.Recover(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sweep, err := b.Sweep(ctx)
	if err != nil {
		t.Fatal(err)
	}
	pregenerate, err := b.Pregenerate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cfg.WorkerCount, cfg.LargeWorkerCount = 0, 0
	return &Engine{
		Wakes: wakes, DeadWakes: dead, DeadLetter: letters, Recover: recovery, Sweep: sweep, Pregenerate: pregenerate,
		Config: cfg, Logger: b.Logger(),
	}, store
}

// waiting inserts a job as submit does and returns it.
func waiting(t *testing.T, store job.Store) job.Job {
	t.Helper()
	id := uuid.NewString()
	s, err := store.Submit(t.Context(), job.New{
		ID: id, Dataset: "orders", Requester: "kim", ParamsJSON: "{}", Queue: job.Normal, ExportHash: id, FilterHash: id,
	}, job.SubmitLimits{Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return s.Job
}

func TestWakeAllWakesEveryWaitingJob(t *testing.T) {
	e, store := openReal(t)
	want := map[string]bool{}
	for range 3 {
		want[waiting(t, store).ID] = true
	}
	if err := e.WakeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	messages, err := e.Wakes.Normal.Receive(t.Context(), 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		w, err := wake.Parse(m.Body)
		if err != nil || !want[w.JobID] {
			t.Errorf("woken: %s, %v", m.Body, err)
		}
		delete(want, w.JobID)
	}
	if len(want) != 0 {
		t.Errorf("not woken: %v", want)
	}
}

// What datasets want built beforehand is submitted by the schedule, once while it
// is on its way.
func TestScheduleBuildsBeforehand(t *testing.T) {
	info := dataset.Info{Name: "daily", Columns: []cell.ColumnDef{{Field: "n"}}, Pregenerate: 24 * time.Hour}
	e, store := openReal(t, boot.WithDataset(dataset.FromSeq(info, []cell.Field{{Name: "n", Kind: cell.Integer}}, nil)))
	e.Config.RecoveryInterval, e.Config.SweepInterval = 10*time.Millisecond, time.Hour
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { e.Schedule(ctx); close(done) }()
	messages, err := e.Wakes.Normal.Receive(t.Context(), 1, time.Minute)
	if err != nil || len(messages) != 1 {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	time.Sleep(50 * time.Millisecond) // some more rounds
	stop()
	<-done
	page, err := store.List(t.Context(), job.Pregenerator, 10, "")
	if err != nil || len(page.Jobs) != 1 || page.Jobs[0].Dataset != "daily" {
		t.Fatalf("jobs %+v, %v, want one of the dataset", page.Jobs, err)
	}
	if w, err := wake.Parse(messages[0].Body); err != nil || w.JobID != page.Jobs[0].ID {
		t.Errorf("woken: %+v, %v", w, err)
	}
}

// A dead letter in memory is settled by the same process.
func TestDeadLettersAreSettled(t *testing.T) {
	e, store := openReal(t)
	j := waiting(t, store)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { e.Work(ctx); close(done) }()
	letter := wake.Wake{JobID: j.ID, Attempt: j.Attempt, WokenAt: j.WokenAt}
	if err := e.DeadWakes.Send(ctx, letter.Encode(), wake.SendOptions{}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got, err := store.Get(ctx, j.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Failures == 1 && got.Status == job.Pending {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the job is %s after %d failures", got.Status, got.Failures)
		}
	}
	stop()
	<-done
}
