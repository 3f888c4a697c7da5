package jobtest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/job"
)

// step is one kind of step. do says whether it was taken: a step that nothing
// comes of now leaves its place to another. The heavier it is, the oftener it is
// taken.
type step struct {
	name   string
	weight int
	do     func(w *machine) (taken bool)
}

// steps are what may happen next. Each calls the store, asks the model, and
// compares what they answer; machine.check compares the rows.
var steps = []step{
	{"submit", 3, whenever(func(w *machine) bool { return len(w.m.order) < jobsAtATime }, (*machine).submit)},
	{"deliver a wake", 4, onWake(func(j *modelJob, m sentWake) bool { return j.wokenBy(m) || j.split() }, (*machine).deliver)},
	{"claim", 3, onJob(func(j *modelJob) bool { return j.Status == job.Pending }, (*machine).claimJob)},
	{"beat", 2, onClaim(anyJob, (*machine).beat)},
	{"upload", 1, onClaim(anyJob, (*machine).upload)},
	{"complete", 2, onClaim(func(j *modelJob) bool { return !planning(j) || len(j.chunks) == 0 }, (*machine).complete)},
	{"fail", 1, onClaim(anyJob, (*machine).fail)},
	{"retry", 1, onClaim(anyJob, (*machine).retry)},
	{"hand over", 2, onClaim(anyJob, (*machine).handOver)},
	{"cancel", 2, onJob(func(j *modelJob) bool { return !j.Status.Finished() }, (*machine).cancel)},
	{"reopen", 2, onJob(func(j *modelJob) bool { return j.Status == job.Fail && !j.CancelWanted }, (*machine).reopen)},

	{"add chunk", 4, onClaim(func(j *modelJob) bool { return planning(j) && len(j.chunks) < planChunks }, (*machine).addChunk)},
	{"plan done", 3, onClaim(func(j *modelJob) bool { return planning(j) && len(j.chunks) > 0 }, (*machine).planDone)},
	{"claim chunk", 4, onJob(
		func(j *modelJob) bool { return j.split() && j.any(job.Pending) },
		func(w *machine, id string) { w.claimChunk(id) },
	)},
	{"beat chunk", 3, onChunk((*machine).beatChunk)},
	{"upload chunk", 1, onChunk((*machine).uploadChunk)},
	{"finish chunk", 5, onChunk((*machine).finishChunk)},
	{"retry chunk", 2, onChunk((*machine).retryChunk)},
	{"release chunk", 1, onChunk((*machine).releaseChunk)},
	{"fail chunk", 1, onChunk((*machine).failChunk)},
	{"pack", 3, onJob(func(j *modelJob) bool { return j.split() && j.every(job.Done) }, (*machine).packJob)},
	{"end split", 1, onJob((*modelJob).overSplit, (*machine).endSplit)},

	{"lose a worker", 2, onJob((*modelJob).leased, (*machine).loseWorker)},
	{"grow old", 2, onJob(anyJob, (*machine).growOld)},
	{"recover", 2, ifAny(func(w *machine, j *modelJob) bool { return j.expired(w.m.now) }, (*machine).recoverJobs)},
	{"recover chunks", 2, ifAny(func(w *machine, j *modelJob) bool {
		return j.split() && slices.ContainsFunc(j.chunks, w.m.chunkExpired)
	}, (*machine).recoverChunks)},
	{"settle split", 1, ifAny(func(w *machine, j *modelJob) bool { return j.overSplit() || w.m.waits(j) }, (*machine).settleSplit)},
	{"re-wake", 1, ifAny(func(w *machine, j *modelJob) bool { return w.m.overslept(j) }, (*machine).rewake)},
	{"dead letter", 1, onWake((*modelJob).wokenBy, (*machine).deadLetter)},
	{"list expired", 1, ifAny(func(w *machine, j *modelJob) bool { return w.m.sweepable(j) }, (*machine).listExpired)},
	{"sweep", 2, func(w *machine) bool { return onJob(w.m.sweepable, (*machine).sweep)(w) }},
	{"list chunks left", 1, ifAny(func(_ *machine, j *modelJob) bool { return j.chunksLeft() }, (*machine).listChunksLeft)},
	{"drop chunks", 2, onJob((*modelJob).chunksLeft, (*machine).dropChunks)},
	{"collect orphans", 1, whenever(func(w *machine) bool { return len(w.bucket) > 0 }, (*machine).collectOrphans)},
	{"purge", 1, ifAny(func(w *machine, j *modelJob) bool { return w.m.purgeable(j) }, (*machine).purge)},
}

// outOfTurn takes one of the steps with any job or claim, whatever comes of it: a
// worker is back from the dead, a message comes twice, somebody asks for what
// can't be.
var outOfTurn = step{"out of turn", 8, func(w *machine) bool {
	w.outOfTurn = true
	defer func() { w.outOfTurn = false }()
	return steps[rapid.IntRange(0, len(steps)-1).Draw(w.t, "number of the step")].do(w)
}}

// stepNames draws names by their weights, of those in only, or of all.
func stepNames(only []string) *rapid.Generator[string] {
	var names []string
	for _, s := range append(slices.Clone(steps), outOfTurn) {
		if only == nil || slices.Contains(only, s.name) {
			names = append(names, slices.Repeat([]string{s.name}, s.weight)...)
		}
	}
	return rapid.SampledFrom(names)
}

func stepOf(name string) step {
	if i := slices.IndexFunc(steps, func(s step) bool { return s.name == name }); i >= 0 {
		return steps[i]
	}
	return outOfTurn
}

func anyJob(*modelJob) bool { return true }

func planning(j *modelJob) bool { return j.Phase == job.PhaseNone }

// leased reports whether somebody works on the job or on one of its chunks.
func (j *modelJob) leased() bool {
	return j.Status == job.Running && (j.Phase != job.PhaseChunks || j.any(job.Running))
}

// wokenBy reports whether the message is the job's latest.
func (j *modelJob) wokenBy(m sentWake) bool { return j.Status == job.Pending && j.WokenAt == m.wokenAt }

// whenever takes a step while something holds.
func whenever(apt func(w *machine) bool, do func(w *machine)) func(*machine) bool {
	return func(w *machine) bool {
		if !w.outOfTurn && !apt(w) {
			return false
		}
		do(w)
		return true
	}
}

// ifAny takes a step that goes through all jobs, if it is about any.
func ifAny(apt func(w *machine, j *modelJob) bool, do func(w *machine)) func(*machine) bool {
	return whenever(func(w *machine) bool {
		return w.m.count(func(j *modelJob) bool { return apt(w, j) }) > 0
	}, do)
}

// onJob takes a step with a job; out of turn also with one that was purged.
func onJob(apt func(*modelJob) bool, do func(w *machine, id string)) func(*machine) bool {
	return func(w *machine) bool {
		var good []string
		for _, id := range w.m.order {
			if apt(w.m.jobs[id]) {
				good = append(good, id)
			}
		}
		return pick(w, "job", append(slices.Clone(w.purged), w.m.order...), good, do)
	}
}

// onClaim takes a step with a claim that holds; out of turn with any that was ever
// given out.
func onClaim(apt func(*modelJob) bool, do func(w *machine, f job.Fence)) func(*machine) bool {
	return func(w *machine) bool {
		var good []job.Fence
		for _, f := range w.claims {
			if j := w.m.jobs[f.JobID]; j != nil && j.mine(f) && apt(j) {
				good = append(good, f)
			}
		}
		return pick(w, "claim", w.claims, good, do)
	}
}

// onChunk is onClaim for chunks. The job may have been cancelled or have ended: its
// chunk workers learn of it by their next call.
func onChunk(do func(w *machine, f job.ChunkFence)) func(*machine) bool {
	return func(w *machine) bool {
		var good []job.ChunkFence
		for _, f := range w.chunks {
			if _, c, _ := w.m.worked(f); c != nil && c.mine(f) {
				good = append(good, f)
			}
		}
		return pick(w, "chunk claim", w.chunks, good, do)
	}
}

func onWake(apt func(*modelJob, sentWake) bool, do func(w *machine, m sentWake)) func(*machine) bool {
	return func(w *machine) bool {
		var good []sentWake
		for _, m := range w.wakes {
			if j := w.m.jobs[m.id]; j != nil && apt(j, m) {
				good = append(good, m)
			}
		}
		return pick(w, "wake", w.wakes, good, do)
	}
}

func pick[T any](w *machine, label string, all, good []T, do func(*machine, T)) bool {
	if w.outOfTurn {
		good = all
	}
	if len(good) == 0 {
		return false
	}
	do(w, rapid.SampledFrom(good).Draw(w.t, label))
	return true
}
