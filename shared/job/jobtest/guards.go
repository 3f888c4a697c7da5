package jobtest

import (
	"slices"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// What a transition answers. "-" and the error codes must leave the row alone.
const none = "-"

// These leave the job row alone, too: they change its chunk rows.
const (
	added   = "chunk added"
	dropped = "chunks dropped"
)

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
			"chunk failed": "moved to FAIL", "chunk failed cancelled": "moved to FAIL",
			"chunks": "moved to RUNNING", "chunks done": "moved to RUNNING", // woken
		},
	},
	{
		name: "end split",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			_, ended, err := f.Store.EndSplit(t.Context(), j.ID)
			return verdictOf(err, ended)
		},
		otherwise: none,
		in: map[string]string{
			"chunks cancelled": "moved", "chunks done cancelled": "moved",
			"chunk failed": "moved", "chunk failed cancelled": "moved",
		},
	},
	{
		name: "drop chunks",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			before := must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), j.ID))
			keys, err := f.Store.DropChunks(t.Context(), j.ID)
			after := must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), j.ID))
			if len(keys) == 0 && !slices.Equal(before, after) {
				t.Errorf("chunks %+v, before %+v", after, before)
			}
			if err == nil && len(keys) == 1 && len(after) == 0 {
				return dropped
			}
			return verdictOf(err, len(keys) > 0)
		},
		otherwise: none,
		in:        map[string]string{"split done": dropped, "split failed swept": dropped, "split cancelled": dropped},
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
		in:        mineStates("moved", map[string]string{"done": none, "done swept": none, "split done": none}),
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
		name: "add chunk",
		do: func(t *testing.T, f Fixture, j job.Job) string {
			no := len(must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), j.ID))) + 1
			_, err := f.Store.AddChunk(t.Context(), j.Fence(), job.Chunk{No: no})
			if len(must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), j.ID))) == no {
				return added
			}
			return verdictOf(err, false)
		},
		otherwise: "lost", // also while packing: nobody would read the chunk
		in: map[string]string{
			"running": added, "expired": added, "no lease": added, "running cancelled": added, "expired cancelled": added,
		},
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
			"chunk failed": "moved to RUNNING", "chunk failed cancelled": "moved to RUNNING",
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
		in:        map[string]string{"failed": "moved", "split failed": "moved"},
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
		in: map[string]string{
			"done": "moved", "failed": "moved", "cancelled": "moved",
			"split done": "moved", "split failed": "moved", "split cancelled": "moved",
		},
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
				refused := want == none || want == added || want == dropped || want == "lost" || want == "cancelled" || want == "conflict"
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
