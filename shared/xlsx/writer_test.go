package xlsx_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// openLarge reads a workbook back without the second library.
func openLarge(t testing.TB, data []byte) *xlsxtest.Book {
	t.Helper()
	return xlsxtest.Open(t, data)
}

// mixed is ten columns as exports have them, and a function that fills row i.
func mixed() (b *book, fill func(row []cell.Value, i int)) {
	b = &book{
		header: []cell.ColumnDef{
			{Field: "id", HeaderName: "번호", Width: 80}, {Field: "orderNo", HeaderName: "주문번호", Width: 140},
			{HeaderName: "고객", Children: []cell.ColumnDef{{Field: "name", HeaderName: "이름"}, {Field: "phone", HeaderName: "전화", ExcelFormat: "phone"}}},
			{Field: "amount", HeaderName: "금액", ExcelFormat: "krw"}, {Field: "price", HeaderName: "단가"},
			{Field: "rate", HeaderName: "비율"}, {Field: "day", HeaderName: "날짜"}, {Field: "at", HeaderName: "시각"},
			{Field: "status", HeaderName: "상태", ExcelCodeMap: map[string]string{"PAID": "결제", "CANCELLED": "취소"}},
		},
		fields: []cell.Field{
			{Kind: cell.Integer}, {Kind: cell.Text}, {Kind: cell.Text}, {Kind: cell.Text}, {Kind: cell.Decimal, Scale: 2},
			{Kind: cell.Decimal, Scale: 2}, {Kind: cell.Float}, {Kind: cell.Date}, {Kind: cell.DateTime}, {Kind: cell.Text},
		},
	}
	buffers := make([][]byte, len(b.fields))
	put := func(row []cell.Value, c int, format string, args ...any) {
		buffers[c] = fmt.Appendf(buffers[c][:0], format, args...)
		row[c] = cell.Value{Kind: b.fields[c].Kind, Bytes: buffers[c]}
	}
	return b, func(row []cell.Value, i int) {
		put(row, 0, "%d", i+1)
		put(row, 1, "ORD-%09d", i*7919%1_000_000_007)
		put(row, 2, "김하나 %d & <가>", i%977)
		put(row, 3, "010%08d", i*31337%100_000_000)
		put(row, 4, "%d.%02d", i*37%9_999_999, i%100)
		put(row, 5, "%d.%02d", i%99_999, i*3%100)
		put(row, 6, "%v", float64(i%1000)/7)
		put(row, 7, "%04d-%02d-%02d", 1990+i%40, 1+i%12, 1+i%28)
		put(row, 8, "2026-%02d-%02d %02d:%02d:%02d", 1+i%12, 1+i%28, i/3600%24, i/60%60, i%60)
		put(row, 9, "%s", []string{"PAID", "CANCELLED", "OTHER"}[i%3])
		if i%50 == 0 {
			row[2], row[5] = cell.Value{}, cell.Value{}
		}
	}
}

func TestLargeWorkbook(t *testing.T) {
	b, fill := mixed()
	b.options.Modified = time.Date(2026, 9, 2, 14, 30, 25, 0, seoul)
	var out bytes.Buffer
	w, err := newWriter(&out, b)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 40_000
	row := make([]cell.Value, len(b.fields))
	for i := range rows {
		fill(row, i)
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := openLarge(t, out.Bytes()).Sheet(0)
	if got := len(s.Rows()); got != rows+2 {
		t.Fatalf("%d rows", got)
	}
	for _, i := range []int{0, 1, 49, 50, 4095, 4096, 20_000, rows - 1} {
		fill(row, i)
		got := s.Rows()[i+2]
		if got[0].Raw != fmt.Sprint(i+1) || got[1].Text != string(row[1].Bytes) {
			t.Errorf("row %d: %q", i, s.Texts(i+3))
		}
		if name := string(row[2].Bytes); got[2].Text != name {
			t.Errorf("row %d: name %q, want %q", i, got[2].Text, name)
		}
		at, err := xlsxtest.Moment(got[8].Raw)
		if err != nil || at.Format("2006-01-02 15:04:05") != string(row[8].Bytes) {
			t.Errorf("row %d: %s is %v, want %s", i, got[8].Raw, at, row[8].Bytes)
		}
	}
	checkEntries(t, out.Bytes(), b.options.Modified)
	checkUnzippers(t, out.Bytes())
}

// checkEntries looks at the archive's headers.
func checkEntries(t *testing.T, data []byte, modified time.Time) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if first := r.File[0].Name; first != "_rels/.rels" {
		t.Errorf("the archive begins with %s", first)
	}
	for _, f := range r.File {
		if f.Method != zip.Deflate {
			t.Errorf("%s has method %d", f.Name, f.Method)
		}
		if !f.Modified.Equal(modified) {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
}

// checkUnzippers reads the file with the unzippers that are on the machine; each is
// strict about something of its own.
func checkUnzippers(t *testing.T, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "book.xlsx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	java := filepath.Join(t.TempDir(), "Read.java")
	if err := os.WriteFile(java, []byte(javaReader), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"unzip", "-tqq", path},
		{"python3", "-c", "import sys,zipfile; sys.exit(1 if zipfile.ZipFile(sys.argv[1]).testzip() else 0)", path},
		{"java", java, path},
	} {
		t.Run(command[0], func(t *testing.T) {
			program := testservices.Program(t, command[0])
			if out, err := exec.Command(program, command[1:]...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

const javaReader = `
import java.io.*;
import java.util.zip.*;
class Read {
	public static void main(String[] a) throws Exception {
		try (ZipInputStream in = new ZipInputStream(new BufferedInputStream(new FileInputStream(a[0])))) {
			int entries = 0;
			byte[] buffer = new byte[65536];
			while (in.getNextEntry() != null) {
				entries++;
				while (in.read(buffer) >= 0) {}
			}
			if (entries != 6) throw new Exception(entries + " entries");
		}
	}
}
`

func TestNoRows(t *testing.T) {
	b := numbered(0)
	s := b.open(t).Sheet(0)
	if len(s.Rows()) != 1 || s.At("A1").Text != "번호" {
		t.Errorf("rows %v", s.Rows())
	}
	checkEntries(t, b.bytes(t), time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC))
}

func TestDeterministic(t *testing.T) {
	b := numbered(30_000)
	if !bytes.Equal(b.bytes(t), b.bytes(t)) {
		t.Error("the same rows give different bytes")
	}
}

// Both compressions give the same cells; Small is smaller, most of all in prose.
func TestCompressions(t *testing.T) {
	b := texts()
	words := strings.Fields("빠른 배송 부탁 드립니다 문 앞에 놓아 주세요 please leave it at the door or call me before you come")
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		phrase := ""
		for range 5 + r.IntN(20) {
			phrase += words[r.IntN(len(words))] + " "
		}
		b.rows = append(b.rows, []cell.Value{text(phrase)})
	}
	fast, fastSize := b.open(t).Sheet(0), len(b.bytes(t))
	b.options.Compression = xlsx.Small
	small, smallSize := b.open(t).Sheet(0), len(b.bytes(t))
	if !reflect.DeepEqual(fast.Rows(), small.Rows()) {
		t.Error("the compressions give different cells")
	}
	if smallSize >= fastSize {
		t.Errorf("%d bytes with Small, %d with Fast", smallSize, fastSize)
	}
	b.options.Compression = xlsx.Small + 1
	if _, err := newWriter(io.Discard, b); err == nil {
		t.Error("an unknown compression is accepted")
	}
}

func TestRefusedSheets(t *testing.T) {
	for name, s := range map[string]xlsx.Sheet{
		"no column":      {},
		"missing column": {Header: []cell.ColumnDef{{Field: "a"}}},
	} {
		if _, err := xlsx.NewWriter(io.Discard, s, xlsx.Options{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	b := numbered(0)
	b.options.MaxRows = 1
	if _, err := newWriter(io.Discard, b); err == nil {
		t.Error("a sheet without room for a row is accepted")
	}
}

// brokenPipe fails after some bytes.
type brokenPipe struct{ left int }

var errBroken = errors.New("broken pipe")

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, errBroken
	}
	return len(b), nil
}

func TestFailingWriter(t *testing.T) {
	b, fill := mixed()
	row := make([]cell.Value, len(b.fields))
	for _, after := range []int{0, 100, 10_000, 200_000} {
		w, err := newWriter(&brokenPipe{left: after}, b)
		for i := 0; err == nil && i < 200_000; i++ {
			fill(row, i)
			err = w.Write(row)
		}
		if w == nil {
			if !errors.Is(err, errBroken) {
				t.Errorf("after %d bytes: %v", after, err)
			}
			continue
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("after %d bytes: write %v", after, err)
		}
		for range 2 {
			if err := w.Write(row); !errors.Is(err, errBroken) {
				t.Errorf("after %d bytes: another write %v", after, err)
			}
			if err := w.Close(); !errors.Is(err, errBroken) {
				t.Errorf("after %d bytes: close %v", after, err)
			}
		}
	}
	w, err := newWriter(&brokenPipe{left: 1500}, numbered(0))
	if err == nil {
		err = w.Close()
	}
	if !errors.Is(err, errBroken) {
		t.Errorf("close with a broken end: %v", err)
	}
}

// gate holds writes back until it is opened.
type gate struct {
	opened  chan struct{}
	blocked bool
	bytes   int
}

func (g *gate) Write(b []byte) (int, error) {
	if g.blocked {
		<-g.opened
	}
	g.bytes += len(b)
	return len(b), nil
}

// Nothing is written after Abort has answered.
func TestAbort(t *testing.T) {
	b, fill := mixed()
	g := &gate{opened: make(chan struct{})}
	w, err := newWriter(g, b)
	if err != nil {
		t.Fatal(err)
	}
	g.blocked = true
	row := make([]cell.Value, len(b.fields))
	for i := range 500 { // a segment is under way, or soon
		fill(row, i)
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	close(g.opened)
	w.Abort()
	written := g.bytes
	if err := w.Write(row); err == nil {
		t.Error("a row is taken after Abort")
	}
	if err := w.Close(); err == nil {
		t.Error("a workbook that was given up closes well")
	}
	if g.bytes != written {
		t.Error("written to after Abort")
	}
}

// While one giant row is being written, another waits: together they would take
// memory for each place that usual segments have.
func TestGiantRowsGoOneByOne(t *testing.T) {
	giant := make([]byte, 4<<20)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range giant {
		giant[i] = byte('!' + r.IntN(90)) // so that the archive does not hold it back
	}
	synctest.Test(t, func(t *testing.T) {
		g := &gate{opened: make(chan struct{})}
		w, err := newWriter(g, texts())
		if err != nil {
			t.Fatal(err)
		}
		g.blocked = true
		const rows = 100
		var taken atomic.Int64
		go func() {
			for range rows {
				if err := w.Write([]cell.Value{{Kind: cell.Text, Bytes: giant}}); err != nil {
					t.Error(err)
				}
				taken.Add(1)
			}
		}()
		synctest.Wait()
		if n := taken.Load(); n > 1 {
			t.Errorf("%d rows are taken while none is written", n)
		}
		close(g.opened)
		synctest.Wait()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if n := w.Truncated(); n != rows {
			t.Errorf("%d rows are written", n)
		}
	})
}

func TestWrongRow(t *testing.T) {
	w, err := newWriter(io.Discard, numbered(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(make([]cell.Value, 2)); err == nil || !strings.Contains(err.Error(), "2 values") {
		t.Errorf("a row of two values: %v", err)
	}
	if err := w.Close(); err == nil {
		t.Error("the workbook closes well after a wrong row")
	}
}

// The same columns serve one workbook after the other; each counts its own cuts.
func TestTruncatedByWorkbook(t *testing.T) {
	b := texts(strings.Repeat("A", 40000))
	s := b.sheet()
	for i := range 3 {
		w, err := xlsx.NewWriter(io.Discard, s, xlsx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range i {
			if err := w.Write(b.rows[0]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if w.Truncated() != int64(i) {
			t.Errorf("workbook %d: %d cut", i, w.Truncated())
		}
	}
}

// panicking panics once some bytes were written.
type panicking struct{ left int }

func (p *panicking) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		panic("a writer's own fault")
	}
	return len(b), nil
}

// A panic of the io.Writer in the background becomes an error of the workbook.
func TestPanickingWriter(t *testing.T) {
	b, fill := mixed()
	w, err := newWriter(&panicking{left: 100_000}, b)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]cell.Value, len(b.fields))
	for i := 0; err == nil && i < 200_000; i++ {
		fill(row, i)
		err = w.Write(row)
	}
	if err == nil || !strings.Contains(err.Error(), "a writer's own fault") {
		t.Errorf("write: %v", err)
	}
	if again := w.Close(); !errors.Is(again, err) {
		t.Errorf("close: %v", again)
	}
}
