package jobtest

import (
	"cmp"
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testQuery(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("an empty table", func(t *testing.T) {
		d := must[time.Duration](t)(s.RecentDuration(ctx, job.Normal))
		equal(t, "recent duration", d, 0)
		equal(t, "pending jobs", len(must[[]job.Job](t)(s.PendingJobs(ctx))), 0)
		page := must[job.Page](t)(s.List(ctx, "kim", 10, ""))
		equal(t, "listed", len(page.Jobs), 0)
		equal(t, "next", page.Next, "")
	})

	t.Run("the clock goes on", func(t *testing.T) {
		before := f.now(t)
		if after := f.now(t); after < before || before < 1_600_000_000_000 {
			t.Errorf("the clock says %d, then %d", before, after)
		}
	})

	t.Run("an absent job", func(t *testing.T) {
		absent := uuid.NewString()
		fence := job.Fence{JobID: absent, Token: "x", Attempt: 1}
		for name, call := range map[string]func() error{
			"get":       func() error { _, err := s.Get(ctx, absent); return err },
			"claim":     func() error { _, _, err := s.Claim(ctx, absent, "host", lease); return err },
			"beat":      func() error { _, err := s.Beat(ctx, fence, job.Progress{}, lease); return err },
			"complete":  func() error { return s.Complete(ctx, fence, job.Completion{FilePath: "x"}) },
			"fail":      func() error { _, err := s.Fail(ctx, fence, "x"); return err },
			"retry":     func() error { _, _, err := s.Retry(ctx, fence, attempts); return err },
			"hand over": func() error { _, err := s.HandOver(ctx, fence, job.HandOver{MaxHops: 1}); return err },
			"cancel":    func() error { _, err := s.Cancel(ctx, absent); return err },
			"reopen":    func() error { _, err := s.Reopen(ctx, absent); return err },
			"add chunk": func() error { _, err := s.AddChunk(ctx, fence, job.Chunk{No: 1}); return err },
			"plan done": func() error { _, err := s.PlanDone(ctx, fence, job.Planned{}); return err },
			"pack":      func() error { _, _, err := s.Pack(ctx, absent, "host", lease); return err },
		} {
			if err := call(); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s: error %v, want not_found", name, err)
			}
		}
		_, verdict, err := s.DeadLetter(ctx, absent, 1, attempts)
		ok(t, err)
		equal(t, "dead letter", verdict, job.DeadDropped)
		_, swept, err := s.MarkSwept(ctx, absent, 0)
		ok(t, err)
		equal(t, "swept", swept, false)
		equal(t, "chunks", len(must[[]job.Chunk](t)(s.Chunks(ctx, absent))), 0)
	})

	t.Run("lists one's own jobs, newest first, page by page", func(t *testing.T) {
		var mine []job.Job
		at := f.now(t)
		for i := range 7 {
			n := newJob()
			n.Requester = "lister"
			submit(t, s, n)
			f.SetJob(t, n.ID, map[string]any{"created_at": at - int64(i/3)}) // three share a millisecond
			mine = append(mine, get(t, s, n.ID))
		}
		slices.SortFunc(mine, func(a, b job.Job) int {
			return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
		})
		other := newJob()
		other.Requester = "Lister"
		submit(t, s, other)

		for _, limit := range []int{1, 2, 3, 7, 100} {
			var got []job.Job
			cursor := ""
			for {
				page := must[job.Page](t)(s.List(ctx, "lister", limit, cursor))
				got = append(got, page.Jobs...)
				if page.Next == "" {
					break
				}
				equal(t, "jobs of a page that is not the last", len(page.Jobs), limit)
				cursor = page.Next
			}
			if !slices.Equal(got, mine) {
				t.Errorf("by %d: %d jobs, want %d in order", limit, len(got), len(mine))
			}
		}
	})

	t.Run("refuses bad pages", func(t *testing.T) {
		for _, limit := range []int{-1, 0, 101} {
			_, err := s.List(ctx, "kim", limit, "")
			wantCode(t, err, fault.Invalid)
		}
		for _, raw := range []string{"12", "x.y", "12.", ".x", "12.\x00", "12.\xff"} {
			_, err := s.List(ctx, "kim", 5, base64.RawURLEncoding.EncodeToString([]byte(raw)))
			wantCode(t, err, fault.Invalid)
		}
		_, err := s.List(ctx, "kim", 5, "$$$")
		wantCode(t, err, fault.Invalid)
	})

	t.Run("queue position", func(t *testing.T) {
		var waiting []job.Job
		for range 4 {
			n := newJob()
			n.Queue = job.Large
			j := submit(t, s, n)
			f.SetJob(t, j.ID, map[string]any{"created_at": int64(1000)}) // ties go by id
			waiting = append(waiting, get(t, s, j.ID))
		}
		slices.SortFunc(waiting, func(a, b job.Job) int { return cmp.Compare(a.ID, b.ID) })
		earlierElsewhere := submit(t, s, newJob())
		f.SetJob(t, earlierElsewhere.ID, map[string]any{"created_at": int64(1)})
		position := func(j job.Job) int { return must[int](t)(s.QueuePosition(ctx, j)) }
		for i, j := range waiting {
			equal(t, "position", position(j), i+1)
		}
		must[job.Job](t)(s.Cancel(ctx, waiting[0].ID))
		claim(t, s, waiting[1].ID)
		equal(t, "position after two have gone", position(waiting[3]), 2)
		f.SetJob(t, waiting[2].ID, map[string]any{"cancel_yn": "Y"})
		equal(t, "position behind a cancelled one", position(waiting[3]), 1)
	})

	t.Run("recent duration", func(t *testing.T) {
		for i, took := range []int64{1000, 3000} {
			j := finished(t, s)
			f.SetJob(t, j.ID, map[string]any{"started_at": int64(10_000), "completed_at": 10_000 + took, "created_at": f.now(t) + int64(i)})
		}
		reused := finished(t, s)
		f.SetJob(t, reused.ID, map[string]any{"reused_from": uuid.NewString(), "started_at": int64(0), "completed_at": int64(500_000)})
		failed(t, s)
		equal(t, "mean", must[time.Duration](t)(s.RecentDuration(ctx, job.Normal)), 2*time.Second)
		equal(t, "mean of the other queue", must[time.Duration](t)(s.RecentDuration(ctx, job.Large)), 0)
	})

	t.Run("recent duration looks at the newest only", func(t *testing.T) {
		for i := range 25 {
			j := finished(t, s)
			f.SetJob(t, j.ID, map[string]any{"started_at": int64(10_000), "completed_at": int64(10_500), "created_at": f.now(t) + 1000 + int64(i)})
		}
		equal(t, "mean", must[time.Duration](t)(s.RecentDuration(ctx, job.Normal)), 500*time.Millisecond)
	})

	t.Run("pending jobs, oldest first", func(t *testing.T) {
		var want []string
		for i := range 3 {
			j := submit(t, s, newJob())
			f.SetJob(t, j.ID, map[string]any{"created_at": int64(10 - i)})
			want = append([]string{j.ID}, want...)
		}
		cancelled := submit(t, s, newJob())
		f.SetJob(t, cancelled.ID, map[string]any{"cancel_yn": "Y", "created_at": int64(2)})
		jobs := must[[]job.Job](t)(s.PendingJobs(ctx))
		var got []string
		for _, j := range jobs {
			equal(t, "status", j.Status, job.Pending)
			if slices.Contains(want, j.ID) {
				got = append(got, j.ID)
			}
			if j.ID == cancelled.ID {
				t.Error("a cancelled job is listed")
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})

	t.Run("a context that is over", func(t *testing.T) {
		over := cancelledContext(t)
		if _, err := s.Get(over, uuid.NewString()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("get: %v", err)
		}
		n := newJob()
		if _, err := s.Submit(over, n, noLimits); err == nil {
			t.Error("submit: no error")
		}
		equal(t, "rows", f.CountJobs(t, "job_id", n.ID), 0)
	})
}
