package jobtest

import (
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
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
	{"done", func(t *testing.T, f Fixture) job.Job { return finished(t, f.Store) }},
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

// What a transition answers. "-" and the error codes must leave the row alone.
const none = "-"

func verdictOf(err error, moved bool) string {
	switch {
	case err != nil:
		return string(fault.CodeOf(err))
	case moved:
		return "moved"
	default:
		return none
	}
}

// guards is the transition table: what each transition answers in each state.
// A state that is not named answers with otherwise.
var guards = []struct {
	name      string
	do        func(t *testing.T, f Fixture, j job.Job) string
	otherwise string
	in        map[string]string
}{
	// First those that go through the whole table, while it is small.
	{
		name: "recover",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			r, found := recoverAll(t, f.Store)[j.ID]
			if !found {
				return none
			}
			return "moved to " + string(r.Job.Status)
		},
		otherwise: none,
		in: map[string]string{
			"pending cancelled": "moved to FAIL", "expired": "moved to PENDING", "no lease": "moved to PENDING",
			"expired cancelled": "moved to FAIL", "packing expired": "moved to RUNNING",
		},
	},
	{
		name: "re-wake",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			for _, woken := range must[[]job.Job](t)(f.Store.Rewake(t.Context(), -time.Hour, 1000)) {
				if woken.ID == j.ID {
					return "moved"
				}
			}
			return none
		},
		otherwise: none,
		in:        map[string]string{"pending": "moved"},
	},
	{
		name: "settle split",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			for _, r := range must[[]job.Recovered](t)(f.Store.SettleSplit(t.Context(), -time.Hour, 1000)) {
				if r.Job.ID == j.ID {
					return "moved to " + string(r.Job.Status)
				}
			}
			return none
		},
		otherwise: none,
		in: map[string]string{
			"chunks cancelled": "moved to FAIL", "chunks done cancelled": "moved to FAIL",
			"chunks": "moved to RUNNING", "chunks done": "moved to RUNNING", // woken
		},
	},
	{
		name: "claim",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, claimed, err := f.Store.Claim(t.Context(), j.ID, "other", lease)
			return verdictOf(err, claimed)
		},
		otherwise: none,
		in:        map[string]string{"pending": "moved"},
	},
	{
		name: "beat",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			cancelled, err := f.Store.Beat(t.Context(), j.Fence(), job.Progress{ProcessedRows: 5, TotalRows: 6}, 2*lease)
			if cancelled {
				return "moved, cancel wanted"
			}
			return verdictOf(err, err == nil)
		},
		otherwise: "lost",
		in: mineStates("moved", map[string]string{
			"running cancelled": "moved, cancel wanted", "expired cancelled": "moved, cancel wanted",
		}),
	},
	{
		name: "complete",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			err := f.Store.Complete(t.Context(), j.Fence(), completion(j))
			return verdictOf(err, err == nil && j.Status != job.Done)
		},
		otherwise: "lost",
		in:        mineStates("moved", map[string]string{"done": none, "done swept": none}),
	},
	{
		name: "fail",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, err := f.Store.Fail(t.Context(), j.Fence(), "broken")
			return verdictOf(err, err == nil)
		},
		otherwise: "lost",
		in: mineStates("moved", map[string]string{
			"running cancelled": "moved", "expired cancelled": "moved",
		}),
	},
	{
		name: "retry",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, retried, err := f.Store.Retry(t.Context(), j.Fence(), attempts)
			return verdictOf(err, retried)
		},
		otherwise: "lost",
		in:        mineStates("moved", nil),
	},
	{
		name: "retry at the last attempt",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, retried, err := f.Store.Retry(t.Context(), j.Fence(), 1)
			return verdictOf(err, retried)
		},
		otherwise: "lost",
		in:        mineStates(none, nil),
	},
	{
		name: "hand over",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, err := f.Store.HandOver(t.Context(), j.Fence(), job.HandOver{MaxHops: 1})
			return verdictOf(err, err == nil)
		},
		otherwise: "lost",
		in:        mineStates("moved", nil),
	},
	{
		name: "hand over past the last hop",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			after, err := f.Store.HandOver(t.Context(), j.Fence(), job.HandOver{MaxHops: 0})
			if err == nil && after.Status != job.Fail {
				t.Errorf("the job is %s", after.Status)
			}
			return verdictOf(err, err == nil)
		},
		otherwise: "lost",
		in:        mineStates("moved", nil),
	},
	{
		name: "plan done",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, err := f.Store.PlanDone(t.Context(), j.Fence(), job.Planned{})
			return verdictOf(err, err == nil)
		},
		otherwise: "lost",
		in:        mineStates("moved", nil),
	},
	{
		name: "pack",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, packed, err := f.Store.Pack(t.Context(), j.ID, "packer", lease)
			return verdictOf(err, packed)
		},
		otherwise: none,
		in:        map[string]string{"chunks done": "moved"},
	},
	{
		name: "cancel",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			after, err := f.Store.Cancel(t.Context(), j.ID)
			if err != nil {
				return verdictOf(err, false)
			}
			return "moved to " + string(after.Status)
		},
		otherwise: "conflict",
		in: map[string]string{
			"pending": "moved to FAIL", "pending cancelled": "moved to FAIL",
			"running": "moved to RUNNING", "running cancelled": "moved to RUNNING",
			"expired": "moved to FAIL", "expired cancelled": "moved to FAIL", "no lease": "moved to FAIL",
			"chunks": "moved to RUNNING", "chunks cancelled": "moved to RUNNING",
			"chunks done": "moved to RUNNING", "chunks done cancelled": "moved to RUNNING",
			"packing": "moved to RUNNING", "packing expired": "moved to FAIL",
		},
	},
	{
		name: "reopen",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, err := f.Store.Reopen(t.Context(), j.ID)
			return verdictOf(err, err == nil)
		},
		otherwise: "conflict",
		in:        map[string]string{"failed": "moved"},
	},
	{
		name: "dead letter",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, verdict, err := f.Store.DeadLetter(t.Context(), j.ID, j.WokenAt, attempts)
			return verdictOf(err, verdict != job.DeadDropped)
		},
		otherwise: none,
		in:        map[string]string{"pending": "moved"},
	},
	{
		name: "sweep",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, swept, err := f.Store.MarkSwept(t.Context(), j.ID, -time.Hour)
			return verdictOf(err, swept)
		},
		otherwise: none,
		in:        map[string]string{"done": "moved", "failed": "moved", "cancelled": "moved"},
	},
}

// mineStates are the states in which the claim is the row's. Where a cancel was
// accepted, most transitions answer cancelled.
func mineStates(verdict string, other map[string]string) map[string]string {
	in := map[string]string{
		"running": verdict, "expired": verdict, "no lease": verdict, "packing": verdict, "packing expired": verdict,
		"running cancelled": "cancelled", "expired cancelled": "cancelled",
	}
	for state, v := range other {
		in[state] = v
	}
	return in
}

// testGuards tries every transition in every state: the right ones move the row,
// each wrong one answers its verdict and leaves the row as it was.
func testGuards(t *testing.T, f Fixture) {
	for _, g := range guards {
		t.Run(g.name, func(t *testing.T) {
			for _, state := range states {
				before := state.make(t, f)
				want, named := g.in[state.name]
				if !named {
					want = g.otherwise
				}
				got := g.do(t, f, before)
				if got != want {
					t.Errorf("%s: %s, want %s", state.name, got, want)
				}
				after := get(t, f.Store, before.ID)
				refused := want == none || want == "lost" || want == "cancelled" || want == "conflict"
				if refused && after != before {
					t.Errorf("%s: refused, yet the row changed:\nbefore %+v\nafter  %+v", state.name, before, after)
				}
				if !refused && after.UpdatedAt == 0 {
					t.Errorf("%s: updated_at is not set", state.name)
				}
				if after.Attempt < before.Attempt {
					t.Errorf("%s: attempt went back from %d to %d", state.name, before.Attempt, after.Attempt)
				}
				if !refused && state.name != "pending cancelled" {
					sound(t, after)
				}
			}
		})
	}
}

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
		"fail": func(fence job.ChunkFence) error { return s.FailChunk(ctx, fence, "late") },
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
