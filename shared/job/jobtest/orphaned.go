package jobtest

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// testOrphaned: an object is needed while a row names it, or while its job or
// chunk runs at the attempt that makes it.
func testOrphaned(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	of := func(j job.Job, attempt int) job.Object {
		return job.Object{Key: fmt.Sprintf("exports/%s/%d/file.xlsx", j.ID, attempt), JobID: j.ID, Attempt: attempt}
	}
	ofChunk := func(c job.Chunk, attempt int) job.Object {
		return job.Object{Key: fmt.Sprintf("exports/%s/chunks/%d/%d/rows", c.JobID, c.No, attempt), JobID: c.JobID, Chunk: c.No, Attempt: attempt}
	}
	check := func(t *testing.T, what string, o job.Object, want bool) {
		t.Helper()
		equal(t, what+" is orphaned", must[bool](t)(s.Orphaned(ctx, o)), want)
	}

	t.Run("a job's object", func(t *testing.T) {
		j := running(t, s)
		check(t, "that of the running attempt", of(j, 1), false)
		check(t, "that of an attempt which never was", of(j, 2), true)
		f.expire(t, j.ID)
		check(t, "that of an attempt which may have been lost", of(j, 1), false)
		recoverAll(t, s)
		check(t, "that of a lost attempt", of(j, 1), true)
		j = claim(t, s, j.ID)
		check(t, "that of an earlier attempt", of(j, 1), true)
		check(t, "that of the new attempt", of(j, 2), false)
		ok(t, s.Complete(ctx, j.Fence(), completion(j)))
		check(t, "the finished file", of(j, 2), false)
		check(t, "another object of the finished attempt", job.Object{Key: of(j, 2).Key + " ", JobID: j.ID, Attempt: 2}, true)
		f.age(t, j.ID, 2*ttl)
		_, swept, err := s.MarkSwept(ctx, j.ID, ttl)
		ok(t, err)
		equal(t, "swept", swept, true)
		check(t, "the file of a swept job", of(j, 2), true)
	})

	t.Run("an object of nobody", func(t *testing.T) {
		check(t, "that of an unknown job, perhaps of another table", of(job.Job{ID: uuid.NewString()}, 1), false)
		waiting := submit(t, s, newJob())
		check(t, "that of a job that waits", of(waiting, 0), true)
		check(t, "that of a failed job", of(failed(t, s), 1), true)
	})

	t.Run("an object that another job names", func(t *testing.T) {
		a, b := finished(t, s), finished(t, s)
		f.SetJob(t, b.ID, map[string]any{"file_path": a.FilePath})
		f.SetJob(t, a.ID, map[string]any{"file_path": nil, "swept_at": int64(1)})
		check(t, "the shared file", of(a, 1), false)
		check(t, "the file that its job names no more", of(b, 1), true)
	})

	t.Run("a chunk's object", func(t *testing.T) {
		j := splitJob(t, s, 2)
		check(t, "the planner's own", of(j, 1), false)
		c := claimChunk(t, s, j.ID)
		check(t, "that of the running attempt", ofChunk(c, 1), false)
		check(t, "that of another chunk", ofChunk(job.Chunk{JobID: j.ID, No: 2}, 1), true)
		must[bool](t)(s.RetryChunk(ctx, c.Fence(), attempts))
		check(t, "that of a given-up attempt", ofChunk(c, 1), true)
		c = claimChunk(t, s, j.ID)
		o := ofChunk(c, 2)
		ok(t, s.FinishChunk(ctx, c.Fence(), job.ChunkDone{FilePath: o.Key, Rows: 1}))
		check(t, "that of a finished chunk", o, false)
		check(t, "a job's object with the chunk's attempt", of(j, 2), true)
	})

	t.Run("a key that no row can hold", func(t *testing.T) {
		_, err := s.Orphaned(ctx, job.Object{Key: "a\x00", JobID: uuid.NewString(), Attempt: 1})
		wantCode(t, err, fault.Invalid)
	})
}
