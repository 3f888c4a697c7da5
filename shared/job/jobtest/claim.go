package jobtest

import (
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

func testClaim(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("sets token, attempt and lease", func(t *testing.T) {
		before := submit(t, s, newJob())
		from := f.now(t)
		j := claim(t, s, before.ID)
		to := f.now(t)
		sound(t, j)
		equal(t, "status", j.Status, job.Running)
		equal(t, "attempt", j.Attempt, 1)
		if !strings.HasPrefix(j.Token, "host#") || len(j.Token) < len("host#")+32 {
			t.Errorf("token %q", j.Token)
		}
		if j.LeaseUntil < from+lease.Milliseconds() || j.LeaseUntil > to+lease.Milliseconds() {
			t.Errorf("the lease is not a minute of the database's clock")
		}
		if j.StartedAt < from || j.StartedAt > to {
			t.Errorf("started at %d", j.StartedAt)
		}
		equal(t, "woken_at", j.WokenAt, before.WokenAt)
		equal(t, "active key", j.ActiveKey, before.ActiveKey)
		equal(t, "row read again", get(t, s, j.ID), j)
	})

	t.Run("the second claim answers the row as it is", func(t *testing.T) {
		j := running(t, s)
		got, claimed, err := s.Claim(ctx, j.ID, "other", lease)
		ok(t, err)
		equal(t, "claimed", claimed, false)
		equal(t, "answer", got, j)
		unchanged(t, s, j)
	})

	t.Run("attempt and token are new each time, started_at is the first", func(t *testing.T) {
		j := running(t, s)
		f.SetJob(t, j.ID, map[string]any{"started_at": int64(1234)})
		tokens := map[string]bool{j.Token: true}
		for want := 2; want <= 5; want++ {
			must[job.Job](t)(s.HandOver(ctx, j.Fence(), job.HandOver{MaxHops: 10}))
			j = claim(t, s, j.ID)
			equal(t, "attempt", j.Attempt, want)
			equal(t, "started at", j.StartedAt, int64(1234))
			if tokens[j.Token] {
				t.Errorf("the token %q came twice", j.Token)
			}
			tokens[j.Token] = true
		}
	})

	t.Run("a lease of its own length", func(t *testing.T) {
		id := submit(t, s, newJob()).ID
		j, _, err := s.Claim(ctx, id, "host", 90*time.Second)
		ok(t, err)
		equal(t, "lease", j.LeaseUntil-j.UpdatedAt, 90_000)
	})
}
