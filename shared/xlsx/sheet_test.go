package xlsx_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

func newWriter(w io.Writer, b *book) (*xlsx.Writer, error) {
	return xlsx.NewWriter(w, b.sheet(), b.options)
}

func TestFullSheets(t *testing.T) {
	const limit = 1000
	grouped := []cell.ColumnDef{{HeaderName: "무리", Children: []cell.ColumnDef{{Field: "n", HeaderName: "번호"}}}}
	for _, c := range []struct {
		name   string
		rows   int
		levels int
		want   []int // data rows of each sheet
	}{
		{"just full", limit - 1, 1, []int{999}},
		{"one too many", limit, 1, []int{999, 1}},
		{"two header rows", limit - 1, 2, []int{998, 1}},
		{"many sheets", 2*(limit-1) + 1, 1, []int{999, 999, 1}},
		{"exact multiple", 2 * (limit - 1), 1, []int{999, 999}},
		{"none", 0, 1, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := numbered(c.rows)
			if c.levels == 2 {
				b.header = grouped
			}
			b.options.MaxRows = limit
			read := b.open(t)
			next := 1
			var got []int
			for i, s := range read.Sheets {
				rows := s.Rows()
				if len(rows) > limit {
					t.Errorf("sheet %d has %d rows", i, len(rows))
				}
				if head := rows[c.levels-1][0].Text; head != "번호" {
					t.Errorf("sheet %d has the header %q", i, head)
				}
				got = append(got, len(rows)-c.levels)
				for _, row := range rows[c.levels:] {
					if row[0].Raw != fmt.Sprint(next) {
						t.Fatalf("sheet %d: %q where %d comes", i, row[0].Raw, next)
					}
					next++
				}
				if want := fmt.Sprintf("A%d:A%d", c.levels, max(len(rows), c.levels)); s.Filter != want {
					t.Errorf("sheet %d filters %s, want %s", i, s.Filter, want)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("rows %v, want %v", got, c.want)
			}
			if next != c.rows+1 {
				t.Errorf("%d rows in the file", next-1)
			}
		})
	}
}

// A sheet that would pass its limit of XML goes on in the next one.
func TestMaxBytes(t *testing.T) {
	b := texts()
	for i := range 300 {
		b.rows = append(b.rows, []cell.Value{text(fmt.Sprintf("%04d", i) + strings.Repeat("x", 1000))})
	}
	long := strings.Repeat("A", cell.MaxText+1)
	b.rows = append(b.rows, []cell.Value{text(long)}, []cell.Value{text(long)})
	b.options.MaxBytes = 40_000
	var out strings.Builder
	w, err := newWriter(&out, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range b.rows {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Truncated() != 2 {
		t.Errorf("%d cells cut, want 2: a row moved to the next sheet counts once", w.Truncated())
	}
	read := b.open(t)
	if len(read.Sheets) < 9 {
		t.Errorf("%d sheets", len(read.Sheets))
	}
	next := 0
	for _, s := range read.Sheets {
		size := 0
		for i, row := range s.Rows()[1:] {
			size += len(row[0].Text)
			if next < 300 && row[0].Text[:4] != fmt.Sprintf("%04d", next) {
				t.Fatalf("row %d of %s: %.10s where %d comes", i, s.Name, row[0].Text, next)
			}
			next++
		}
		if size > 40_000 {
			t.Errorf("%s holds %d characters", s.Name, size)
		}
	}
	if next != 302 {
		t.Errorf("%d rows", next)
	}
}

func TestGroupedHeaders(t *testing.T) {
	b := &book{
		header: []cell.ColumnDef{
			{Field: "a", HeaderName: "A"},
			{HeaderName: "B", Children: []cell.ColumnDef{{Field: "b1", HeaderName: "B1"}, {Field: "b2", HeaderName: "B2"}}},
			{HeaderName: "C", Children: []cell.ColumnDef{{Field: "c1", HeaderName: "C1"}}},
			{Field: "d", HeaderName: "D", Children: []cell.ColumnDef{}},
		},
		fields: make([]cell.Field, 5),
		rows:   [][]cell.Value{{text("1"), text("2"), text("3"), text("4"), text("5")}},
	}
	s := b.open(t).Sheet(0)
	slices.Sort(s.Merges)
	if want := []string{"A1:A2", "B1:C1", "E1:E2"}; !slices.Equal(s.Merges, want) {
		t.Errorf("merges %v, want %v", s.Merges, want)
	}
	for i, want := range [][]string{{"A", "B", "", "C", "D"}, {"", "B1", "B2", "C1", ""}, {"1", "2", "3", "4", "5"}} {
		if got := s.Texts(i + 1); !slices.Equal(got, want) {
			t.Errorf("row %d: %q, want %q", i+1, got, want)
		}
	}
	for i, row := range s.Rows()[:2] {
		if len(row) != 5 {
			t.Errorf("header row %d has %d cells", i+1, len(row))
		}
		for j, c := range row {
			if !c.Bold || c.Fill != "D9D9D9" || !c.Border || c.Align != "center" {
				t.Errorf("header cell %d/%d has the style %+v", i+1, j+1, c)
			}
		}
	}
	if s.Frozen != 2 || s.Filter != "A2:E3" {
		t.Errorf("%d frozen rows, filter %s", s.Frozen, s.Filter)
	}
}

func TestDeepHeader(t *testing.T) {
	b := &book{
		header: []cell.ColumnDef{
			{HeaderName: "1", Children: []cell.ColumnDef{
				{HeaderName: "2", Children: []cell.ColumnDef{{HeaderName: "3", Children: []cell.ColumnDef{{Field: "p"}, {Field: "q"}}}}},
				{Field: "r"},
			}},
			{Field: "s"},
		},
		fields: make([]cell.Field, 4),
	}
	s := b.open(t).Sheet(0)
	slices.Sort(s.Merges)
	if want := []string{"A1:C1", "A2:B2", "A3:B3", "C2:C4", "D1:D4"}; !slices.Equal(s.Merges, want) {
		t.Errorf("merges %v, want %v", s.Merges, want)
	}
	if got := s.Texts(4); !slices.Equal(got, []string{"p", "q", "", ""}) {
		t.Errorf("leaves without a name: %q", got)
	}
	if s.Frozen != 4 || s.Filter != "A4:D4" || len(s.Rows()) != 4 {
		t.Errorf("frozen %d, filter %s, %d rows", s.Frozen, s.Filter, len(s.Rows()))
	}
}

// The deepest header is frozen as a whole, and the filter stands in its last row.
func TestDeepestHeader(t *testing.T) {
	def := cell.ColumnDef{Field: "a", HeaderName: "2026"}
	for range cell.MaxDepth - 1 {
		def = cell.ColumnDef{HeaderName: "1", Children: []cell.ColumnDef{def}}
	}
	b := &book{
		header: []cell.ColumnDef{def, {HeaderName: ""}},
		fields: make([]cell.Field, 2),
		rows:   [][]cell.Value{{text("x"), text("y")}},
	}
	s := b.open(t).Sheet(0)
	if s.Frozen != cell.MaxDepth || s.Filter != "A16:B17" || !slices.Equal(s.Merges, []string{"B1:B16"}) {
		t.Errorf("frozen %d, filter %s, merges %v", s.Frozen, s.Filter, s.Merges)
	}
	if head, nameless := s.At("A16"), s.At("B1"); head.Type != "s" || head.Text != "2026" || nameless.Type != "" || !nameless.Border {
		t.Errorf("headers: %+v and %+v", head, nameless)
	}
}

func TestWidthsStylesAndNames(t *testing.T) {
	style := cell.Style{TextAlign: "right", FontWeight: "bold", FontStyle: "italic", Color: "#0000FF", BackgroundColor: "#FFEE00"}
	b := &book{
		name: "매출/2026",
		header: []cell.ColumnDef{
			{Field: "a", Width: 120}, {Field: "b", Width: 0}, {Field: "c", Width: -5}, {Field: "d"},
			{Field: "e", Width: 2000}, {Field: "f", Width: 40}, {Field: "g", MinWidth: 120}, {Field: "h", Width: -1, MinWidth: 2000},
			// Neighbours of one width share an element.
			{Field: "i", Width: 3000}, {Field: "j", Width: 2000}, {Field: "k"},
		},
		fields: make([]cell.Field, 11),
	}
	for i := range 5 {
		b.header[i].CellStyle = style
	}
	add := func(n int) {
		for range n {
			row := make([]cell.Value, 11)
			for i := range row {
				row[i] = integer("12")
			}
			row[1] = cell.Value{}
			row[6] = cell.Value{}
			b.rows = append(b.rows, row)
		}
	}
	add(10)
	small := b.open(t)
	add(9_990)
	data := b.bytes(t)
	large := openLarge(t, data)
	if small.Styles != large.Styles {
		t.Errorf("%d styles for 10 rows, %d for 10,000", small.Styles, large.Styles)
	}
	s := small.Sheet(0)
	if want := map[int]float64{1: 16.875, 5: 255, 6: 10, 7: 16.875, 8: 255, 9: 255, 10: 255}; !reflect.DeepEqual(s.Widths, want) {
		t.Errorf("widths %v, want %v", s.Widths, want)
	}
	if s.Name != "매출_2026" {
		t.Errorf("sheet %q", s.Name)
	}
	styled, plain := s.At("A2"), s.At("F2")
	if !styled.Bold || styled.Fill != "FFEE00" || styled.Align != "right" || plain.Bold || plain.Fill != "" {
		t.Errorf("styles: %+v and %+v", styled, plain)
	}
	// The background shows in empty cells too; without one there is no cell.
	if empty := s.At("B2"); empty.Type != "" || empty.Fill != "FFEE00" {
		t.Errorf("empty cell in a coloured column: %+v", empty)
	}
	if empty := s.At("G2"); empty.Style != 0 {
		t.Errorf("empty cell in a plain column: %+v", empty)
	}
}

func TestSheetNames(t *testing.T) {
	for first, want := range map[string][]string{
		"":                             {"Sheet1", "Sheet2", "Sheet3"},
		"매출":                           {"매출", "매출2", "매출3"},
		"매출2026":                       {"매출2026", "매출2026_2", "매출2026_3"},
		"a'b & <c>":                    {"a'b & <c>", "a'b & <c>2", "a'b & <c>3"},
		"재고_x0041":                     {"재고_x0041", "재고-x0041_2", "재고-x0041_3"},
		"_x0041_":                      {"-x0041_", "-x0041_2", "-x0041_3"},
		strings.Repeat("A", 31):        {strings.Repeat("A", 31), strings.Repeat("A", 29) + "_2", strings.Repeat("A", 29) + "_3"},
		strings.Repeat("a", 29) + "_2": {strings.Repeat("a", 29) + "_2", strings.Repeat("a", 29) + "~2", strings.Repeat("a", 29) + "_3"},
	} {
		b := numbered(5)
		b.name = first
		b.options.MaxRows = 3
		read := b.open(t)
		if got := names(read); !slices.Equal(got, want) {
			t.Errorf("%q: sheets %q, want %q", first, got, want)
		}
		for i, s := range read.Sheets {
			name := "'" + strings.ReplaceAll(s.Name, "'", "''") + "'"
			if got, want := read.Names[fmt.Sprintf("%d/_xlnm._FilterDatabase", i)], fmt.Sprintf("%s!$A$1:$A$%d", name, len(s.Rows())); got != want {
				t.Errorf("filter of sheet %d is %q, want %q", i, got, want)
			}
		}
	}
}

func FuzzSheetName(f *testing.F) {
	for _, seed := range []string{"", "History", "'", "a/b", "😀", "A2", strings.Repeat("'", 40)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		b := numbered(12)
		b.name = name
		b.options.MaxRows = 2
		if read := b.open(t); len(read.Sheets) != 12 {
			t.Fatalf("%d sheets", len(read.Sheets))
		}
	})
}

// Without references each cell stands for its place, empty ones too.
func TestOmitReferences(t *testing.T) {
	b := &book{
		header:  []cell.ColumnDef{{Field: "a"}, {Field: "b"}, {Field: "c", ExcelFormat: "krw"}},
		fields:  []cell.Field{{Kind: cell.Text}, {Kind: cell.Integer}, {Kind: cell.Integer}},
		rows:    [][]cell.Value{{{}, integer("1"), {}}, {text("x"), {}, integer("2")}},
		options: xlsx.Options{OmitReferences: true},
	}
	s := b.open(t).Sheet(0)
	for i, want := range [][]string{{"a", "b", "c"}, {"", "1", ""}, {"x", "", "2"}} {
		if got := s.Texts(i + 1); !slices.Equal(got, want) {
			t.Errorf("row %d: %q, want %q", i+1, got, want)
		}
	}
}

// A code in which Excel would read the escape of a character is escaped.
func TestFormatEscapes(t *testing.T) {
	codes := []string{`yyyy_xdddd_)`, `"_x0041_"0`}
	b := &book{
		header: []cell.ColumnDef{{Field: "d", ExcelFormat: codes[0]}, {Field: "n", ExcelFormat: codes[1]}},
		fields: []cell.Field{{Kind: cell.Date}, {Kind: cell.Integer}},
		rows:   [][]cell.Value{{{Kind: cell.Date, Bytes: []byte("2026-09-02")}, integer("5")}},
	}
	s := b.open(t).Sheet(0)
	if got := []string{s.At("A2").NumFmt, s.At("B2").NumFmt}; !slices.Equal(got, codes) {
		t.Errorf("number formats %q", got)
	}
}

// All columns have their places, and may have colours of their own.
func TestManyColumns(t *testing.T) {
	b := &book{rows: [][]cell.Value{nil}}
	for i := range cell.MaxLeaves {
		style := cell.Style{Color: fmt.Sprintf("#%06X", i), BackgroundColor: fmt.Sprintf("#%06X", 1<<20+i)}
		b.header = append(b.header, cell.ColumnDef{Field: fmt.Sprint(i), CellStyle: style})
		b.fields = append(b.fields, cell.Field{Kind: cell.Integer})
		b.rows[0] = append(b.rows[0], integer(fmt.Sprint(i)))
	}
	read := openLarge(t, b.bytes(t))
	if c := read.Sheet(0).At("XFD2"); c.Raw != "16383" || c.Fill != "103FFF" || read.Styles <= 2*cell.MaxLeaves {
		t.Errorf("the last cell is %+v, %d styles", c, read.Styles)
	}
	// Where each value brings its own kind, a column has a format for each.
	few := &book{header: b.header[:2000], fields: make([]cell.Field, 2000)}
	var unfit *xlsx.SheetError
	if _, err := newWriter(io.Discard, few); !errors.As(err, &unfit) {
		t.Errorf("too many formats: %v", err)
	}
	codes := &book{header: make([]cell.ColumnDef, 201), fields: make([]cell.Field, 201)}
	for i := range codes.header {
		codes.header[i] = cell.ColumnDef{Field: "n", ExcelFormat: fmt.Sprintf(`0"%d"`, i)}
		codes.fields[i].Kind = cell.Integer
	}
	if _, err := newWriter(io.Discard, codes); !errors.As(err, &unfit) {
		t.Errorf("201 number formats: %v", err)
	}
	codes.header, codes.fields = codes.header[:200], codes.fields[:200]
	codes.open(t)
	b.header = append(b.header, cell.ColumnDef{Field: "more"})
	b.fields = append(b.fields, cell.Field{})
	if _, err := newWriter(io.Discard, b); err == nil {
		t.Error("one column too many is accepted")
	}
}
