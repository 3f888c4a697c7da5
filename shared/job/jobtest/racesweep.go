package jobtest

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testRaceReopen(t *testing.T, f Fixture) {
	stores := processes(t, f)

	t.Run("reopening against a submit of the same export leaves one active job", func(t *testing.T) {
		for range 150 {
			base := newJob()
			submit(t, f.Store, base)
			broken := must[job.Job](t)(f.Store.Fail(t.Context(), claim(t, f.Store, base.ID).Fence(), "broken"))
			fresh := base
			fresh.ID = uuid.NewString()
			var reopenErr, submitErr error
			var answer job.Submitted
			together(2, func(i int) {
				if i == 0 {
					_, reopenErr = stores[0].Reopen(t.Context(), broken.ID)
				} else {
					answer, submitErr = stores[1].Submit(t.Context(), fresh, noLimits)
				}
			})
			ok(t, submitErr)
			switch {
			case reopenErr == nil && !answer.Created && answer.Job.ID == broken.ID:
			case fault.Is(reopenErr, fault.Conflict) && answer.Created && answer.Job.ID == fresh.ID:
			default:
				t.Errorf("reopen: %v, submit: created %v, job %s", reopenErr, answer.Created, answer.Job.ID)
			}
			equal(t, "active jobs", f.CountJobs(t, "active_key", base.ExportHash), 1)
		}
	})

	t.Run("many at once wake the job", func(t *testing.T) {
		for range 10 {
			broken := failed(t, f.Store)
			var mu sync.Mutex
			opened := 0
			together(6, func(i int) {
				_, err := stores[i%2].Reopen(t.Context(), broken.ID)
				if err != nil && !fault.Is(err, fault.Conflict) {
					t.Errorf("reopen: %v", err)
				}
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					opened++
				}
			})
			equal(t, "reopened", opened, 1)
			sound(t, get(t, f.Store, broken.ID))
		}
	})

	t.Run("reopening against a late chunk", func(t *testing.T) {
		for range 40 {
			j := splitJob(t, f.Store, 2)
			late := claimChunk(t, f.Store, j.ID)
			ok(t, f.Store.FailChunk(t.Context(), claimChunk(t, f.Store, j.ID).Fence(), "broken"))
			var finishErr error
			together(3, func(i int) {
				switch i {
				case 0:
					finishErr = stores[0].FinishChunk(t.Context(), late.Fence(), job.ChunkDone{FilePath: "late", Rows: 1})
				case 1:
					if _, err := stores[1].SettleSplit(t.Context(), lease, 1000); err != nil {
						t.Errorf("settle: %v", err)
					}
				default:
					if _, err := stores[1].Reopen(t.Context(), j.ID); err != nil && !fault.Is(err, fault.Conflict) {
						t.Errorf("reopen: %v", err)
					}
				}
			})
			c := getChunk(t, f.Store, j.ID, late.No)
			if (finishErr == nil) != (c.Status == job.Done) {
				t.Errorf("finish: %v, chunk: %s", finishErr, c.Status)
			}
			if finishErr != nil && !fault.Is(finishErr, fault.Lost) {
				t.Errorf("finish: %v", finishErr)
			}
			if row := get(t, f.Store, j.ID); row.Status == job.Pending && c.Status == job.Running {
				t.Error("the job waits again, but its chunk runs on")
			}
		}
	})
}

func testRaceSweep(t *testing.T, f Fixture) {
	stores := processes(t, f)
	old := map[string]any{"completed_at": int64(1)}

	t.Run("many sweeps sweep once", func(t *testing.T) {
		for range 10 {
			j := finished(t, f.Store)
			f.SetJob(t, j.ID, old)
			var mu sync.Mutex
			var keys [][]string
			together(6, func(i int) {
				got, swept, err := stores[i%2].MarkSwept(t.Context(), j.ID, ttl)
				if err != nil {
					t.Errorf("sweep: %v", err)
				}
				if swept {
					mu.Lock()
					defer mu.Unlock()
					keys = append(keys, got)
				} else if len(got) != 0 {
					t.Errorf("a sweep that did not sweep answered %q", got)
				}
			})
			if len(keys) != 1 || !slices.Equal(keys[0], []string{j.FilePath}) {
				t.Errorf("swept with the keys %q", keys)
			}
		}
	})

	t.Run("a sweep and a reopening exclude each other", func(t *testing.T) {
		for range 100 {
			j := failed(t, f.Store)
			f.SetJob(t, j.ID, old)
			var swept bool
			var sweepErr, reopenErr error
			together(2, func(i int) {
				if i == 0 {
					_, swept, sweepErr = stores[0].MarkSwept(t.Context(), j.ID, ttl)
				} else {
					_, reopenErr = stores[1].Reopen(t.Context(), j.ID)
				}
			})
			ok(t, sweepErr)
			row := get(t, f.Store, j.ID)
			sound(t, row)
			switch {
			case swept && fault.Is(reopenErr, fault.Conflict):
				equal(t, "status", row.Status, job.Fail)
			case !swept && reopenErr == nil:
				equal(t, "status", row.Status, job.Pending)
				equal(t, "swept at", row.SweptAt, 0)
			default:
				t.Errorf("swept %v, reopen: %v", swept, reopenErr)
			}
		}
	})

	t.Run("many purges count each row once", func(t *testing.T) {
		const jobs = 15
		for range jobs {
			j := finished(t, f.Store)
			f.SetJob(t, j.ID, map[string]any{"completed_at": int64(1), "swept_at": int64(1)})
		}
		var mu sync.Mutex
		total := 0
		together(5, func(i int) {
			n, err := stores[i%2].Purge(t.Context(), 999*ttl, 1000)
			if err != nil {
				t.Errorf("purge: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
		if total < jobs {
			t.Errorf("%d rows were purged, want %d", total, jobs)
		}
		equal(t, "rows", f.CountJobs(t, "swept_at", int64(1)), 0)
	})
}
