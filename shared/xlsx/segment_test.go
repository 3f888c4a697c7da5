package xlsx_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// encoder prepares the book's sheet.
func (b *book) encoder(t testing.TB) *xlsx.Encoder {
	t.Helper()
	e, err := xlsx.NewEncoder(b.sheet(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// batch copies rows.
func batch(t testing.TB, e *xlsx.Encoder, rows [][]cell.Value) *xlsx.Batch {
	t.Helper()
	b := e.NewBatch()
	for _, row := range rows {
		if err := b.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// segment encodes rows as the ones from first on.
func segment(t testing.TB, e *xlsx.Encoder, rows [][]cell.Value, first int) *xlsx.Segment {
	t.Helper()
	s, err := e.Encode(batch(t, e, rows), first)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stored writes a segment and reads it back, as another process does.
func stored(t testing.TB, s *xlsx.Segment) *xlsx.Segment {
	t.Helper()
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := xlsx.ReadSegment(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// assemble joins segments.
func assemble(t testing.TB, e *xlsx.Encoder, segments ...*xlsx.Segment) []byte {
	t.Helper()
	var out bytes.Buffer
	a, err := xlsx.NewAssembler(&out, e)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range segments {
		if err := a.Add(s); err != nil {
			t.Fatalf("segment %d: %v", i, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// fixed is n rows of the mixed columns that keep their bytes.
func fixed(n int) *book {
	b, fill := mixed()
	for i := range n {
		row := make([]cell.Value, len(b.fields))
		fill(row, i)
		for c := range row {
			row[c].Bytes = bytes.Clone(row[c].Bytes)
		}
		b.rows = append(b.rows, row)
	}
	return b
}

// Segments made by many goroutines of several encoders, stored and read, join to
// the file that one writer makes, byte for byte.
func TestSegmentsJoin(t *testing.T) {
	const rows, size = 6000, 1000
	for _, omit := range []bool{false, true} {
		b := fixed(rows)
		b.options.OmitReferences = omit
		joining := b.encoder(t)
		first := joining.FirstRow()
		segments := make([]*xlsx.Segment, rows/size)
		var working sync.WaitGroup
		shared := b.encoder(t)
		for i := range segments {
			working.Go(func() {
				e := shared
				if i%2 == 0 {
					e = b.encoder(t)
				}
				segments[i] = stored(t, segment(t, e, b.rows[i*size:][:size], first+i*size))
			})
		}
		working.Wait()
		joined := xlsxtest.Open(t, assemble(t, joining, segments...))
		whole := xlsxtest.Open(t, b.bytes(t))
		compareBooks(t, joined, whole)
	}
}

// compareBooks compares all cells.
func compareBooks(t testing.TB, got, want *xlsxtest.Book) {
	t.Helper()
	if !slices.Equal(names(got), names(want)) {
		t.Fatalf("sheets %q, want %q", names(got), names(want))
	}
	for i := range want.Sheets {
		g, w := got.Sheet(i).Rows(), want.Sheet(i).Rows()
		if len(g) != len(w) {
			t.Fatalf("sheet %d: %d rows, want %d", i, len(g), len(w))
		}
		for r := range w {
			if !slices.EqualFunc(g[r], w[r], func(a, b xlsxtest.Cell) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
				t.Fatalf("sheet %d row %d: %v, want %v", i, r+1, g[r], w[r])
			}
		}
		if got.Sheet(i).Filter != want.Sheet(i).Filter {
			t.Errorf("sheet %d filters %s, want %s", i, got.Sheet(i).Filter, want.Sheet(i).Filter)
		}
	}
}

// Rows that come in other numbers than was planned, and more than a sheet holds,
// are numbered anew; texts that look like markup stay.
func TestSegmentsAreRenumbered(t *testing.T) {
	for _, omit := range []bool{false, true} {
		b := fixed(2000)
		b.rows[7][2] = text(`<row r="5"><c r="A5"> r="9" </row>`)
		b.options = xlsx.Options{OmitReferences: omit, MaxRows: 702}
		e := b.encoder(t)
		joined := xlsxtest.Open(t, assemble(t, e,
			segment(t, e, b.rows[:300], e.FirstRow()),
			segment(t, e, b.rows[300:1900], e.FirstRow()+350), // fifty rows fewer came before; it fills two sheets
			segment(t, e, b.rows[1900:], e.FirstRow()+1900),
		))
		compareBooks(t, joined, xlsxtest.Open(t, b.bytes(t)))
	}
}

// A workbook may be joined of segments by bytes too: what does not fit goes to
// the next sheet.
func TestSegmentsFillSheetsByBytes(t *testing.T) {
	b := numbered(3000)
	b.options.MaxBytes = 40_000
	e := b.encoder(t)
	book := xlsxtest.Open(t, assemble(t, e, segment(t, e, b.rows[:2500], 2), segment(t, e, b.rows[2500:], 2502)))
	next := 1
	for _, s := range book.Sheets {
		for _, row := range s.Rows()[1:] {
			if row[0].Raw != fmt.Sprint(next) {
				t.Fatalf("%s where %d comes", row[0].Raw, next)
			}
			next++
		}
	}
	if next != 3001 || len(book.Sheets) < 3 {
		t.Errorf("%d rows on %d sheets", next-1, len(book.Sheets))
	}
}

// NextSheet begins a sheet where there are rows; cut cells are counted over all
// segments, renumbered or not.
func TestAssembler(t *testing.T) {
	long := bytes.Repeat([]byte("A"), cell.MaxText+1)
	b := texts()
	b.rows = [][]cell.Value{{{Kind: cell.Text, Bytes: long}}}
	e := b.encoder(t)
	var out bytes.Buffer
	a, err := xlsx.NewAssembler(&out, e)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.NextSheet(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := a.Add(segment(t, e, b.rows, 2)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if a.Truncated() != 4 {
		t.Errorf("%d cells cut", a.Truncated())
	}
	if err := a.Add(segment(t, e, b.rows, 2)); err == nil {
		t.Error("a closed workbook takes rows")
	}
	book := xlsxtest.Open(t, out.Bytes())
	if len(book.Sheets) != 2 || len(book.Sheet(1).Rows()) != 3 {
		t.Errorf("%d sheets", len(book.Sheets))
	}
}

func TestWrongSegments(t *testing.T) {
	b := numbered(3)
	e := b.encoder(t)
	for name, c := range map[string]struct {
		rows  [][]cell.Value
		first int
	}{
		"no rows": {nil, 2}, "in the header": {b.rows, 1}, "behind the last row": {b.rows, xlsx.MaxRows - 1},
	} {
		if _, err := e.Encode(batch(t, e, c.rows), c.first); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	coded := numbered(3)
	coded.header[0].ExcelCodeMap = map[string]string{"1": "하나"}
	if a, err := xlsx.NewAssembler(io.Discard, coded.encoder(t)); err != nil || a.Add(segment(t, e, b.rows, 2)) == nil {
		t.Errorf("a segment of the same columns without their code map is accepted: %v", err)
	}
	other := texts("x").encoder(t)
	if _, err := e.Encode(batch(t, fixed(1).encoder(t), fixed(1).rows), 2); err == nil {
		t.Error("a batch of other columns is accepted")
	}
	a, err := xlsx.NewAssembler(io.Discard, other)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Add(segment(t, e, b.rows, 2)); err == nil {
			t.Error("a segment of other columns is accepted")
		}
	}
	if a.Close() == nil {
		t.Error("a workbook with a missing segment closes well")
	}
}

// Every byte of a stored segment counts, and so does its end.
func TestDamagedSegments(t *testing.T) {
	b := numbered(5)
	e := b.encoder(t)
	data, err := segment(t, e, b.rows, 2).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 1
		if _, err := xlsx.ReadSegment(bytes.NewReader(damaged)); err == nil {
			t.Errorf("byte %d may change", i)
		}
		if i == 0 {
			continue
		}
		if _, err := xlsx.ReadSegment(bytes.NewReader(data[:i])); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	both := bytes.NewReader(append(bytes.Clone(data), data...))
	for range 2 {
		if _, err := xlsx.ReadSegment(both); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := xlsx.ReadSegment(both); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last segment: %v", err)
	}
}

func TestAppendXML(t *testing.T) {
	b := texts("a<b", " c")
	e := b.encoder(t)
	got := string(e.AppendXML([]byte("x"), batch(t, e, b.rows), 2))
	want := `x<row r="2"><c r="A2" t="inlineStr"><is><t>a&lt;b</t></is></c></row>` +
		`<row r="3"><c r="A3" t="inlineStr"><is><t xml:space="preserve"> c</t></is></c></row>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A row that the batch can't take leaves no trace in it.
func TestBatchRefusesRows(t *testing.T) {
	b := &book{header: []cell.ColumnDef{{Field: "a"}, {Field: "b"}}, fields: []cell.Field{{Kind: cell.Text}, {Kind: cell.Text}}}
	e := b.encoder(t)
	rows := batch(t, e, [][]cell.Value{{text("1"), text("2")}})
	if err := rows.Append([]cell.Value{text("3")}); err == nil {
		t.Error("a row of one value is taken")
	}
	huge := cell.Value{Kind: cell.Text, Bytes: make([]byte, 1<<30)}
	if err := rows.Append([]cell.Value{text("3"), huge}); err == nil {
		t.Error("a row of more than a gigabyte is taken")
	}
	if err := rows.Append([]cell.Value{text("3"), text("4")}); err != nil {
		t.Fatal(err)
	}
	want := `<row r="2"><c r="A2" t="inlineStr"><is><t>1</t></is></c><c r="B2" t="inlineStr"><is><t>2</t></is></c></row>` +
		`<row r="3"><c r="A3" t="inlineStr"><is><t>3</t></is></c><c r="B3" t="inlineStr"><is><t>4</t></is></c></row>`
	if got := string(e.AppendXML(nil, rows, 2)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Where short values stand for long labels, segments stay small enough for several
// to be in memory.
func TestLongLabelsMakeNoHugeSegments(t *testing.T) {
	b := texts()
	b.header[0].ExcelCodeMap = map[string]string{"1": strings.Repeat("x", cell.MaxText)}
	e := b.encoder(t)
	rows := e.NewBatch()
	for !rows.Full() {
		if err := rows.Append([]cell.Value{text("1")}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := e.Encode(rows, e.FirstRow())
	if err != nil {
		t.Fatal(err)
	}
	if s.Length() > 4<<20 {
		t.Errorf("%d rows are %d bytes", s.Rows(), s.Length())
	}
}
