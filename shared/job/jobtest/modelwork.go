package jobtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// The transitions of the job row by those who submit, work and cancel. Each
// answers what the store must answer; "" is no error.

// submit answers the job that answers, and whether it is the new one.
func (m *model) submit(n job.New, lim job.SubmitLimits) (id string, created bool, code fault.Code) {
	if n.IdempotencyKey != "" {
		if h := m.holder(func(j *modelJob) *string { return &j.IdempotencyKey }, n.IdempotencyKey, lim); h != nil {
			if h.ExportHash != n.ExportHash {
				return "", false, fault.Unprocessable
			}
			return h.ID, false, ""
		}
	}
	if h := m.holder(func(j *modelJob) *string { return &j.ActiveKey }, n.ExportHash, lim); h != nil {
		if h.IdempotencyKey == "" {
			h.IdempotencyKey = n.IdempotencyKey
		}
		return h.ID, false, ""
	}
	if m.reuse(n) {
		return n.ID, true, ""
	}
	if lim.MaxActive > 0 && m.count(func(j *modelJob) bool { return j.active() && j.Requester == n.Requester }) >= lim.MaxActive {
		return "", false, fault.TooManyRequests
	}
	if lim.MaxPending > 0 && m.count(func(j *modelJob) bool { return j.active() && j.Status == job.Pending }) >= lim.MaxPending {
		return "", false, fault.Unavailable
	}
	m.insert(n)
	return n.ID, true, ""
}

// holder finds who holds a key. One that is older than the window loses it.
func (m *model) holder(key func(*modelJob) *string, value string, lim job.SubmitLimits) *modelJob {
	for _, id := range m.order {
		j := m.jobs[id]
		if *key(j) != value {
			continue
		}
		if j.CreatedAt <= m.now-lim.Window.Milliseconds() {
			*key(j) = ""
			return nil
		}
		return j
	}
	return nil
}

// reuse makes the job a finished one, where a file of the same filter hash is
// young enough.
func (m *model) reuse(n job.New) bool {
	var source *modelJob
	for _, id := range m.order {
		j := m.jobs[id]
		if n.Reuse.MaxAge == 0 || j.Status != job.Done || j.SweptAt != 0 || j.FilterHash != n.FilterHash ||
			j.AsOf < m.now-n.Reuse.MaxAge.Milliseconds() || j.CompletedAt <= m.now-n.Reuse.TTL.Milliseconds() {
			continue
		}
		if source == nil || cmp.Or(cmp.Compare(j.AsOf, source.AsOf), cmp.Compare(j.CompletedAt, source.CompletedAt), cmp.Compare(source.ID, j.ID)) > 0 {
			source = j
		}
	}
	if source == nil {
		return false
	}
	j := m.insert(n)
	j.Status, j.ActiveKey, j.WokenAt, j.CompletedAt, j.ReusedFrom = job.Done, "", 0, fresh, source.ID
	j.FilePath, j.FileBytes, j.ProcessedRows, j.TotalRows = source.FilePath, source.FileBytes, source.ProcessedRows, source.TotalRows
	j.AsOf, j.AsOfEnd, j.WarningsJSON = source.AsOf, source.AsOfEnd, source.WarningsJSON
	return true
}

func (m *model) count(which func(*modelJob) bool) int {
	n := 0
	for _, j := range m.jobs {
		if which(j) {
			n++
		}
	}
	return n
}

// idsOf lists jobs in the order of their ids.
func (m *model) idsOf(which func(*modelJob) bool) []string {
	var ids []string
	for id, j := range m.jobs {
		if which(j) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (m *model) insert(n job.New) *modelJob {
	j := &modelJob{Job: job.Job{
		ID: n.ID, Dataset: n.Dataset, FileName: n.FileName, Requester: n.Requester, Queue: n.Queue,
		Status: job.Pending, TotalRows: n.TotalRows,
		FilterHash: n.FilterHash, ExportHash: n.ExportHash, ActiveKey: n.ExportHash, IdempotencyKey: n.IdempotencyKey,
		WarningsJSON: n.WarningsJSON,
		CreatedAt:    fresh, UpdatedAt: fresh, WokenAt: fresh,
	}}
	m.jobs[n.ID] = j
	m.order = append(m.order, n.ID)
	return j
}

func (m *model) claim(id string) (claimed bool, code fault.Code) {
	j := m.jobs[id]
	switch {
	case j == nil:
		return false, fault.NotFound
	case j.Status != job.Pending || j.CancelWanted:
		return false, ""
	}
	j.Status, j.Token, j.LeaseUntil, j.UpdatedAt = job.Running, freshToken, freshLease, fresh
	j.Attempt++
	if j.StartedAt == 0 {
		j.StartedAt = fresh
	}
	return true, ""
}

func (m *model) beat(f job.Fence, p job.Progress) (cancelWanted bool, code fault.Code) {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return false, fault.NotFound
	case !j.mine(f):
		return false, fault.Lost
	}
	j.LeaseUntil, j.UpdatedAt = freshLease, fresh
	if p.ProcessedRows >= 0 {
		j.ProcessedRows = p.ProcessedRows
	}
	if p.TotalRows >= 0 {
		j.TotalRows = p.TotalRows
	}
	return j.CancelWanted, ""
}

func (m *model) complete(f job.Fence, c job.Completion) fault.Code {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return fault.NotFound
	case j.endedBy(f, job.Done):
		return "" // done with my token is success
	case !j.mine(f) || j.CancelWanted:
		return j.refused(f)
	}
	j.end(job.Done, "")
	j.FilePath, j.FileBytes, j.ProcessedRows, j.TotalRows = c.FilePath, c.FileBytes, c.Rows, c.Rows
	j.AsOf, j.AsOfEnd, j.WarningsJSON = c.AsOf, c.AsOfEnd, c.WarningsJSON
	if c.FilterHash != "" {
		j.FilterHash = c.FilterHash
	}
	return ""
}

func (m *model) fail(f job.Fence, message string) fault.Code {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return fault.NotFound
	case m.unsure() && j.endedBy(f, job.Fail):
		return "" // nobody can tell who ended it so
	case !j.mine(f):
		return fault.Lost
	case j.CancelWanted:
		j.endCancelled()
	default:
		j.end(job.Fail, message)
		j.Failures++
	}
	return ""
}

// givenBack: after an unknown outcome PENDING at my attempt counts as done.
func (m *model) givenBack(j *modelJob, f job.Fence) bool {
	return m.unsure() && j.Status == job.Pending && j.Attempt == f.Attempt
}

func (m *model) retry(f job.Fence) (retried bool, code fault.Code) {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return false, fault.NotFound
	case m.givenBack(j, f):
		return true, ""
	case !j.mine(f) || j.CancelWanted:
		return false, j.refused(f)
	case j.Failures+1 >= attempts:
		return false, ""
	}
	j.toPending()
	j.Failures++
	return true, ""
}

func (m *model) handOver(f job.Fence, h job.HandOver) fault.Code {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return fault.NotFound
	case m.givenBack(j, f):
		return ""
	case !j.mine(f) || j.CancelWanted:
		return j.refused(f)
	case j.Hops >= h.MaxHops:
		j.end(job.Fail, anyMessage)
		j.Failures++
		return ""
	}
	j.toPending()
	j.Hops++
	if h.CheckpointJSON != "" {
		j.CheckpointJSON = h.CheckpointJSON
	}
	if h.Queue != "" {
		j.Queue = h.Queue
	}
	return ""
}

func (m *model) cancel(id string) fault.Code {
	j := m.jobs[id]
	switch {
	case j == nil:
		return fault.NotFound
	case m.unsure() && j.CancelWanted:
		return "" // accepted before, or by the try whose reply was lost
	case j.Status.Finished():
		return fault.Conflict
	case j.Status == job.Pending || j.expired(m.now):
		j.endCancelled()
	default:
		j.CancelWanted, j.ActiveKey, j.UpdatedAt = true, "", fresh
	}
	return ""
}

// reopen is the retry endpoint.
func (m *model) reopen(id string) fault.Code {
	j := m.jobs[id]
	switch {
	case j == nil:
		return fault.NotFound
	case m.unsure() && !j.Status.Finished():
		return "" // it is open, as was wanted
	case j.Status != job.Fail || j.CancelWanted || j.SweptAt != 0:
		return fault.Conflict
	case m.count(func(o *modelJob) bool { return o.ActiveKey == j.ExportHash }) > 0:
		return fault.Conflict
	}
	j.toPending()
	j.ActiveKey, j.Failures, j.Hops, j.ErrorMsg, j.CompletedAt = j.ExportHash, 0, 0, "", 0
	for _, c := range j.chunks {
		if c.Status != job.Done {
			c.toPending(m.now)
			c.Failures, c.ErrorMsg = 0, ""
		}
	}
	return ""
}

func lostMessage(failures int) string { return fmt.Sprintf("Worker lost %d times", failures) }
