package cases

import (
	"context"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// claimed is a job table in which something happens around a claim.
type claimed struct {
	job.Store
	before, after func()
}

func (s claimed) Claim(ctx context.Context, jobID, serverID string, lease time.Duration) (job.Job, bool, error) {
	s.before()
	defer s.after()
	return s.Store.Claim(ctx, jobID, serverID, lease)
}

// J3 (b): a cancel between a claim's read and its update keeps the claim from
// taking effect; one right after the update sets the flag on the running job,
// which then ends cancelled.
func TestCase_J3_Claim(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d, "HAEXCEL_LEASE=2s")
		for name, attempts := range map[string]int{"before the update": 0, "after the update": 1} {
			accepted, err := p.export(t.Context(), "good", name)
			if err != nil {
				t.Fatal(err)
			}
			cancel := func() {
				if _, err := p.cancel.Do(t.Context(), app.Caller{Subject: "kim"}, accepted.JobID, ""); err != nil {
					t.Errorf("%s: cancel: %v", name, err)
				}
				if j := p.row(t, accepted.JobID); !j.CancelWanted || (j.Status == job.Running) != (attempts == 1) {
					t.Errorf("%s: %s, flag %t", name, j.Status, j.CancelWanted)
				}
			}
			work := *p.work
			hooked := claimed{p.store, cancel, func() {}}
			if attempts == 1 {
				hooked.before, hooked.after = hooked.after, hooked.before
			}
			work.Store = hooked
			w, err := wake.Parse(wakeOf(p.row(t, accepted.JobID)))
			if err != nil {
				t.Fatal(err)
			}
			if out, err := work.Do(t.Context(), w); out.Verdict != app.Consumed || err != nil {
				t.Errorf("%s: the message: %+v, %v", name, out, err)
			}
			j := p.row(t, accepted.JobID)
			wantCancelled(t, j)
			if j.Attempt != attempts || len(p.stored(t)) != 0 {
				t.Errorf("%s: attempt %d, objects %v", name, j.Attempt, p.stored(t))
			}
		}
	})
}
