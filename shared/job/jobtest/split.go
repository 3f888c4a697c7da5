package jobtest

import (
	"fmt"
	"testing"

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

	t.Run("a chunk is released without a failure", func(t *testing.T) {
		j := splitJob(t, s, 1)
		c := claimChunk(t, s, j.ID)
		_, err := s.BeatChunk(ctx, c.Fence(), 9, lease)
		ok(t, err)
		before := get(t, s, j.ID)
		ok(t, s.ReleaseChunk(ctx, c.Fence()))
		equal(t, "chunk", getChunk(t, s, j.ID, 1), job.Chunk{JobID: j.ID, No: 1, Status: job.Pending, Attempt: 1})
		before.ProcessedRows = 0
		unchanged(t, s, before)
		wantCode(t, s.ReleaseChunk(ctx, c.Fence()), fault.Lost)
		equal(t, "attempt of the next claim", claimChunk(t, s, j.ID).Attempt, 2)
	})

	t.Run("the plan's moment is kept, its checkpoint as given", func(t *testing.T) {
		j := running(t, s)
		planned := must[job.Job](t)(s.PlanDone(ctx, j.Fence(), job.Planned{AsOf: 11, CheckpointJSON: `{"asOf":11}`}))
		want := j
		want.Phase, want.Token, want.LeaseUntil, want.AsOf, want.CheckpointJSON = job.PhaseChunks, "", 0, 11, `{"asOf":11}`
		want.WokenAt, want.UpdatedAt = planned.WokenAt, planned.UpdatedAt
		equal(t, "row", planned, want)

		packer, packed, err := s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		equal(t, "packed", packed, true)
		after := must[job.Job](t)(s.HandOver(ctx, packer.Fence(), job.HandOver{MaxHops: 5}))
		equal(t, "checkpoint after a hand-over without one", after.CheckpointJSON, `{"asOf":11}`)
		planned = must[job.Job](t)(s.PlanDone(ctx, claim(t, s, j.ID).Fence(), job.Planned{AsOf: 22, CheckpointJSON: `{"asOf":22}`}))
		equal(t, "as of", planned.AsOf, 11)
		equal(t, "checkpoint", planned.CheckpointJSON, `{"asOf":22}`)

		packer, _, err = s.Pack(ctx, j.ID, "packer", lease)
		ok(t, err)
		ok(t, s.Complete(ctx, packer.Fence(), job.Completion{FilePath: "x", AsOf: 11, AsOfEnd: 33}))
		done := get(t, s, j.ID)
		equal(t, "as of", done.AsOf, 11)
		equal(t, "end", done.AsOfEnd, 33)
	})

	t.Run("a plan without a moment or a checkpoint", func(t *testing.T) {
		planned := splitJob(t, s, 1)
		equal(t, "as of", planned.AsOf, 0)
		equal(t, "checkpoint", planned.CheckpointJSON, "")
		j := running(t, s)
		_, err := s.PlanDone(ctx, j.Fence(), job.Planned{CheckpointJSON: "a\x00b"})
		wantCode(t, err, fault.Invalid)
		unchanged(t, s, j)
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
