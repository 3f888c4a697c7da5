package app_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

func (b *bench) recoverer() *app.Recover {
	return &app.Recover{Store: b.store, Wakes: b.wakes(), Bucket: b.bucket, Config: b.cfg, Logger: b.log}
}

func (b *bench) sweeper() *app.Sweep {
	return &app.Sweep{Store: b.store, Bucket: b.bucket, Config: b.cfg, Logger: b.log}
}

// set changes a row behind the store's back, as time or another engine would.
func (b *bench) set(t *testing.T, id, assignment string) {
	t.Helper()
	if _, err := b.store.DB().ExecContext(t.Context(), "UPDATE ha_excel_job SET "+assignment+" WHERE job_id = ?", id); err != nil {
		t.Fatal(err)
	}
}

// done makes a finished job.
func (b *bench) done(t *testing.T, body string) job.Job {
	t.Helper()
	id := b.submit(t, body).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Done {
		t.Fatalf("row %+v", j)
	}
	return j
}

func TestRecoverRevivesLostJobs(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	receive(t, b.normal)
	for lost := 1; lost <= 3; lost++ {
		if _, ok, err := b.store.Claim(t.Context(), id, "dead", time.Minute); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if rep, err := b.recoverer().Do(t.Context()); err != nil || rep != (app.RecoverReport{}) {
			t.Fatalf("a live lease: %+v, %v", rep, err)
		}
		b.set(t, id, "lease_until = 1")
		rep, err := b.recoverer().Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lost == 3 {
			if rep.Ended != 1 || rep.Revived != 0 {
				t.Errorf("report %+v", rep)
			}
			continue
		}
		if rep.Revived != 1 {
			t.Errorf("report %+v", rep)
		}
		if w := receive(t, b.normal); w.JobID != id || w.Attempt != lost {
			t.Errorf("wake %+v", w)
		}
	}
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "lost") {
		t.Errorf("row %+v", j)
	}
	empty(t, b.normal)
}

func TestRecoverStartsWhatWaits(t *testing.T) {
	b := setup(t)
	normal := b.submit(t, `{}`).JobID
	large := b.submit(t, `{"totalCnt":100000,"fileName":"large"}`).JobID
	receive(t, b.normal)
	receive(t, b.large)
	if n, err := b.recoverer().Start(t.Context()); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	if w := receive(t, b.normal); w.JobID != normal {
		t.Errorf("wake %+v", w)
	}
	if w := receive(t, b.large); w.JobID != large {
		t.Errorf("wake %+v", w)
	}
}

// brokenRecover is a table whose first step of recovery fails.
type brokenRecover struct{ job.Store }

func (brokenRecover) Recover(context.Context, int, int) ([]job.Recovered, error) {
	return nil, fault.New(fault.Unavailable, "The table is away.")
}

func TestRecoverGoesOnAfterAFault(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	receive(t, b.normal)
	b.set(t, id, "updated_at = 1")
	r := b.recoverer()
	r.Store = brokenRecover{b.store}
	rep, err := r.Do(t.Context())
	if !fault.Is(err, fault.Unavailable) || rep.Rewoken != 1 {
		t.Errorf("report %+v, %v", rep, err)
	}
	if w := receive(t, b.normal); w.JobID != id {
		t.Errorf("wake %+v", w)
	}
}

func TestSweepRemovesExpiredFiles(t *testing.T) {
	b := setup(t, "HAEXCEL_JOB_TTL=1h", "HAEXCEL_LINK_TTL=5m", "HAEXCEL_ROW_RETENTION=1d")
	old, fresh, shared := b.done(t, `{"fileName":"old"}`), b.done(t, `{"fileName":"fresh"}`), b.done(t, `{"fileName":"shared"}`)
	now, err := b.store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ago := func(d time.Duration) string { return "completed_at = " + strconv.FormatInt(now-d.Milliseconds(), 10) }
	b.set(t, old.ID, ago(64*time.Minute))
	if rep, err := b.sweeper().Do(t.Context()); err != nil || rep != (app.SweepReport{}) {
		t.Fatalf("while links may still be good: %+v, %v", rep, err)
	}
	b.set(t, old.ID, ago(66*time.Minute))
	// Another job points at the same object: it stays.
	b.set(t, shared.ID, ago(66*time.Minute))
	b.set(t, fresh.ID, "file_path = '"+shared.FilePath+"'")
	rep, err := b.sweeper().Do(t.Context())
	if err != nil || rep.Swept != 2 || rep.Deleted != 1 || rep.Purged != 0 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	if j := b.get(t, old.ID); j.SweptAt == 0 || j.FilePath != "" || j.Status != job.Done {
		t.Errorf("row %+v", j)
	}
	if _, err := b.bucket.Stat(t.Context(), old.FilePath); !fault.Is(err, fault.NotFound) {
		t.Errorf("the expired object: %v", err)
	}
	if _, err := b.bucket.Stat(t.Context(), shared.FilePath); err != nil {
		t.Errorf("an object that a row names is gone: %v", err)
	}
	if rep, err := b.sweeper().Do(t.Context()); err != nil || rep != (app.SweepReport{}) {
		t.Errorf("again: %+v, %v", rep, err)
	}
	b.set(t, old.ID, ago(25*time.Hour))
	if rep, err := b.sweeper().Do(t.Context()); err != nil || rep.Purged != 1 {
		t.Errorf("purge: %+v, %v", rep, err)
	}
	if _, err := b.store.Get(t.Context(), old.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the old row: %v", err)
	}
}

// stuck is a storage that deletes nothing.
type stuck struct{ storage.Driver }

func (stuck) Delete(context.Context, string) error {
	return fault.New(fault.Unavailable, "The storage is away.")
}

func TestSweepGoesOnAfterAFault(t *testing.T) {
	b := setup(t)
	one, two := b.done(t, `{"fileName":"1"}`), b.done(t, `{"fileName":"2"}`)
	for _, j := range []job.Job{one, two} {
		b.set(t, j.ID, "completed_at = 1, created_at = 1")
	}
	s := b.sweeper()
	s.Bucket = storage.NewBucket(stuck{b.driver})
	rep, err := s.Do(t.Context())
	if err == nil || rep.Swept != 2 || rep.Purged != 2 {
		t.Errorf("report %+v, %v", rep, err)
	}
}

func TestDeadLetter(t *testing.T) {
	b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
	u := &app.DeadLetter{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
	for _, body := range []string{`{"jobId":`, `{}`, `[]`, `{"jobId":"0b8e8f6e-0000-4000-8000-000000000000"}`} {
		if err := u.Do(t.Context(), body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	id := b.submit(t, `{}`).JobID
	w := receive(t, b.normal)
	for n := 1; n <= 3; n++ {
		if err := u.Do(t.Context(), w.Encode()); err != nil {
			t.Fatal(err)
		}
		j := b.get(t, id)
		if j.Failures != n {
			t.Fatalf("row %+v", j)
		}
		if n == 1 {
			empty(t, b.normal) // the new wake waits its backoff
			if err := u.Do(t.Context(), w.Encode()); err != nil {
				t.Fatal(err)
			}
			if again := b.get(t, id); again.Failures != 1 {
				t.Errorf("a stale dead letter counted: %+v", again)
			}
		}
		w = wakeOf(j)
	}
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg == "" {
		t.Errorf("row %+v", j)
	}
	if err := (&app.DeadLetter{Store: awayDead{b.store}, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}).Do(t.Context(), w.Encode()); err == nil {
		t.Error("a table that is away must let the message come again")
	}
}

type awayDead struct{ job.Store }

func (awayDead) DeadLetter(context.Context, string, int64, int) (job.Job, job.DeadLetterVerdict, error) {
	return job.Job{}, "", fault.New(fault.Unavailable, "The table is away.")
}
