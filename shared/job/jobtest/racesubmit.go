package jobtest

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testRaceSubmit(t *testing.T, f Fixture) {
	stores := processes(t, f)

	// race submits n jobs at once and answers who created one and which ids
	// came back.
	race := func(t *testing.T, n int, make func(i int) job.New) (created int, ids map[string]int, errs []error) {
		t.Helper()
		var mu sync.Mutex
		ids = map[string]int{}
		together(n, func(i int) {
			answer, err := stores[i%2].Submit(t.Context(), make(i), noLimits)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
				return
			}
			if answer.Created {
				created++
			}
			ids[answer.Job.ID]++
		})
		return created, ids, errs
	}

	t.Run("50 identical submits are one job", func(t *testing.T) {
		for range 4 {
			base := newJob()
			created, ids, errs := race(t, 50, func(int) job.New {
				n := base
				n.ID = uuid.NewString()
				return n
			})
			if created != 1 || len(ids) != 1 || len(errs) != 0 {
				t.Fatalf("created %d, ids %v, errors %v", created, ids, errs)
			}
			equal(t, "rows", f.CountJobs(t, "export_hash", base.ExportHash), 1)
		}
	})

	t.Run("with keys of their own, too", func(t *testing.T) {
		base := newJob()
		created, ids, errs := race(t, 50, func(i int) job.New {
			n := base
			n.ID, n.IdempotencyKey = uuid.NewString(), hash("own", base.ID, i)
			return n
		})
		if created != 1 || len(ids) != 1 || len(errs) != 0 {
			t.Fatalf("created %d, ids %v, errors %v", created, ids, errs)
		}
		equal(t, "rows", f.CountJobs(t, "export_hash", base.ExportHash), 1)
	})

	t.Run("two requesters are two jobs", func(t *testing.T) {
		bases := []job.New{newJob(), newJob()}
		created, ids, errs := race(t, 40, func(i int) job.New {
			n := bases[i%2]
			n.ID = uuid.NewString()
			return n
		})
		if created != 2 || len(ids) != 2 || len(errs) != 0 {
			t.Fatalf("created %d, ids %v, errors %v", created, ids, errs)
		}
	})

	t.Run("one idempotency key for many exports goes to one", func(t *testing.T) {
		key := hash("shared", uuid.NewString())
		created, ids, errs := race(t, 30, func(int) job.New {
			n := newJob()
			n.IdempotencyKey = key
			return n
		})
		if created != 1 || len(ids) != 1 || len(errs) != 29 {
			t.Fatalf("created %d, ids %v, %d errors", created, ids, len(errs))
		}
		for _, err := range errs {
			wantCode(t, err, fault.Unprocessable)
		}
		equal(t, "rows", f.CountJobs(t, "idempotency_key", key), 1)
	})

	t.Run("a key past its window is taken over once", func(t *testing.T) {
		for range 4 {
			base := newJob()
			base.IdempotencyKey = hash("old", base.ID)
			old := submit(t, f.Store, base)
			f.age(t, old.ID, 2*window)
			created, ids, errs := race(t, 30, func(int) job.New {
				n := base
				n.ID = uuid.NewString()
				return n
			})
			if created != 1 || len(ids) != 1 || len(errs) != 0 || ids[old.ID] != 0 {
				t.Fatalf("created %d, ids %v, errors %v", created, ids, errs)
			}
			equal(t, "rows", f.CountJobs(t, "active_key", base.ExportHash), 1)
		}
	})

	t.Run("while the job ends, each submit gets a job that was active", func(t *testing.T) {
		for range 10 {
			base := newJob()
			submit(t, f.Store, base)
			j := claim(t, f.Store, base.ID)
			var answers sync.Map
			together(11, func(i int) {
				if i == 0 {
					ok(t, stores[0].Complete(t.Context(), j.Fence(), completion(j)))
					return
				}
				n := base
				n.ID = uuid.NewString()
				answer, err := stores[i%2].Submit(t.Context(), n, noLimits)
				if err != nil {
					t.Errorf("submit: %v", err)
					return
				}
				if answer.Job.ActiveKey != base.ExportHash {
					t.Errorf("answered by job %s, which was not active", answer.Job.ID)
				}
				if answer.Created {
					answers.Store(answer.Job.ID, true)
				}
			})
			created := 0
			answers.Range(func(any, any) bool { created++; return true })
			if created > 1 {
				t.Errorf("%d jobs were created", created)
			}
			equal(t, "rows", f.CountJobs(t, "export_hash", base.ExportHash), 1+created)
		}
	})

	t.Run("different exports at once", func(t *testing.T) {
		created, ids, errs := race(t, 60, func(int) job.New {
			n := newJob()
			n.IdempotencyKey = hash("different", n.ID)
			return n
		})
		if created != 60 || len(ids) != 60 || len(errs) != 0 {
			t.Fatalf("created %d, %d ids, errors %v", created, len(ids), errs)
		}
	})
}
