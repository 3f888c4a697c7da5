package cases

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/job"
)

// J2: a worker that was away for longer than its lease comes back and changes
// nothing, also where it has the name of its successor, and where it believes in
// its lease still and works on to the end. That each statement of such a worker
// changes 0 rows is in shared/job/jobtest, statement by statement.
func TestCase_J2(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names [2]string
		lease string // of the first worker
	}{
		"two names":               {[2]string{"first", "second"}, "2s"},
		"one name":                {[2]string{"same", "same"}, "2s"},
		"one name, without doubt": {[2]string{"same", "same"}, "1h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T, d database) {
				const rows = 100
				sets := []string{d.slow(t, rows), d.sales(t, 10)}
				table := newJobTable(t, d)
				settings := []string{"HAEXCEL_RECOVERY_INTERVAL=1s", "HAEXCEL_WORKER_COUNT=1"}
				first := table.start(t, sets, append(settings, "HAEXCEL_LEASE="+c.lease, "HAEXCEL_SERVER_ID="+c.names[0])...)
				id := first.submit(t, "slow", "{}")
				table.running(t, id)
				first.freeze(t, d)
				claim := table.row(t, id)
				if c.lease == "1h" { // is over for the table alone
					d.exec(t, "UPDATE ha_excel_job SET lease_until = 1 WHERE job_id = '"+id+"'")
				}

				second := table.start(t, sets, append(settings, "HAEXCEL_LEASE=2s", "HAEXCEL_SERVER_ID="+c.names[1])...)
				if c.lease == "1h" { // both work at once
					until(t, "the second worker has the job", func() bool {
						j := table.row(t, id)
						return j.Status == job.Running && j.Attempt == 2
					})
					first.thaw(t)
				}
				if end := second.await(t, id); end.Status != "DONE" || end.ProcessedRows != rows {
					t.Fatalf("the second worker's job ended %+v", end)
				}
				before, objects := table.row(t, id), table.stored(t)
				maps.DeleteFunc(objects, func(key, _ string) bool { return strings.Contains(key, "/1/") }) // the first's, not yet given up
				if before.Attempt != 2 || before.Failures != 1 || before.Token == claim.Token || !strings.HasPrefix(before.Token, c.names[1]+"#") {
					t.Errorf("done by %q at attempt %d after %d failures, the first was %q", before.Token, before.Attempt, before.Failures, claim.Token)
				}
				if len(objects) != 1 || objects[before.FilePath] == "" || !strings.Contains(before.FilePath, "/2/") {
					t.Errorf("the storage holds %v, the row names %s", objects, before.FilePath)
				}
				file := second.do(t, http.MethodGet, id+"/file", "")

				// The first has one worker: when it does another job, it is over with this one.
				first.thaw(t)
				if end := first.await(t, first.submit(t, "sales", "{}")); end.Status != "DONE" {
					t.Errorf("the first worker's next job ended %+v", end)
				}
				if diff := cmp.Diff(before, table.row(t, id)); diff != "" {
					t.Errorf("the row was changed: %s", diff)
				}
				if after := table.stored(t); after[before.FilePath] != objects[before.FilePath] || len(after) != 2 {
					t.Errorf("the storage holds %v, before it held %v", after, objects)
				}
				for _, p := range []program{first, second} {
					if again := p.do(t, http.MethodGet, id+"/file", ""); again.code != http.StatusOK || string(again.body) != string(file.body) {
						t.Errorf("the file was changed: %d, %d bytes, %d before", again.code, len(again.body), len(file.body))
					}
				}
				if n := d.count(t, "SELECT COUNT(*) FROM ha_excel_job WHERE status <> '"+string(job.Done)+"'"); n != 0 {
					t.Errorf("%d jobs are not done", n)
				}
			})
		})
	}
}
