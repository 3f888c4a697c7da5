package jobtest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// How the 1,000 random timings of each race are spread: so many jobs at once,
// each put back to its start by a plain write between two timings.
const (
	timings    = 1000
	raceJobs   = 8
	mostJitter = 3 * time.Millisecond
)

// testRaceCancel: an accepted cancel never ends DONE, and a refused one always
// finds a finished job, whatever the worker does in that moment.
func testRaceCancel(t *testing.T, f Fixture) {
	stores := processes(t, f)

	for _, race := range []struct {
		name  string
		start job.Status
		// run is the worker's side, check judges both answers by the row.
		run   func(t *testing.T, s job.Store, j job.Job) error
		check func(t *testing.T, before, row job.Job, runErr, cancelErr error)
	}{
		{
			name: "claim", start: job.Pending,
			run: func(t *testing.T, s job.Store, j job.Job) error {
				got, claimed, err := s.Claim(t.Context(), j.ID, "host", lease)
				if err == nil && !claimed {
					return fault.New(fault.Lost, "not claimed")
				}
				if err == nil && got.Attempt != j.Attempt+1 {
					t.Errorf("attempt went from %d to %d", j.Attempt, got.Attempt)
				}
				return err
			},
			check: func(t *testing.T, before, row job.Job, runErr, cancelErr error) {
				switch {
				case cancelErr == nil && runErr == nil && row.Status == job.Running && row.CancelWanted:
				case cancelErr == nil && fault.Is(runErr, fault.Lost) && row.Status == job.Fail && row.Attempt == before.Attempt:
				default:
					t.Errorf("claim: %v, cancel: %v, row: %s", runErr, cancelErr, row.Status)
				}
			},
		},
		{
			name: "hand over", start: job.Running,
			run: func(t *testing.T, s job.Store, j job.Job) error {
				_, err := s.HandOver(t.Context(), j.Fence(), job.HandOver{MaxHops: 1 << 20})
				return err
			},
			check: givenBackOrCancelled,
		},
		{
			name: "retry", start: job.Running,
			run: func(t *testing.T, s job.Store, j job.Job) error {
				_, retried, err := s.Retry(t.Context(), j.Fence(), 1<<20)
				if err == nil && !retried {
					t.Error("not retried")
				}
				return err
			},
			check: givenBackOrCancelled,
		},
		{
			name: "complete", start: job.Running,
			run: func(t *testing.T, s job.Store, j job.Job) error {
				return s.Complete(t.Context(), j.Fence(), completion(j))
			},
			check: func(t *testing.T, before, row job.Job, runErr, cancelErr error) {
				switch {
				case runErr == nil && fault.Is(cancelErr, fault.Conflict) && row.Status == job.Done && !row.CancelWanted:
				case fault.Is(runErr, fault.Cancelled) && cancelErr == nil && row.Status == job.Running && row.CancelWanted && row.FilePath == "":
				default:
					t.Errorf("complete: %v, cancel: %v, row: %s", runErr, cancelErr, row.Status)
				}
			},
		},
	} {
		t.Run(race.name, func(t *testing.T) {
			var jobs sync.WaitGroup
			for n := range raceJobs {
				j := submit(t, f.Store, newJob())
				if race.start == job.Running {
					j = claim(t, f.Store, j.ID)
				}
				jobs.Go(func() {
					for range timings / raceJobs {
						f.SetJob(t, j.ID, columnsOf(j))
						var runErr, cancelErr error
						together(2, func(i int) {
							time.Sleep(rand.N(mostJitter))
							if i == 0 {
								runErr = race.run(t, stores[n%2], j)
							} else {
								_, cancelErr = stores[(n+1)%2].Cancel(t.Context(), j.ID)
							}
						})
						row, err := f.Store.Get(t.Context(), j.ID)
						if err != nil {
							t.Errorf("read the row: %v", err)
							return
						}
						sound(t, row)
						race.check(t, j, row, runErr, cancelErr)
						ends(t, f.Store, row)
						if t.Failed() {
							return
						}
					}
				})
			}
			jobs.Wait()
		})
	}
}

// givenBackOrCancelled judges hand over and retry: the cancel is always
// accepted, and nothing may leave the job waiting.
func givenBackOrCancelled(t *testing.T, before, row job.Job, runErr, cancelErr error) {
	switch {
	case cancelErr == nil && runErr == nil && row.Status == job.Fail && row.ErrorMsg == job.CancelledMessage:
	case cancelErr == nil && fault.Is(runErr, fault.Cancelled) && row.Status == job.Running && row.CancelWanted:
	default:
		t.Errorf("given back: %v, cancel: %v, row: %s", runErr, cancelErr, row.Status)
	}
}

// ends says that a job which was cancelled while it ran ends as cancelled, when
// its worker stops.
func ends(t *testing.T, s job.Store, row job.Job) {
	if row.Status != job.Running {
		return
	}
	after, err := s.Fail(t.Context(), row.Fence(), "stopped")
	if err != nil {
		t.Errorf("end the cancelled job: %v", err)
		return
	}
	sound(t, after)
	if after.Status != job.Fail || after.ErrorMsg != job.CancelledMessage || after.Failures != row.Failures {
		t.Errorf("the cancelled job ended as %s %q", after.Status, after.ErrorMsg)
	}
}

// columnsOf are the columns that put a row back to how it was.
func columnsOf(j job.Job) map[string]any {
	null := func(v any, isNull bool) any {
		if isNull {
			return nil
		}
		return v
	}
	return map[string]any{
		"status": string(j.Status), "cancel_yn": "N", "server_id": null(j.Token, j.Token == ""),
		"lease_until": null(j.LeaseUntil+time.Hour.Milliseconds(), j.LeaseUntil == 0),
		"phase":       nil, "error_msg": nil, "file_path": nil, "completed_at": nil,
		"attempt": j.Attempt, "failures": j.Failures, "hops": j.Hops, "active_key": j.ActiveKey,
	}
}
