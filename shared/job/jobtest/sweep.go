package jobtest

import (
	"slices"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

const ttl = time.Hour

func testSweep(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	expired := func(t *testing.T) []string {
		t.Helper()
		var ids []string
		for _, j := range must[[]job.Job](t)(s.Expired(t.Context(), ttl, 1000)) {
			ids = append(ids, j.ID)
		}
		return ids
	}
	sweep := func(t *testing.T, id string) ([]string, bool) {
		t.Helper()
		keys, swept, err := s.MarkSwept(t.Context(), id, ttl)
		ok(t, err)
		return keys, swept
	}

	t.Run("a file whose time is over", func(t *testing.T) {
		j := finished(t, s)
		f.age(t, j.ID, ttl-time.Minute)
		equal(t, "listed before its time", slices.Contains(expired(t), j.ID), false)
		before := get(t, s, j.ID)
		_, swept := sweep(t, j.ID)
		equal(t, "swept before its time", swept, false)
		unchanged(t, s, before)

		f.age(t, j.ID, 2*time.Minute)
		equal(t, "listed", slices.Contains(expired(t), j.ID), true)
		before = get(t, s, j.ID)
		keys, swept := sweep(t, j.ID)
		equal(t, "swept", swept, true)
		if !slices.Equal(keys, []string{j.FilePath}) {
			t.Errorf("keys %q", keys)
		}
		after := get(t, s, j.ID)
		want := before
		want.FilePath, want.SweptAt, want.UpdatedAt = "", after.SweptAt, after.UpdatedAt
		equal(t, "row", after, want)
		if after.SweptAt == 0 {
			t.Error("swept_at is not set")
		}
		equal(t, "listed again", slices.Contains(expired(t), j.ID), false)
		_, swept = sweep(t, j.ID)
		equal(t, "swept twice", swept, false)
		unchanged(t, s, after)
	})

	t.Run("a failed split job goes with its chunks", func(t *testing.T) {
		j := splitJob(t, s, 3)
		for i := range 2 {
			c := claimChunk(t, s, j.ID)
			if i == 0 {
				ok(t, s.FinishChunk(ctx, c.Fence(), job.ChunkDone{FilePath: "chunk-object", Rows: 1}))
			} else {
				ok(t, s.FailChunk(ctx, c.Fence(), "broken"))
			}
		}
		must[[]job.Recovered](t)(s.SettleSplit(ctx, lease, 10))
		equal(t, "status", get(t, s, j.ID).Status, job.Fail)
		f.age(t, j.ID, ttl+time.Minute)
		equal(t, "named before", must[bool](t)(s.Named(ctx, "chunk-object")), true)
		keys, swept := sweep(t, j.ID)
		equal(t, "swept", swept, true)
		if !slices.Equal(keys, []string{"chunk-object"}) {
			t.Errorf("keys %q", keys)
		}
		equal(t, "chunks left", len(must[[]job.Chunk](t)(s.Chunks(ctx, j.ID))), 0)
		equal(t, "named after", must[bool](t)(s.Named(ctx, "chunk-object")), false)
		_, err := s.Reopen(ctx, j.ID)
		wantCode(t, err, fault.Conflict)
	})

	t.Run("an object that two rows name", func(t *testing.T) {
		a, b := finished(t, s), finished(t, s)
		f.SetJob(t, b.ID, map[string]any{"file_path": a.FilePath})
		f.age(t, a.ID, 2*ttl)
		keys, _ := sweep(t, a.ID)
		if !slices.Equal(keys, []string{a.FilePath}) {
			t.Errorf("keys %q", keys)
		}
		equal(t, "still named", must[bool](t)(s.Named(ctx, a.FilePath)), true)
		f.age(t, b.ID, 2*ttl)
		sweep(t, b.ID)
		equal(t, "named by none", must[bool](t)(s.Named(ctx, a.FilePath)), false)
	})

	t.Run("no job that has not ended", func(t *testing.T) {
		for _, j := range []job.Job{submit(t, s, newJob()), running(t, s), splitJob(t, s, 1)} {
			f.age(t, j.ID, 2*ttl)
			before := get(t, s, j.ID)
			equal(t, "listed", slices.Contains(expired(t), j.ID), false)
			_, swept := sweep(t, j.ID)
			equal(t, "swept", swept, false)
			unchanged(t, s, before)
		}
	})

	t.Run("a row that ended without a time counts from its creation", func(t *testing.T) {
		j := finished(t, s)
		f.SetJob(t, j.ID, map[string]any{"completed_at": nil, "created_at": int64(1)})
		equal(t, "listed", slices.Contains(expired(t), j.ID), true)
		_, swept := sweep(t, j.ID)
		equal(t, "swept", swept, true)
	})

	t.Run("at most so many, the oldest first", func(t *testing.T) {
		var ids []string
		for i := range 3 {
			j := finished(t, s)
			f.age(t, j.ID, 100*ttl-time.Duration(i)*time.Minute)
			ids = append(ids, j.ID)
		}
		listed := must[[]job.Job](t)(s.Expired(ctx, ttl, 2))
		equal(t, "listed", len(listed), 2)
		for i, j := range listed {
			equal(t, "order", j.ID, ids[i])
		}
	})

	t.Run("purge removes swept rows with their chunks, and only those", func(t *testing.T) {
		const retention = 30 * 24 * time.Hour
		must[int](t)(s.Purge(ctx, retention, 1000)) // what the tests above left
		old := finished(t, s)
		f.age(t, old.ID, retention+time.Hour)
		equal(t, "purged before its sweep", must[int](t)(s.Purge(ctx, retention, 100)), 0)
		sweep(t, old.ID)
		young := finished(t, s)
		f.age(t, young.ID, retention-time.Hour)
		sweep(t, young.ID)
		equal(t, "purged", must[int](t)(s.Purge(ctx, retention, 100)), 1)
		_, err := s.Get(ctx, old.ID)
		wantCode(t, err, fault.NotFound)
		get(t, s, young.ID)

		leftover := splitJob(t, s, 2)
		f.SetJob(t, leftover.ID, map[string]any{"status": "FAIL", "swept_at": int64(1), "completed_at": int64(1)})
		equal(t, "purged", must[int](t)(s.Purge(ctx, retention, 100)), 1)
		equal(t, "chunks left", len(must[[]job.Chunk](t)(s.Chunks(ctx, leftover.ID))), 0)
	})

	t.Run("purge takes at most so many", func(t *testing.T) {
		for range 3 {
			j := finished(t, s)
			f.age(t, j.ID, 1000*ttl)
			sweep(t, j.ID)
		}
		equal(t, "first", must[int](t)(s.Purge(ctx, 999*ttl, 2)), 2)
		equal(t, "second", must[int](t)(s.Purge(ctx, 999*ttl, 2)), 1)
	})
}
