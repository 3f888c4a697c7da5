package jobtest

import (
	"sync"
	"testing"

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
