package jobtest

import (
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// lossCase is one transition whose reply, or whose request, gets lost. The
// outcome must be the same as without the loss, and must have happened once.
type lossCase struct {
	name  string
	setUp func(t *testing.T, f Fixture) job.Job
	do    func(t *testing.T, s job.Store, j job.Job)
	check func(t *testing.T, f Fixture, before, after job.Job)
}

func once(t *testing.T, what string, got, before int) {
	t.Helper()
	if got != before+1 {
		t.Errorf("%s went from %d to %d, want one more", what, before, got)
	}
}

var lossCases = []lossCase{
	{
		name:  "claim",
		setUp: func(t *testing.T, f Fixture) job.Job { return submit(t, f.Store, newJob()) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			_, claimed, err := s.Claim(t.Context(), j.ID, "host", lease)
			ok(t, err)
			equal(t, "claimed", claimed, true)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "status", after.Status, job.Running)
			once(t, "attempt", after.Attempt, before.Attempt)
		},
	},
	{
		name:  "beat",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			_, err := s.Beat(t.Context(), j.Fence(), job.Progress{ProcessedRows: 7, TotalRows: -1}, lease)
			ok(t, err)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) { equal(t, "processed", after.ProcessedRows, 7) },
	},
	{
		name:  "complete",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			ok(t, s.Complete(t.Context(), j.Fence(), completion(j)))
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "status", after.Status, job.Done)
			equal(t, "file", after.FilePath, completion(before).FilePath)
		},
	},
	{
		name:  "fail",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			after := must[job.Job](t)(s.Fail(t.Context(), j.Fence(), "broken"))
			equal(t, "status", after.Status, job.Fail)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
		},
	},
	{
		name:  "retry",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			after, retried, err := s.Retry(t.Context(), j.Fence(), attempts)
			ok(t, err)
			equal(t, "retried", retried, true)
			equal(t, "status", after.Status, job.Pending)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
		},
	},
	{
		name:  "hand over",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			after := must[job.Job](t)(s.HandOver(t.Context(), j.Fence(), job.HandOver{CheckpointJSON: "{}", MaxHops: 5}))
			equal(t, "status", after.Status, job.Pending)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "hops", after.Hops, before.Hops)
			equal(t, "checkpoint", after.CheckpointJSON, "{}")
		},
	},
	{
		name:  "cancel while waiting",
		setUp: func(t *testing.T, f Fixture) job.Job { return submit(t, f.Store, newJob()) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "status", must[job.Job](t)(s.Cancel(t.Context(), j.ID)).Status, job.Fail)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "message", after.ErrorMsg, job.CancelledMessage)
		},
	},
	{
		name:  "cancel while running",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "cancel wanted", must[job.Job](t)(s.Cancel(t.Context(), j.ID)).CancelWanted, true)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) { equal(t, "status", after.Status, job.Running) },
	},
	{
		name:  "reopen",
		setUp: func(t *testing.T, f Fixture) job.Job { return failed(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "status", must[job.Job](t)(s.Reopen(t.Context(), j.ID)).Status, job.Pending)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "active key", after.ActiveKey, before.ExportHash)
		},
	},
	{
		name: "recover",
		setUp: func(t *testing.T, f Fixture) job.Job {
			return f.with(t, running(t, f.Store), map[string]any{"lease_until": int64(1)})
		},
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "wake", recoverAll(t, s)[j.ID].Wake, true)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
		},
	},
	{
		name: "recover a packer",
		setUp: func(t *testing.T, f Fixture) job.Job {
			return f.with(t, packing(t, f.Store), map[string]any{"lease_until": int64(1)})
		},
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "wake", recoverAll(t, s)[j.ID].Wake, true)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
			equal(t, "phase", after.Phase, job.PhaseChunks)
		},
	},
	{
		name: "re-wake",
		setUp: func(t *testing.T, f Fixture) job.Job {
			return f.with(t, submit(t, f.Store, newJob()), map[string]any{"updated_at": int64(1)})
		},
		do: func(t *testing.T, s job.Store, j job.Job) {
			woken := 0
			for _, w := range must[[]job.Job](t)(s.Rewake(t.Context(), lease, 1000)) {
				if w.ID == j.ID {
					woken++
				}
			}
			equal(t, "times woken", woken, 1)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "woken at", after.WokenAt, before.WokenAt)
		},
	},
	{
		name:  "dead letter",
		setUp: func(t *testing.T, f Fixture) job.Job { return submit(t, f.Store, newJob()) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			_, verdict, err := s.DeadLetter(t.Context(), j.ID, j.WokenAt, attempts)
			ok(t, err)
			equal(t, "verdict", verdict, job.DeadRetried)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
		},
	},
	{
		name: "last dead letter",
		setUp: func(t *testing.T, f Fixture) job.Job {
			return f.with(t, submit(t, f.Store, newJob()), map[string]any{"failures": attempts - 1})
		},
		do: func(t *testing.T, s job.Store, j job.Job) {
			_, verdict, err := s.DeadLetter(t.Context(), j.ID, j.WokenAt, attempts)
			ok(t, err)
			equal(t, "verdict", verdict, job.DeadFailed)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
		},
	},
	{
		name:  "plan done",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "phase", must[job.Job](t)(s.PlanDone(t.Context(), j.Fence(), job.Planned{})).Phase, job.PhaseChunks)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "attempt", after.Attempt, before.Attempt)
		},
	},
	{
		name:  "add chunk",
		setUp: func(t *testing.T, f Fixture) job.Job { return running(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "number", must[job.Chunk](t)(s.AddChunk(t.Context(), j.Fence(), job.Chunk{No: 1, KeyTo: "[1]"})).No, 1)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "chunks", len(must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), before.ID))), 1)
		},
	},
	{
		name:  "pack",
		setUp: func(t *testing.T, f Fixture) job.Job { return chunksDone(t, f.Store) },
		do: func(t *testing.T, s job.Store, j job.Job) {
			_, packed, err := s.Pack(t.Context(), j.ID, "packer", lease)
			ok(t, err)
			equal(t, "packed", packed, true)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "attempt", after.Attempt, before.Attempt)
			equal(t, "rows", after.ProcessedRows, 3)
		},
	},
	{
		name:  "claim chunk",
		setUp: func(t *testing.T, f Fixture) job.Job { return splitJob(t, f.Store, 1) },
		do:    func(t *testing.T, s job.Store, j job.Job) { claimChunk(t, s, j.ID) },
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "attempt", getChunk(t, f.Store, before.ID, 1).Attempt, 1)
		},
	},
	{
		name:  "end split",
		setUp: func(t *testing.T, f Fixture) job.Job { return chunkFailed(t, f.Store) },
		do:    func(t *testing.T, s job.Store, j job.Job) { endSplit(t, s, j.ID) },
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			once(t, "failures", after.Failures, before.Failures)
			equal(t, "message", after.ErrorMsg, "broken")
		},
	},
	{
		name: "drop chunks",
		setUp: func(t *testing.T, f Fixture) job.Job {
			return f.with(t, splitFailed(t, f.Store), map[string]any{"swept_at": int64(1)})
		},
		do: func(t *testing.T, s job.Store, j job.Job) {
			equal(t, "keys", len(must[[]string](t)(s.DropChunks(t.Context(), j.ID))), 1)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) {
			equal(t, "row", after, before)
			equal(t, "chunks", len(must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), before.ID))), 0)
		},
	},
	{
		name: "sweep",
		setUp: func(t *testing.T, f Fixture) job.Job {
			return f.with(t, finished(t, f.Store), map[string]any{"completed_at": int64(1)})
		},
		do: func(t *testing.T, s job.Store, j job.Job) {
			keys, swept, err := s.MarkSwept(t.Context(), j.ID, ttl)
			ok(t, err)
			equal(t, "swept", swept, true)
			equal(t, "keys", len(keys), 1)
		},
		check: func(t *testing.T, f Fixture, before, after job.Job) { equal(t, "file", after.FilePath, "") },
	},
}

// chunkLosses are transitions of a claimed chunk.
var chunkLosses = []struct {
	name  string
	do    func(t *testing.T, s job.Store, c job.Chunk)
	check func(t *testing.T, c job.Chunk)
}{
	{
		name: "beat chunk",
		do: func(t *testing.T, s job.Store, c job.Chunk) {
			_, err := s.BeatChunk(t.Context(), c.Fence(), 6, lease)
			ok(t, err)
		},
		check: func(t *testing.T, c job.Chunk) { equal(t, "rows", c.RowCount, 6) },
	},
	{
		name: "finish chunk",
		do: func(t *testing.T, s job.Store, c job.Chunk) {
			ok(t, s.FinishChunk(t.Context(), c.Fence(), job.ChunkDone{FilePath: "x", Rows: 5}))
		},
		check: func(t *testing.T, c job.Chunk) { equal(t, "status", c.Status, job.Done) },
	},
	{
		name: "retry chunk",
		do: func(t *testing.T, s job.Store, c job.Chunk) {
			equal(t, "retried", must[bool](t)(s.RetryChunk(t.Context(), c.Fence(), attempts)), true)
		},
		check: func(t *testing.T, c job.Chunk) { equal(t, "failures", c.Failures, 1) },
	},
	{
		name: "release chunk",
		do:   func(t *testing.T, s job.Store, c job.Chunk) { ok(t, s.ReleaseChunk(t.Context(), c.Fence())) },
		check: func(t *testing.T, c job.Chunk) {
			equal(t, "status", c.Status, job.Pending)
			equal(t, "failures", c.Failures, 0)
		},
	},
	{
		name:  "fail chunk",
		do:    func(t *testing.T, s job.Store, c job.Chunk) { ok(t, s.FailChunk(t.Context(), c.Fence(), "broken")) },
		check: func(t *testing.T, c job.Chunk) { equal(t, "failures", c.Failures, 1) },
	},
}

// losses are the two ways in which a write's outcome becomes unknown.
var losses = []struct {
	name string
	set  func(f *Faults)
}{
	{"reply", (*Faults).LoseReply},
	{"request", (*Faults).LoseRequest},
}

// testLostReply: a statement whose outcome is unknown is settled by the row.
func testLostReply(t *testing.T, f Fixture) {
	faults := &Faults{}
	faulty := f.OpenFaulty(t, faults)
	happened := func(t *testing.T) {
		t.Helper()
		if faults.Pending() {
			t.Error("nothing was lost: the test tests nothing")
		}
	}

	for _, loss := range losses {
		for _, c := range lossCases {
			t.Run(c.name+" without "+loss.name, func(t *testing.T) {
				before := c.setUp(t, f)
				loss.set(faults)
				c.do(t, faulty, before)
				happened(t)
				after := get(t, f.Store, before.ID)
				sound(t, after)
				c.check(t, f, before, after)
			})
		}
		for _, c := range chunkLosses {
			t.Run(c.name+" without "+loss.name, func(t *testing.T) {
				chunk := claimChunk(t, f.Store, splitJob(t, f.Store, 1).ID)
				loss.set(faults)
				c.do(t, faulty, chunk)
				happened(t)
				c.check(t, getChunk(t, f.Store, chunk.JobID, 1))
			})
		}

		t.Run("submit without "+loss.name, func(t *testing.T) {
			n := newJob()
			n.IdempotencyKey = hash("lost", n.ID)
			loss.set(faults)
			answer := must[job.Submitted](t)(faulty.Submit(t.Context(), n, noLimits))
			happened(t)
			equal(t, "created", answer.Created, true)
			equal(t, "id", answer.Job.ID, n.ID)
			equal(t, "rows", f.CountJobs(t, "export_hash", n.ExportHash), 1)
		})

		t.Run("submit at the limit without "+loss.name, func(t *testing.T) {
			n := newJob()
			n.Requester = "limited " + loss.name
			loss.set(faults)
			answer := must[job.Submitted](t)(faulty.Submit(t.Context(), n, job.SubmitLimits{Window: window, MaxActive: 1}))
			happened(t)
			equal(t, "created", answer.Created, true)
		})

		t.Run("storing an idempotency key without "+loss.name, func(t *testing.T) {
			n := newJob()
			submit(t, f.Store, n)
			again := n
			again.ID, again.IdempotencyKey = uuid.NewString(), hash("lost lend", n.ID)
			loss.set(faults)
			answer := must[job.Submitted](t)(faulty.Submit(t.Context(), again, noLimits))
			happened(t)
			equal(t, "id", answer.Job.ID, n.ID)
			equal(t, "created", answer.Created, false)
			equal(t, "key", get(t, f.Store, n.ID).IdempotencyKey, again.IdempotencyKey)
		})

		t.Run("taking a key over without "+loss.name, func(t *testing.T) {
			n := newJob()
			submit(t, f.Store, n)
			f.age(t, n.ID, 2*window)
			n.ID = uuid.NewString()
			loss.set(faults)
			answer := must[job.Submitted](t)(faulty.Submit(t.Context(), n, noLimits))
			happened(t)
			equal(t, "created", answer.Created, true)
		})

		t.Run("purge without "+loss.name, func(t *testing.T) {
			j := finished(t, f.Store)
			f.SetJob(t, j.ID, map[string]any{"completed_at": int64(1), "swept_at": int64(1)})
			loss.set(faults)
			must[int](t)(faulty.Purge(t.Context(), ttl, 100))
			happened(t)
			if loss.name == "request" { // what is left goes the next time
				must[int](t)(faulty.Purge(t.Context(), ttl, 100))
			}
			equal(t, "rows", f.CountJobs(t, "job_id", j.ID), 0)
		})
	}

	t.Run("sweeping a job that was purged, without reply", func(t *testing.T) {
		faults.LoseReply()
		_, swept, err := faulty.MarkSwept(t.Context(), uuid.NewString(), ttl)
		ok(t, err)
		happened(t)
		equal(t, "swept", swept, false)
	})

	t.Run("a lost reply hides no lost lease", func(t *testing.T) {
		for name, do := range map[string]func(a job.Job) error{
			"complete": func(a job.Job) error { return faulty.Complete(t.Context(), a.Fence(), completion(a)) },
			"fail":     func(a job.Job) error { _, err := faulty.Fail(t.Context(), a.Fence(), "x"); return err },
			"retry":    func(a job.Job) error { _, _, err := faulty.Retry(t.Context(), a.Fence(), attempts); return err },
			"hand over": func(a job.Job) error {
				_, err := faulty.HandOver(t.Context(), a.Fence(), job.HandOver{MaxHops: 5})
				return err
			},
		} {
			a := running(t, f.Store)
			f.expire(t, a.ID)
			recoverAll(t, f.Store)
			b := claim(t, f.Store, a.ID)
			faults.LoseReply()
			if err := do(a); !fault.Is(err, fault.Lost) {
				t.Errorf("%s: error %v, want lost", name, err)
			}
			happened(t)
			unchanged(t, f.Store, b)
		}
	})

	t.Run("a lost reply hides no accepted cancel", func(t *testing.T) {
		j := running(t, f.Store)
		before := must[job.Job](t)(f.Store.Cancel(t.Context(), j.ID))
		faults.LoseReply()
		wantCode(t, faulty.Complete(t.Context(), j.Fence(), completion(j)), fault.Cancelled)
		happened(t)
		unchanged(t, f.Store, before)
	})

	t.Run("a table that stays away leaves the outcome unknown, and completing again settles it", func(t *testing.T) {
		j := running(t, f.Store)
		faults.LoseReplyThenDown()
		err := faulty.Complete(t.Context(), j.Fence(), completion(j))
		wantCode(t, err, fault.UnknownOutcome)
		faults.Down(false)
		done := get(t, f.Store, j.ID)
		equal(t, "status", done.Status, job.Done)
		ok(t, faulty.Complete(t.Context(), j.Fence(), completion(j)))
		unchanged(t, f.Store, done)
	})
}
