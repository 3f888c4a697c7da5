package jobtest

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/job"
)

// steps are what may happen next. Each calls the store, asks the model, and
// compares what they answer; machine.check compares the rows.
var steps = []step{
	{"submit", 3, (*machine).submit},
	{"deliver a wake", 6, (*machine).deliver},
	{"claim", 2, func(w *machine) {
		w.claimJob(w.jobOf(func(j *modelJob) bool { return j.Status == job.Pending }))
	}},
	{"beat", 2, (*machine).beat},
	{"upload", 1, (*machine).upload},
	{"complete", 2, (*machine).complete},
	{"fail", 1, (*machine).fail},
	{"retry", 1, (*machine).retry},
	{"hand over", 2, (*machine).handOver},
	{"cancel", 1, (*machine).cancel},
	{"reopen", 2, (*machine).reopen},

	{"add chunk", 4, (*machine).addChunk},
	{"plan done", 3, (*machine).planDone},
	{"claim chunk", 4, func(w *machine) { w.claimChunk(w.jobOf((*modelJob).split)) }},
	{"beat chunk", 1, (*machine).beatChunk},
	{"finish chunk", 5, (*machine).finishChunk},
	{"retry chunk", 1, (*machine).retryChunk},
	{"release chunk", 1, (*machine).releaseChunk},
	{"fail chunk", 1, (*machine).failChunk},
	{"pack", 3, func(w *machine) {
		w.packJob(w.jobOf(func(j *modelJob) bool { return j.split() && j.every(job.Done) }))
	}},
	{"end split", 1, (*machine).endSplit},

	{"lose a worker", 2, (*machine).loseWorker},
	{"grow old", 2, (*machine).growOld},
	{"recover", 1, (*machine).recoverJobs},
	{"recover chunks", 1, (*machine).recoverChunks},
	{"settle split", 1, (*machine).settleSplit},
	{"re-wake", 1, (*machine).rewake},
	{"dead letter", 2, (*machine).deadLetter},
	{"sweep", 2, (*machine).sweep},
	{"drop chunks", 1, (*machine).dropChunks},
	{"collect orphans", 1, (*machine).collectOrphans},
	{"purge", 1, (*machine).purge},
}

// Few of each, so that they meet.
var (
	requesters      = []string{"kim", "lee"}
	idempotencyKeys = []string{"", "", hash("model", 1), hash("model", 2)}
)

const (
	exports     = 3 // same requester: the remainder
	jobsAtATime = 5
)

func (w *machine) submit() {
	if len(w.m.order) >= jobsAtATime {
		w.t.Skip("enough jobs")
	}
	export := rapid.IntRange(0, exports-1).Draw(w.t, "export")
	id := uuid.NewString()
	n := job.New{
		ID: id, Dataset: "orders", FileName: "주문", Requester: requesters[export%len(requesters)], Queue: job.Normal,
		TotalRows: 7, ExportHash: hash("export", export), FilterHash: hash("filter", export/2), WarningsJSON: `{"w":1}`,
		IdempotencyKey: rapid.SampledFrom(idempotencyKeys).Draw(w.t, "idempotency key"),
		Reuse:          job.Reuse{MaxAge: rapid.SampledFrom([]time.Duration{0, modelReuse}).Draw(w.t, "reuse"), TTL: ttl},
	}
	lim := job.SubmitLimits{
		Window:     window,
		MaxActive:  rapid.SampledFrom([]int{0, 0, 2}).Draw(w.t, "max active"),
		MaxPending: rapid.SampledFrom([]int{0, 0, 3}).Draw(w.t, "max pending"),
	}
	w.call(func(s job.Store) {
		got, err := s.Submit(w.outer.Context(), n, lim)
		want, created, code := w.m.submit(n, lim)
		answered(w, "submit", got.Job.ID, want, err, code)
		answered(w, "submit created", got.Created, created, err, code)
		w.row(got.Job, err)
		if got.Created && err == nil && got.Job.Status == job.Pending {
			w.send(got.Job)
		}
	})
}

// deliver gives a message to a worker, perhaps once more or late. It does what
// the worker's use case does with it.
func (w *machine) deliver() {
	var current []sentWake
	for _, m := range w.wakes {
		if j := w.m.jobs[m.id]; j != nil && (j.Status == job.Pending && j.WokenAt == m.wokenAt || j.split()) {
			current = append(current, m)
		}
	}
	m := pick(w, "wake", w.wakes, current)
	j := w.m.jobs[m.id]
	switch {
	case j == nil || j.Status == job.Pending && m.attempt >= j.Attempt:
		w.claimJob(m.id)
	case j.Status == job.Running && j.Phase == job.PhaseChunks:
		if !w.claimChunk(m.id) {
			w.packJob(m.id)
		}
	}
}

func (w *machine) claimJob(id string) {
	w.call(func(s job.Store) {
		j, claimed, err := s.Claim(w.outer.Context(), id, "host", modelLease)
		want, code := w.m.claim(id)
		answered(w, "claim", claimed, want, err, code)
		w.row(j, err)
		if claimed {
			w.claims = append(w.claims, j.Fence())
		}
	})
}

func anyJob(*modelJob) bool { return true }

func (w *machine) beat() {
	f := w.claim(anyJob)
	p := job.Progress{
		ProcessedRows: rapid.Int64Range(-1, 9).Draw(w.t, "processed"),
		TotalRows:     rapid.Int64Range(-1, 9).Draw(w.t, "total"),
	}
	w.call(func(s job.Store) {
		got, err := s.Beat(w.outer.Context(), f, p, modelLease)
		want, code := w.m.beat(f, p)
		answered(w, "beat: cancel wanted", got, want, err, code)
	})
}

// fileOf is the object of a claim, as workers name it.
func fileOf(f job.Fence) job.Object {
	return job.Object{Key: fmt.Sprintf("exports/%s/%d/file.xlsx", f.JobID, f.Attempt), JobID: f.JobID, Attempt: f.Attempt}
}

func segmentOf(f job.ChunkFence) job.Object {
	return job.Object{
		Key:   fmt.Sprintf("exports/%s/chunks/%d/%d/rows.seg", f.JobID, f.No, f.Attempt),
		JobID: f.JobID, Chunk: f.No, Attempt: f.Attempt,
	}
}

func (w *machine) put(o job.Object) string {
	w.bucket[o.Key] = o
	return o.Key
}

// upload writes the object of a claim, and nothing comes of it.
func (w *machine) upload() {
	if len(w.chunks) > 0 && rapid.Bool().Draw(w.t, "of a chunk") {
		w.put(segmentOf(w.chunkClaim()))
		return
	}
	w.put(fileOf(w.claim(anyJob)))
}

func (w *machine) complete() {
	f := w.claim(anyJob)
	c := job.Completion{FilePath: w.put(fileOf(f)), FileBytes: 1 << 40, Rows: 5, AsOf: w.m.now, WarningsJSON: `{"w":2}`}
	if j := w.m.jobs[f.JobID]; j != nil && j.AsOf != 0 {
		c.AsOf, c.AsOfEnd = j.AsOf, w.m.now
	}
	w.call(func(s job.Store) {
		err := s.Complete(w.outer.Context(), f, c)
		answered(w, "complete", 0, 0, err, w.m.complete(f, c))
	})
}

func (w *machine) fail() {
	f := w.claim(anyJob)
	w.call(func(s job.Store) {
		j, err := s.Fail(w.outer.Context(), f, "broken")
		answered(w, "fail", 0, 0, err, w.m.fail(f, "broken"))
		w.row(j, err)
	})
}

func (w *machine) retry() {
	f := w.claim(anyJob)
	w.call(func(s job.Store) {
		j, retried, err := s.Retry(w.outer.Context(), f, attempts)
		want, code := w.m.retry(f)
		answered(w, "retry", retried, want, err, code)
		w.row(j, err)
		if retried {
			w.send(j)
		}
	})
}

func (w *machine) handOver() {
	f := w.claim(anyJob)
	h := job.HandOver{
		MaxHops:        modelHops,
		CheckpointJSON: rapid.SampledFrom([]string{"", `{"c":1}`, `{"c":2}`}).Draw(w.t, "checkpoint"),
		Queue:          rapid.SampledFrom([]job.Queue{"", job.Large}).Draw(w.t, "queue"),
	}
	w.call(func(s job.Store) {
		j, err := s.HandOver(w.outer.Context(), f, h)
		answered(w, "hand over", 0, 0, err, w.m.handOver(f, h))
		w.row(j, err)
		if err == nil && j.Status == job.Pending {
			w.send(j)
		}
	})
}

func (w *machine) cancel() {
	id := w.jobOf(func(j *modelJob) bool { return !j.Status.Finished() })
	w.call(func(s job.Store) {
		j, err := s.Cancel(w.outer.Context(), id)
		answered(w, "cancel", 0, 0, err, w.m.cancel(id))
		w.row(j, err)
	})
}

func (w *machine) reopen() {
	id := w.jobOf(func(j *modelJob) bool { return j.Status == job.Fail && !j.CancelWanted })
	w.call(func(s job.Store) {
		j, err := s.Reopen(w.outer.Context(), id)
		code := w.m.reopen(id)
		answered(w, "reopen", 0, 0, err, code)
		w.row(j, err)
		if err == nil {
			w.send(j)
		}
	})
}

// loseWorker lets a lease run out: whoever held it does not beat any more.
func (w *machine) loseWorker() {
	id := w.jobOf(func(j *modelJob) bool { return j.Status == job.Running })
	j := w.m.jobs[id]
	if j == nil || j.Status != job.Running {
		w.t.Skip("nobody works on it")
	}
	lease := rapid.SampledFrom([]int64{1, 0}).Draw(w.t, "lease")
	var column any
	if lease != 0 {
		column = lease
	}
	if j.Phase != job.PhaseChunks {
		w.f.SetJob(w.outer, id, map[string]any{"lease_until": column})
		j.LeaseUntil, w.aged = lease, true
		return
	}
	for _, c := range j.chunks {
		if c.Status == job.Running {
			w.f.SetChunk(w.outer, id, c.No, map[string]any{"lease_until": column})
			c.LeaseUntil, w.aged = lease, true
			return // the lowest; the others go the next time
		}
	}
}

// growOld sets one of the times of a job back, past the limit that looks at it.
func (w *machine) growOld() {
	id := w.anyJob()
	j := w.m.jobs[id]
	if j == nil {
		w.t.Skip("it is gone")
	}
	for _, age := range []struct {
		column string
		at     *int64
		by     time.Duration
	}{
		{"created_at", &j.CreatedAt, window + time.Minute},
		{"updated_at", &j.UpdatedAt, modelThreshold + time.Minute},
		{"completed_at", &j.CompletedAt, ttl + time.Minute},
		{"completed_at", &j.CompletedAt, modelRetention + time.Minute},
		{"as_of", &j.AsOf, modelReuse + time.Minute},
	} {
		if *age.at == 0 || !rapid.Bool().Draw(w.t, age.column) {
			continue
		}
		*age.at -= age.by.Milliseconds()
		w.f.SetJob(w.outer, id, map[string]any{age.column: *age.at})
		if age.column == "updated_at" {
			for _, c := range j.chunks {
				c.touched = w.m.now - age.by.Milliseconds()
				w.f.SetChunk(w.outer, id, c.No, map[string]any{"updated_at": c.touched})
			}
		}
		w.aged = true
	}
}
