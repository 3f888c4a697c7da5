package cases

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// early is a job table whose row becomes visible only after its message was sent:
// as a submit in one transaction, with its send inside, would do.
type early struct {
	job.Store
	wakes    app.Wakes
	inserted func(ctx context.Context) error // between the send and the insert; an error rolls back
	id       chan string
}

func (s early) Submit(ctx context.Context, n job.New, lim job.SubmitLimits) (job.Submitted, error) {
	s.id <- n.ID
	if err := s.wakes.Send(ctx, job.Job{ID: n.ID, Queue: n.Queue, Requester: n.Requester}, 0); err != nil {
		return job.Submitted{}, err
	}
	if err := s.inserted(ctx); err != nil {
		return job.Submitted{}, err
	}
	return s.Store.Submit(ctx, n, lim)
}

// J4 (a): a message that comes before its row is not lost, and the job is done
// once.
func TestCase_J4_MessageBeforeTheRow(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d)
		p.run(t)
		p.submit.Store = early{p.submit.Store, p.engine.Wakes, func(ctx context.Context) error {
			select {
			case <-time.After(2 * time.Second):
			case <-ctx.Done():
			}
			return ctx.Err()
		}, make(chan string, 1)}
		p.submit.Wakes = app.Wakes{Normal: dropping{p.engine.Wakes.Normal, new(atomic.Int64)}} // the early message is the only one
		accepted, err := p.export(t.Context(), "good", "early")
		if err != nil || accepted.Status != job.Pending {
			t.Fatalf("%+v, %v", accepted, err)
		}
		until(t, "the job ends", func() bool { return p.row(t, accepted.JobID).Status.Finished() })
		if j := p.row(t, accepted.JobID); j.Status != job.Done || j.Attempt != 1 || j.Failures != 0 || p.read("early") != 1 {
			t.Errorf("%s at attempt %d after %d failures, read %d times", j.Status, j.Attempt, j.Failures, p.read("early"))
		}
	})
}

// J4 (b): the message of a row that was rolled back ends without effect, after
// some deliveries, in the dead letters' hands; the worker goes on.
func TestCase_J4_RolledBack(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d)
		var deliveries atomic.Int64
		settled := make(chan struct{})
		p.useWakes(func(q wake.Queue) wake.Queue { return watched{q, &deliveries} })
		p.engine.DeadWakes = deleting{p.engine.DeadWakes, settled}
		p.run(t)
		store := p.submit.Store
		ids := make(chan string, 1)
		p.submit.Store = early{store, p.engine.Wakes, func(context.Context) error {
			return fault.New(fault.Unavailable, "Rolled back.")
		}, ids}
		if _, err := p.export(t.Context(), "good", "none"); !fault.Is(err, fault.Unavailable) {
			t.Fatalf("the submit that was rolled back: %v", err)
		}
		select {
		case <-settled:
		case <-time.After(patience):
			t.Fatal("the message never ends")
		}
		if n := deliveries.Load(); n < 2 || n > 5 {
			t.Errorf("it was delivered %d times", n)
		}
		if _, err := store.Get(t.Context(), <-ids); !fault.Is(err, fault.NotFound) {
			t.Errorf("the row: %v", err)
		}
		p.submit.Store = store
		next, err := p.export(t.Context(), "good", "next")
		if err != nil {
			t.Fatal(err)
		}
		until(t, "the next job ends", func() bool { return p.row(t, next.JobID).Status == job.Done })
	})
}

// J4 (c) and (d): a message that could not be sent, or that vanished, is sent
// again, once the row has waited for long enough.
func TestCase_J4_NoMessage(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		for name, q := range map[string]func(wake.Queue, *atomic.Int64) wake.Queue{
			"refused": func(q wake.Queue, n *atomic.Int64) wake.Queue { return refusing{q, n} },
			"dropped": func(q wake.Queue, n *atomic.Int64) wake.Queue { return dropping{q, n} },
		} {
			t.Run(name, func(t *testing.T) {
				p := assemble(t, d, "HAEXCEL_ORPHAN_THRESHOLD=1s", "HAEXCEL_RECOVERY_INTERVAL=1s")
				var lost atomic.Int64
				p.submit.Wakes.Normal = q(p.engine.Wakes.Normal, &lost)
				p.run(t)
				accepted, err := p.export(t.Context(), "good", name)
				if err != nil || accepted.Status != job.Pending {
					t.Fatalf("a submit whose message is lost: %+v, %v", accepted, err)
				}
				until(t, "the job ends", func() bool { return p.row(t, accepted.JobID).Status.Finished() })
				if j := p.row(t, accepted.JobID); j.Status != job.Done || j.Attempt != 1 || j.Failures != 0 || p.read(name) != 1 || lost.Load() != 1 {
					t.Errorf("%s at attempt %d after %d failures, read %d times, %d lost messages", j.Status, j.Attempt, j.Failures, p.read(name), lost.Load())
				}
			})
		}
	})
}

// refusing is a queue that takes no message.
type refusing struct {
	wake.Queue
	refused *atomic.Int64
}

func (q refusing) Send(context.Context, string, wake.SendOptions) error {
	q.refused.Add(1)
	return errors.New("the queue is away")
}

// dropping is a queue that loses what it takes.
type dropping struct {
	wake.Queue
	dropped *atomic.Int64
}

func (q dropping) Send(context.Context, string, wake.SendOptions) error {
	q.dropped.Add(1)
	return nil
}

// watched is a queue that counts deliveries.
type watched struct {
	wake.Queue
	delivered *atomic.Int64
}

func (q watched) Receive(ctx context.Context, limit int, wait time.Duration) ([]wake.Message, error) {
	got, err := q.Queue.Receive(ctx, limit, wait)
	q.delivered.Add(int64(len(got)))
	return got, err
}

// deleting is a queue that tells of its first deletion.
type deleting struct {
	wake.Queue
	deleted chan struct{}
}

func (q deleting) Delete(ctx context.Context, receipt string) error {
	err := q.Queue.Delete(ctx, receipt)
	if err == nil {
		close(q.deleted)
	}
	return err
}
