package jobtest

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testReopen(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("a failed job waits again", func(t *testing.T) {
		broken := failed(t, s)
		f.SetJob(t, broken.ID, map[string]any{"failures": 3, "hops": 9})
		j := must[job.Job](t)(s.Reopen(ctx, broken.ID))
		sound(t, j)
		want := broken
		want.Status, want.Failures, want.Hops, want.ErrorMsg, want.CompletedAt = job.Pending, 0, 0, "", 0
		want.ActiveKey, want.Token = broken.ExportHash, ""
		want.WokenAt, want.UpdatedAt = j.WokenAt, j.UpdatedAt
		equal(t, "row", j, want)
		if j.WokenAt <= broken.WokenAt {
			t.Error("the wake is not a new one")
		}
		equal(t, "attempt of the next claim", claim(t, s, j.ID).Attempt, broken.Attempt+1)
	})

	t.Run("finished chunks are kept, the others start anew", func(t *testing.T) {
		j := splitJob(t, s, 3)
		first := claimChunk(t, s, j.ID)
		ok(t, s.FinishChunk(ctx, first.Fence(), job.ChunkDone{FilePath: "kept", Rows: 5}))
		second := claimChunk(t, s, j.ID)
		ok(t, s.FailChunk(ctx, second.Fence(), "broken"))
		third := claimChunk(t, s, j.ID)
		settled := must[[]job.Recovered](t)(s.SettleSplit(ctx, lease, 100))
		equal(t, "settled", len(settled), 1)
		doneBefore := must[[]job.Chunk](t)(s.Chunks(ctx, j.ID))[0]

		j = must[job.Job](t)(s.Reopen(ctx, j.ID))
		equal(t, "phase", j.Phase, job.PhaseNone)
		chunks := must[[]job.Chunk](t)(s.Chunks(ctx, j.ID))
		equal(t, "finished chunk", chunks[0], doneBefore)
		for _, c := range chunks[1:] {
			equal(t, "status", c.Status, job.Pending)
			equal(t, "failures", c.Failures, 0)
			equal(t, "token", c.Token, "")
			equal(t, "lease", c.LeaseUntil, 0)
			equal(t, "message", c.ErrorMsg, "")
			equal(t, "attempt", c.Attempt, 1)
		}
		// The third chunk's worker was fenced off.
		wantCode(t, s.FinishChunk(ctx, third.Fence(), job.ChunkDone{FilePath: "late"}), fault.Lost)
	})

	t.Run("a reopened job is planned again around what it has", func(t *testing.T) {
		j := running(t, s)
		for no, to := range []string{"[10]", "[20]"} {
			must[job.Chunk](t)(s.AddChunk(ctx, j.Fence(), job.Chunk{No: no + 1, KeyTo: to}))
		}
		must[job.Job](t)(s.PlanDone(ctx, j.Fence(), job.Planned{AsOf: 11, CheckpointJSON: `{"asOf":11}`}))
		ok(t, s.FinishChunk(ctx, claimChunk(t, s, j.ID).Fence(), job.ChunkDone{FilePath: "kept", Rows: 5, AsOf: 12}))
		ok(t, s.FailChunk(ctx, claimChunk(t, s, j.ID).Fence(), "broken"))
		endSplit(t, s, j.ID)

		j = must[job.Job](t)(s.Reopen(ctx, j.ID))
		equal(t, "as of", j.AsOf, 11)
		equal(t, "checkpoint", j.CheckpointJSON, `{"asOf":11}`)
		planner := claim(t, s, j.ID)
		stored := must[[]job.Chunk](t)(s.Chunks(ctx, j.ID))
		for no := 1; no <= 2; no++ {
			c := must[job.Chunk](t)(s.AddChunk(ctx, planner.Fence(), job.Chunk{No: no, KeyFrom: "[99]", KeyTo: "[99]"}))
			equal(t, "stored chunk", c, stored[no-1])
		}
		third := must[job.Chunk](t)(s.AddChunk(ctx, planner.Fence(), job.Chunk{No: 3, KeyFrom: "[20]"}))
		equal(t, "new chunk", third, job.Chunk{JobID: j.ID, No: 3, Status: job.Pending, KeyFrom: "[20]"})
		planned := must[job.Job](t)(s.PlanDone(ctx, planner.Fence(), job.Planned{AsOf: 44, CheckpointJSON: `{"asOf":11}`}))
		equal(t, "as of", planned.AsOf, 11)
		equal(t, "rows of the finished chunk", planned.ProcessedRows, 5)
		equal(t, "next chunk", claimChunk(t, s, j.ID).No, 2)
	})

	t.Run("not while the same export is active, which is named", func(t *testing.T) {
		n := newJob()
		submit(t, s, n)
		broken := must[job.Job](t)(s.Fail(ctx, claim(t, s, n.ID).Fence(), "broken"))
		n.ID = uuid.NewString()
		rival := submit(t, s, n)
		_, err := s.Reopen(ctx, broken.ID)
		wantCode(t, err, fault.Conflict)
		if !strings.Contains(fault.SafeMessage(err), rival.ID) {
			t.Errorf("message %q does not name %s", fault.SafeMessage(err), rival.ID)
		}
		unchanged(t, s, broken)
		unchanged(t, s, rival)
		must[job.Job](t)(s.Cancel(ctx, rival.ID))
		equal(t, "status once the rival has ended", must[job.Job](t)(s.Reopen(ctx, broken.ID)).Status, job.Pending)
	})

	t.Run("not a job in another state", func(t *testing.T) {
		swept := failed(t, s)
		f.SetJob(t, swept.ID, map[string]any{"swept_at": int64(1)})
		waiting := submit(t, s, newJob())
		cancelled := must[job.Job](t)(s.Cancel(ctx, submit(t, s, newJob()).ID))
		for name, j := range map[string]job.Job{
			"waiting": waiting, "running": running(t, s), "done": finished(t, s),
			"cancelled": cancelled, "swept": get(t, s, swept.ID),
		} {
			t.Run(name, func(t *testing.T) {
				_, err := s.Reopen(t.Context(), j.ID)
				wantCode(t, err, fault.Conflict)
				unchanged(t, s, j)
			})
		}
	})
}
