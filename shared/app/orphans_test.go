package app_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// leave writes an object, or begins one, and lets it grow old.
func (b *bench) leave(t *testing.T, key string, finish bool, age time.Duration) storage.Writer {
	t.Helper()
	begun := time.Now().Add(-time.Second) // file systems may keep whole seconds
	w, err := b.bucket.NewWriter(t.Context(), key, storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("content")); err != nil {
		t.Fatal(err)
	}
	if finish {
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(b.files, filepath.Dir(key))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.ModTime().Before(begun) {
			continue // an earlier call's
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, e.Name()), at, at); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (b *bench) unfinished(t *testing.T) int {
	t.Helper()
	n := 0
	if err := b.bucket.ListUnfinished(t.Context(), "", func(storage.Unfinished) bool { n++; return true }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSweepRemovesWhatKilledWorkersLeft(t *testing.T) {
	const lease = time.Minute
	b := setup(t, "HAEXCEL_LEASE=1m")
	claimed := func(name string) job.Job {
		id := b.submit(t, `{"fileName":"`+name+`"}`).JobID
		receive(t, b.normal)
		j, ok, err := b.store.Claim(t.Context(), id, "killed", lease)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		return j
	}
	lost, running, done := claimed("lost"), claimed("running"), b.done(t, `{"fileName":"done"}`)
	b.takeOver(t, lost.ID)

	orphan := export.Key(lost.ID, 1, "xlsx")
	young := export.Key(lost.ID, 1, "zip")
	live := export.Key(running.ID, 1, "xlsx")
	foreign := export.Key(uuid.NewString(), 1, "xlsx")
	const other = "reports/exports/2026.xlsx"
	for _, key := range []string{orphan, live, foreign, other} {
		b.leave(t, key, true, 3*lease)
	}
	begun := b.leave(t, export.Key(lost.ID, 1, "part"), false, 3*lease)
	b.leave(t, young, true, 0)
	atWork := b.leave(t, export.Key(running.ID, 1, "zip"), false, 3*lease)
	old := time.Now().Add(-3 * lease)
	if err := os.Chtimes(filepath.Join(b.files, done.FilePath), old, old); err != nil {
		t.Fatal(err)
	}

	rep, err := b.sweeper().Do(t.Context())
	if want := (app.SweepReport{Orphans: 2}); err != nil || rep != want {
		t.Errorf("report %+v, %v, want %+v", rep, err, want)
	}
	left := b.objects(t)
	for _, key := range []string{live, foreign, other, young, done.FilePath} {
		if !slices.Contains(left, key) {
			t.Errorf("%s is gone", key)
		}
	}
	if len(left) != 5 {
		t.Errorf("objects %q", left)
	}
	if n := b.unfinished(t); n != 1 {
		t.Errorf("%d unfinished writes are left, want that of the running job", n)
	}
	if err := begun.Commit(); err == nil {
		t.Error("the removed write was committed")
	}
	if err := atWork.Commit(); err != nil {
		t.Errorf("the write of the running job: %v", err)
	}

	// What its sweep could not delete is an orphan from then on.
	b.set(t, done.ID, "completed_at = 1")
	s := b.sweeper()
	s.Bucket = storage.NewBucket(stuck{b.driver})
	s.Config.RowRetention = 200 * 365 * 24 * time.Hour
	if rep, err := s.Do(t.Context()); err == nil || rep.Swept != 1 {
		t.Errorf("report %+v, %v", rep, err)
	}
	s.Bucket = b.bucket
	if rep, err := s.Do(t.Context()); err != nil || rep != (app.SweepReport{Orphans: 1}) {
		t.Errorf("report %+v, %v", rep, err)
	}
	if _, err := b.bucket.Stat(t.Context(), done.FilePath); !fault.Is(err, fault.NotFound) {
		t.Errorf("the file of a swept job: %v", err)
	}
}

// mute is a table that can't be asked for owners.
type mute struct{ job.Store }

func (mute) Orphaned(context.Context, job.Object) (bool, error) {
	return false, fault.New(fault.Unavailable, "The table is away.")
}

func TestInDoubtNoOrphanIsRemoved(t *testing.T) {
	b := setup(t)
	j := b.done(t, `{}`)
	orphan := export.Key(j.ID, 7, "xlsx")
	b.leave(t, orphan, true, time.Hour)
	s := b.sweeper()
	s.Store = mute{b.store}
	if rep, err := s.Do(t.Context()); !fault.Is(err, fault.Unavailable) || rep != (app.SweepReport{}) {
		t.Errorf("report %+v, %v", rep, err)
	}
	if _, err := b.bucket.Stat(t.Context(), orphan); err != nil {
		t.Error(err)
	}
}
