package jobtest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// The steps of planners, chunk workers and packers.

// planChunks bounds a plan, so that sequences come to its end.
const planChunks = 3

// addChunk stores the next chunk of a plan, or once more one that is stored.
func (w *machine) addChunk(f job.Fence) {
	next := 1
	if j := w.m.jobs[f.JobID]; j != nil {
		next = len(j.chunks) + 1
	}
	if next > planChunks || next > 1 && rapid.IntRange(0, 4).Draw(w.t, "again") == 0 {
		next = rapid.IntRange(1, next-1).Draw(w.t, "number")
	}
	c := job.Chunk{No: next, KeyTo: fmt.Sprintf(`["%d of attempt %d"]`, next, f.Attempt)}
	w.planned = f.JobID
	w.call(func(s job.Store) {
		got, err := s.AddChunk(w.outer.Context(), f, c)
		want, code := w.m.addChunk(f, c)
		var stored job.Chunk
		if want != nil {
			stored = want.Chunk
		}
		answered(w, "add chunk", got, stored, err, code)
	})
}

func (w *machine) planDone(f job.Fence) {
	p := job.Planned{
		AsOf:           rapid.SampledFrom([]int64{0, w.m.now, w.m.now - 1}).Draw(w.t, "as of"),
		CheckpointJSON: rapid.SampledFrom([]string{"", `{"p":1}`, `{"p":2}`}).Draw(w.t, "checkpoint"),
	}
	w.call(func(s job.Store) {
		j, err := s.PlanDone(w.outer.Context(), f, p)
		answered(w, "plan done", 0, 0, err, w.m.planDone(f, p))
		w.row(j, err)
		if err == nil {
			w.send(j)
		}
	})
}

func (w *machine) claimChunk(id string) (claimed bool) {
	w.call(func(s job.Store) {
		c, got, err := s.ClaimChunk(w.outer.Context(), id, "host", modelLease)
		want := w.m.claimChunk(id)
		answered(w, "claim chunk", got, want != nil, err, "")
		if got && want != nil {
			answered(w, "claimed chunk", c.No, want.No, nil, "")
			w.chunks = append(w.chunks, c.Fence())
		}
		claimed = got
	})
	return claimed
}

func (w *machine) beatChunk(f job.ChunkFence) {
	rows := rapid.Int64Range(-1, 9).Draw(w.t, "rows")
	w.call(func(s job.Store) {
		got, err := s.BeatChunk(w.outer.Context(), f, rows, modelLease)
		want, code := w.m.beatChunk(f, rows)
		answered(w, "beat chunk: cancel wanted", got, want, err, code)
	})
}

func (w *machine) uploadChunk(f job.ChunkFence) { w.put(segmentOf(f)) }

func (w *machine) finishChunk(f job.ChunkFence) {
	d := job.ChunkDone{FilePath: w.put(segmentOf(f)), Rows: 3, Bytes: 1 << 40, CRC32: 0xffffffff, AsOf: 88}
	w.call(func(s job.Store) {
		err := s.FinishChunk(w.outer.Context(), f, d)
		answered(w, "finish chunk", 0, 0, err, w.m.finishChunk(f, d))
	})
}

func (w *machine) retryChunk(f job.ChunkFence) {
	w.call(func(s job.Store) {
		got, err := s.RetryChunk(w.outer.Context(), f, attempts)
		want, code := w.m.retryChunk(f)
		answered(w, "retry chunk", got, want, err, code)
	})
}

func (w *machine) releaseChunk(f job.ChunkFence) {
	w.call(func(s job.Store) {
		err := s.ReleaseChunk(w.outer.Context(), f)
		answered(w, "release chunk", 0, 0, err, w.m.releaseChunk(f))
	})
}

func (w *machine) failChunk(f job.ChunkFence) {
	message := rapid.SampledFrom([]string{"broken", "away"}).Draw(w.t, "message")
	w.call(func(s job.Store) {
		err := s.FailChunk(w.outer.Context(), f, message)
		answered(w, "fail chunk", 0, 0, err, w.m.failChunk(f, message))
	})
}

func (w *machine) packJob(id string) {
	w.call(func(s job.Store) {
		j, packed, err := s.Pack(w.outer.Context(), id, "packer", modelLease)
		want, code := w.m.pack(id)
		answered(w, "pack", packed, want, err, code)
		w.row(j, err)
		if packed {
			w.claims = append(w.claims, j.Fence())
		}
	})
}

func (w *machine) endSplit(id string) {
	w.call(func(s job.Store) {
		j, ended, err := s.EndSplit(w.outer.Context(), id)
		want, code := w.m.endSplit(id)
		answered(w, "end split", ended, want, err, code)
		w.row(j, err)
	})
}

func (w *machine) listChunksLeft() {
	got, err := w.f.Store.ChunksLeft(w.outer.Context(), 1000)
	slices.Sort(got)
	answered(w, "chunks left", fmt.Sprint(got), fmt.Sprint(w.m.idsOf((*modelJob).chunksLeft)), err, "")
}

func (w *machine) dropChunks(id string) {
	w.call(func(s job.Store) {
		keys, err := s.DropChunks(w.outer.Context(), id)
		w.deleted("drop chunks", keys, w.m.dropChunks(id), err, "")
	})
}

// deleted compares the keys that a call answers, and deletes their objects where
// no row names them any more, unless the process dies in between.
func (w *machine) deleted(what string, keys, want []string, err error, code fault.Code) {
	answered(w, what, fmt.Sprint(keys), fmt.Sprint(want), err, code)
	if !w.calm && rapid.IntRange(0, 3).Draw(w.t, "dies before it deletes") == 0 {
		return
	}
	for _, key := range keys {
		named, err := w.f.Store.Named(w.outer.Context(), key)
		answered(w, "named", named, w.m.named(key), err, "")
		if !named {
			delete(w.bucket, key)
		}
	}
}
