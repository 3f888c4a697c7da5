package jobtest

import (
	"slices"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// endRounds is how often recovery runs at most until every job must have ended: a
// lost worker may use up an attempt each time.
const endRounds = 2 * attempts

// end lets a sequence come to its end, from wherever it has got to: every worker is
// lost, and so is every message. Recovery alone must bring each job to its end with
// workers that do their work, and sweep and collection must leave no object.
func (w *machine) end() {
	w.calm = true
	defer func() { w.calm = false }()
	for range endRounds {
		if w.m.count(func(j *modelJob) bool { return !j.Status.Finished() }) == 0 {
			break
		}
		w.loseEverybody()
		w.then((*machine).recoverJobs)
		w.then((*machine).recoverChunks)
		w.loseEverybody() // time passes once more: what recovery touched is old, too
		w.wakes = nil
		w.then((*machine).settleSplit)
		w.then((*machine).rewake)
		for _, m := range w.wakes {
			w.work(m)
		}
	}
	for _, id := range w.m.order {
		if j := w.m.jobs[id]; !w.wrong && !j.Status.Finished() {
			w.failf("recovery does not bring job to its end: %+v", j.Job)
		}
	}
	w.cleanUp()
}

// then takes a step and checks.
func (w *machine) then(do func(*machine)) {
	if !w.wrong {
		do(w)
		w.check()
	}
}

// loseEverybody lets all leases run out and all rows grow old.
func (w *machine) loseEverybody() {
	for _, id := range w.m.order {
		j := w.m.jobs[id]
		if w.wrong || j.Status.Finished() {
			continue
		}
		j.UpdatedAt = w.m.now - (modelThreshold + time.Minute).Milliseconds()
		columns := map[string]any{"updated_at": j.UpdatedAt}
		if j.LeaseUntil != 0 {
			j.LeaseUntil, columns["lease_until"] = 1, int64(1)
		}
		w.f.SetJob(w.outer, id, columns)
		for _, c := range j.chunks {
			c.touched = j.UpdatedAt
			columns := map[string]any{"updated_at": c.touched}
			if c.LeaseUntil != 0 {
				c.LeaseUntil, columns["lease_until"] = 1, int64(1)
			}
			w.f.SetChunk(w.outer, id, c.No, columns)
		}
		w.aged = true
	}
	w.then(func(*machine) {})
}

// work is what a worker makes of a message when nothing goes wrong.
func (w *machine) work(m sentWake) {
	for range planChunks + 3 { // claim, each chunk, pack
		claims, chunks := len(w.claims), len(w.chunks)
		if j := w.m.jobs[m.id]; j.Status == job.Running && j.Phase != job.PhaseChunks || j.Status.Finished() {
			return
		}
		w.then(func(w *machine) { w.deliver(m) })
		for _, f := range w.claims[claims:] {
			if j := w.m.jobs[m.id]; planning(j) && len(j.chunks) > 0 {
				w.then(func(w *machine) { w.planDone(f) })
			} else {
				w.then(func(w *machine) { w.complete(f) })
			}
		}
		for _, f := range w.chunks[chunks:] {
			w.then(func(w *machine) { w.finishChunk(f) })
		}
	}
}

// cleanUp sweeps all jobs and collects what they have left. An object whose row
// was purged before its orphans were collected may be another table's, and stays.
func (w *machine) cleanUp() {
	for _, id := range w.m.order {
		j := w.m.jobs[id]
		w.then(func(w *machine) {
			if j.SweptAt == 0 && !w.m.sweepable(j) {
				j.CompletedAt -= (ttl + time.Minute).Milliseconds()
				w.f.SetJob(w.outer, id, map[string]any{"completed_at": j.CompletedAt})
				w.aged = true
			}
		})
		w.then(func(w *machine) { w.sweep(id) })
	}
	w.then((*machine).collectOrphans)
	for key, o := range w.bucket {
		if !w.wrong && !slices.Contains(w.purged, o.JobID) {
			w.failf("nobody deletes %s", key)
		}
	}
}
