package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/wake"
)

func TestFaultsOfAnExport(t *testing.T) {
	passing := fault.Wrap(fault.Unavailable, errors.New("dial tcp db.internal:5432"), "The database is away.")
	for name, tc := range map[string]struct {
		prepare func(o *orders)
		tries   int
		message string
	}{
		"permanent at open": {func(o *orders) {
			o.atOpen = func(context.Context, dataset.Query) error {
				return fault.Wrap(fault.Unprocessable, errors.New("near SELECT"), `Dataset "orders": the query is broken.`)
			}
		}, 1, `Dataset "orders": the query is broken.`},
		"permanent in the count": {func(o *orders) {
			o.count = func(context.Context, dataset.Query) error { return fault.New(fault.Invalid, "bad") }
		}, 1, "bad"},
		"transient at open":  {func(o *orders) { o.atOpen = func(context.Context, dataset.Query) error { return passing } }, 3, "The database is away."},
		"transient in a row": {func(o *orders) { o.atRow = failAt(5, passing) }, 3, "The database is away."},
		"unknown error":      {func(o *orders) { o.atRow = failAt(0, errors.New("secret host")) }, 3, "An internal error occurred."},
		"panic at open":      {func(o *orders) { o.atOpen = func(context.Context, dataset.Query) error { panic("secret") } }, 3, `Dataset "orders": an unexpected error occurred.`},
		"panic in a row": {func(o *orders) {
			o.atRow = func(_ context.Context, row int64) error {
				if row == 3 {
					var none []int
					_ = none[row]
				}
				return nil
			}
		}, 3, `Dataset "orders": an unexpected error occurred.`},
		"too many rows": {func(o *orders) { o.info = func(i *dataset.Info) { i.MaxRows = 9 } }, 1, "maxRows"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
			id := b.submit(t, `{}`).JobID
			receive(t, b.normal)
			tc.prepare(b.orders)
			u := b.work()
			for try := 1; try <= tc.tries; try++ {
				do(t, u, wakeOf(b.get(t, id)), app.Consumed)
				j := b.get(t, id)
				if j.Attempt != try || j.Failures != try {
					t.Fatalf("try %d: row %+v", try, j)
				}
				if want := map[bool]job.Status{true: job.Fail, false: job.Pending}[try == tc.tries]; j.Status != want {
					t.Fatalf("try %d: status %s, want %s", try, j.Status, want)
				}
				empty(t, b.normal) // the next wake is delayed
			}
			j := b.get(t, id)
			if !strings.Contains(j.ErrorMsg, tc.message) || strings.Contains(j.ErrorMsg, "secret") || strings.Contains(j.ErrorMsg, "db.internal") || strings.Contains(j.ErrorMsg, "SELECT") {
				t.Errorf("message %q, want %q", j.ErrorMsg, tc.message)
			}
			if keys := b.objects(t); len(keys) != 0 {
				t.Errorf("objects are left: %v", keys)
			}
			// The worker lives on.
			b.orders.atOpen, b.orders.atRow, b.orders.count, b.orders.info = nil, nil, nil, nil
			next := b.submit(t, `{"fileName":"next"}`).JobID
			do(t, u, wakeOf(b.get(t, next)), app.Consumed)
			if j := b.get(t, next); j.Status != job.Done {
				t.Errorf("the next job: %+v", j)
			}
		})
	}
}

func failAt(row int64, err error) func(context.Context, int64) error {
	return func(_ context.Context, at int64) error {
		if at == row {
			return err
		}
		return nil
	}
}

func TestRetryIsWokenLater(t *testing.T) {
	b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
	b.orders.atOpen = func(context.Context, dataset.Query) error { return fault.New(fault.Unavailable, "away") }
	id := b.submit(t, `{}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	empty(t, b.normal)
	b.orders.atOpen = nil
	got, err := b.normal.Receive(t.Context(), 1, 20*time.Second)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	w, err := wake.Parse(got[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), w, app.Consumed)
	if j := b.get(t, id); j.Status != job.Done || j.Attempt != 2 || j.Failures != 1 || j.FilePath != export.Key(id, 2, "xlsx") {
		t.Errorf("row %+v", j)
	}
}

func TestJobOfARemovedDatasetFailsAtOnce(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	u := b.work()
	u.Catalog = dataset.NewCatalog()
	do(t, u, receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "orders") {
		t.Errorf("row %+v", j)
	}
}

func TestJobWhoseParametersNoLongerFitFailsAtOnce(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"params":{"name":"x"}}`).JobID
	b.orders.info = func(i *dataset.Info) { i.Params = []dataset.Param{{Name: "name", Type: dataset.IntegerParam}} }
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || j.Failures != 1 {
		t.Errorf("row %+v", j)
	}
}

// A job that asks for a template must not end as a file without it.
func TestJobWithATemplateFailsAtOnce(t *testing.T) {
	b := setup(t)
	row := job.New{
		ID: uuid.NewString(), Dataset: "orders", Requester: "u1", Queue: job.Normal, TemplateID: "monthly",
		FilterHash: strings.Repeat("a", 64), ExportHash: strings.Repeat("b", 64),
	}
	got, err := b.store.Submit(t.Context(), row, job.SubmitLimits{Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), wakeOf(got.Job), app.Consumed)
	if j := b.get(t, row.ID); j.Status != job.Fail || j.ErrorMsg != "Templates are not available here." {
		t.Errorf("row %+v", j)
	}
}

// away is a table that cannot be reached.
type away struct{ job.Store }

func (away) Get(context.Context, string) (job.Job, error) {
	return job.Job{}, fault.New(fault.Unavailable, "The table is away.")
}

// noClaim can be read, but not written.
type noClaim struct{ job.Store }

func (noClaim) Claim(context.Context, string, string, time.Duration) (job.Job, bool, error) {
	return job.Job{}, false, fault.New(fault.Unavailable, "The table is away.")
}

func TestWakeIsSentAnewWhenTheTableIsAway(t *testing.T) {
	b := setup(t, "HAEXCEL_RETRY_BACKOFF=1s")
	id := b.submit(t, `{"totalCnt":100000}`).JobID
	w := receive(t, b.large)
	for _, s := range []job.Store{away{b.store}, noClaim{b.store}} {
		u := b.work()
		u.Store = s
		do(t, u, w, app.Consumed)
		empty(t, b.large) // delayed
		got, err := b.large.Receive(t.Context(), 1, 20*time.Second)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		if again, err := wake.Parse(got[0].Body); err != nil || again != w || got[0].ReceiveCount != 1 || got[0].Group != wake.Group("u1") {
			t.Errorf("message %+v, %v, want the wake %+v", got[0], err, w)
		}
		if err := b.large.Delete(t.Context(), got[0].Receipt); err != nil {
			t.Fatal(err)
		}
		u.Wakes = app.Wakes{Normal: brokenQueue{}, Large: brokenQueue{}}
		if out := do(t, u, w, app.TryLater); out.Delay != time.Second {
			t.Errorf("delay %s", out.Delay)
		}
	}
	if j := b.get(t, id); j.Status != job.Pending || j.Attempt != 0 {
		t.Errorf("row %+v", j)
	}
}

// panicky is a table with a defect.
type panicky struct{ job.Store }

func (panicky) Get(context.Context, string) (job.Job, error) { panic("defect") }

func TestPanicStaysInside(t *testing.T) {
	b := setup(t)
	u := b.work()
	u.Store = panicky{b.store}
	do(t, u, wake.Wake{JobID: "x"}, app.TryLater)
}

func TestShutdownGivesTheJobBack(t *testing.T) {
	b := setup(t)
	g := newGate(b.orders)
	id := b.submit(t, `{}`).JobID
	ctx, stop := context.WithCancel(t.Context())
	wait := start(ctx, t, b.work(), receive(t, b.normal))
	<-g.reached
	stop()
	wait()
	if j := b.get(t, id); j.Status != job.Pending || j.Failures != 0 || j.Hops != 1 {
		t.Errorf("row %+v", j)
	}
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Done {
		t.Errorf("row %+v", j)
	}
}

// A dataset that can't be read in pieces has no second worker to go on.
func TestOutOfTimeWithoutAKey(t *testing.T) {
	b := setup(t, "HAEXCEL_HANDOVER_MARGIN=1m")
	b.orders.info = func(i *dataset.Info) { i.Keyed = false }
	newGate(b.orders)
	id := b.submit(t, `{}`).JobID
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+500*time.Millisecond)
	defer cancel()
	doIn(ctx, t, b.work(), receive(t, b.normal), app.Consumed)
	if ctx.Err() != nil {
		t.Fatal("the margin was used up")
	}
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "needs a key") || j.Attempt != 1 {
		t.Errorf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects are left: %v", keys)
	}
}

func TestNoJobIsBegunWithinTheMargin(t *testing.T) {
	b := setup(t, "HAEXCEL_HANDOVER_MARGIN=1m")
	id := b.submit(t, `{}`).JobID
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	doIn(ctx, t, b.work(), receive(t, b.normal), app.TryLater)
	if j := b.get(t, id); j.Status != job.Pending || j.Attempt != 0 {
		t.Errorf("row %+v", j)
	}
}

// refusing is a storage that takes nothing.
type refusing struct{ storage.Driver }

func (refusing) NewWriter(context.Context, string, storage.WriteOptions) (storage.Writer, error) {
	return nil, fault.New(fault.Unavailable, "The storage is away.")
}

func TestStorageThatRefuses(t *testing.T) {
	b := setup(t)
	good := b.bucket
	b.bucket = storage.NewBucket(refusing{b.driver})
	id := b.submit(t, `{}`).JobID
	u := b.work()
	for range 3 {
		do(t, u, wakeOf(b.get(t, id)), app.Consumed)
	}
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != "The storage is away." {
		t.Errorf("row %+v", j)
	}
	if _, err := (&app.Retry{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}).Do(t.Context(), u1, id, ""); err != nil {
		t.Fatal(err)
	}
	b.bucket = good
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	if j := b.get(t, id); j.Status != job.Done || j.Attempt != 4 {
		t.Errorf("after the retry: %+v", j)
	}
}

// deaf is a storage that refuses to write and never answers a deletion.
type deaf struct{ refusing }

func (deaf) Delete(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestStorageThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.bucket = storage.NewBucket(deaf{refusing{b.driver}})
	id := b.submit(t, `{}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Failures != 1 {
		t.Errorf("row %+v, want it given back with the reason's failure", j)
	}
}

func TestTruncatedCellsAreCounted(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"params":{"typo":1},"columns":[{"field":"name","excelCodeMap":{"고객 1":"`+strings.Repeat("x", 40000)+`"}}]}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	r, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u1, id)
	if err != nil {
		t.Fatal(err)
	}
	if r.TruncatedCells != 1 || len(r.Warnings) != 1 {
		t.Errorf("reply %+v", r)
	}
}

func TestZeroRows(t *testing.T) {
	b := setup(t)
	b.orders.rows = 0
	b.orders.info = func(i *dataset.Info) { i.Columns = []cell.ColumnDef{{Field: "id"}} }
	id := b.submit(t, `{"totalCnt":5000}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	r, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u1, id)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != job.Done || r.ProcessedRows != 0 || r.TotalRows != 0 || *r.Bytes == 0 {
		t.Errorf("reply %+v", r)
	}
}

// unsure is a storage whose commit takes effect but whose reply is lost.
type unsure struct{ storage.Driver }

func (d unsure) NewWriter(ctx context.Context, key string, opt storage.WriteOptions) (storage.Writer, error) {
	w, err := d.Driver.NewWriter(ctx, key, opt)
	return unsureWriter{w}, err
}

type unsureWriter struct{ storage.Writer }

func (w unsureWriter) Commit() error {
	if err := w.Writer.Commit(); err != nil {
		return err
	}
	return fault.New(fault.UnknownOutcome, "The storage did not answer.")
}

func TestObjectOfUnknownOutcomeIsRemoved(t *testing.T) {
	b := setup(t)
	good := b.bucket
	b.bucket = storage.NewBucket(unsure{b.driver})
	id := b.submit(t, `{}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Failures != 1 {
		t.Errorf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects are left: %v", keys)
	}
	b.bucket = good
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	if keys := b.objects(t); len(keys) != 1 || keys[0] != export.Key(id, 2, "xlsx") {
		t.Errorf("objects %v", keys)
	}
}
