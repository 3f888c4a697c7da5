package jobtest

import (
	"sync"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// testRaceLease lets workers lose their lease while others take over.
func testRaceLease(t *testing.T, f Fixture) {
	stores := processes(t, f)

	t.Run("many recoveries recover each job once", func(t *testing.T) {
		const jobs = 25
		want := map[string]bool{}
		for range jobs {
			j := running(t, f.Store)
			f.expire(t, j.ID)
			want[j.ID] = true
		}
		var mu sync.Mutex
		recovered := map[string]int{}
		together(8, func(i int) {
			got, err := stores[i%2].Recover(t.Context(), attempts, 1000)
			if err != nil {
				t.Errorf("recover: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range got {
				recovered[r.Job.ID]++
			}
		})
		for id := range want {
			equal(t, "times recovered", recovered[id], 1)
			row := get(t, f.Store, id)
			sound(t, row)
			equal(t, "failures", row.Failures, 1)
		}
	})

	t.Run("many re-wakes send one message", func(t *testing.T) {
		var ids []string
		for range 25 {
			j := submit(t, f.Store, newJob())
			f.SetJob(t, j.ID, map[string]any{"updated_at": int64(1)})
			ids = append(ids, j.ID)
		}
		var mu sync.Mutex
		woken := map[string]int{}
		together(8, func(i int) {
			got, err := stores[i%2].Rewake(t.Context(), lease, 1000)
			if err != nil {
				t.Errorf("re-wake: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, j := range got {
				woken[j.ID]++
			}
		})
		for _, id := range ids {
			equal(t, "times woken", woken[id], 1)
		}
	})

	t.Run("duplicate dead letters count once", func(t *testing.T) {
		for range 10 {
			j := submit(t, f.Store, newJob())
			var mu sync.Mutex
			verdicts := map[job.DeadLetterVerdict]int{}
			together(6, func(i int) {
				_, verdict, err := stores[i%2].DeadLetter(t.Context(), j.ID, j.WokenAt, attempts)
				if err != nil {
					t.Errorf("dead letter: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				verdicts[verdict]++
			})
			equal(t, "retried", verdicts[job.DeadRetried], 1)
			equal(t, "failures", get(t, f.Store, j.ID).Failures, 1)
		}
	})

	t.Run("a beat that comes back and a recovery exclude each other", func(t *testing.T) {
		for range 100 {
			j := running(t, f.Store)
			f.expire(t, j.ID)
			var beatErr error
			var recovered []job.Recovered
			together(2, func(i int) {
				if i == 0 {
					_, beatErr = stores[0].Beat(t.Context(), j.Fence(), job.Progress{}, lease)
					return
				}
				var err error
				if recovered, err = stores[1].Recover(t.Context(), attempts, 1000); err != nil {
					t.Errorf("recover: %v", err)
				}
			})
			row := get(t, f.Store, j.ID)
			sound(t, row)
			switch {
			case beatErr == nil && len(recovered) == 0:
				equal(t, "status after the beat", row.Status, job.Running)
			case fault.Is(beatErr, fault.Lost) && len(recovered) == 1:
				equal(t, "status after the recovery", row.Status, job.Pending)
			default:
				t.Errorf("beat: %v, recovered: %d, row: %s", beatErr, len(recovered), row.Status)
			}
		}
	})

	t.Run("a late completion never overwrites its successor's", func(t *testing.T) {
		for range 50 {
			a := running(t, f.Store)
			f.expire(t, a.ID)
			var lateErr error
			var b job.Job
			together(2, func(i int) {
				if i == 0 {
					lateErr = stores[0].Complete(t.Context(), a.Fence(), completion(a))
					return
				}
				if _, err := stores[1].Recover(t.Context(), attempts, 1000); err != nil {
					t.Errorf("recover: %v", err)
				}
				j, claimed, err := stores[1].Claim(t.Context(), a.ID, "host", lease)
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				if claimed {
					b = j
					if err := stores[1].Complete(t.Context(), b.Fence(), completion(b)); err != nil {
						t.Errorf("the successor's completion: %v", err)
					}
				}
			})
			row := get(t, f.Store, a.ID)
			sound(t, row)
			equal(t, "status", row.Status, job.Done)
			switch {
			case lateErr == nil && b.ID == "":
				equal(t, "file", row.FilePath, completion(a).FilePath)
			case fault.Is(lateErr, fault.Lost) && b.ID != "":
				equal(t, "file", row.FilePath, completion(b).FilePath)
				equal(t, "attempt", row.Attempt, 2)
			default:
				t.Errorf("late completion: %v, successor %q", lateErr, b.ID)
			}
		}
	})
}
