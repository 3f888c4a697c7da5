package jobtest

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// testDropChunks: the chunk rows of a job that is over go before their objects.
func testDropChunks(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	left := func(t *testing.T) []string { t.Helper(); return must[[]string](t)(s.ChunksLeft(t.Context(), 1000)) }

	t.Run("each state of the table", func(t *testing.T) {
		unneeded := []string{"split done", "split failed swept", "split cancelled"}
		for _, state := range states {
			j := state.make(t, f)
			equal(t, state.name+": listed", slices.Contains(left(t), j.ID), slices.Contains(unneeded, state.name))
		}
	})

	t.Run("the rows go with their keys, once", func(t *testing.T) {
		j := splitJob(t, s, 4)
		for _, key := range []string{"first of " + j.ID, "second of " + j.ID} {
			ok(t, s.FinishChunk(ctx, claimChunk(t, s, j.ID).Fence(), job.ChunkDone{FilePath: key, Rows: 1}))
		}
		working := claimChunk(t, s, j.ID)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		ended := endSplit(t, s, j.ID)
		equal(t, "listed", slices.Contains(left(t), j.ID), true)

		keys := must[[]string](t)(s.DropChunks(ctx, j.ID))
		if !slices.Equal(keys, []string{"first of " + j.ID, "second of " + j.ID}) {
			t.Errorf("keys %q", keys)
		}
		equal(t, "chunks left", len(must[[]job.Chunk](t)(s.Chunks(ctx, j.ID))), 0)
		equal(t, "listed again", slices.Contains(left(t), j.ID), false)
		equal(t, "keys of a second drop", len(must[[]string](t)(s.DropChunks(ctx, j.ID))), 0)
		unchanged(t, s, ended)

		wantCode(t, s.FinishChunk(ctx, working.Fence(), job.ChunkDone{FilePath: "late"}), fault.Lost)
		_, err := s.BeatChunk(ctx, working.Fence(), 1, lease)
		wantCode(t, err, fault.Lost)
		o := job.Object{Key: "late", JobID: j.ID, Chunk: working.No, Attempt: working.Attempt}
		equal(t, "what the late worker wrote is an orphan", must[bool](t)(s.Orphaned(ctx, o)), true)
	})

	t.Run("what a reopened job has finished stays", func(t *testing.T) {
		j := must[job.Job](t)(s.Reopen(ctx, splitFailed(t, s).ID))
		equal(t, "keys", len(must[[]string](t)(s.DropChunks(ctx, j.ID))), 0)
		equal(t, "chunks", len(must[[]job.Chunk](t)(s.Chunks(ctx, j.ID))), 2)
	})

	t.Run("at most so many jobs", func(t *testing.T) {
		for range 3 {
			j := chunksDone(t, s)
			must[job.Job](t)(s.Cancel(ctx, j.ID))
			endSplit(t, s, j.ID)
		}
		equal(t, "listed", len(must[[]string](t)(s.ChunksLeft(ctx, 2))), 2)
	})

	t.Run("a job that is not there", func(t *testing.T) {
		for _, id := range []string{uuid.NewString(), "a\x00b"} {
			equal(t, "keys", len(must[[]string](t)(s.DropChunks(ctx, id))), 0)
		}
	})
}
