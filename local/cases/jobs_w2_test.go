package cases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/job"
)

// impatient are settings with which a killed worker is soon found out.
var impatient = []string{"HAEXCEL_LEASE=2s", "HAEXCEL_RECOVERY_INTERVAL=1s", "HAEXCEL_ORPHAN_THRESHOLD=2s"}

// W2: the job of a worker that was killed is another one's as soon as its lease
// is over, and what that one makes of it is whole. The deadline of a function is
// in functions/.
func TestCase_W2_Killed(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		const rows = 100
		sets := []string{d.slow(t, rows)}
		table := newJobTable(t, d)
		first := table.start(t, sets, impatient...)
		id := first.submit(t, "slow", "{}")
		table.running(t, id)
		first.kill(t)
		second := table.start(t, sets, impatient...)
		if end := second.await(t, id); end.Status != "DONE" || end.ProcessedRows != rows || end.TotalRows != rows {
			t.Errorf("the job ended %+v", end)
		}
		j := table.row(t, id)
		if j.Attempt != 2 || j.Failures != 1 {
			t.Errorf("done at attempt %d after %d failures", j.Attempt, j.Failures)
		}
		for key := range table.stored(t) {
			// The unfinished file of the killed one waits for the sweep.
			if key != j.FilePath && !strings.Contains(key, "/1/.haexcel-") {
				t.Errorf("the storage holds %s", key)
			}
		}
	})
}

// W2: a job that takes each of its workers with it ends, with a reason, when its
// attempts are used up.
func TestCase_W2_KilledEachTime(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		sets := []string{d.held(t)}
		table := newJobTable(t, d)
		id := ""
		for attempt := 1; attempt <= 3; attempt++ {
			p := table.start(t, sets, impatient...)
			if attempt == 1 {
				id = p.submit(t, "held", "{}")
			}
			until(t, fmt.Sprintf("attempt %d runs", attempt), func() bool {
				j := table.row(t, id)
				return j.Status == job.Running && j.Attempt == attempt
			})
			p.kill(t)
		}
		table.start(t, sets, impatient...)
		until(t, "the job ends", func() bool { return table.row(t, id).Status.Finished() })
		j := table.row(t, id)
		if j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "lost 3 times") || j.Attempt != 3 || j.Failures != 3 || j.LeaseUntil != 0 || j.ActiveKey != "" {
			t.Errorf("%s %q at attempt %d after %d failures, lease %d, active key %q", j.Status, j.ErrorMsg, j.Attempt, j.Failures, j.LeaseUntil, j.ActiveKey)
		}
	})
}
