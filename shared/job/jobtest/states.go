package jobtest

import (
	"testing"

	"github.com/haexcel/haexcel/shared/job"
)

// The states a job row can be in, as far as guards tell them apart.
var states = []struct {
	name string
	make func(t *testing.T, f Fixture) job.Job
}{
	{"pending", func(t *testing.T, f Fixture) job.Job { return submit(t, f.Store, newJob()) }},
	{"pending cancelled", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, submit(t, f.Store, newJob()), map[string]any{"cancel_yn": "Y"})
	}},
	{"running", func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) }},
	{"running cancelled", func(t *testing.T, f Fixture) job.Job {
		return must[job.Job](t)(f.Store.Cancel(t.Context(), running(t, f.Store).ID))
	}},
	{"expired", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, running(t, f.Store), map[string]any{"lease_until": int64(1)})
	}},
	{"expired cancelled", func(t *testing.T, f Fixture) job.Job {
		j := must[job.Job](t)(f.Store.Cancel(t.Context(), running(t, f.Store).ID))
		return f.with(t, j, map[string]any{"lease_until": int64(1)})
	}},
	{"no lease", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, running(t, f.Store), map[string]any{"lease_until": nil})
	}},
	{"chunks", func(t *testing.T, f Fixture) job.Job { return splitJob(t, f.Store, 1) }},
	{"chunks cancelled", func(t *testing.T, f Fixture) job.Job {
		return must[job.Job](t)(f.Store.Cancel(t.Context(), splitJob(t, f.Store, 1).ID))
	}},
	{"chunks done", func(t *testing.T, f Fixture) job.Job { return chunksDone(t, f.Store) }},
	{"chunks done cancelled", func(t *testing.T, f Fixture) job.Job {
		return must[job.Job](t)(f.Store.Cancel(t.Context(), chunksDone(t, f.Store).ID))
	}},
	{"packing", func(t *testing.T, f Fixture) job.Job { return packing(t, f.Store) }},
	{"packing expired", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, packing(t, f.Store), map[string]any{"lease_until": int64(1)})
	}},
	{"chunk failed", func(t *testing.T, f Fixture) job.Job { return chunkFailed(t, f.Store) }},
	{"chunk failed cancelled", func(t *testing.T, f Fixture) job.Job {
		return must[job.Job](t)(f.Store.Cancel(t.Context(), chunkFailed(t, f.Store).ID))
	}},
	{"done", func(t *testing.T, f Fixture) job.Job { return finished(t, f.Store) }},
	{"split done", func(t *testing.T, f Fixture) job.Job {
		j := packing(t, f.Store)
		ok(t, f.Store.Complete(t.Context(), j.Fence(), completion(j)))
		return get(t, f.Store, j.ID)
	}},
	{"split failed", func(t *testing.T, f Fixture) job.Job { return splitFailed(t, f.Store) }},
	{"split failed swept", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, splitFailed(t, f.Store), map[string]any{"swept_at": int64(1)})
	}},
	{"split cancelled", func(t *testing.T, f Fixture) job.Job {
		j := must[job.Job](t)(f.Store.Cancel(t.Context(), chunksDone(t, f.Store).ID))
		return endSplit(t, f.Store, j.ID)
	}},
	{"done swept", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, finished(t, f.Store), map[string]any{"swept_at": int64(1), "file_path": nil})
	}},
	{"failed", func(t *testing.T, f Fixture) job.Job { return failed(t, f.Store) }},
	{"failed swept", func(t *testing.T, f Fixture) job.Job {
		return f.with(t, failed(t, f.Store), map[string]any{"swept_at": int64(1)})
	}},
	{"cancelled", func(t *testing.T, f Fixture) job.Job {
		return must[job.Job](t)(f.Store.Cancel(t.Context(), submit(t, f.Store, newJob()).ID))
	}},
}

func (f Fixture) with(t *testing.T, j job.Job, columns map[string]any) job.Job {
	t.Helper()
	f.SetJob(t, j.ID, columns)
	return get(t, f.Store, j.ID)
}

func chunksDone(t *testing.T, s job.Store) job.Job {
	t.Helper()
	j := splitJob(t, s, 1)
	ok(t, s.FinishChunk(t.Context(), claimChunk(t, s, j.ID).Fence(), job.ChunkDone{FilePath: "x", Rows: 3}))
	return get(t, s, j.ID)
}

// chunkFailed is a job in CHUNKS whose first chunk has failed and whose second
// one waits.
func chunkFailed(t testing.TB, s job.Store) job.Job {
	t.Helper()
	j := splitJob(t, s, 2)
	ok(t, s.FailChunk(t.Context(), claimChunk(t, s, j.ID).Fence(), "broken"))
	return get(t, s, j.ID)
}

func endSplit(t testing.TB, s job.Store, id string) job.Job {
	t.Helper()
	j, ended, err := s.EndSplit(t.Context(), id)
	ok(t, err)
	equal(t, "ended", ended, true)
	return j
}

// splitFailed has ended by its failed chunk; another one is finished.
func splitFailed(t testing.TB, s job.Store) job.Job {
	t.Helper()
	j := splitJob(t, s, 2)
	c := claimChunk(t, s, j.ID)
	ok(t, s.FinishChunk(t.Context(), c.Fence(), job.ChunkDone{FilePath: "kept of " + j.ID, Rows: 3}))
	ok(t, s.FailChunk(t.Context(), claimChunk(t, s, j.ID).Fence(), "broken"))
	return endSplit(t, s, j.ID)
}
