package app_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// TestMain fails the package when a heartbeat or a timer outlives its job.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCancelAgainstWork cancels at random moments of a job's life: an accepted
// cancel never ends DONE and leaves no object, a refused one leaves the file.
func TestCancelAgainstWork(t *testing.T) {
	b := setup(t, "HAEXCEL_LEASE=1s")
	u := b.work()
	cancel := &app.Cancel{Store: b.store, Config: b.cfg, Logger: b.log}
	accepted, refused := 0, 0
	for i := range 150 {
		id := b.submit(t, fmt.Sprintf(`{"fileName":"%d"}`, i)).JobID
		w := receive(t, b.normal)
		wait := start(t.Context(), t, u, w)
		time.Sleep(rand.N(20 * time.Millisecond))
		_, err := cancel.Do(t.Context(), u1, id, "")
		wait()
		j := b.get(t, id)
		switch {
		case err == nil:
			accepted++
			if j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.FilePath != "" {
				t.Fatalf("an accepted cancel: %+v", j)
			}
			for _, key := range b.objects(t) {
				named, err := b.store.Named(t.Context(), key)
				if err != nil || !named {
					t.Fatalf("object %s is left, %v", key, err)
				}
			}
		case fault.Is(err, fault.Conflict):
			refused++
			if j.Status != job.Done {
				t.Fatalf("a refused cancel: %+v", j)
			}
			if _, err := b.bucket.Stat(t.Context(), j.FilePath); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatal(err)
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
}

// TestManyWorkersDoEachJobOnce delivers every wake three times to six workers.
func TestManyWorkersDoEachJobOnce(t *testing.T) {
	b := setup(t, "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=0")
	const jobs = 60
	deliveries := make([]wake.Wake, 0, 3*jobs)
	for i := range jobs {
		b.submit(t, fmt.Sprintf(`{"fileName":"%d"}`, i))
		w := receive(t, b.normal)
		deliveries = append(deliveries, w, w, w)
	}
	rand.Shuffle(len(deliveries), func(i, j int) { deliveries[i], deliveries[j] = deliveries[j], deliveries[i] })
	queue := make(chan wake.Wake, len(deliveries))
	for _, w := range deliveries {
		queue <- w
	}
	close(queue)
	var all sync.WaitGroup
	for range 6 {
		u := b.work()
		all.Go(func() {
			for w := range queue {
				if out, err := u.Do(t.Context(), w); err != nil || out.Verdict != app.Consumed {
					t.Errorf("outcome %+v, %v", out, err)
				}
			}
		})
	}
	all.Wait()
	if n := b.orders.opened.Load(); n != jobs {
		t.Errorf("the rows were read %d times for %d jobs", n, jobs)
	}
	for _, w := range deliveries {
		if j := b.get(t, w.JobID); j.Status != job.Done || j.Attempt != 1 {
			t.Fatalf("row %+v", j)
		}
	}
	if keys := b.objects(t); len(keys) != jobs {
		t.Errorf("%d objects for %d jobs", len(keys), jobs)
	}
}
