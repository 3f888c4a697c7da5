package jobsql_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// A reuse that has read its source and not yet committed holds a sweep back. It
// is kept there by a row with its idempotency key that somebody has not
// committed, which is as long as a slow disk may take.
func TestSweepWaitsForAReuse(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fixtureOn(newURL)(t)
			ctx, s := t.Context(), f.Store.(*jobsql.Store)
			const object = "exports/source/1/file.xlsx"
			source := job.New{ID: uuid.NewString(), Dataset: "orders", FileName: "a", Requester: "kim", FilterHash: strings.Repeat("f", 64)}
			if _, err := s.Submit(ctx, source, job.SubmitLimits{}); err != nil {
				t.Fatal(err)
			}
			j, claimed, err := s.Claim(ctx, source.ID, "host", time.Minute)
			if err != nil || !claimed {
				t.Fatal(claimed, err)
			}
			if err := s.Complete(ctx, j.Fence(), job.Completion{FilePath: object, AsOf: j.CreatedAt}); err != nil {
				t.Fatal(err)
			}

			key := strings.Repeat("1", 64)
			rival, err := s.DB().BeginTx(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rival.ExecContext(ctx, fmt.Sprintf(`INSERT INTO ha_excel_job
				(job_id, biz_nm, file_name, worker, status, created_at, idempotency_key)
				VALUES ('%s', 'orders', 'b', 'park', 'PENDING', 1, '%s')`, uuid.NewString(), key)); err != nil {
				t.Fatal(err)
			}

			reused := make(chan job.Submitted, 1)
			go func() {
				defer close(reused)
				n := source
				n.ID, n.Requester, n.IdempotencyKey = uuid.NewString(), "lee", key
				n.Reuse = job.Reuse{MaxAge: time.Hour, TTL: time.Hour}
				answer, err := s.Submit(ctx, n, job.SubmitLimits{Window: time.Hour})
				if err != nil {
					t.Errorf("submit: %v", err)
					return
				}
				reused <- answer
			}()
			time.Sleep(200 * time.Millisecond) // until it waits; too short makes the test weaker, never wrong

			removed := make(chan bool, 1)
			go func() {
				defer close(removed)
				keys, swept, err := s.MarkSwept(ctx, source.ID, -time.Hour)
				if err != nil || !swept || len(keys) != 1 {
					t.Errorf("sweep: %q, %v, %v", keys, swept, err)
					return
				}
				named, err := s.Named(ctx, object)
				if err != nil {
					t.Errorf("named: %v", err)
				}
				removed <- !named
			}()
			time.Sleep(200 * time.Millisecond)
			if err := rival.Rollback(); err != nil {
				t.Fatal(err)
			}
			answer, gone := <-reused, <-removed
			if answer.Job.FilePath == object && gone {
				t.Error("the job was given a file that the sweep removed")
			}
			if answer.Job.FilePath != object && !gone {
				t.Error("neither did the job get the file nor the sweep remove it")
			}
		})
	}
}
