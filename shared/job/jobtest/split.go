package jobtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// splitJob is a job in CHUNKS with so many PENDING chunks.
func splitJob(t testing.TB, s job.Store, chunks int) job.Job {
	t.Helper()
	j := running(t, s)
	for no := 1; no <= chunks; no++ {
		must[job.Chunk](t)(s.AddChunk(t.Context(), j.Fence(), job.Chunk{No: no}))
	}
	return must[job.Job](t)(s.PlanDone(t.Context(), j.Fence(), job.Planned{}))
}

func claimChunk(t testing.TB, s job.Store, jobID string) job.Chunk {
	t.Helper()
	c, claimed, err := s.ClaimChunk(t.Context(), jobID, "host", lease)
	ok(t, err)
	if !claimed {
		t.Fatal("no chunk was claimed")
	}
	return c
}

func getChunk(t testing.TB, s job.Store, jobID string, no int) job.Chunk {
	t.Helper()
	return must[[]job.Chunk](t)(s.Chunks(t.Context(), jobID))[no-1]
}

// packing is a split job whose chunks are done and whose packer works.
func packing(t testing.TB, s job.Store) job.Job {
	t.Helper()
	j := splitJob(t, s, 1)
	c := claimChunk(t, s, j.ID)
	ok(t, s.FinishChunk(t.Context(), c.Fence(), job.ChunkDone{FilePath: "chunk of " + j.ID, Rows: 10, Bytes: 100}))
	j, claimed, err := s.Pack(t.Context(), j.ID, "packer", lease)
	ok(t, err)
	if !claimed {
		t.Fatal("not packed")
	}
	return j
}

func testSplit(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("a split job from plan to file", func(t *testing.T) {
		j := running(t, s)
		bounds := []string{"", `[10]`, `["가 "]`, ""}
		for no := 1; no <= 3; no++ {
			c := must[job.Chunk](t)(s.AddChunk(ctx, j.Fence(), job.Chunk{No: no, KeyFrom: bounds[no-1], KeyTo: bounds[no]}))
			equal(t, "chunk", c, job.Chunk{JobID: j.ID, No: no, Status: job.Pending, KeyFrom: bounds[no-1], KeyTo: bounds[no]})
		}
		// A resumed planner takes what is stored.
		c := must[job.Chunk](t)(s.AddChunk(ctx, j.Fence(), job.Chunk{No: 2, KeyFrom: "[99]"}))
		equal(t, "stored bound", c.KeyFrom, bounds[1])

		_, claimed, err := s.ClaimChunk(ctx, j.ID, "host", lease)
		ok(t, err)
		equal(t, "claimed before the plan is done", claimed, false)

		planned := must[job.Job](t)(s.PlanDone(ctx, j.Fence(), job.Planned{}))
		sound(t, planned)
		equal(t, "phase", planned.Phase, job.PhaseChunks)
		equal(t, "attempt", planned.Attempt, j.Attempt)
		if planned.WokenAt <= j.WokenAt {
			t.Error("the wakes are not new ones")
		}

		var claims []job.Chunk
		for no := 1; no <= 3; no++ {
			from := f.now(t)
			c := claimChunk(t, s, j.ID)
			equal(t, "lowest chunk", c.No, no)
			equal(t, "status", c.Status, job.Running)
			equal(t, "attempt", c.Attempt, 1)
			if c.LeaseUntil < from+lease.Milliseconds() || c.Token == "" {
				t.Errorf("lease %d, token %q", c.LeaseUntil, c.Token)
			}
			claims = append(claims, c)
		}
		_, claimed, err = s.ClaimChunk(ctx, j.ID, "host", lease)
		ok(t, err)
		equal(t, "claimed a fourth", claimed, false)

		for i, c := range claims {
			cancelled, err := s.BeatChunk(ctx, c.Fence(), int64(i+1), lease)
			ok(t, err)
			equal(t, "cancel wanted", cancelled, false)
		}
		equal(t, "rows of the job", get(t, s, j.ID).ProcessedRows, 6)
		_, err = s.BeatChunk(ctx, claims[0].Fence(), -1, lease)
		ok(t, err)
		equal(t, "rows of the job", get(t, s, j.ID).ProcessedRows, 6)

		for i, c := range claims {
			_, packed, err := s.Pack(ctx, j.ID, "packer", lease)
			ok(t, err)
			equal(t, "packed too early", packed, false)
			d := job.ChunkDone{FilePath: fmt.Sprintf("c%d", c.No), Rows: 100, Bytes: 1 << 40, CRC32: 0xffffffff, AsOf: int64(70 + i)}
			ok(t, s.FinishChunk(ctx, c.Fence(), d))
			ok(t, s.FinishChunk(ctx, c.Fence(), job.ChunkDone{FilePath: "again"}))
			want := c
			want.Status, want.FilePath, want.RowCount, want.Bytes, want.CRC32, want.AsOf = job.Done, d.FilePath, d.Rows, d.Bytes, d.CRC32, d.AsOf
			want.LeaseUntil = 0
			equal(t, "finished chunk", getChunk(t, s, j.ID, c.No), want)
		}

		packer, packed, err := s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		equal(t, "packed", packed, true)
		sound(t, packer)
		equal(t, "phase", packer.Phase, job.PhasePacking)
		equal(t, "attempt", packer.Attempt, j.Attempt+1)
		equal(t, "rows of the job", packer.ProcessedRows, 300)
		_, packed, err = s.Pack(ctx, j.ID, "other", lease)
		ok(t, err)
		equal(t, "packed twice", packed, false)

		wantCode(t, s.Complete(ctx, j.Fence(), completion(j)), fault.Lost) // the planner's claim is over
		ok(t, s.Complete(ctx, packer.Fence(), completion(packer)))
		sound(t, get(t, s, j.ID))
	})

	t.Run("a packer may give back like any worker", func(t *testing.T) {
		j := packing(t, s)
		after := must[job.Job](t)(s.HandOver(ctx, j.Fence(), job.HandOver{CheckpointJSON: "{}", MaxHops: 5}))
		sound(t, after)
		equal(t, "chunks kept", getChunk(t, s, j.ID, 1).Status, job.Done)
		again := claim(t, s, j.ID)
		must[job.Job](t)(s.PlanDone(ctx, again.Fence(), job.Planned{}))
		_, packed, err := s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		equal(t, "packed", packed, true)
	})

	t.Run("a chunk fails and is tried again until its attempts are used up", func(t *testing.T) {
		j := splitJob(t, s, 1)
		for failures := 1; failures < attempts; failures++ {
			c := claimChunk(t, s, j.ID)
			equal(t, "attempt", c.Attempt, failures)
			_, err := s.BeatChunk(ctx, c.Fence(), 9, lease)
			ok(t, err)
			retried := must[bool](t)(s.RetryChunk(ctx, c.Fence(), attempts))
			equal(t, "retried", retried, true)
			equal(t, "chunk", getChunk(t, s, j.ID, 1), job.Chunk{
				JobID: j.ID, No: 1, Status: job.Pending, Attempt: failures, Failures: failures,
			})
		}
		c := claimChunk(t, s, j.ID)
		equal(t, "retried past the last attempt", must[bool](t)(s.RetryChunk(ctx, c.Fence(), attempts)), false)
		equal(t, "chunk", getChunk(t, s, j.ID, 1), c)
		ok(t, s.FailChunk(ctx, c.Fence(), "broken"))
		after := getChunk(t, s, j.ID, 1)
		equal(t, "status", after.Status, job.Fail)
		equal(t, "message", after.ErrorMsg, "broken")
		equal(t, "failures", after.Failures, attempts)
		equal(t, "token", after.Token, c.Token)
		_, packed, err := s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		equal(t, "packed with a failed chunk", packed, false)
	})

	t.Run("beat tells of a cancel", func(t *testing.T) {
		j := splitJob(t, s, 1)
		c := claimChunk(t, s, j.ID)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		cancelled, err := s.BeatChunk(ctx, c.Fence(), 1, lease)
		ok(t, err)
		equal(t, "cancel wanted", cancelled, true)
		_, packed, err := s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		equal(t, "packed", packed, false)
	})

	t.Run("a plan of no chunks packs at once", func(t *testing.T) {
		j := splitJob(t, s, 0)
		packer, packed, err := s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		equal(t, "packed", packed, true)
		equal(t, "rows", packer.ProcessedRows, 0)
	})
}

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
