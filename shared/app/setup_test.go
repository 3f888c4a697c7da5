package app_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/memwake"
)

// bench is one test's table, queues, storage and datasets: all real, on SQLite,
// in memory and in a directory.
type bench struct {
	store   *jobsql.Store
	url     string
	normal  *memwake.Queue
	large   *memwake.Queue
	bucket  *storage.Bucket
	driver  *filestore.Store
	files   string // the driver's directory
	catalog *dataset.Catalog
	orders  *orders
	cfg     config.Config
	log     *slog.Logger
}

// setup makes a bench. settings are HAEXCEL_ entries.
func setup(t *testing.T, settings ...string) *bench {
	t.Helper()
	cfg, err := config.Load(append([]string{"HAEXCEL_SERVER_ID=test"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{cfg: cfg, url: "sqlite:" + filepath.Join(t.TempDir(), "jobs.db"), log: slog.New(slog.DiscardHandler)}
	if b.store, err = jobsql.Open(t.Context(), b.url, jobsql.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.store.Close() })
	if _, err := b.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.normal, b.large = queue(t), queue(t)
	b.files = filepath.Join(t.TempDir(), "files")
	if b.driver, err = filestore.New(b.files); err != nil {
		t.Fatal(err)
	}
	b.bucket = storage.NewBucket(b.driver)
	b.orders = &orders{rows: 10}
	b.catalog = dataset.NewCatalog()
	b.add(t, b.orders)
	return b
}

func queue(t *testing.T) *memwake.Queue {
	t.Helper()
	q, err := memwake.New(memwake.Options{Visibility: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func (b *bench) add(t *testing.T, sets ...dataset.Dataset) {
	t.Helper()
	if err := b.catalog.Add(sets...); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) wakes() app.Wakes { return app.Wakes{Normal: b.normal, Large: b.large} }

func (b *bench) submitter() *app.Submit {
	return &app.Submit{Store: b.store, Catalog: b.catalog, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
}

func (b *bench) work() *app.Work {
	return &app.Work{
		Store:    b.store,
		Catalog:  b.catalog,
		Exporter: b.exporter(30 * time.Second),
		Bucket:   b.bucket,
		Wakes:    b.wakes(),
		Config:   b.cfg,
		Logger:   b.log,
	}
}

func (b *bench) exporter(countTimeout time.Duration) *export.Exporter {
	return export.New(export.Settings{
		Bucket:       b.bucket,
		ZipThreshold: b.cfg.ZipThreshold,
		ChunkSize:    b.cfg.ChunkSize,
		CountTimeout: countTimeout,
		Zone:         b.cfg.ReportZone,
		Now:          time.Now,
		Logger:       b.log,
	})
}

var u1 = app.Caller{Subject: "u1"}

// submit submits {} of the orders (or another body) as u1.
func (b *bench) submit(t *testing.T, body string) app.SubmitReply {
	t.Helper()
	r, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(body), RequestID: "req-1"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// get reads a row.
func (b *bench) get(t *testing.T, id string) job.Job {
	t.Helper()
	j, err := b.store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// mustWake reads a body.
func mustWake(t *testing.T, body string) wake.Wake {
	t.Helper()
	w, err := wake.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// receiveSoon is receive for a wake that was sent with a short delay.
func receiveSoon(t *testing.T, q *memwake.Queue) (w wake.Wake) {
	t.Helper()
	got, err := q.Receive(t.Context(), 1, 20*time.Second)
	if err != nil || len(got) == 0 {
		t.Fatalf("%d wakes, %v", len(got), err)
	}
	if err := q.Delete(t.Context(), got[0].Receipt); err != nil {
		t.Fatal(err)
	}
	return mustWake(t, got[0].Body)
}

// receive takes one wake off a queue; it fails the test when there is none.
func receive(t *testing.T, q *memwake.Queue) wake.Wake {
	t.Helper()
	got, err := q.Receive(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		t.Fatal("no wake in the queue")
	}
	if err := q.Delete(t.Context(), got[0].Receipt); err != nil {
		t.Fatal(err)
	}
	w, err := wake.Parse(got[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// empty fails the test when a queue has a visible message.
func empty(t *testing.T, q *memwake.Queue) {
	t.Helper()
	got, err := q.Receive(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 0 {
		t.Fatalf("a message is in the queue: %s", got[0].Body)
	}
}

// wakeOf is a wake for the row as it is.
func wakeOf(j job.Job) wake.Wake {
	return wake.Wake{JobID: j.ID, Attempt: j.Attempt, WokenAt: j.WokenAt, Queue: string(j.Queue)}
}

// objects lists the keys in the storage.
func (b *bench) objects(t *testing.T) []string {
	t.Helper()
	var keys []string
	if err := b.bucket.List(t.Context(), "", func(a storage.Attributes) bool {
		keys = append(keys, a.Key)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return keys
}

// eventually polls until ok answers true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// orders is a dataset whose rows are made, not read. Its hooks inject faults.
type orders struct {
	rows    int64
	info    func(*dataset.Info)                              // changes the description
	count   func(ctx context.Context, q dataset.Query) error // before counting
	atOpen  func(ctx context.Context, q dataset.Query) error // before reading
	atRow   func(ctx context.Context, row int64) error       // before row (0-based)
	atPlan  func(ctx context.Context, place int64) error     // before a place is found
	opened  atomic.Int64                                     // number of readings
	planned atomic.Int64                                     // number of plans
	lastMu  sync.Mutex
	lastAsk dataset.Query
}

func (o *orders) Info() dataset.Info {
	info := dataset.Info{
		Name:  "orders",
		Title: "주문 목록",
		Params: []dataset.Param{
			{Name: "status", Type: dataset.StringParam, Enum: []string{"PAID", "CANCELLED"}},
			{Name: "name", Type: dataset.StringParam},
			{Name: "amount", Type: dataset.DecimalParam},
			{Name: "number", Type: dataset.IntegerParam},
			{Name: "ids", Type: dataset.IntegerParam, List: true},
			{Name: "since", Type: dataset.DateParam},
		},
		Columns: []cell.ColumnDef{{Field: "id", HeaderName: "번호"}, {Field: "name", HeaderName: "Name"}},
		Sort:    []string{"id", "name"},
		Keyed:   true,
		Digest:  "digest-1",
	}
	if o.info != nil {
		o.info(&info)
	}
	return info
}

func (o *orders) Count(ctx context.Context, q dataset.Query) (int64, bool, error) {
	if o.count != nil {
		if err := o.count(ctx, q); err != nil {
			return 0, false, err
		}
	}
	return o.rows, true, nil
}

func (o *orders) Open(ctx context.Context, q dataset.Query) (dataset.Rows, error) {
	o.opened.Add(1)
	o.lastMu.Lock()
	o.lastAsk = q
	o.lastMu.Unlock()
	if o.atOpen != nil {
		if err := o.atOpen(ctx, q); err != nil {
			return nil, err
		}
	}
	r := &orderRows{of: o, ctx: ctx, row: placeOf(q.After) - 1, end: o.rows, asOf: time.Now().UnixMilli()}
	if q.UpTo != "" {
		r.end = placeOf(q.UpTo)
	}
	return r, nil
}

// placeOf is the number of rows up to and with a place, which is that number.
func placeOf(place string) int64 {
	n, _ := strconv.ParseInt(place, 10, 64)
	return n
}

// OpenPlanner divides the rows by their numbers.
func (o *orders) OpenPlanner(ctx context.Context, _ dataset.Query) (dataset.Planner, error) {
	o.planned.Add(1)
	return &orderPlanner{of: o, ctx: ctx}, nil
}

type orderPlanner struct {
	of  *orders
	ctx context.Context
}

func (p *orderPlanner) Fields() []cell.Field { return (&orderRows{}).Fields() }
func (p *orderPlanner) AsOf() int64          { return 1_788_000_000_000 }
func (p *orderPlanner) Close() error         { return nil }

func (p *orderPlanner) Next(after string, n int64) (string, bool, error) {
	place := placeOf(after) + n
	if p.of.atPlan != nil {
		if err := p.of.atPlan(p.ctx, place); err != nil {
			return "", false, err
		}
	}
	return strconv.FormatInt(place, 10), place >= p.of.rows, nil
}

func (o *orders) asked() dataset.Query {
	o.lastMu.Lock()
	defer o.lastMu.Unlock()
	return o.lastAsk
}

type orderRows struct {
	of   *orders
	ctx  context.Context
	row  int64
	end  int64
	asOf int64
	err  error
}

func (r *orderRows) Fields() []cell.Field {
	return []cell.Field{{Name: "id", Kind: cell.Integer}, {Name: "name", Kind: cell.Text}}
}

func (r *orderRows) Next() bool {
	r.row++
	if r.err = r.ctx.Err(); r.err == nil && r.of.atRow != nil {
		r.err = r.of.atRow(r.ctx, r.row)
	}
	return r.err == nil && r.row < r.end
}

func (r *orderRows) Values() []cell.Value {
	id := strconv.FormatInt(r.row+1, 10)
	return []cell.Value{{Kind: cell.Integer, Bytes: []byte(id)}, {Kind: cell.Text, Bytes: []byte("고객 " + id)}}
}

func (r *orderRows) Err() error   { return r.err }
func (r *orderRows) AsOf() int64  { return r.asOf }
func (r *orderRows) Close() error { return nil }
