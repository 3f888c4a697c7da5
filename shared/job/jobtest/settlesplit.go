package jobtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testSettleSplit(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	const threshold = 10 * time.Minute

	settle := func(t *testing.T) map[string]job.Recovered {
		t.Helper()
		byID := map[string]job.Recovered{}
		for _, r := range must[[]job.Recovered](t)(s.SettleSplit(t.Context(), threshold, 1000)) {
			byID[r.Job.ID] = r
		}
		return byID
	}
	untouched := func(t *testing.T, j job.Job) {
		t.Helper()
		old := f.now(t) - threshold.Milliseconds() - 1
		f.SetJob(t, j.ID, map[string]any{"updated_at": old})
		for _, c := range must[[]job.Chunk](t)(s.Chunks(t.Context(), j.ID)) {
			f.SetChunk(t, j.ID, c.No, map[string]any{"updated_at": old})
		}
	}

	t.Run("recovers chunks whose worker is lost", func(t *testing.T) {
		j := splitJob(t, s, 3)
		lost, dead, live := claimChunk(t, s, j.ID), claimChunk(t, s, j.ID), claimChunk(t, s, j.ID)
		f.SetChunk(t, j.ID, lost.No, map[string]any{"lease_until": int64(1)})
		f.SetChunk(t, j.ID, dead.No, map[string]any{"lease_until": nil, "failures": attempts - 1})
		ids := must[[]string](t)(s.RecoverChunks(ctx, attempts, 100))
		if !slices.Equal(ids, []string{j.ID}) {
			t.Errorf("jobs to wake %v", ids)
		}
		equal(t, "lost chunk", getChunk(t, s, j.ID, lost.No), job.Chunk{
			JobID: j.ID, No: lost.No, Status: job.Pending, Attempt: 1, Failures: 1,
		})
		after := getChunk(t, s, j.ID, dead.No)
		equal(t, "status", after.Status, job.Fail)
		equal(t, "message", after.ErrorMsg, "Worker lost 3 times")
		equal(t, "live chunk", getChunk(t, s, j.ID, live.No), live)
		equal(t, "again", len(must[[]string](t)(s.RecoverChunks(ctx, attempts, 100))), 0)
		wantCode(t, s.FinishChunk(ctx, lost.Fence(), job.ChunkDone{FilePath: "late"}), fault.Lost)
	})

	t.Run("at most so many chunks at once", func(t *testing.T) {
		j := splitJob(t, s, 3)
		for range 3 {
			f.SetChunk(t, j.ID, claimChunk(t, s, j.ID).No, map[string]any{"lease_until": int64(1)})
		}
		must[[]string](t)(s.RecoverChunks(ctx, attempts, 2))
		waiting := 0
		for _, c := range must[[]job.Chunk](t)(s.Chunks(ctx, j.ID)) {
			if c.Status == job.Pending {
				waiting++
			}
		}
		equal(t, "recovered", waiting, 2)
	})

	t.Run("leaves chunks of other jobs alone", func(t *testing.T) {
		for name, end := range map[string]map[string]any{
			"failed": {"status": "FAIL"}, "cancelled": {"cancel_yn": "Y"}, "packing": {"phase": "PACKING"}, "waiting": {"status": "PENDING", "phase": nil},
		} {
			j := splitJob(t, s, 1)
			c := claimChunk(t, s, j.ID)
			f.SetChunk(t, j.ID, c.No, map[string]any{"lease_until": int64(1)})
			f.SetJob(t, j.ID, end)
			if ids := must[[]string](t)(s.RecoverChunks(ctx, attempts, 100)); slices.Contains(ids, j.ID) {
				t.Errorf("%s: recovered", name)
			}
		}
	})

	t.Run("a failed chunk fails the job with its message", func(t *testing.T) {
		j := splitJob(t, s, 2)
		c := claimChunk(t, s, j.ID)
		ok(t, s.FailChunk(ctx, c.Fence(), "The source is broken."))
		r := settle(t)[j.ID]
		equal(t, "failed", r.Failed, true)
		equal(t, "wake", r.Wake, false)
		sound(t, r.Job)
		equal(t, "status", r.Job.Status, job.Fail)
		equal(t, "message", r.Job.ErrorMsg, "The source is broken.")
		equal(t, "failures", r.Job.Failures, 1)
		if _, again := settle(t)[j.ID]; again {
			t.Error("settled twice")
		}
	})

	t.Run("a cancel ends the job", func(t *testing.T) {
		j := splitJob(t, s, 2)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		r := settle(t)[j.ID]
		equal(t, "failed", r.Failed, true)
		sound(t, r.Job)
		equal(t, "message", r.Job.ErrorMsg, job.CancelledMessage)
		equal(t, "failures", r.Job.Failures, 0)
	})

	t.Run("a plan of no chunks waits for its packer", func(t *testing.T) {
		j := splitJob(t, s, 0)
		untouched(t, j)
		equal(t, "wake", settle(t)[j.ID].Wake, true)
	})

	t.Run("a job that waits for a wake, once per threshold", func(t *testing.T) {
		j := splitJob(t, s, 2)
		if _, found := settle(t)[j.ID]; found {
			t.Error("woken before its time")
		}
		untouched(t, j)
		before := get(t, s, j.ID)
		r := settle(t)[j.ID]
		equal(t, "wake", r.Wake, true)
		want := before
		want.UpdatedAt = r.Job.UpdatedAt
		equal(t, "row: only updated_at is new", r.Job, want)
		if _, found := settle(t)[j.ID]; found {
			t.Error("woken twice")
		}

		// A beating chunk means that somebody is there.
		c := claimChunk(t, s, j.ID)
		untouched(t, j)
		_, err := s.BeatChunk(ctx, c.Fence(), 1, lease)
		ok(t, err)
		if _, found := settle(t)[j.ID]; found {
			t.Error("woken while a chunk beats")
		}
	})

	t.Run("a missing packer is woken", func(t *testing.T) {
		j := splitJob(t, s, 1)
		c := claimChunk(t, s, j.ID)
		untouched(t, j)
		if _, found := settle(t)[j.ID]; found {
			t.Error("woken with nothing to do")
		}
		ok(t, s.FinishChunk(ctx, c.Fence(), job.ChunkDone{FilePath: "x"}))
		untouched(t, j)
		equal(t, "wake", settle(t)[j.ID].Wake, true)
	})

	t.Run("at most so many jobs at once", func(t *testing.T) {
		for range 3 {
			j := splitJob(t, s, 1)
			must[job.Job](t)(s.Cancel(ctx, j.ID))
		}
		for range 2 {
			untouched(t, splitJob(t, s, 1))
		}
		for i, want := range []int{2, 2, 1, 0} {
			got := must[[]job.Recovered](t)(s.SettleSplit(ctx, threshold, 2))
			equal(t, fmt.Sprintf("settled in round %d", i+1), len(got), want)
		}
	})
}

// testEndSplit: one job ends at once, as SettleSplit would end it later.
func testEndSplit(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("a failed chunk fails the job with its message", func(t *testing.T) {
		j := chunkFailed(t, s)
		after := endSplit(t, s, j.ID)
		sound(t, after)
		want := j
		want.Status, want.Phase, want.ErrorMsg, want.Failures, want.ActiveKey = job.Fail, job.PhaseNone, "broken", 1, ""
		want.CompletedAt, want.UpdatedAt = after.CompletedAt, after.UpdatedAt
		equal(t, "row", after, want)
	})

	t.Run("an accepted cancel ends the job without a failure, whatever its chunks say", func(t *testing.T) {
		for name, j := range map[string]job.Job{"waiting": splitJob(t, s, 1), "done": chunksDone(t, s), "failed": chunkFailed(t, s)} {
			must[job.Job](t)(s.Cancel(ctx, j.ID))
			after := endSplit(t, s, j.ID)
			sound(t, after)
			equal(t, name+": message", after.ErrorMsg, job.CancelledMessage)
			equal(t, name+": failures", after.Failures, 0)
		}
	})

	t.Run("any other job is answered as it is", func(t *testing.T) {
		for _, j := range []job.Job{splitJob(t, s, 1), chunksDone(t, s), running(t, s), packing(t, s), splitFailed(t, s)} {
			after, ended, err := s.EndSplit(ctx, j.ID)
			ok(t, err)
			equal(t, "ended", ended, false)
			equal(t, "answer", after, j)
			unchanged(t, s, j)
		}
	})

	t.Run("a job that is not there", func(t *testing.T) {
		for _, id := range []string{uuid.NewString(), "a\x00b"} {
			_, _, err := s.EndSplit(ctx, id)
			wantCode(t, err, fault.NotFound)
		}
	})
}
