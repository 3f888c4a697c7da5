package app_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// hourly has the orders built every hour.
func hourly(i *dataset.Info) { i.Pregenerate = time.Hour }

func (b *bench) pregenerator() *app.Pregenerate {
	return &app.Pregenerate{Store: b.store, Catalog: b.catalog, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
}

// pregenerate runs once and checks what was done.
func (b *bench) pregenerate(t *testing.T, want app.PregenerateReport) {
	t.Helper()
	rep, err := b.pregenerator().Do(t.Context(), app.PregenerateInput{})
	if err != nil || rep != want {
		t.Fatalf("report %+v, %v, want %+v", rep, err, want)
	}
}

// ahead submits what is due, one dataset, and answers the job's id.
func (b *bench) ahead(t *testing.T) string {
	t.Helper()
	b.pregenerate(t, app.PregenerateReport{Submitted: 1})
	page, err := b.store.List(t.Context(), job.Pregenerator, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	return page.Jobs[0].ID
}

// built makes the next file beforehand and answers its job.
func (b *bench) built(t *testing.T) job.Job {
	t.Helper()
	b.pregenerate(t, app.PregenerateReport{Submitted: 1})
	w := receive(t, b.normal)
	do(t, b.work(), w, app.Consumed)
	j := b.get(t, w.JobID)
	if j.Status != job.Done || j.Requester != job.Pregenerator {
		t.Fatalf("row %+v", j)
	}
	return j
}

// back makes a finished job as old as that.
func (b *bench) back(t *testing.T, j job.Job, age time.Duration) {
	t.Helper()
	now, err := b.store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	then := now - age.Milliseconds()
	b.set(t, j.ID, fmt.Sprintf("created_at = %d, as_of = %d, completed_at = CASE WHEN completed_at IS NULL THEN NULL ELSE %d END", then, then, then))
}

func TestPregeneratedFileServesUsers(t *testing.T) {
	b := setup(t)
	b.orders.info = hourly
	source := b.built(t)
	for _, body := range []string{
		`{"fileName":"a"}`,
		`{"fileName":"b","params":{"status":"","ids":[]},"totalCnt":150000,"sort":[],"packaging":"auto","sheetName":""}`,
		`{"fileName":"c","columns":[{"field":"id","headerName":"번호"},{"field":"name","headerName":"Name"}]}`,
	} {
		if j := b.as(t, u1, body); j.Status != job.Done || j.ReusedFrom != source.ID || j.Requester != "u1" || j.AsOf != source.AsOf {
			t.Errorf("%s: row %+v", body, j)
		}
	}
	for _, body := range []string{`{"params":{"number":1}}`, `{"columns":[{"field":"id"}]}`, `{"sort":[{"field":"id"}]}`, `{"packaging":"zip"}`} {
		if j := b.as(t, u1, body); j.Status != job.Pending {
			t.Errorf("%s: row %+v", body, j)
		}
	}
}

// A file is used until it is twice its rate old, whatever job-ttl says; of
// several the newest.
func TestPregeneratedFileServesForTwiceItsRate(t *testing.T) {
	b := setup(t, "HAEXCEL_JOB_TTL=10m")
	b.orders.info = hourly
	source := b.built(t)
	b.back(t, source, 119*time.Minute)
	if j := b.as(t, u1, `{"fileName":"a"}`); j.ReusedFrom != source.ID {
		t.Errorf("before its end: row %+v", j)
	}
	next := b.built(t)
	if j := b.as(t, u1, `{"fileName":"b"}`); j.ReusedFrom != next.ID {
		t.Errorf("with a successor: reused from %q, want %s", j.ReusedFrom, next.ID)
	}
	b.back(t, source, 122*time.Minute)
	b.back(t, next, 121*time.Minute)
	if j := b.as(t, u1, `{"fileName":"c"}`); j.Status != job.Pending {
		t.Errorf("after its end: row %+v", j)
	}
}

// reuse goes further than twice the rate where it is longer.
func TestReuseOfAPregeneratedDataset(t *testing.T) {
	b := setup(t, "HAEXCEL_JOB_TTL=1d")
	b.orders.info = func(i *dataset.Info) { i.Pregenerate, i.Reuse = time.Hour, 3*time.Hour }
	source := b.built(t)
	b.back(t, source, 179*time.Minute)
	if j := b.as(t, u1, `{"fileName":"a"}`); j.ReusedFrom != source.ID {
		t.Errorf("row %+v", j)
	}
}

func TestPregenerateWhatIsDue(t *testing.T) {
	b := setup(t)
	b.pregenerate(t, app.PregenerateReport{}) // no dataset wants it
	b.orders.info = hourly
	first := b.built(t)
	if first.Dataset != "orders" || first.FileName != "orders" || first.ColumnsJSON != "" || first.ScopeJSON != "{}" ||
		first.OptionsJSON != `{"packaging":"auto","pregenerateMillis":3600000}` {
		t.Errorf("row %+v", first)
	}
	b.pregenerate(t, app.PregenerateReport{})
	b.back(t, first, 59*time.Minute)
	b.pregenerate(t, app.PregenerateReport{})
	b.back(t, first, 61*time.Minute)
	second := b.built(t)

	// One that is still on its way is waited for, even longer than the
	// idempotency window.
	b.back(t, second, 61*time.Minute)
	b.pregenerate(t, app.PregenerateReport{Submitted: 1})
	third := b.get(t, receive(t, b.normal).JobID)
	b.back(t, third, 61*time.Minute)
	b.pregenerate(t, app.PregenerateReport{Active: 1})
	empty(t, b.normal)

	// One that has failed is followed by the next at its time.
	b.set(t, third.ID, "status = 'FAIL', error_msg = 'x', active_key = NULL, completed_at = created_at")
	b.pregenerate(t, app.PregenerateReport{Submitted: 1})
	fourth := b.get(t, receive(t, b.normal).JobID)
	b.set(t, fourth.ID, "status = 'FAIL', error_msg = 'x', active_key = NULL, completed_at = created_at")
	b.pregenerate(t, app.PregenerateReport{})

	// A new text of the dataset is due at once.
	b.orders.info = func(i *dataset.Info) { i.Pregenerate, i.Digest = time.Hour, "digest-2" }
	b.built(t)
}

func TestPregenerateANamedDataset(t *testing.T) {
	b := setup(t)
	b.orders.info = hourly
	b.add(t, &orders{info: func(i *dataset.Info) { i.Name, i.Pregenerate = "other", time.Hour }},
		&orders{info: func(i *dataset.Info) { i.Name = "plain" }})
	run := func(name string) (app.PregenerateReport, error) {
		return b.pregenerator().Do(t.Context(), app.PregenerateInput{Dataset: name})
	}
	for n := range 2 { // also when it is not due
		if rep, err := run("orders"); err != nil || rep != (app.PregenerateReport{Submitted: 1}) {
			t.Fatalf("run %d: %+v, %v", n, rep, err)
		}
		w := receive(t, b.normal)
		if n == 0 {
			if rep, err := run("orders"); err != nil || rep != (app.PregenerateReport{Active: 1}) {
				t.Errorf("while one waits: %+v, %v", rep, err)
			}
		}
		do(t, b.work(), w, app.Consumed)
		if j := b.get(t, w.JobID); j.Dataset != "orders" || j.Status != job.Done {
			t.Errorf("row %+v", j)
		}
	}
	empty(t, b.normal)
	if _, err := run("nowhere"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown dataset: %v", err)
	}
	if _, err := run("plain"); !fault.Is(err, fault.Invalid) || !strings.Contains(fault.SafeMessage(err), `"plain" has no pregenerate`) {
		t.Errorf("a dataset without pregenerate: %v", err)
	}
}

// Many runs at once make one job per dataset, beyond the limits of users.
func TestPregenerateAtOnce(t *testing.T) {
	b := setup(t, "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=1", "HAEXCEL_MAX_PENDING=1")
	b.orders.info = hourly
	b.add(t, &orders{info: func(i *dataset.Info) { i.Name, i.Pregenerate = "other", time.Hour }})
	b.submit(t, `{"params":{"number":1}}`)
	receive(t, b.normal)
	var mu sync.Mutex
	var all sync.WaitGroup
	submitted := 0
	for range 12 {
		all.Go(func() {
			rep, err := b.pregenerator().Do(t.Context(), app.PregenerateInput{})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			submitted += rep.Submitted
		})
	}
	all.Wait()
	if submitted != 2 {
		t.Errorf("%d jobs were submitted, want one of each dataset", submitted)
	}
	page, err := b.store.List(t.Context(), job.Pregenerator, 10, "")
	if err != nil || len(page.Jobs) != 2 {
		t.Errorf("jobs %+v, %v", page.Jobs, err)
	}
	receive(t, b.normal)
	receive(t, b.normal)
	empty(t, b.normal)
}

// staleStore has seen no job: a run that looked before another one's submit.
type staleStore struct{ job.Store }

func (staleStore) Newest(context.Context, string, string) (job.Job, error) {
	return job.Job{}, fault.New(fault.NotFound, "There is no such job.")
}

func TestPregenerateThatLookedTooEarly(t *testing.T) {
	b := setup(t)
	b.orders.info = hourly
	b.built(t) // finished since
	u := b.pregenerator()
	u.Store = staleStore{b.store}
	if rep, err := u.Do(t.Context(), app.PregenerateInput{}); err != nil || rep != (app.PregenerateReport{Active: 1}) {
		t.Errorf("report %+v, %v", rep, err)
	}
	empty(t, b.normal)
}

// awayFor is a table that can't be reached for one dataset's submit.
type awayFor struct {
	job.Store
	dataset string
}

func (s awayFor) Submit(ctx context.Context, n job.New, lim job.SubmitLimits) (job.Submitted, error) {
	if n.Dataset == s.dataset {
		return job.Submitted{}, fault.New(fault.Unavailable, "The table is away.")
	}
	return s.Store.Submit(ctx, n, lim)
}

func TestPregenerateGoesOnAfterAFault(t *testing.T) {
	b := setup(t)
	b.orders.info = hourly
	b.add(t, &orders{info: func(i *dataset.Info) { i.Name, i.Pregenerate = "a-first", time.Hour }})
	u := b.pregenerator()
	u.Store = awayFor{b.store, "a-first"}
	rep, err := u.Do(t.Context(), app.PregenerateInput{})
	if !fault.Is(err, fault.Unavailable) || rep != (app.PregenerateReport{Submitted: 1}) {
		t.Errorf("report %+v, %v", rep, err)
	}
	if err == nil || !strings.Contains(err.Error(), "a-first") {
		t.Errorf("the error does not name the dataset: %v", err)
	}
}

// A dataset for some roles is built for those who may have it.
func TestPregenerateForRoles(t *testing.T) {
	b := setup(t)
	b.orders.info = func(i *dataset.Info) { i.Pregenerate, i.Allow = time.Hour, []string{"sales"} }
	source := b.built(t)
	if j := b.as(t, app.Caller{Subject: "u1", Roles: []string{"sales"}}, `{}`); j.ReusedFrom != source.ID {
		t.Errorf("row %+v", j)
	}
	_, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("without the role: %v", err)
	}
}

// A user who is called like the pregenerator is not taken for it.
func TestNobodyIsThePregenerator(t *testing.T) {
	b := setup(t)
	b.orders.info = hourly
	source := b.built(t)
	impostor := app.Caller{Subject: job.Pregenerator}
	if _, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), impostor, source.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("status: %v", err)
	}
	reply, err := (&app.Jobs{Store: b.store, Config: b.cfg}).Do(t.Context(), impostor, 10, "")
	if err != nil || len(reply.Jobs) != 0 {
		t.Errorf("jobs: %+v, %v", reply, err)
	}
	b.set(t, source.ID, "as_of = 1")
	own := b.as(t, impostor, `{}`)
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if own.Requester == job.Pregenerator {
		t.Errorf("stored as %q", own.Requester)
	}
	if j := b.as(t, u1, `{}`); j.Status != job.Pending {
		t.Errorf("a user's file serves as a pregenerated one: %+v", j)
	}
}

func TestSweepKeepsPregeneratedFiles(t *testing.T) {
	b := setup(t, "HAEXCEL_JOB_TTL=10m", "HAEXCEL_LINK_TTL=5m")
	b.orders.info = hourly
	sweep := func(want app.SweepReport) {
		t.Helper()
		if rep, err := b.sweeper().Do(t.Context()); err != nil || rep != want {
			t.Fatalf("report %+v, %v, want %+v", rep, err, want)
		}
	}
	first := b.built(t)
	b.back(t, first, 119*time.Minute) // the next one is late
	sweep(app.SweepReport{})

	// Kept until its successor is DONE.
	b.pregenerate(t, app.PregenerateReport{Submitted: 1})
	sweep(app.SweepReport{})
	w := receive(t, b.normal)
	user := b.as(t, u1, `{"fileName":"a"}`) // has a time of its own
	do(t, b.work(), w, app.Consumed)
	sweep(app.SweepReport{Swept: 1})
	if j := b.get(t, first.ID); j.SweptAt == 0 {
		t.Errorf("row %+v", j)
	}
	b.contents(t, u1, user.ID)
	b.back(t, user, 16*time.Minute)
	sweep(app.SweepReport{Swept: 1, Deleted: 1})

	// At most twice its rate, and the life of a link.
	second := b.get(t, w.JobID)
	b.back(t, first, 200*time.Minute)
	b.back(t, second, 124*time.Minute)
	sweep(app.SweepReport{})
	b.back(t, second, 126*time.Minute)
	sweep(app.SweepReport{Swept: 1, Deleted: 1})

	// A successor within the ttl of users' files changes nothing about them.
	third := b.built(t)
	b.back(t, third, 61*time.Minute)
	fourth := b.built(t)
	b.set(t, fourth.ID, "options_json = 'unreadable'")
	b.back(t, third, 14*time.Minute)
	sweep(app.SweepReport{})
	b.back(t, third, 16*time.Minute)
	sweep(app.SweepReport{Swept: 1, Deleted: 1})
	b.back(t, fourth, 16*time.Minute)
	sweep(app.SweepReport{Swept: 1, Deleted: 1})
}

// A job of the text before, which was on its way when a dataset changed, does not
// keep the file of the new text from being built.
func TestPregenerateAfterADatasetChanged(t *testing.T) {
	b := setup(t)
	b.orders.info = hourly
	b.pregenerate(t, app.PregenerateReport{Submitted: 1})
	changed := func(i *dataset.Info) { hourly(i); i.Digest = "digest-2" }
	b.orders.info = changed
	b.pregenerate(t, app.PregenerateReport{Active: 1}) // the same export is active
	b.orders.info = hourly
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	b.orders.info = changed
	b.built(t)
}
