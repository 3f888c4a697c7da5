package jobtest

import (
	"slices"

	"github.com/haexcel/haexcel/shared/job"
)

// The transitions by recovery, dead letters and the sweep. Batches answer what
// became of each job, by its id.

// fate is what recovery did to a job.
type fate struct{ wake, failed bool }

func (m *model) recover() map[string]fate {
	fates := map[string]fate{}
	for id, j := range m.jobs {
		switch {
		case j.Status == job.Pending && j.CancelWanted, j.expired(m.now) && j.CancelWanted:
			j.endCancelled()
			fates[id] = fate{failed: true}
		case !j.expired(m.now):
		case j.Failures+1 >= attempts:
			j.Failures++
			j.end(job.Fail, lostMessage(j.Failures))
			fates[id] = fate{failed: true}
		case j.Phase == job.PhasePacking:
			j.Failures++
			j.toChunks()
			fates[id] = fate{wake: true}
		default:
			j.Failures++
			j.toPending()
			fates[id] = fate{wake: true}
		}
	}
	return fates
}

// recoverChunks answers the jobs that want a wake.
func (m *model) recoverChunks() map[string]bool {
	woken := map[string]bool{}
	for id, j := range m.jobs {
		if !j.split() {
			continue
		}
		for _, c := range j.chunks {
			if !m.chunkExpired(c) {
				continue
			}
			woken[id] = true
			if c.Failures+1 >= attempts {
				c.fail(lostMessage(c.Failures+1), m.now)
			} else {
				c.toPending(m.now)
				c.Failures++
			}
		}
	}
	return woken
}

func (m *model) chunkExpired(c *modelChunk) bool {
	return c.Status == job.Running && c.LeaseUntil <= m.now
}

// waits reports whether a split job has work to do and nothing has touched it.
func (m *model) waits(j *modelJob) bool {
	untouched := m.now - modelThreshold.Milliseconds()
	return j.split() && (j.any(job.Pending) || j.every(job.Done)) && j.UpdatedAt <= untouched &&
		!slices.ContainsFunc(j.chunks, func(c *modelChunk) bool { return c.touched > untouched })
}

func (m *model) settleSplit() map[string]fate {
	fates := map[string]fate{}
	for id, j := range m.jobs {
		if ended, _ := m.endSplit(id); ended {
			fates[id] = fate{failed: true}
		} else if m.waits(j) {
			j.UpdatedAt = fresh
			fates[id] = fate{wake: true}
		}
	}
	return fates
}

// overslept reports whether nothing has touched a waiting job for long.
func (m *model) overslept(j *modelJob) bool {
	return j.Status == job.Pending && !j.CancelWanted && j.UpdatedAt <= m.now-modelThreshold.Milliseconds()
}

// rewake answers the jobs whose wakes are to be sent again.
func (m *model) rewake() map[string]bool {
	woken := map[string]bool{}
	for id, j := range m.jobs {
		if m.overslept(j) {
			j.UpdatedAt = fresh
			woken[id] = true
		}
	}
	return woken
}

func (m *model) deadLetter(id string, wokenAt int64) job.DeadLetterVerdict {
	j := m.jobs[id]
	if j == nil || j.Status != job.Pending || j.CancelWanted || j.WokenAt != wokenAt {
		return job.DeadDropped
	}
	j.Failures++
	if j.Failures < attempts {
		j.toPending()
		return job.DeadRetried
	}
	j.end(job.Fail, anyMessage)
	return job.DeadFailed
}

// endedBefore reports whether the job ended so long ago.
func (j *modelJob) endedBefore(at int64) bool { return j.Status.Finished() && j.CompletedAt <= at }

func (m *model) sweepable(j *modelJob) bool {
	return j.SweptAt == 0 && j.endedBefore(m.now-ttl.Milliseconds())
}

func (m *model) markSwept(id string) (keys []string, swept bool) {
	j := m.jobs[id]
	switch {
	case j == nil:
		return nil, false
	case j.SweptAt != 0:
		return nil, m.unsure() // perhaps by the try whose reply was lost
	case !m.sweepable(j):
		return nil, false
	}
	if j.FilePath != "" {
		keys = append(keys, j.FilePath)
	}
	keys = append(keys, j.chunkKeys()...)
	j.SweptAt, j.UpdatedAt, j.FilePath, j.chunks = fresh, fresh, "", nil
	return keys, true
}

func (m *model) purgeable(j *modelJob) bool {
	return j.SweptAt != 0 && j.endedBefore(m.now-modelRetention.Milliseconds())
}

// purge answers how many rows went.
func (m *model) purge() int {
	before := len(m.order)
	m.order = slices.DeleteFunc(m.order, func(id string) bool {
		j := m.jobs[id]
		gone := m.purgeable(j)
		if gone {
			delete(m.jobs, id)
		}
		return gone
	})
	return before - len(m.order)
}

// named reports whether any row names the object.
func (m *model) named(key string) bool {
	for _, j := range m.jobs {
		if j.FilePath == key || slices.Contains(j.chunkKeys(), key) {
			return true
		}
	}
	return false
}

func (m *model) orphaned(o job.Object) bool {
	j := m.jobs[o.JobID]
	if j == nil || m.named(o.Key) {
		return false
	}
	if o.Chunk == 0 {
		return j.Status != job.Running || j.Attempt != o.Attempt
	}
	c := j.chunk(o.Chunk)
	return c == nil || c.Status != job.Running || c.Attempt != o.Attempt
}
