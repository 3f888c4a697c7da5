package jobtest

import (
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testWorker(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("beat extends the lease and writes progress", func(t *testing.T) {
		n := newJob()
		n.TotalRows = 50
		submit(t, s, n)
		j := claim(t, s, n.ID)
		f.SetJob(t, j.ID, map[string]any{"lease_until": int64(5), "updated_at": int64(5)})
		cancelled, err := s.Beat(ctx, j.Fence(), job.Progress{ProcessedRows: 10, TotalRows: -1}, lease)
		ok(t, err)
		equal(t, "cancel wanted", cancelled, false)
		after := get(t, s, j.ID)
		equal(t, "processed", after.ProcessedRows, 10)
		equal(t, "total", after.TotalRows, 50)
		equal(t, "lease", after.LeaseUntil-after.UpdatedAt, lease.Milliseconds())
		if after.UpdatedAt <= 5 {
			t.Error("updated_at stands still")
		}
		_, err = s.Beat(ctx, j.Fence(), job.Progress{ProcessedRows: -1, TotalRows: 99}, lease)
		ok(t, err)
		after = get(t, s, j.ID)
		equal(t, "processed", after.ProcessedRows, 10)
		equal(t, "total", after.TotalRows, 99)
	})

	t.Run("beat tells of a cancel", func(t *testing.T) {
		j := running(t, s)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		cancelled, err := s.Beat(ctx, j.Fence(), job.Progress{}, lease)
		ok(t, err)
		equal(t, "cancel wanted", cancelled, true)
	})

	t.Run("two equal beats are both mine", func(t *testing.T) {
		j := running(t, s)
		for range 5 { // several within one millisecond: nothing changes, yet the row matches
			_, err := s.Beat(ctx, j.Fence(), job.Progress{ProcessedRows: 1, TotalRows: 1}, lease)
			ok(t, err)
		}
	})

	t.Run("complete", func(t *testing.T) {
		j := running(t, s)
		c := job.Completion{FilePath: "exports/x/1/a.xlsx", FileBytes: 1 << 40, Rows: 12, AsOf: 7, AsOfEnd: 9, WarningsJSON: `{"w":1}`}
		ok(t, s.Complete(ctx, j.Fence(), c))
		after := get(t, s, j.ID)
		sound(t, after)
		want := j
		want.Status, want.FilePath, want.FileBytes, want.ProcessedRows, want.TotalRows = job.Done, c.FilePath, c.FileBytes, 12, 12
		want.AsOf, want.AsOfEnd, want.WarningsJSON = 7, 9, c.WarningsJSON
		want.ActiveKey, want.LeaseUntil = "", 0
		want.CompletedAt, want.UpdatedAt = after.CompletedAt, after.UpdatedAt
		equal(t, "row", after, want)
		if after.CompletedAt < j.StartedAt {
			t.Errorf("completed at %d, started at %d", after.CompletedAt, j.StartedAt)
		}

		ok(t, s.Complete(ctx, j.Fence(), job.Completion{FilePath: "another"}))
		unchanged(t, s, after)
	})

	t.Run("complete with what the file is of", func(t *testing.T) {
		j := running(t, s)
		c := completion(j)
		c.FilterHash = hash("another text of the dataset")
		ok(t, s.Complete(ctx, j.Fence(), c))
		equal(t, "filter hash", get(t, s, j.ID).FilterHash, c.FilterHash)
	})

	t.Run("an accepted cancel never ends DONE", func(t *testing.T) {
		j := running(t, s)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		before := get(t, s, j.ID)
		wantCode(t, s.Complete(ctx, j.Fence(), completion(j)), fault.Cancelled)
		unchanged(t, s, before)
	})

	t.Run("fail", func(t *testing.T) {
		j := running(t, s)
		after := must[job.Job](t)(s.Fail(ctx, j.Fence(), "The source is broken."))
		sound(t, after)
		want := j
		want.Status, want.ErrorMsg, want.Failures = job.Fail, "The source is broken.", 1
		want.ActiveKey, want.LeaseUntil = "", 0
		want.CompletedAt, want.UpdatedAt = after.CompletedAt, after.UpdatedAt
		equal(t, "row", after, want)
		unchanged(t, s, after)
	})

	t.Run("fail of a cancelled job", func(t *testing.T) {
		j := running(t, s)
		must[job.Job](t)(s.Cancel(ctx, j.ID))
		after := must[job.Job](t)(s.Fail(ctx, j.Fence(), "The source is broken."))
		sound(t, after)
		equal(t, "message", after.ErrorMsg, job.CancelledMessage)
		equal(t, "failures", after.Failures, 0)
	})

	t.Run("retry until the attempts are used up", func(t *testing.T) {
		j := running(t, s)
		for failures := 1; failures < attempts; failures++ {
			after, retried, err := s.Retry(ctx, j.Fence(), attempts)
			ok(t, err)
			equal(t, "retried", retried, true)
			sound(t, after)
			equal(t, "status", after.Status, job.Pending)
			equal(t, "failures", after.Failures, failures)
			equal(t, "attempt", after.Attempt, failures)
			equal(t, "active key", after.ActiveKey, j.ActiveKey)
			if after.WokenAt <= j.WokenAt {
				t.Errorf("woken at %d, before %d: two wakes can't be told apart", after.WokenAt, j.WokenAt)
			}
			j = claim(t, s, j.ID)
		}
		before := get(t, s, j.ID)
		after, retried, err := s.Retry(ctx, j.Fence(), attempts)
		ok(t, err)
		equal(t, "retried", retried, false)
		equal(t, "answer", after, before)
		unchanged(t, s, before)
	})

	t.Run("woken_at is new even if the clock stands still or goes back", func(t *testing.T) {
		j := running(t, s)
		ahead := f.now(t) + 1_000_000
		f.SetJob(t, j.ID, map[string]any{"woken_at": ahead})
		after, _, err := s.Retry(ctx, j.Fence(), attempts)
		ok(t, err)
		equal(t, "woken at", after.WokenAt, ahead+1)
	})

	t.Run("hand over", func(t *testing.T) {
		j := running(t, s)
		_, err := s.Beat(ctx, j.Fence(), job.Progress{ProcessedRows: 500, TotalRows: 900}, lease)
		ok(t, err)
		after := must[job.Job](t)(s.HandOver(ctx, j.Fence(), job.HandOver{CheckpointJSON: `{"last":[5]}`, Queue: job.Large, MaxHops: 2}))
		sound(t, after)
		equal(t, "status", after.Status, job.Pending)
		equal(t, "hops", after.Hops, 1)
		equal(t, "failures", after.Failures, 0)
		equal(t, "checkpoint", after.CheckpointJSON, `{"last":[5]}`)
		equal(t, "queue", after.Queue, job.Large)
		equal(t, "processed", after.ProcessedRows, 500)
		equal(t, "active key", after.ActiveKey, j.ActiveKey)

		j = claim(t, s, j.ID)
		after = must[job.Job](t)(s.HandOver(ctx, j.Fence(), job.HandOver{MaxHops: 2}))
		equal(t, "hops", after.Hops, 2)
		equal(t, "queue kept", after.Queue, job.Large)
		equal(t, "checkpoint kept", after.CheckpointJSON, `{"last":[5]}`)

		j = claim(t, s, j.ID)
		after = must[job.Job](t)(s.HandOver(ctx, j.Fence(), job.HandOver{MaxHops: 2}))
		sound(t, after)
		equal(t, "status past the last hop", after.Status, job.Fail)
		equal(t, "hops", after.Hops, 2)
		if !strings.Contains(after.ErrorMsg, "2 times") {
			t.Errorf("message %q", after.ErrorMsg)
		}
	})

	t.Run("a worker whose claim was taken over changes nothing", func(t *testing.T) {
		a := running(t, s)
		f.expire(t, a.ID)
		recovered := must[[]job.Recovered](t)(s.Recover(ctx, attempts, 1000))
		equal(t, "recovered", len(recovered), 1)
		changesNothing(t, s, a.Fence(), get(t, s, a.ID))
		b := claim(t, s, a.ID)
		equal(t, "attempt", b.Attempt, 2)
		changesNothing(t, s, a.Fence(), b)
		// Half of a fence is no fence.
		changesNothing(t, s, job.Fence{JobID: a.ID, Token: b.Token, Attempt: a.Attempt}, b)
		changesNothing(t, s, job.Fence{JobID: a.ID, Token: a.Token, Attempt: b.Attempt}, b)
		ok(t, s.Complete(ctx, b.Fence(), completion(b)))
		done := get(t, s, a.ID)
		changesNothing(t, s, a.Fence(), done)
		equal(t, "file", done.FilePath, completion(b).FilePath)
	})
}

// changesNothing tries every statement of a worker with a claim that is not the
// row's.
func changesNothing(t *testing.T, s job.Store, stale job.Fence, row job.Job) {
	t.Helper()
	ctx := t.Context()
	calls := map[string]func() error{
		"beat": func() error {
			_, err := s.Beat(ctx, stale, job.Progress{ProcessedRows: 1, TotalRows: 1}, lease)
			return err
		},
		"complete": func() error { return s.Complete(ctx, stale, job.Completion{FilePath: "late", Rows: 1}) },
		"fail":     func() error { _, err := s.Fail(ctx, stale, "late"); return err },
		"retry":    func() error { _, _, err := s.Retry(ctx, stale, attempts); return err },
		"hand over": func() error {
			_, err := s.HandOver(ctx, stale, job.HandOver{CheckpointJSON: "{}", MaxHops: 10})
			return err
		},
		"hand over past the last hop": func() error { _, err := s.HandOver(ctx, stale, job.HandOver{}); return err },
		"add chunk":                   func() error { _, err := s.AddChunk(ctx, stale, job.Chunk{No: 1}); return err },
		"plan done":                   func() error { _, err := s.PlanDone(ctx, stale, job.Planned{}); return err },
	}
	for name, call := range calls {
		if err := call(); !fault.Is(err, fault.Lost) {
			t.Errorf("%s with a stale claim on a %s job: error %v, want lost", name, row.Status, err)
		}
	}
	unchanged(t, s, row)
	if chunks := must[[]job.Chunk](t)(s.Chunks(ctx, stale.JobID)); len(chunks) != 0 {
		t.Errorf("a stale planner added %d chunks", len(chunks))
	}
}
