package jobtest

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/job"
)

// objectStore stands for the bucket: what is in it.
type objectStore struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (o *objectStore) put(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys[key] = true
}

func (o *objectStore) remove(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.keys, key)
}

func (o *objectStore) has(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.keys[key]
}

// testRaceReuse: a reuse never crosses a deletion. Sweeps work in the order they
// have to: first the row is marked, then an object that no row names is removed.
func testRaceReuse(t *testing.T, f Fixture) {
	stores := processes(t, f)
	bucket := &objectStore{keys: map[string]bool{}}
	sweep := func(t *testing.T, s job.Store, id string) {
		t.Helper()
		keys, _, err := s.MarkSwept(t.Context(), id, ttl)
		if err != nil {
			t.Errorf("sweep: %v", err)
		}
		for _, key := range keys {
			named, err := s.Named(t.Context(), key)
			if err != nil {
				t.Errorf("named: %v", err)
			}
			if err == nil && !named {
				bucket.remove(key)
			}
		}
	}
	// The rows are old enough for the sweep and young enough for a reuse.
	reuse := job.Reuse{MaxAge: ttl, TTL: 100 * ttl}
	source := func(t *testing.T) (job.New, job.Job) {
		t.Helper()
		n := newJob()
		j := f.file(t, n, 0)
		bucket.put(j.FilePath)
		f.age(t, j.ID, 2*ttl)
		return n, j
	}
	// check looks at every row of the content.
	check := func(t *testing.T, ids []string) (kept int) {
		t.Helper()
		for _, id := range ids {
			j := get(t, f.Store, id)
			sound(t, j)
			if j.Status != job.Done || j.SweptAt != 0 {
				continue
			}
			kept++
			if !bucket.has(j.FilePath) {
				t.Errorf("job %s, reused from %q, points at an object that is gone", j.ID, j.ReusedFrom)
			}
		}
		return kept
	}

	t.Run("many reuses against sweeps of their source", func(t *testing.T) {
		both := map[bool]int{}
		for range 40 {
			n, j := source(t)
			ids := make([]string, 10)
			ids[0], ids[1] = j.ID, j.ID
			together(len(ids), func(i int) {
				if i < 2 {
					sweep(t, stores[i%2], j.ID)
					return
				}
				again := sameFile(n, reuse)
				ids[i] = again.ID
				answer, err := stores[i%2].Submit(t.Context(), again, noLimits)
				if err != nil {
					t.Errorf("submit: %v", err)
					return
				}
				if !answer.Created || answer.Job.Status != job.Done && answer.Job.Status != job.Pending {
					t.Errorf("created %v, the job is %s", answer.Created, answer.Job.Status)
				}
			})
			both[check(t, ids) > 0]++
			if j := get(t, f.Store, j.ID); j.SweptAt == 0 {
				t.Error("the source was not swept")
			}
		}
		t.Logf("rounds with a reuse: %d, without: %d", both[true], both[false])
	})

	t.Run("while the reuses are swept themselves", func(t *testing.T) {
		for range 25 {
			n, j := source(t)
			ids := []string{j.ID}
			for range 2 {
				again := sameFile(n, reuse)
				must[job.Submitted](t)(f.Store.Submit(t.Context(), again, noLimits))
				f.age(t, again.ID, 2*ttl)
				ids = append(ids, again.ID)
			}
			old := len(ids)
			for range 6 {
				ids = append(ids, uuid.NewString())
			}
			together(len(ids), func(i int) {
				if i < old {
					sweep(t, stores[i%2], ids[i])
					return
				}
				again := sameFile(n, reuse)
				again.ID = ids[i]
				if _, err := stores[i%2].Submit(t.Context(), again, noLimits); err != nil {
					t.Errorf("submit: %v", err)
				}
			})
			check(t, ids)
		}
	})

	t.Run("many reuses at once lose nothing", func(t *testing.T) {
		n, j := source(t)
		ids := make([]string, 40)
		together(len(ids), func(i int) {
			again := sameFile(n, reuse)
			ids[i] = again.ID
			answer, err := stores[i%2].Submit(t.Context(), again, noLimits)
			if err != nil || answer.Job.Status != job.Done {
				t.Errorf("submit: %s, %v", answer.Job.Status, err)
			}
		})
		equal(t, "rows with the file", f.CountJobs(t, "file_path", j.FilePath), len(ids)+1)
		check(t, append(ids, j.ID))
	})
}
