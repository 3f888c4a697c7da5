package jobtest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// machine drives a store and the model through one random sequence of steps. A
// step is one call, by anybody, with any claim that was ever given out: workers
// crash by not being drawn again, and come back from the dead by being drawn
// late. After each step every row is compared, and the invariants are looked at.
type machine struct {
	f      Fixture
	outer  testing.TB // for the fixture, and its context
	store  job.Store  // what the steps call
	faulty job.Store  // the same, with connections that break
	faults *Faults
	t      *rapid.T
	only   []string     // names of the steps that are taken; nil: all
	report func(string) // nil: a difference fails the test

	m        *model
	readings readings
	claims   []job.Fence      // ever given out
	chunks   []job.ChunkFence // ever given out
	wakes    []sentWake       // ever sent; any may come again, and late
	purged   []string         // ids of jobs that were
	bucket   map[string]job.Object
	answers  []job.Job // rows that the step's call answered with

	seen    snapshot // rows as read after the step before
	planned string   // the job for which the step asked to add a chunk
	aged    bool     // the step set rows back behind the store's back
	wrong   bool     // a difference was reported

	outOfTurn bool // the step is taken by anybody, whatever comes of it
	calm      bool // no connection breaks and nobody dies
}

// sentWake is a message, as far as it matters.
type sentWake struct {
	id      string
	wokenAt int64
	attempt int
}

// snapshot is the whole table at one time.
type snapshot struct {
	jobs   map[string]job.Job
	chunks map[string][]job.Chunk
}

// run takes one sequence of steps, from an empty table, and lets it come to its
// end.
func (w *machine) run(t *rapid.T) {
	w.t = t
	w.m, w.bucket = newModel(), map[string]job.Object{}
	w.claims, w.chunks, w.wakes, w.purged, w.answers = nil, nil, nil, nil, nil
	w.seen, w.wrong, w.aged, w.planned = snapshot{}, false, false, ""
	w.m.now = must[int64](w.outer)(w.f.Store.Now(w.outer.Context()))
	w.readings.tokens = map[string]bool{}
	defer w.clear()
	names := stepNames(w.only)
	t.Repeat(map[string]func(*rapid.T){
		"":     func(*rapid.T) { w.check() },
		"step": func(*rapid.T) { w.take(names) },
	})
	w.end()
}

// stepTries bounds the search for a step. Where nothing can happen any more,
// nothing does.
const stepTries = 100

// take takes one of the steps that something comes of now.
func (w *machine) take(names *rapid.Generator[string]) {
	if w.wrong {
		return
	}
	w.outOfTurn = false
	for range stepTries {
		if stepOf(names.Draw(w.t, "step")).do(w) {
			return
		}
	}
}

// clear removes all rows.
func (w *machine) clear() {
	for id := range w.read().jobs {
		w.f.SetJob(w.outer, id, map[string]any{"status": "FAIL", "swept_at": int64(1), "completed_at": int64(1)})
	}
	must[int](w.outer)(w.f.Store.Purge(w.outer.Context(), 0, 1000))
}

func (w *machine) failf(format string, args ...any) {
	w.t.Helper()
	if w.report == nil {
		w.t.Fatalf(format, args...)
	}
	if !w.wrong {
		w.wrong = true
		w.report(fmt.Sprintf(format, args...))
	}
}

// call makes one call of a store, perhaps with a write whose request or reply
// gets lost. The model is asked after the store, since its answer may depend on
// that.
func (w *machine) call(do func(s job.Store)) {
	if w.calm {
		w.callWith(noFault, do)
		return
	}
	w.callWith(rapid.SampledFrom([]faultKind{noFault, noFault, noFault, noFault, noFault, loseRequest, loseReply}).Draw(w.t, "fault"), do)
}

func (w *machine) callWith(kind faultKind, do func(s job.Store)) {
	w.m.unsure = func() bool { return kind != noFault && !w.faults.Pending() }
	w.readings.from = w.m.now
	s := w.store
	if kind != noFault {
		s = w.faulty
		w.faults.set(kind, false)
	}
	do(s)
	w.faults.set(noFault, false)
	w.m.now = must[int64](w.outer)(w.f.Store.Now(w.outer.Context()))
	w.readings.to = w.m.now
}

// answered compares a verdict and an error with the model's.
func answered[T comparable](w *machine, what string, got, want T, err error, code fault.Code) {
	w.t.Helper()
	if fault.CodeOf(err) != code {
		w.failf("%s: error %v (%q), the model says %q", what, err, fault.CodeOf(err), code)
	} else if got != want {
		w.failf("%s: %v, the model says %v", what, got, want)
	}
}

// row keeps a row that a call answered with, to be compared once it is read.
func (w *machine) row(j job.Job, err error) {
	if err == nil && j.ID != "" {
		w.answers = append(w.answers, j)
	}
}

// read reads the whole table.
func (w *machine) read() snapshot {
	ctx := w.outer.Context()
	s := snapshot{jobs: map[string]job.Job{}, chunks: map[string][]job.Chunk{}}
	for _, requester := range requesters {
		for _, j := range must[job.Page](w.outer)(w.f.Store.List(ctx, requester, 100, "")).Jobs {
			s.jobs[j.ID] = j
		}
	}
	for id := range s.jobs {
		// Most jobs have none, and only a planner adds any.
		if j := w.m.jobs[id]; j != nil && len(j.chunks) == 0 && len(w.seen.chunks[id]) == 0 && w.planned != id {
			continue
		}
		if chunks := must[[]job.Chunk](w.outer)(w.f.Store.Chunks(ctx, id)); len(chunks) > 0 {
			s.chunks[id] = chunks
		}
	}
	return s
}

// check compares every row with the model's, and looks at the invariants.
func (w *machine) check() {
	if w.wrong {
		return
	}
	now := w.read()
	if got, want := slices.Sorted(maps.Keys(now.jobs)), slices.Sorted(maps.Keys(w.m.jobs)); !slices.Equal(got, want) {
		w.failf("jobs %q, the model has %q", got, want)
		return
	}
	for _, id := range w.m.order {
		want, got := w.m.jobs[id], now.jobs[id]
		w.readings.fillJob(want, got)
		if len(want.chunks) != len(now.chunks[id]) {
			w.failf("job %s has %d chunks, the model %d", id, len(now.chunks[id]), len(want.chunks))
			return
		}
		for i, c := range want.chunks {
			w.readings.fillChunk(c, now.chunks[id][i])
			if c.Chunk != now.chunks[id][i] {
				w.failf("chunk:\n%+v, the model has\n%+v", now.chunks[id][i], c.Chunk)
				return
			}
		}
		if view := want.view(); view != got {
			w.failf("row:\n%+v, the model has\n%+v", got, view)
			return
		}
	}
	for _, j := range w.answers {
		if j != now.jobs[j.ID] {
			w.failf("answer:\n%+v, the row is\n%+v", j, now.jobs[j.ID])
			return
		}
	}
	w.answers = nil
	for _, inv := range invariants {
		if what := inv.check(view{before: w.seen, now: now, aged: w.aged, at: w.readings.to, bucket: w.bucket}); what != "" {
			w.failf("invariant %q: %s", inv.name, what)
			return
		}
	}
	w.seen, w.aged, w.planned = now, false, ""
}

// send keeps a wake for the row as it is after the step.
func (w *machine) send(j job.Job) {
	w.wakes = append(w.wakes, sentWake{id: j.ID, wokenAt: j.WokenAt, attempt: j.Attempt})
}
