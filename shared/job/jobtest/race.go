package jobtest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// together starts n calls at one moment and waits for all of them.
func together(n int, call func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			call(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// processes are stores on one table, as two processes would have.
func processes(t *testing.T, f Fixture) []job.Store {
	t.Helper()
	return []job.Store{f.Store, f.Open(t)}
}

func testRaceClaim(t *testing.T, f Fixture) {
	stores := processes(t, f)
	for range 20 {
		id := submit(t, f.Store, newJob()).ID
		var mu sync.Mutex
		var winners []job.Job
		together(20, func(i int) {
			// All claimers carry one name: the token tells them apart.
			j, claimed, err := stores[i%2].Claim(t.Context(), id, "same name", lease)
			if err != nil {
				t.Errorf("claim: %v", err)
			}
			if claimed {
				mu.Lock()
				defer mu.Unlock()
				winners = append(winners, j)
			}
		})
		if len(winners) != 1 {
			t.Fatalf("%d of 20 claimers won", len(winners))
		}
		row := get(t, f.Store, id)
		equal(t, "row", row, winners[0])
		equal(t, "attempt", row.Attempt, 1)
	}
}

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

func testRaceSplit(t *testing.T, f Fixture) {
	stores := processes(t, f)

	t.Run("many workers do each chunk once and one of them packs", func(t *testing.T) {
		const chunks = 24
		j := splitJob(t, f.Store, chunks)
		var mu sync.Mutex
		claims := map[int]int{}
		packers := 0
		together(8, func(i int) {
			s := stores[i%2]
			for {
				c, claimed, err := s.ClaimChunk(t.Context(), j.ID, "same name", lease)
				if err != nil {
					t.Errorf("claim chunk: %v", err)
					return
				}
				if !claimed {
					break
				}
				mu.Lock()
				claims[c.No]++
				mu.Unlock()
				if err := s.FinishChunk(t.Context(), c.Fence(), job.ChunkDone{FilePath: fmt.Sprint("c", c.No), Rows: 10}); err != nil {
					t.Errorf("finish chunk: %v", err)
				}
			}
			_, packed, err := s.Pack(t.Context(), j.ID, "same name", lease)
			if err != nil {
				t.Errorf("pack: %v", err)
			}
			if packed {
				mu.Lock()
				packers++
				mu.Unlock()
			}
		})
		equal(t, "chunks claimed", len(claims), chunks)
		for no, n := range claims {
			equal(t, fmt.Sprintf("claims of chunk %d", no), n, 1)
		}
		equal(t, "packers", packers, 1)
		row := get(t, f.Store, j.ID)
		sound(t, row)
		equal(t, "rows", row.ProcessedRows, 10*chunks)
	})

	t.Run("many recoveries recover each chunk once", func(t *testing.T) {
		j := splitJob(t, f.Store, 10)
		for range 10 {
			f.SetChunk(t, j.ID, claimChunk(t, f.Store, j.ID).No, map[string]any{"lease_until": int64(1)})
		}
		together(6, func(i int) {
			if _, err := stores[i%2].RecoverChunks(t.Context(), attempts, 1000); err != nil {
				t.Errorf("recover chunks: %v", err)
			}
		})
		for _, c := range must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), j.ID)) {
			equal(t, "status", c.Status, job.Pending)
			equal(t, "failures", c.Failures, 1)
		}
	})

	t.Run("two planners plan one set of chunks", func(t *testing.T) {
		// A stale planner that comes back adds nothing once it has lost.
		for range 20 {
			a := running(t, f.Store)
			f.expire(t, a.ID)
			together(2, func(i int) {
				if i == 0 {
					for no := 1; no <= 5; no++ {
						_, err := stores[0].AddChunk(t.Context(), a.Fence(), job.Chunk{No: no, KeyTo: "[1]"})
						if err != nil && !fault.Is(err, fault.Lost) {
							t.Errorf("add chunk: %v", err)
						}
					}
					return
				}
				if _, err := stores[1].Recover(t.Context(), attempts, 1000); err != nil {
					t.Errorf("recover: %v", err)
				}
			})
			before := must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), a.ID))
			equal(t, "status", get(t, f.Store, a.ID).Status, job.Pending)
			_, err := f.Store.AddChunk(t.Context(), a.Fence(), job.Chunk{No: len(before) + 1})
			wantCode(t, err, fault.Lost)
			equal(t, "chunks", len(must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), a.ID))), len(before))
		}
	})

	t.Run("a packer and a cancel exclude each other", func(t *testing.T) {
		for range 60 {
			j := chunksDone(t, f.Store)
			var packer job.Job
			var packed bool
			var packErr, cancelErr error
			together(2, func(i int) {
				if i == 0 {
					packer, packed, packErr = stores[0].Pack(t.Context(), j.ID, "packer", lease)
					if packed {
						packErr = stores[0].Complete(t.Context(), packer.Fence(), completion(packer))
					}
				} else {
					_, cancelErr = stores[1].Cancel(t.Context(), j.ID)
				}
			})
			row := get(t, f.Store, j.ID)
			sound(t, row)
			switch {
			case packErr == nil && packed && fault.Is(cancelErr, fault.Conflict):
				equal(t, "status", row.Status, job.Done)
			case cancelErr == nil && (!packed && packErr == nil || fault.Is(packErr, fault.Cancelled)):
				equal(t, "cancel wanted", row.CancelWanted, true)
			default:
				t.Errorf("packed %v (%v), cancel: %v, row: %s", packed, packErr, cancelErr, row.Status)
			}
		}
	})
}
