package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// numbers is a dataset of n rows (1…n) with the fields no and text. Its faults
// are set by the tests.
type numbers struct {
	n       int64
	info    dataset.Info
	fields  []cell.Field
	count   func(ctx context.Context) (int64, bool, error) // nil: n, known
	onRow   func(no int64) error                           // called before a row is delivered
	opened  int
	current int64
	closed  int
	err     error
}

func newNumbers(n int64) *numbers {
	return &numbers{
		n: n,
		info: dataset.Info{
			Name:    "numbers",
			Columns: []cell.ColumnDef{{Field: "no", HeaderName: "번호"}, {Field: "text", HeaderName: "글"}},
		},
		fields: []cell.Field{{Name: "no", Kind: cell.Integer}, {Name: "text", Kind: cell.Text}},
	}
}

func (d *numbers) Info() dataset.Info { return d.info }

func (d *numbers) Count(ctx context.Context, _ dataset.Query) (int64, bool, error) {
	if d.count != nil {
		return d.count(ctx)
	}
	return d.n, true, nil
}

func (d *numbers) Open(context.Context, dataset.Query) (dataset.Rows, error) {
	d.opened++
	return d, nil
}

func (d *numbers) Fields() []cell.Field { return d.fields }

func (d *numbers) Next() bool {
	if d.current >= d.n || d.err != nil {
		return false
	}
	d.current++
	if d.onRow != nil {
		d.err = d.onRow(d.current)
	}
	return d.err == nil
}

func (d *numbers) Values() []cell.Value {
	no := strconv.AppendInt(nil, d.current, 10)
	return []cell.Value{{Kind: cell.Integer, Bytes: no}, {Kind: cell.Text, Bytes: append([]byte("행 "), no...)}}
}

func (d *numbers) Err() error   { return d.err }
func (d *numbers) AsOf() int64  { return 1_788_000_000_000 }
func (d *numbers) Close() error { d.closed++; return nil }

// bundle is what a test needs.
type bundle struct {
	dir      string
	bucket   *storage.Bucket
	settings export.Settings
	logs     *bytes.Buffer
}

func setup(t *testing.T) *bundle {
	t.Helper()
	dir := t.TempDir()
	store, err := filestore.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{dir: dir, bucket: storage.NewBucket(store), logs: &bytes.Buffer{}}
	b.settings = export.Settings{
		Bucket:       b.bucket,
		ZipThreshold: 2000,
		ChunkSize:    1000,
		CountTimeout: 30 * time.Second,
		Zone:         time.FixedZone("Asia/Seoul", 9*60*60),
		Now:          func() time.Time { return time.Date(2026, 9, 2, 5, 30, 26, 0, time.UTC) },
		Logger:       slog.New(slog.NewTextHandler(b.logs, nil)),
	}
	return b
}

func request(d dataset.Dataset) export.Request {
	return export.Request{JobID: "job-1", Attempt: 1, Dataset: d, Packaging: export.Auto, FileName: "보고서/1월 매출"}
}

// run plans and writes.
func (b *bundle) run(ctx context.Context, r export.Request) (export.Result, error) {
	e := export.New(b.settings)
	p, err := e.Plan(ctx, r)
	if err != nil {
		return export.Result{}, err
	}
	return e.Write(ctx, r, p, func(int64) {})
}

// object reads a stored object.
func (b *bundle) object(t *testing.T, key string) []byte {
	t.Helper()
	rd, err := b.bucket.NewReader(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(rd)
	if err := errors.Join(err, rd.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

// empty fails when the storage holds any file.
func (b *bundle) empty(t *testing.T) {
	t.Helper()
	var left []string
	err := b.bucket.List(context.Background(), "", func(a storage.Attributes) bool {
		left = append(left, a.Key)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("objects are left: %v", left)
	}
}

// part is one workbook of a file.
type part struct {
	name  string
	bytes []byte
}

// parts splits a file into its workbooks and checks the entries of a zip.
func parts(t *testing.T, key string, data []byte) []part {
	t.Helper()
	if strings.HasSuffix(key, ".xlsx") {
		return []part{{"", data}}
	}
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out []part
	for _, f := range zr.File {
		if f.Method != zip.Deflate {
			t.Errorf("%s: method %d: an entry of unknown length must be deflated", f.Name, f.Method)
		}
		if f.Flags&0x800 == 0 {
			t.Errorf("%s: not flagged as UTF-8", f.Name)
		}
		if want := time.Date(2026, 9, 2, 14, 30, 26, 0, time.FixedZone("", 9*60*60)); !f.Modified.Equal(want) {
			t.Errorf("%s: modified %v, want %v", f.Name, f.Modified, want)
		}
		rd, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(rd)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, part{f.Name, data})
	}
	return out
}

// rowsOf reads a workbook's first sheet as raw texts.
func rowsOf(t *testing.T, data []byte) [][]string {
	t.Helper()
	book := xlsxtest.Open(t, data)
	var out [][]string
	for _, row := range book.Sheets[0].Rows() {
		var texts []string
		for _, c := range row {
			texts = append(texts, c.Text)
		}
		out = append(out, texts)
	}
	return out
}

// TestCase_S4 is the boundaries of rows, parts and the empty result.
func TestPartsByTheNumberOfRows(t *testing.T) {
	for _, c := range []struct {
		n         int64
		packaging export.Packaging
		unknown   bool
		ext       string
		sizes     []int // data rows of each workbook
	}{
		{0, export.Auto, false, "xlsx", []int{0}},
		{1, export.Auto, false, "xlsx", []int{1}},
		{1000, export.Auto, false, "xlsx", []int{1000}},
		{1999, export.Auto, false, "xlsx", []int{1999}},
		{2000, export.Auto, false, "zip", []int{1000, 1000}},
		{2001, export.Auto, false, "zip", []int{1000, 1000, 1}},
		{3000, export.Auto, false, "zip", []int{1000, 1000, 1000}},
		{0, export.Zip, false, "zip", []int{0}},
		{1, export.Zip, false, "zip", []int{1}},
		{1000, export.Zip, false, "zip", []int{1000}},
		{1001, export.Zip, false, "zip", []int{1000, 1}},
		{3000, export.Workbook, false, "xlsx", []int{3000}},
		{0, export.Auto, true, "xlsx", []int{0}},
		{1000, export.Auto, true, "xlsx", []int{1000}},
		{1001, export.Auto, true, "zip", []int{1000, 1}},
		{5, export.Zip, true, "zip", []int{5}},
		{1500, export.Workbook, true, "xlsx", []int{1500}},
	} {
		t.Run(fmt.Sprintf("%d %s unknown=%v", c.n, c.packaging, c.unknown), func(t *testing.T) {
			b := setup(t)
			d := newNumbers(c.n)
			if c.unknown {
				d.count = func(context.Context) (int64, bool, error) { return 0, false, nil }
			}
			r := request(d)
			r.Packaging = c.packaging
			res, err := b.run(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			data := b.object(t, res.Key)
			want := export.Result{Key: "exports/job-1/1/file." + c.ext, Bytes: int64(len(data)), Rows: c.n, AsOf: d.AsOf()}
			if diff := cmp.Diff(want, res); diff != "" {
				t.Error(diff)
			}
			next := int64(1)
			all := parts(t, res.Key, data)
			for i, p := range all {
				if c.ext == "zip" && p.name != fmt.Sprintf("보고서_1월 매출_part%d.xlsx", i+1) {
					t.Errorf("entry %d is named %q", i, p.name)
				}
				rows := rowsOf(t, p.bytes)
				if diff := cmp.Diff([]string{"번호", "글"}, rows[0]); diff != "" {
					t.Errorf("part %d header: %s", i+1, diff)
				}
				if got := len(rows) - 1; i >= len(c.sizes) || got != c.sizes[i] {
					t.Fatalf("part %d has %d rows, want %v", i+1, got, c.sizes)
				}
				for _, row := range rows[1:] {
					if row[0] != fmt.Sprint(next) || row[1] != fmt.Sprintf("행 %d", next) {
						t.Fatalf("part %d holds %v where row %d belongs", i+1, row, next)
					}
					next++
				}
			}
			if len(all) != len(c.sizes) {
				t.Errorf("%d parts, want %v", len(all), c.sizes)
			}
			if d.closed == 0 {
				t.Error("the rows were not closed")
			}
			objects := 0
			_ = b.bucket.List(context.Background(), "", func(storage.Attributes) bool { objects++; return true })
			if objects != 1 {
				t.Errorf("%d objects, want 1", objects)
			}
		})
	}
}

// TestFailedWriteLeavesNothing looks at each way a file can fail, as a workbook
// and as parts.
func TestFailedWriteLeavesNothing(t *testing.T) {
	for _, packaging := range []export.Packaging{export.Workbook, export.Zip, export.Auto} {
		for _, c := range []struct {
			name string
			code fault.Code
			set  func(d *numbers, cancel func())
		}{
			{"cut connection", fault.Unavailable, func(d *numbers, _ func()) {
				d.onRow = func(no int64) error {
					if no == 2500 {
						return fault.New(fault.Unavailable, "The connection was lost.")
					}
					return nil
				}
			}},
			{"panicking provider", fault.Internal, func(d *numbers, _ func()) {
				d.onRow = func(no int64) error {
					if no == 1500 {
						panic("secret detail")
					}
					return nil
				}
			}},
			{"more rows than allowed", fault.Unprocessable, func(d *numbers, _ func()) {
				d.info.MaxRows = 2999
				d.count = func(context.Context) (int64, bool, error) { return 0, false, nil }
			}},
			{"cancelled", fault.Internal, func(d *numbers, cancel func()) {
				d.onRow = func(no int64) error {
					if no == 1200 {
						cancel()
					}
					return nil
				}
			}},
		} {
			t.Run(string(packaging)+" "+c.name, func(t *testing.T) {
				b := setup(t)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				d := newNumbers(3000)
				c.set(d, cancel)
				r := request(d)
				r.Packaging = packaging
				_, err := b.run(ctx, r)
				if err == nil || fault.CodeOf(err) != c.code {
					t.Fatalf("error %v, want code %q", err, c.code)
				}
				if strings.Contains(fault.SafeMessage(err), "secret") {
					t.Errorf("the message shows internal text: %s", fault.SafeMessage(err))
				}
				if c.name == "panicking provider" && !strings.Contains(b.logs.String(), "secret detail") {
					t.Error("the panic is not in the log")
				}
				if d.closed == 0 {
					t.Error("the rows were not closed")
				}
				b.empty(t)
			})
		}
	}
}

func TestStorageThatRefuses(t *testing.T) {
	b := setup(t)
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := newNumbers(10)
	if _, err := b.run(context.Background(), request(d)); err == nil {
		t.Fatal("no error")
	}
	if d.closed == 0 {
		t.Error("the rows were not closed")
	}
}

func TestColumnsAreBoundByName(t *testing.T) {
	b := setup(t)
	d := newNumbers(1)
	d.fields[1].Name = "OrderNo"
	r := request(d)
	r.Columns = []cell.ColumnDef{
		{Field: "orderNo", HeaderName: "folded"},
		{Field: "missing", HeaderName: "빈 칸"},
		{Field: "no", HeaderName: "exact"},
		{Field: "no", HeaderName: "again"},
	}
	res, err := b.run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"folded", "빈 칸", "exact", "again"}, {"행 1", "", "1", "1"}}
	if diff := cmp.Diff(want, rowsOf(t, b.object(t, res.Key))); diff != "" {
		t.Error(diff)
	}
	if len(res.Warnings.Messages) != 1 || !strings.Contains(res.Warnings.Messages[0], `"missing"`) {
		t.Errorf("warnings %v, want one that names the field", res.Warnings.Messages)
	}
}

func TestAmbiguousCaseIsNotGuessed(t *testing.T) {
	b := setup(t)
	d := newNumbers(1)
	d.fields[0].Name, d.fields[1].Name = "NO", "No"
	r := request(d)
	r.Columns = []cell.ColumnDef{{Field: "no", HeaderName: "h"}}
	res, err := b.run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Warnings.Messages) != 1 {
		t.Errorf("warnings %v, want one", res.Warnings.Messages)
	}
}

func TestTruncatedCellsAreCountedOverAllParts(t *testing.T) {
	b := setup(t)
	d := &longText{numbers: newNumbers(2)}
	b.settings.ChunkSize = 1
	r := request(d)
	r.Packaging = export.Zip
	res, err := b.run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Warnings.TruncatedCells != 2 {
		t.Errorf("%d truncated cells, want 2", res.Warnings.TruncatedCells)
	}
}

// longText delivers texts beyond Excel's limit.
type longText struct{ *numbers }

func (d *longText) Open(ctx context.Context, q dataset.Query) (dataset.Rows, error) {
	_, err := d.numbers.Open(ctx, q)
	return d, err
}

func (d *longText) Values() []cell.Value {
	v := d.numbers.Values()
	v[1].Bytes = bytes.Repeat([]byte("가"), 32_768)
	return v
}

// A name in ASCII is flagged like any other.
func TestPartsOfAnASCIIName(t *testing.T) {
	b := setup(t)
	r := request(newNumbers(1001))
	r.FileName, r.Packaging = "orders", export.Zip
	res, err := b.run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	all := parts(t, res.Key, b.object(t, res.Key))
	if len(all) != 2 || all[0].name != "orders_part1.xlsx" || all[1].name != "orders_part2.xlsx" {
		t.Errorf("%d parts, the first is %q", len(all), all[0].name)
	}
}

func TestProgress(t *testing.T) {
	b := setup(t)
	r := request(newNumbers(2500))
	r.Packaging = export.Zip
	var seen []int64
	if _, err := export.New(b.settings).Write(context.Background(), r, export.Plan{}, func(n int64) { seen = append(seen, n) }); err != nil {
		t.Fatal(err)
	}
	if len(seen) < 3 || seen[len(seen)-1] != 2500 {
		t.Errorf("progress %v", seen)
	}
	for i := 1; i < len(seen); i++ {
		if seen[i] < seen[i-1] {
			t.Errorf("progress goes back: %v", seen)
		}
	}
}

func TestSheetName(t *testing.T) {
	for _, c := range []struct{ asked, declared, want string }{
		{"", "", "Sheet1"},
		{"", "주문", "주문"},
		{"매출/2026", "주문", "매출_2026"},
	} {
		b := setup(t)
		d := newNumbers(1)
		d.info.Sheet = c.declared
		r := request(d)
		r.SheetName = c.asked
		res, err := b.run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := xlsxtest.Open(t, b.object(t, res.Key)).Sheets[0].Name; got != c.want {
			t.Errorf("sheet %q, want %q", got, c.want)
		}
	}
}
