package jobtest

import (
	"fmt"
	"strings"

	"github.com/haexcel/haexcel/shared/job"
)

// view is the table after a step, and as it was before.
type view struct {
	before, now snapshot
	aged        bool  // the step set times back or took a lease away: only now counts
	at          int64 // the database's clock
	bucket      map[string]job.Object
}

// invariants are what holds after every step, whoever did it, and in whatever
// order. This is the one place where they stand. A check answers what is wrong,
// or "".
var invariants = []struct {
	name  string
	check func(v view) string
}{
	{"a waiting job is nobody's", eachJob(func(j job.Job) bool {
		return j.Status != job.Pending || j.Token == "" && j.LeaseUntil == 0 && j.Phase == job.PhaseNone && j.CompletedAt == 0 && j.WokenAt != 0
	})},
	{"a waiting job is not cancelled", eachJob(func(j job.Job) bool { return j.Status != job.Pending || !j.CancelWanted })},
	{"a running job is somebody's", eachJob(func(j job.Job) bool {
		return j.Status != job.Running || j.Phase == job.PhaseChunks || j.Token != "" && j.Attempt > 0 && j.StartedAt != 0
	})},
	{"while chunks run the job has no token and no lease", eachJob(func(j job.Job) bool {
		return j.Phase != job.PhaseChunks || j.Token == "" && j.LeaseUntil == 0
	})},
	{"a phase is one of a running job", eachJob(func(j job.Job) bool { return j.Phase == job.PhaseNone || j.Status == job.Running })},
	{"an ended job says when, and keeps nobody out", eachJob(func(j job.Job) bool {
		return !j.Status.Finished() || j.CompletedAt != 0 && j.ActiveKey == "" && j.LeaseUntil == 0
	})},
	{"a failed job says why, a done one does not", eachJob(func(j job.Job) bool { return !j.Status.Finished() || (j.ErrorMsg != "") == (j.Status == job.Fail) })},
	{"an accepted cancel never ends DONE", eachJob(func(j job.Job) bool { return j.Status != job.Done || !j.CancelWanted })},
	{"an accepted cancel is never taken back", eachChange(func(a, b job.Job) bool { return !a.CancelWanted || b.CancelWanted })},
	{"a cancelled job keeps nobody out", eachJob(func(j job.Job) bool { return !j.CancelWanted || j.ActiveKey == "" })},
	{"a done job stays as it is until it is swept", eachChange(func(a, b job.Job) bool {
		b.SweptAt, b.UpdatedAt, b.IdempotencyKey = a.SweptAt, a.UpdatedAt, a.IdempotencyKey // a key may be taken over
		if b.FilePath == "" {
			b.FilePath = a.FilePath
		}
		return a.Status != job.Done || a == b
	})},
	{"a cancelled or swept job never comes back", eachChange(func(a, b job.Job) bool {
		over := a.Status == job.Fail && a.CancelWanted || a.SweptAt != 0
		return !over || b.Status == a.Status
	})},
	{"attempt never goes back", eachChange(func(a, b job.Job) bool { return b.Attempt >= a.Attempt })},
	{"who claims has an attempt of his own", eachChange(func(a, b job.Job) bool {
		return b.Token == a.Token || b.Token == "" || b.Attempt == a.Attempt+1
	})},
	{"an active job has failures left", eachJob(func(j job.Job) bool { return j.Status.Finished() || j.Failures < attempts })},
	{"hops are bounded", eachJob(func(j job.Job) bool { return j.Hops <= modelHops })},
	{"a wake is newer than those before", eachChange(func(a, b job.Job) bool {
		return b.WokenAt >= a.WokenAt && (a.Status == job.Pending || b.Status != job.Pending || b.WokenAt > a.WokenAt)
	})},
	{"the moment of a plan stays", eachChange(func(a, b job.Job) bool { return a.AsOf == 0 || b.AsOf == a.AsOf })},
	{"the active key is that of the export", eachJob(func(j job.Job) bool { return j.ActiveKey == "" || j.ActiveKey == j.ExportHash })},
	{"one active job per export within the window", oneActive},
	{"one job per idempotency key", oneIdempotency},
	{"a done job names the file of its own attempt", eachJob(func(j job.Job) bool {
		return j.Status != job.Done || j.ReusedFrom != "" || j.SweptAt != 0 || j.FilePath == fileOf(j.Fence()).Key
	})},
	{"a job that reuses a file was nobody's work", eachJob(func(j job.Job) bool {
		return j.ReusedFrom == "" || j.Status == job.Done && j.Attempt == 0 && j.Token == "" && j.AsOf != 0
	})},
	{"only a done job names a file", eachJob(func(j job.Job) bool { return j.Status == job.Done || j.FilePath == "" })},
	{"a swept job names no file and has no chunks", func(v view) string {
		return eachJob(func(j job.Job) bool { return j.SweptAt == 0 || j.FilePath == "" && len(v.now.chunks[j.ID]) == 0 })(v)
	}},
	{"only a swept job is purged", func(v view) string {
		for id, j := range v.before.jobs {
			if _, there := v.now.jobs[id]; !there && j.SweptAt == 0 {
				return fmt.Sprintf("%+v", j)
			}
		}
		return ""
	}},
	{"no row names a missing object", namesExist},
	{"packing means that all chunks are finished", func(v view) string {
		return eachChunk(func(c job.Chunk) bool {
			return v.now.jobs[c.JobID].Phase != job.PhasePacking || c.Status == job.Done
		})(v)
	}},
	{"chunks are numbered from 1", func(v view) string {
		for _, chunks := range v.now.chunks {
			for i, c := range chunks {
				if c.No != i+1 {
					return fmt.Sprintf("%+v", c)
				}
			}
		}
		return ""
	}},
	{"a chunk is somebody's only while it runs", eachChunk(func(c job.Chunk) bool {
		switch c.Status {
		case job.Pending:
			return c.Token == "" && c.LeaseUntil == 0 && c.FilePath == "" && c.ErrorMsg == "" && c.RowCount == 0
		case job.Running:
			return c.Token != "" && c.Attempt > 0 && c.FilePath == "" && c.ErrorMsg == ""
		case job.Done:
			return c.LeaseUntil == 0 && c.ErrorMsg == "" && c.FilePath == segmentOf(c.Fence()).Key
		default:
			return c.LeaseUntil == 0 && c.ErrorMsg != "" && c.FilePath == ""
		}
	})},
	{"an unfinished chunk has failures left", eachChunk(func(c job.Chunk) bool { return c.Status.Finished() || c.Failures < attempts })},
	{"a finished chunk stays as it is", eachChunkChange(func(a, b job.Chunk) bool { return a.Status != job.Done || a == b })},
	{"a chunk keeps its bounds", eachChunkChange(func(a, b job.Chunk) bool { return a.KeyFrom == b.KeyFrom && a.KeyTo == b.KeyTo })},
	{"a chunk's attempt never goes back", eachChunkChange(func(a, b job.Chunk) bool { return b.Attempt >= a.Attempt })},
	{"who claims a chunk has an attempt of his own", eachChunkChange(func(a, b job.Chunk) bool {
		return b.Token == a.Token || b.Token == "" || b.Attempt == a.Attempt+1
	})},
	{"chunks go only when nobody needs them", func(v view) string {
		for id, chunks := range v.before.chunks {
			j := v.now.jobs[id]
			over := j.ID == "" || j.Status == job.Done || j.Status == job.Fail && j.CancelWanted || j.SweptAt != 0
			if len(v.now.chunks[id]) != len(chunks) && !over && len(v.now.chunks[id]) < len(chunks) {
				return fmt.Sprintf("%+v", j)
			}
		}
		return ""
	}},
}

func eachJob(holds func(j job.Job) bool) func(view) string {
	return func(v view) string {
		for _, j := range v.now.jobs {
			if !holds(j) {
				return fmt.Sprintf("%+v", j)
			}
		}
		return ""
	}
}

func eachChange(holds func(before, now job.Job) bool) func(view) string {
	return func(v view) string {
		for id, a := range v.before.jobs {
			if b, there := v.now.jobs[id]; there && !v.aged && !holds(a, b) {
				return fmt.Sprintf("before %+v\nnow %+v", a, b)
			}
		}
		return ""
	}
}

func eachChunk(holds func(c job.Chunk) bool) func(view) string {
	return func(v view) string {
		for _, chunks := range v.now.chunks {
			for _, c := range chunks {
				if !holds(c) {
					return fmt.Sprintf("%+v", c)
				}
			}
		}
		return ""
	}
}

func eachChunkChange(holds func(before, now job.Chunk) bool) func(view) string {
	return func(v view) string {
		for id, before := range v.before.chunks {
			now := v.now.chunks[id]
			for i := range min(len(before), len(now)) {
				if !v.aged && !holds(before[i], now[i]) {
					return fmt.Sprintf("before %+v\nnow %+v", before[i], now[i])
				}
			}
		}
		return ""
	}
}

func oneActive(v view) string {
	holders := map[string]string{}
	for id, j := range v.now.jobs {
		if j.Status.Finished() || j.CancelWanted || j.CreatedAt <= v.at-window.Milliseconds() {
			continue
		}
		if other, taken := holders[j.ExportHash]; taken {
			return fmt.Sprintf("jobs %s and %s", id, other)
		}
		holders[j.ExportHash] = id
	}
	return ""
}

func oneIdempotency(v view) string {
	holders := map[string]string{}
	for id, j := range v.now.jobs {
		if other, taken := holders[j.IdempotencyKey]; taken && j.IdempotencyKey != "" {
			return fmt.Sprintf("jobs %s and %s", id, other)
		}
		holders[j.IdempotencyKey] = id
	}
	return ""
}

func namesExist(v view) string {
	var missing []string
	look := func(key string) {
		if _, there := v.bucket[key]; key != "" && !there {
			missing = append(missing, key)
		}
	}
	for id, j := range v.now.jobs {
		look(j.FilePath)
		for _, c := range v.now.chunks[id] {
			look(c.FilePath)
		}
	}
	return strings.Join(missing, ", ")
}
