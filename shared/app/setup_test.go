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
		Store:   b.store,
		Catalog: b.catalog,
		Exporter: export.New(export.Settings{
			Bucket:       b.bucket,
			ZipThreshold: b.cfg.ZipThreshold,
			ChunkSize:    b.cfg.ChunkSize,
			CountTimeout: 30 * time.Second,
			Zone:         b.cfg.ReportZone,
			Now:          time.Now,
			Logger:       b.log,
		}),
		Bucket: b.bucket,
		Wakes:  b.wakes(),
		Config: b.cfg,
		Logger: b.log,
	}
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
	opened  atomic.Int64                                     // number of readings
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
	return &orderRows{of: o, ctx: ctx, row: -1, asOf: time.Now().UnixMilli()}, nil
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
	return r.err == nil && r.row < r.of.rows
}

func (r *orderRows) Values() []cell.Value {
	id := strconv.FormatInt(r.row+1, 10)
	return []cell.Value{{Kind: cell.Integer, Bytes: []byte(id)}, {Kind: cell.Text, Bytes: []byte("고객 " + id)}}
}

func (r *orderRows) Err() error   { return r.err }
func (r *orderRows) AsOf() int64  { return r.asOf }
func (r *orderRows) Close() error { return nil }
