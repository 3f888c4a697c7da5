package jobsql_test

import (
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// TestPlannerThatIsBeingTakenOverAddsNothing: a take-over that has changed the
// job's row but is not committed yet holds back a planned chunk, which is then
// refused. Stored at once, it would stand behind the successor's back.
func TestPlannerThatIsBeingTakenOverAddsNothing(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := open(t, newURL(t), jobsql.Options{})
			if _, err := s.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			n := newJob()
			if _, err := s.Submit(ctx, n, job.SubmitLimits{}); err != nil {
				t.Fatal(err)
			}
			planner, claimed, err := s.Claim(ctx, n.ID, "planner", lease)
			if err != nil || !claimed {
				t.Fatalf("claimed %v, %v", claimed, err)
			}

			takeOver, err := s.DB().BeginTx(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := takeOver.ExecContext(ctx, "UPDATE ha_excel_job SET status = 'PENDING', server_id = NULL"); err != nil {
				t.Fatal(err)
			}
			added := make(chan error, 1)
			go func() {
				_, err := s.AddChunk(ctx, planner.Fence(), job.Chunk{No: 1})
				added <- err
			}()
			select {
			case err := <-added:
				t.Errorf("the chunk was settled before the take-over: %v", err)
				added <- err
			case <-time.After(300 * time.Millisecond): // it waits
			}
			if err := takeOver.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := <-added; !fault.Is(err, fault.Lost) {
				t.Errorf("error %v, want lost", err)
			}
			if chunks, err := s.Chunks(ctx, n.ID); err != nil || len(chunks) != 0 {
				t.Errorf("chunks %+v, %v", chunks, err)
			}
		})
	}
}
