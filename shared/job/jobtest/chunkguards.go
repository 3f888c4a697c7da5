package jobtest

import (
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// testChunkGuards tries every transition of a chunk while its job is in a state
// in which chunks are not to be worked on, and with a claim that is not the
// chunk's.
func testChunkGuards(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	transitions := map[string]func(fence job.ChunkFence) error{
		"beat": func(fence job.ChunkFence) error {
			_, err := s.BeatChunk(ctx, fence, 5, 2*lease)
			return err
		},
		"finish": func(fence job.ChunkFence) error {
			return s.FinishChunk(ctx, fence, job.ChunkDone{FilePath: "late", Rows: 1})
		},
		"retry": func(fence job.ChunkFence) error {
			_, err := s.RetryChunk(ctx, fence, attempts)
			return err
		},
		"retry at the last attempt": func(fence job.ChunkFence) error {
			_, err := s.RetryChunk(ctx, fence, 1)
			return err
		},
		"release": func(fence job.ChunkFence) error { return s.ReleaseChunk(ctx, fence) },
		"fail":    func(fence job.ChunkFence) error { return s.FailChunk(ctx, fence, "late") },
	}

	for name, columns := range map[string]map[string]any{
		"waiting":   {"status": "PENDING", "phase": nil},
		"planning":  {"phase": nil},
		"packing":   {"phase": "PACKING"},
		"done":      {"status": "DONE", "phase": nil},
		"failed":    {"status": "FAIL", "phase": nil},
		"cancelled": {"cancel_yn": "Y"},
	} {
		t.Run("the job is "+name, func(t *testing.T) {
			j := splitJob(t, s, 2)
			c := claimChunk(t, s, j.ID)
			f.SetJob(t, j.ID, columns)
			for transition, do := range transitions {
				err := do(c.Fence())
				if name == "cancelled" && transition == "beat" {
					ok(t, err) // it answers that a cancel is wanted
				} else if !fault.Is(err, fault.Lost) {
					t.Errorf("%s: error %v, want lost", transition, err)
				}
				if after := getChunk(t, s, j.ID, c.No); after != c {
					t.Fatalf("%s changed the chunk:\nbefore %+v\nafter  %+v", transition, c, after)
				}
			}
			_, claimed, err := s.ClaimChunk(ctx, j.ID, "other", lease)
			ok(t, err)
			equal(t, "claimed", claimed, false)
		})
	}

	t.Run("the chunk is another worker's", func(t *testing.T) {
		j := splitJob(t, s, 1)
		a := claimChunk(t, s, j.ID)
		must[bool](t)(s.RetryChunk(ctx, a.Fence(), attempts))
		waiting := getChunk(t, s, j.ID, 1)
		b := claimChunk(t, s, j.ID)
		for _, stale := range []job.ChunkFence{
			a.Fence(),
			{JobID: j.ID, No: 1, Token: b.Token, Attempt: a.Attempt},
			{JobID: j.ID, No: 1, Token: a.Token, Attempt: b.Attempt},
			waiting.Fence(),
			{JobID: j.ID, No: 2, Token: b.Token, Attempt: b.Attempt},
		} {
			for transition, do := range transitions {
				if err := do(stale); !fault.Is(err, fault.Lost) {
					t.Errorf("%s: error %v, want lost", transition, err)
				}
			}
		}
		equal(t, "chunk", getChunk(t, s, j.ID, 1), b)
	})
}
