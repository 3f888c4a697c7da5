package jobtest

import (
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// The transitions of a split job and of its chunk rows.

func (c *modelChunk) mine(f job.ChunkFence) bool {
	return c.Status == job.Running && f.Token != "" && c.Token == f.Token && c.Attempt == f.Attempt
}

func (c *modelChunk) endedBy(f job.ChunkFence, s job.Status) bool {
	return c.Status == s && c.Token == f.Token && c.Attempt == f.Attempt
}

func (c *modelChunk) toPending(now int64) {
	c.Status, c.Token, c.LeaseUntil, c.RowCount, c.touched = job.Pending, "", 0, 0, now
}

func (c *modelChunk) end(s job.Status, now int64) {
	c.Status, c.LeaseUntil, c.touched = s, 0, now
}

func (c *modelChunk) fail(message string, now int64) {
	c.end(job.Fail, now)
	c.ErrorMsg = message
	c.Failures++
}

func (m *model) addChunk(f job.Fence, want job.Chunk) (stored *modelChunk, code fault.Code) {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return nil, fault.NotFound
	case !j.mine(f) || j.Phase != job.PhaseNone:
		return nil, j.refused(f)
	}
	if c := j.chunk(want.No); c != nil {
		return c, ""
	}
	c := &modelChunk{touched: m.now, Chunk: job.Chunk{
		JobID: j.ID, No: want.No, Status: job.Pending, KeyFrom: want.KeyFrom, KeyTo: want.KeyTo,
	}}
	j.chunks = append(j.chunks, c)
	return c, ""
}

func (m *model) planDone(f job.Fence, p job.Planned) fault.Code {
	j := m.jobs[f.JobID]
	switch {
	case j == nil:
		return fault.NotFound
	case m.unsure() && j.Status == job.Running && j.Phase == job.PhaseChunks && j.Attempt == f.Attempt:
		return "" // done already
	case !j.mine(f) || j.CancelWanted:
		return j.refused(f)
	}
	j.toChunks()
	j.CheckpointJSON = p.CheckpointJSON
	if j.AsOf == 0 {
		j.AsOf = p.AsOf
	}
	return ""
}

// toChunks: from here on the leases are those of the chunk rows.
func (j *modelJob) toChunks() {
	j.Phase, j.Token, j.LeaseUntil, j.UpdatedAt = job.PhaseChunks, "", 0, fresh
	j.wake()
}

// claimChunk answers the chunk that is claimed, nil when none is.
func (m *model) claimChunk(id string) *modelChunk {
	j := m.jobs[id]
	if j == nil || !j.split() {
		return nil
	}
	var next *modelChunk
	for _, c := range j.chunks {
		if c.Status == job.Pending && (next == nil || c.Failures < next.Failures) {
			next = c
		}
	}
	if next != nil {
		next.Status, next.Token, next.LeaseUntil, next.touched = job.Running, freshToken, freshLease, m.now
		next.Attempt++
	}
	return next
}

// worked finds the job and the chunk of a claim; open says that the claim is the
// chunk's and that chunks may be worked on.
func (m *model) worked(f job.ChunkFence) (j *modelJob, c *modelChunk, open bool) {
	if j = m.jobs[f.JobID]; j == nil {
		return nil, nil, false
	}
	c = j.chunk(f.No)
	return j, c, c != nil && c.mine(f) && j.split()
}

func (m *model) beatChunk(f job.ChunkFence, rows int64) (cancelWanted bool, code fault.Code) {
	j, c, open := m.worked(f)
	switch {
	case open:
		c.LeaseUntil, c.touched = freshLease, m.now
		if rows >= 0 {
			c.RowCount = rows
		}
		return false, ""
	case c != nil && c.mine(f) && j.Status == job.Running && j.CancelWanted:
		return true, ""
	default:
		return false, fault.Lost
	}
}

func (m *model) finishChunk(f job.ChunkFence, d job.ChunkDone) fault.Code {
	_, c, open := m.worked(f)
	switch {
	case open:
		c.end(job.Done, m.now)
		c.FilePath, c.RowCount, c.Bytes, c.CRC32, c.AsOf = d.FilePath, d.Rows, d.Bytes, d.CRC32, d.AsOf
		return ""
	case c != nil && c.endedBy(f, job.Done):
		return ""
	default:
		return fault.Lost
	}
}

// chunkGivenBack is givenBack for a chunk.
func (m *model) chunkGivenBack(c *modelChunk, f job.ChunkFence) bool {
	return m.unsure() && c != nil && c.Status == job.Pending && c.Attempt == f.Attempt
}

func (m *model) retryChunk(f job.ChunkFence) (retried bool, code fault.Code) {
	_, c, open := m.worked(f)
	switch {
	case m.chunkGivenBack(c, f):
		return true, ""
	case !open:
		return false, fault.Lost
	case c.Failures+1 >= attempts:
		return false, ""
	}
	c.toPending(m.now)
	c.Failures++
	return true, ""
}

func (m *model) releaseChunk(f job.ChunkFence) fault.Code {
	_, c, open := m.worked(f)
	switch {
	case m.chunkGivenBack(c, f):
		return ""
	case !open:
		return fault.Lost
	}
	c.toPending(m.now)
	return ""
}

func (m *model) failChunk(f job.ChunkFence, message string) fault.Code {
	_, c, open := m.worked(f)
	switch {
	case m.unsure() && c != nil && c.endedBy(f, job.Fail):
		return ""
	case !open:
		return fault.Lost
	}
	c.fail(message, m.now)
	return ""
}

func (m *model) pack(id string) (packed bool, code fault.Code) {
	j := m.jobs[id]
	switch {
	case j == nil:
		return false, fault.NotFound
	case !j.split() || !j.every(job.Done):
		return false, ""
	}
	j.ProcessedRows = j.chunkRows()
	j.Phase, j.Token, j.LeaseUntil, j.UpdatedAt = job.PhasePacking, freshToken, freshLease, fresh
	j.Attempt++
	return true, ""
}

// overSplit reports whether a job in CHUNKS is over although it still runs.
func (j *modelJob) overSplit() bool {
	return j.Status == job.Running && j.Phase == job.PhaseChunks && (j.CancelWanted || j.any(job.Fail))
}

// endSplit ends a job in CHUNKS that a failed chunk or a cancel has ended.
func (m *model) endSplit(id string) (ended bool, code fault.Code) {
	j := m.jobs[id]
	switch {
	case j == nil:
		return false, fault.NotFound
	case !j.overSplit():
		return false, ""
	case j.CancelWanted:
		j.ProcessedRows = j.chunkRows()
		j.endCancelled()
		return true, ""
	}
	j.ProcessedRows = j.chunkRows()
	message := ""
	for _, c := range j.chunks {
		if c.Status == job.Fail && (message == "" || c.ErrorMsg < message) {
			message = c.ErrorMsg
		}
	}
	j.end(job.Fail, message)
	j.Failures++
	return true, ""
}

// unneeded reports whether the job's chunks are of no use.
func (j *modelJob) unneeded() bool {
	return j.Status == job.Done || j.Status == job.Fail && j.CancelWanted || j.SweptAt != 0
}

func (j *modelJob) chunksLeft() bool { return len(j.chunks) > 0 && j.unneeded() }

func (m *model) dropChunks(id string) (keys []string) {
	j := m.jobs[id]
	if j == nil || !j.unneeded() {
		return nil
	}
	keys = j.chunkKeys()
	j.chunks = nil
	return keys
}

func (j *modelJob) chunkKeys() (keys []string) {
	for _, c := range j.chunks {
		if c.FilePath != "" {
			keys = append(keys, c.FilePath)
		}
	}
	return keys
}
