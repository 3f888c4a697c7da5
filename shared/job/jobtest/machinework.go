package jobtest

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/job"
)

// The steps of those who submit, work and cancel, and of time.

// Few of each, so that they meet.
var (
	requesters      = []string{"kim", "lee"}
	filterHashes    = []string{hash("filter", 1), hash("filter", 2)}
	idempotencyKeys = []string{"", "", hash("model", 1), hash("model", 2)}
)

const (
	exports     = 3 // same requester: the remainder
	jobsAtATime = 5
)

func (w *machine) submit() {
	export := rapid.IntRange(0, exports-1).Draw(w.t, "export")
	id := uuid.NewString()
	n := job.New{
		ID: id, Dataset: "orders", FileName: "주문", Requester: requesters[export%len(requesters)], Queue: job.Normal,
		TotalRows: 7, ExportHash: hash("export", export), FilterHash: filterHashes[export/2], WarningsJSON: `{"w":1}`,
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
func (w *machine) deliver(m sentWake) {
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

func (w *machine) beat(f job.Fence) {
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
func (w *machine) upload(f job.Fence) { w.put(fileOf(f)) }

func (w *machine) complete(f job.Fence) {
	c := job.Completion{
		FilePath: w.put(fileOf(f)), FileBytes: 1 << 40, Rows: 5, AsOf: w.m.now, WarningsJSON: `{"w":2}`,
		FilterHash: rapid.SampledFrom(append([]string{""}, filterHashes...)).Draw(w.t, "filter hash"),
	}
	if j := w.m.jobs[f.JobID]; j != nil && j.AsOf != 0 {
		c.AsOf, c.AsOfEnd = j.AsOf, w.m.now
	}
	w.call(func(s job.Store) {
		err := s.Complete(w.outer.Context(), f, c)
		answered(w, "complete", 0, 0, err, w.m.complete(f, c))
	})
}

func (w *machine) fail(f job.Fence) {
	w.call(func(s job.Store) {
		j, err := s.Fail(w.outer.Context(), f, "broken")
		answered(w, "fail", 0, 0, err, w.m.fail(f, "broken"))
		w.row(j, err)
	})
}

func (w *machine) retry(f job.Fence) {
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

func (w *machine) handOver(f job.Fence) {
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

func (w *machine) cancel(id string) {
	w.call(func(s job.Store) {
		j, err := s.Cancel(w.outer.Context(), id)
		answered(w, "cancel", 0, 0, err, w.m.cancel(id))
		w.row(j, err)
	})
}

func (w *machine) reopen(id string) {
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
func (w *machine) loseWorker(id string) {
	j := w.m.jobs[id]
	if j == nil || !j.leased() {
		return
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
func (w *machine) growOld(id string) {
	j := w.m.jobs[id]
	if j == nil {
		return
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
