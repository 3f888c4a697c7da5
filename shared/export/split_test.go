package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
)

// ranged is a dataset that holds some numbers, and can be read in pieces. Which
// ones may change between two readings.
type ranged struct {
	numbers []int64
	info    dataset.Info
	fields  []cell.Field
	text    func(no int64) string
	onRow   func(no int64) error
	closed  int // readings and plans
	opened  int
}

func newRanged(n int64) *ranged {
	whole := newNumbers(n)
	d := &ranged{info: whole.info, fields: whole.fields, text: func(no int64) string { return fmt.Sprint("행 ", no) }}
	d.info.Keyed, d.info.Digest = true, "digest-1"
	for no := int64(1); no <= n; no++ {
		d.numbers = append(d.numbers, no)
	}
	return d
}

func (d *ranged) Info() dataset.Info { return d.info }

func (d *ranged) Count(context.Context, dataset.Query) (int64, bool, error) {
	return int64(len(d.numbers)), true, nil
}

// between are the numbers in a range of places, which are numbers too.
func (d *ranged) between(after, upTo string) (list []int64) {
	from, _ := strconv.ParseInt(after, 10, 64)
	to, err := strconv.ParseInt(upTo, 10, 64)
	for _, no := range d.numbers {
		if no > from && (err != nil || no <= to) {
			list = append(list, no)
		}
	}
	return list
}

func (d *ranged) Open(_ context.Context, q dataset.Query) (dataset.Rows, error) {
	d.opened++
	return &rangedRows{of: d, left: d.between(q.After, q.UpTo), asOf: 1_788_000_000_000 + int64(d.opened)}, nil
}

func (d *ranged) OpenPlanner(context.Context, dataset.Query) (dataset.Planner, error) {
	d.opened++
	return &rangedPlanner{d}, nil
}

type rangedPlanner struct{ of *ranged }

func (p *rangedPlanner) Fields() []cell.Field { return p.of.fields }
func (p *rangedPlanner) AsOf() int64          { return 1_788_000_000_000 }
func (p *rangedPlanner) Close() error         { p.of.closed++; return nil }

func (p *rangedPlanner) Next(after string, n int64) (string, bool, error) {
	list := p.of.between(after, "")
	if int64(len(list)) <= n {
		return "", true, nil
	}
	return fmt.Sprint(list[n-1]), false, nil
}

type rangedRows struct {
	of   *ranged
	left []int64
	at   int64
	asOf int64
	err  error
}

func (r *rangedRows) Fields() []cell.Field { return r.of.fields }
func (r *rangedRows) AsOf() int64          { return r.asOf }
func (r *rangedRows) Err() error           { return r.err }
func (r *rangedRows) Close() error         { r.of.closed++; return nil }

func (r *rangedRows) Next() bool {
	if len(r.left) == 0 {
		return false
	}
	r.at, r.left = r.left[0], r.left[1:]
	if r.of.onRow != nil {
		r.err = r.of.onRow(r.at)
	}
	return r.err == nil
}

func (r *rangedRows) Values() []cell.Value {
	no := strconv.AppendInt(nil, r.at, 10)
	return []cell.Value{{Kind: cell.Integer, Bytes: no}, {Kind: cell.Text, Bytes: []byte(r.of.text(r.at))}}
}

const splitJob = "0b8e8f6e-0000-4000-8000-00000000000a"

// divided is a job whose chunks are planned; the tests do them one by one.
type divided struct {
	*bundle
	exporter   *export.Exporter
	request    export.Request
	checkpoint export.Checkpoint
	asOf       int64
	chunks     []job.Chunk
}

// divide plans chunks of rows each; 0 leaves that to the exporter.
func (b *bundle) divide(t *testing.T, r export.Request, proven int64) *divided {
	t.Helper()
	r.JobID = splitJob
	d := &divided{bundle: b, exporter: export.New(b.settings), request: r}
	plan, err := d.exporter.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	d.checkpoint = d.exporter.Split(r, plan, proven)
	if d.checkpoint, d.asOf, err = d.exporter.Divide(t.Context(), r, d.checkpoint, nil, d.add); err != nil {
		t.Fatal(err)
	}
	stored, found := export.ParseCheckpoint(d.checkpoint.JSON())
	if diff := cmp.Diff(d.checkpoint, stored); diff != "" || !found || !stored.Planned() {
		t.Fatalf("the checkpoint is stored as another: %s", diff)
	}
	return d
}

func (d *divided) add(no int, from, to string) (job.Chunk, error) {
	c := job.Chunk{JobID: splitJob, No: no, KeyFrom: from, KeyTo: to, Attempt: 1}
	d.chunks = append(d.chunks, c)
	return c, nil
}

// write does the n-th chunk.
func (d *divided) write(ctx context.Context, n int) error {
	c := &d.chunks[n]
	done, err := d.exporter.WriteChunk(ctx, d.request, d.checkpoint, *c, func(int64) {})
	c.Status = job.Done
	c.FilePath, c.RowCount, c.Bytes, c.CRC32, c.AsOf = done.FilePath, done.Rows, done.Bytes, done.CRC32, done.AsOf
	return err
}

func (d *divided) writeAll(t *testing.T) {
	t.Helper()
	for n := range d.chunks {
		if err := d.write(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

// pack joins the chunks and returns the numbers of each workbook.
func (d *divided) pack(t *testing.T) (export.Result, [][]string) {
	t.Helper()
	d.request.Attempt = 2
	res, err := d.exporter.Pack(t.Context(), d.request, d.checkpoint, d.asOf, d.chunks)
	if err != nil {
		t.Fatal(err)
	}
	data := d.object(t, res.Key)
	if res.Bytes != int64(len(data)) {
		t.Errorf("%d bytes, told %d", len(data), res.Bytes)
	}
	var books [][]string
	for _, p := range parts(t, res.Key, data) {
		var numbers []string
		for _, row := range rowsOf(t, p.bytes)[1:] {
			numbers = append(numbers, row[0])
		}
		books = append(books, numbers)
	}
	return res, books
}

// flat is all numbers, and how many each workbook has.
func flat(books [][]string) (sizes []int, numbers string) {
	var all []string
	for _, b := range books {
		sizes = append(sizes, len(b))
		all = append(all, b...)
	}
	return sizes, strings.Join(all, " ")
}

func TestChunksJoinToWhatOneWorkerWrites(t *testing.T) {
	for _, c := range []struct {
		name      string
		n         int64
		packaging export.Packaging
		proven    int64
		omit      bool
		chunks    int
	}{
		{"parts", 4500, export.Auto, 0, false, 5},
		{"parts of several chunks", 4500, export.Zip, 300, false, 18},
		{"a workbook", 4500, export.Workbook, 0, false, 5},
		{"a workbook without references", 4500, export.Workbook, 0, true, 5},
		{"a workbook of small chunks", 1500, export.Auto, 200, false, 8},
		{"whole chunks", 3000, export.Auto, 0, false, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := setup(t)
			b.settings.OmitReferences = c.omit
			r := request(newRanged(c.n))
			r.Packaging = c.packaging
			whole, err := b.run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			d := b.divide(t, r, c.proven)
			if len(d.chunks) != c.chunks {
				t.Errorf("%d chunks, want %d: %+v", len(d.chunks), c.chunks, d.checkpoint)
			}
			d.writeAll(t)
			res, _ := d.pack(t)
			if res.Rows != c.n || res.AsOf != 1_788_000_000_000 || res.AsOfEnd <= res.AsOf {
				t.Errorf("result %+v", res)
			}
			got, want := parts(t, res.Key, b.object(t, res.Key)), parts(t, whole.Key, b.object(t, whole.Key))
			if len(got) != len(want) {
				t.Fatalf("%d parts, want %d", len(got), len(want))
			}
			for i := range want {
				if got[i].name != want[i].name {
					t.Errorf("part %q, want %q", got[i].name, want[i].name)
				}
				if diff := cmp.Diff(rowsOf(t, want[i].bytes), rowsOf(t, got[i].bytes)); diff != "" {
					t.Errorf("part %d: %s", i+1, diff)
				}
			}
		})
	}
}

// Rows that come and go while chunks are read move no other row out of the file
// or into it twice.
func TestRowsChangeBetweenChunks(t *testing.T) {
	for _, packaging := range []export.Packaging{export.Zip, export.Workbook} {
		t.Run(string(packaging), func(t *testing.T) {
			b := setup(t)
			source := newRanged(3500)
			r := request(source)
			r.Packaging = packaging
			d := b.divide(t, r, 0)
			want := []string{}
			for n := range d.chunks {
				if n == 2 { // the third chunk's range: 2001 to 3000
					kept := source.numbers[:2000:2000]
					for no := int64(2500); no <= 3500; no++ {
						kept = append(kept, no)
					}
					kept = append(kept, 3600)
					source.numbers = kept
				}
				for _, no := range source.between(d.chunks[n].KeyFrom, d.chunks[n].KeyTo) {
					want = append(want, fmt.Sprint(no))
				}
				if err := d.write(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			res, books := d.pack(t)
			sizes, numbers := flat(books)
			if numbers != strings.Join(want, " ") || res.Rows != int64(len(want)) || len(want) != 3002 {
				t.Errorf("%d rows in %v, want %d", res.Rows, sizes, len(want))
			}
		})
	}
}

// A chunk whose rows are all gone makes no part; without any row there is one part
// with the header.
func TestEmptyChunks(t *testing.T) {
	b := setup(t)
	source := newRanged(3500)
	r := request(source)
	r.Packaging = export.Zip
	d := b.divide(t, r, 0)
	source.numbers = append(source.between("", "1000"), source.between("2000", "")...)
	d.writeAll(t)
	_, books := d.pack(t)
	if sizes, _ := flat(books); fmt.Sprint(sizes) != "[1000 1000 500]" {
		t.Errorf("parts of %v rows", sizes)
	}
	source.numbers = nil
	d.writeAll(t)
	res, books := d.pack(t)
	if sizes, _ := flat(books); fmt.Sprint(sizes) != "[0]" || res.Rows != 0 {
		t.Errorf("parts of %v rows, %+v", sizes, res)
	}
	d.request.Packaging = export.Auto
	if res, _ := d.pack(t); !strings.HasSuffix(res.Key, ".xlsx") {
		t.Errorf("key %s", res.Key)
	}
}

func TestCutCellsAndWarningsOfChunks(t *testing.T) {
	b := setup(t)
	source := newRanged(2500)
	source.text = func(no int64) string {
		if no%1000 == 1 {
			return strings.Repeat("가", cell.MaxText+1)
		}
		return "글"
	}
	r := request(source)
	r.Columns = slices.Concat(source.info.Columns, []cell.ColumnDef{{Field: "nowhere", HeaderName: "?"}})
	d := b.divide(t, r, 0)
	d.writeAll(t)
	res, _ := d.pack(t)
	if res.Warnings.TruncatedCells != 3 || len(res.Warnings.Messages) != 1 || !strings.Contains(res.Warnings.Messages[0], "nowhere") {
		t.Errorf("warnings %+v", res.Warnings)
	}
}

func TestPackOverMaxRows(t *testing.T) {
	b := setup(t)
	source := newRanged(2500)
	d := b.divide(t, request(source), 0)
	source.info.MaxRows = 2499
	d.writeAll(t)
	if _, err := d.exporter.Pack(t.Context(), d.request, d.checkpoint, d.asOf, d.chunks); !fault.Is(err, fault.Unprocessable) || !strings.Contains(err.Error(), "2499 rows") {
		t.Errorf("err = %v", err)
	}
}

// A planner goes on behind what an earlier one stored, and takes a chunk that
// another one stored meanwhile for its own.
func TestDivideIsResumed(t *testing.T) {
	b := setup(t)
	r := request(newRanged(5500))
	d := b.divide(t, r, 0)
	all := d.chunks
	d.chunks = nil
	if _, _, err := d.exporter.Divide(t.Context(), d.request, export.Checkpoint{ChunkRows: 1000}, all[:2], func(no int, from, to string) (job.Chunk, error) {
		if no == 4 {
			to = "4500"
		}
		return d.add(no, from, to)
	}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range d.chunks {
		got = append(got, fmt.Sprintf("%d:%s-%s", c.No, c.KeyFrom, c.KeyTo))
	}
	if strings.Join(got, " ") != "3:2000-3000 4:3000-4500 5:4500-" {
		t.Errorf("chunks %v", got)
	}
}

// Segments that were made of other columns or of another text don't join.
func TestDatasetThatChanged(t *testing.T) {
	for name, change := range map[string]func(*ranged){
		"text":    func(d *ranged) { d.info.Digest = "digest-2" },
		"columns": func(d *ranged) { d.fields = append(d.fields[:1:1], cell.Field{Name: "text", Kind: cell.JSON}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			source := newRanged(2500)
			d := b.divide(t, request(source), 0)
			change(source)
			if err := d.write(t.Context(), 0); !fault.Is(err, fault.Unprocessable) || !strings.Contains(err.Error(), "was changed") {
				t.Errorf("chunk: %v", err)
			}
			if _, _, err := d.exporter.Divide(t.Context(), d.request, d.checkpoint, nil, d.add); !fault.Is(err, fault.Unprocessable) {
				t.Errorf("plan: %v", err)
			}
			b.empty(t)
		})
	}
}

// A chunk that fails leaves nothing, whatever it fails of.
func TestChunkThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		onRow func(no int64) error
		want  fault.Code
	}{
		"source": {func(int64) error { return fault.New(fault.Unavailable, "The database is away.") }, fault.Unavailable},
		"panic":  {func(int64) error { panic("defect") }, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			source := newRanged(2500)
			d := b.divide(t, request(source), 0)
			source.onRow = func(no int64) error {
				if no < 1500 {
					return nil
				}
				return c.onRow(no)
			}
			if err := d.write(t.Context(), 1); !fault.Is(err, c.want) {
				t.Errorf("err = %v", err)
			}
			b.empty(t)
			if source.closed != source.opened {
				t.Errorf("%d of %d readings closed", source.closed, source.opened)
			}
		})
	}
}

// What is not what was stored is never delivered.
func TestPackOfWhatIsNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, d *divided)
		want   string
	}{
		"missing": {func(t *testing.T, d *divided) {
			if err := d.bucket.Delete(t.Context(), d.chunks[1].FilePath); err != nil {
				t.Fatal(err)
			}
		}, "removed"},
		"another chunk's": {func(_ *testing.T, d *divided) { d.chunks[1].FilePath = d.chunks[0].FilePath }, "damaged"},
		"cut off": {func(t *testing.T, d *divided) {
			data := d.object(t, d.chunks[1].FilePath)
			d.put(t, d.chunks[1].FilePath, data[:len(data)/2])
		}, "could not be read back"},
		"changed": {func(t *testing.T, d *divided) {
			data := bytes.Clone(d.object(t, d.chunks[1].FilePath))
			data[len(data)/2] ^= 1
			d.put(t, d.chunks[1].FilePath, data)
		}, "could not be read back"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			d := b.divide(t, request(newRanged(2500)), 0)
			d.writeAll(t)
			c.damage(t, d)
			d.request.Attempt = 2
			_, err := d.exporter.Pack(t.Context(), d.request, d.checkpoint, d.asOf, d.chunks)
			if err == nil || !strings.Contains(fault.SafeMessage(err), c.want) {
				t.Errorf("err = %v (%q)", err, fault.SafeMessage(err))
			}
			if _, err := d.bucket.Stat(t.Context(), export.Key(splitJob, 2, "zip")); !fault.Is(err, fault.NotFound) {
				t.Errorf("a file is there: %v", err)
			}
		})
	}
}

// Chunks that leave a gap are no export, whatever became of the one between.
func TestPackOfChunksWithAGap(t *testing.T) {
	b := setup(t)
	d := b.divide(t, request(newRanged(3500)), 0)
	d.writeAll(t)
	all := d.chunks
	unfinished := slices.Clone(all)
	unfinished[1].Status = job.Running
	for name, chunks := range map[string][]job.Chunk{
		"none": nil, "first": all[1:], "middle": slices.Concat(all[:1], all[2:]), "last": all[:3], "unfinished": unfinished,
	} {
		if _, err := d.exporter.Pack(t.Context(), d.request, d.checkpoint, d.asOf, chunks); err == nil || !strings.Contains(err.Error(), "do not fit together") {
			t.Errorf("%s: err = %v", name, err)
		}
	}
}

func (b *bundle) put(t *testing.T, key string, data []byte) {
	t.Helper()
	w, err := b.bucket.NewWriter(t.Context(), key, storage.WriteOptions{})
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// failingDisk takes nothing of the files that jobs deliver.
type failingDisk struct{ *filestore.Store }

var errFull = errors.New("disk full")

func (d failingDisk) NewWriter(ctx context.Context, key string, o storage.WriteOptions) (storage.Writer, error) {
	w, err := d.Store.NewWriter(ctx, key, o)
	if strings.Contains(key, "/file.") {
		return failingFile{w}, err
	}
	return w, err
}

type failingFile struct{ storage.Writer }

func (failingFile) Write([]byte) (int, error) { return 0, errFull }

func TestPackOntoAFullDisk(t *testing.T) {
	b := setup(t)
	store, err := filestore.New(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.settings.Bucket = storage.NewBucket(failingDisk{store})
	for _, packaging := range []export.Packaging{export.Workbook, export.Zip} {
		r := request(newRanged(30_000))
		r.Packaging = packaging
		d := b.divide(t, r, 0)
		d.writeAll(t)
		d.request.Attempt = 2
		if _, err := d.exporter.Pack(t.Context(), d.request, d.checkpoint, d.asOf, d.chunks); !errors.Is(err, errFull) {
			t.Errorf("%s: err = %v", packaging, err)
		}
	}
}

// A worker that is told to stop stops packing, too.
func TestPackIsStopped(t *testing.T) {
	b := setup(t)
	d := b.divide(t, request(newRanged(2500)), 0)
	d.writeAll(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := d.exporter.Pack(ctx, d.request, d.checkpoint, d.asOf, d.chunks); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// The parts of a file that other users may get, too, are not named by the one who
// asked first.
func TestPartsOfAReusableFile(t *testing.T) {
	b := setup(t)
	source := newRanged(2500)
	source.info.Reuse = 1
	d := b.divide(t, request(source), 0)
	d.writeAll(t)
	res, _ := d.pack(t)
	if got := parts(t, res.Key, b.object(t, res.Key))[0].name; got != "numbers_part1.xlsx" {
		t.Errorf("part %q", got)
	}
}

func TestCheckpointThatIsNone(t *testing.T) {
	for _, text := range []string{"", "{}", "null", `{"chunkRows":0}`, `{"chunkRows":-1}`, "x", `{"chunkRows":"5"}`} {
		if c, found := export.ParseCheckpoint(text); found {
			t.Errorf("%q: %+v", text, c)
		}
	}
}
