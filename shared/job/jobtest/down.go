package jobtest

import (
	"errors"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// testDown: a database that cannot be reached is unavailable, whatever is asked.
func testDown(t *testing.T, f Fixture) {
	ctx := t.Context()
	faults := &Faults{}
	s := f.OpenFaulty(t, faults)
	j := running(t, s)
	_, err := s.Now(ctx)
	ok(t, err)
	c := claimChunk(t, s, splitJob(t, s, 1).ID)
	faults.Down(true)

	for name, call := range map[string]func() error{
		"now":             func() error { _, err := s.Now(ctx); return err },
		"submit":          func() error { _, err := s.Submit(ctx, newJob(), noLimits); return err },
		"get":             func() error { _, err := s.Get(ctx, j.ID); return err },
		"list":            func() error { _, err := s.List(ctx, "kim", 5, ""); return err },
		"queue position":  func() error { _, err := s.QueuePosition(ctx, j); return err },
		"recent duration": func() error { _, err := s.RecentDuration(ctx, job.Normal); return err },
		"claim":           func() error { _, _, err := s.Claim(ctx, j.ID, "host", lease); return err },
		"beat":            func() error { _, err := s.Beat(ctx, j.Fence(), job.Progress{}, lease); return err },
		"complete":        func() error { return s.Complete(ctx, j.Fence(), completion(j)) },
		"fail":            func() error { _, err := s.Fail(ctx, j.Fence(), "x"); return err },
		"retry":           func() error { _, _, err := s.Retry(ctx, j.Fence(), attempts); return err },
		"hand over":       func() error { _, err := s.HandOver(ctx, j.Fence(), job.HandOver{MaxHops: 5}); return err },
		"cancel":          func() error { _, err := s.Cancel(ctx, j.ID); return err },
		"reopen":          func() error { _, err := s.Reopen(ctx, j.ID); return err },
		"recover":         func() error { _, err := s.Recover(ctx, attempts, 10); return err },
		"re-wake":         func() error { _, err := s.Rewake(ctx, time.Minute, 10); return err },
		"pending jobs":    func() error { _, err := s.PendingJobs(ctx); return err },
		"dead letter":     func() error { _, _, err := s.DeadLetter(ctx, j.ID, 1, attempts); return err },
		"expired":         func() error { _, err := s.Expired(ctx, ttl, 10); return err },
		"pregenerated":    func() error { _, err := s.ExpiredPregenerated(ctx, ttl, 10); return err },
		"newest":          func() error { _, err := s.Newest(ctx, "kim", hash("x")); return err },
		"reuse":           func() error { _, err := s.Submit(ctx, sameFile(newJob(), reuse10m), noLimits); return err },
		"sweep":           func() error { _, _, err := s.MarkSwept(ctx, j.ID, ttl); return err },
		"named":           func() error { _, err := s.Named(ctx, "x"); return err },
		"purge":           func() error { _, err := s.Purge(ctx, ttl, 10); return err },
		"add chunk":       func() error { _, err := s.AddChunk(ctx, j.Fence(), job.Chunk{No: 1}); return err },
		"plan done":       func() error { _, err := s.PlanDone(ctx, j.Fence(), job.Planned{}); return err },
		"chunks":          func() error { _, err := s.Chunks(ctx, j.ID); return err },
		"claim chunk":     func() error { _, _, err := s.ClaimChunk(ctx, c.JobID, "host", lease); return err },
		"beat chunk":      func() error { _, err := s.BeatChunk(ctx, c.Fence(), 1, lease); return err },
		"finish chunk":    func() error { return s.FinishChunk(ctx, c.Fence(), job.ChunkDone{FilePath: "x"}) },
		"retry chunk":     func() error { _, err := s.RetryChunk(ctx, c.Fence(), attempts); return err },
		"release chunk":   func() error { return s.ReleaseChunk(ctx, c.Fence()) },
		"end split":       func() error { _, _, err := s.EndSplit(ctx, c.JobID); return err },
		"chunks left":     func() error { _, err := s.ChunksLeft(ctx, 10); return err },
		"drop chunks":     func() error { _, err := s.DropChunks(ctx, c.JobID); return err },
		"orphaned":        func() error { _, err := s.Orphaned(ctx, job.Object{Key: "x", JobID: j.ID}); return err },
		"fail chunk":      func() error { return s.FailChunk(ctx, c.Fence(), "x") },
		"pack":            func() error { _, _, err := s.Pack(ctx, c.JobID, "host", lease); return err },
		"recover chunks":  func() error { _, err := s.RecoverChunks(ctx, attempts, 10); return err },
		"settle split":    func() error { _, err := s.SettleSplit(ctx, time.Minute, 10); return err },
	} {
		err := call()
		// A connection that was open breaks in mid-statement: then the outcome
		// is unknown. Afterwards nothing can be dialled.
		if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.UnknownOutcome) {
			t.Errorf("%s: error %v (%s)", name, err, fault.CodeOf(err))
		}
		var f *fault.Error
		if errors.As(err, &f) && f.Message == "" {
			t.Errorf("%s: no safe message", name)
		}
	}

	faults.Down(false)
	unchanged(t, s, j)
	equal(t, "chunk", getChunk(t, s, c.JobID, 1), c)
}
