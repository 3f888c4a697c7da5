package jobtest

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/job"
)

// The steps of recovery, dead letters and the sweep.

func (w *machine) recoverJobs() {
	w.call(func(s job.Store) {
		got, err := s.Recover(w.outer.Context(), attempts, 1000)
		w.recovered("recover", got, w.m.recover(), err)
	})
}

func (w *machine) settleSplit() {
	w.call(func(s job.Store) {
		got, err := s.SettleSplit(w.outer.Context(), modelThreshold, 1000)
		w.recovered("settle split", got, w.m.settleSplit(), err)
	})
}

func (w *machine) recovered(what string, got []job.Recovered, want map[string]fate, err error) {
	fates := map[string]fate{}
	for _, r := range got {
		fates[r.Job.ID] = fate{wake: r.Wake, failed: r.Failed}
		w.row(r.Job, nil)
		if r.Wake {
			w.send(r.Job)
		}
	}
	answered(w, what, fmt.Sprint(fates), fmt.Sprint(want), err, "") // maps print in order
	answered(w, what+": rows", len(got), len(want), nil, "")
}

func (w *machine) recoverChunks() {
	w.call(func(s job.Store) {
		got, err := s.RecoverChunks(w.outer.Context(), attempts, 1000)
		want := slices.Sorted(maps.Keys(w.m.recoverChunks()))
		slices.Sort(got)
		answered(w, "recover chunks", fmt.Sprint(got), fmt.Sprint(want), err, "")
		for _, id := range got {
			if j := w.m.jobs[id]; j != nil {
				w.send(j.Job)
			}
		}
	})
}

func (w *machine) rewake() {
	w.call(func(s job.Store) {
		jobs, err := s.Rewake(w.outer.Context(), modelThreshold, 1000)
		var got []string
		for _, j := range jobs {
			got = append(got, j.ID)
			w.row(j, nil)
			w.send(j)
		}
		slices.Sort(got)
		answered(w, "re-wake", fmt.Sprint(got), fmt.Sprint(slices.Sorted(maps.Keys(w.m.rewake()))), err, "")
	})
}

// deadLetter settles a message that came back too often, or came late.
func (w *machine) deadLetter(m sentWake) {
	w.call(func(s job.Store) {
		j, got, err := s.DeadLetter(w.outer.Context(), m.id, m.wokenAt, attempts)
		answered(w, "dead letter", got, w.m.deadLetter(m.id, m.wokenAt), err, "")
		w.row(j, err)
		if got == job.DeadRetried {
			w.send(j)
		}
	})
}

func (w *machine) listExpired() {
	listed, err := w.f.Store.Expired(w.outer.Context(), ttl, 1000)
	var got []string
	for _, j := range listed {
		got = append(got, j.ID)
	}
	slices.Sort(got)
	answered(w, "expired", fmt.Sprint(got), fmt.Sprint(w.m.idsOf(w.m.sweepable)), err, "")
}

func (w *machine) sweep(id string) {
	w.call(func(s job.Store) {
		keys, swept, err := s.MarkSwept(w.outer.Context(), id, ttl)
		want, sweptWant := w.m.markSwept(id)
		answered(w, "sweep", swept, sweptWant, err, "")
		w.deleted("sweep: keys", keys, want, nil, "")
	})
}

// purge removes rows. A row that is left after a lost request goes the next time,
// which a model of one step can't tell.
func (w *machine) purge() {
	kind := rapid.SampledFrom([]faultKind{noFault, noFault, loseReply}).Draw(w.t, "fault")
	w.callWith(kind, func(s job.Store) {
		n, err := s.Purge(w.outer.Context(), modelRetention, 1000)
		before := slices.Clone(w.m.order)
		answered(w, "purge", n, w.m.purge(), err, "")
		for _, id := range before {
			if w.m.jobs[id] == nil {
				w.purged = append(w.purged, id)
			}
		}
	})
}

// collectOrphans deletes every object that nobody needs.
func (w *machine) collectOrphans() {
	for _, key := range slices.Sorted(maps.Keys(w.bucket)) {
		orphaned, err := w.f.Store.Orphaned(w.outer.Context(), w.bucket[key])
		answered(w, "orphaned "+key, orphaned, w.m.orphaned(w.bucket[key]), err, "")
		if orphaned {
			delete(w.bucket, key)
		}
	}
}
