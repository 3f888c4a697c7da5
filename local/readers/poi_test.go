package readers_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/shared/cell"
)

// sheetRow is a row as a reader showed it, without the empty cells at its end.
type sheetRow struct {
	sheet string
	row   int
	cells []readers.Cell
}

func readRows(t *testing.T, r readers.Reader, path string) (rows []sheetRow) {
	t.Helper()
	err := r.Read(t.Context(), path, func(sheet string, row int, cells []readers.Cell) error {
		last := len(cells)
		for last > 0 && cells[last-1].Content == readers.Empty {
			last--
		}
		rows = append(rows, sheetRow{sheet, row, slices.Clone(cells[:last])})
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", r.Name(), err)
	}
	return rows
}

// hangulDate is a date format that POI takes for one of numbers: it knows the
// Chinese characters of year, month and day in such formats, but not the Hangul.
const hangulDate = `yyyy"년" m"월" d"일"`

// POI reads from every kind of workbook the cells that the strict checker reads,
// also where they are without references.
func TestPOIReadsEveryKind(t *testing.T) {
	t.Parallel()
	java := poi(t)
	for name, b := range allBooks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, omit := range []bool{false, true} {
				written := *b
				written.options.OmitReferences = omit
				path := written.write(t)
				want, got := readRows(t, readers.Structure(), path), readRows(t, java.Reader(), path)
				if len(got) != len(want) {
					t.Fatalf("%d rows, want %d", len(got), len(want))
				}
				for i, w := range want {
					compareRow(t, got[i], w)
				}
			}
		})
	}
}

func compareRow(t *testing.T, got, want sheetRow) {
	t.Helper()
	if got.sheet != want.sheet || got.row != want.row || len(got.cells) != len(want.cells) {
		t.Fatalf("row %d of %q with %d cells, want row %d of %q with %d", got.row, got.sheet, len(got.cells), want.row, want.sheet, len(want.cells))
	}
	for i, w := range want.cells {
		g := got.cells[i]
		switch {
		case w.Content == readers.Moment && w.Format == hangulDate:
			w.Content, w.Text = readers.Number, g.Text
		case w.Content == readers.Empty:
			w.Format = g.Format
		}
		if g != w {
			t.Errorf("row %d of %q, cell %d: %.200v of the format %q, want %.200v of %q", got.row, got.sheet, i+1, g, g.Format, w, w.Format)
		}
	}
}

// The cells themselves, as POI's usermodel and its DataFormatter have them.
func TestPOIReadsCells(t *testing.T) {
	t.Parallel()
	java := poi(t)
	const pct0, pct1, pct2 = `0"%";-0"%";"-"`, `0.0"%";-0.0"%";"-"`, `0.00"%";-0.00"%";"-"`
	const day, moment, clock = "yyyy/mm/dd", "yyyy/mm/dd hh:mm:ss", "[hh]:mm:ss"
	cases := []struct {
		format string
		field  cell.Field
		value  string
		want   readers.Cell
		shown  string
	}{
		{"krw", cell.Field{Kind: cell.Integer}, "1250000", readers.Cell{Content: readers.Number, Text: "1250000", Format: "#,##0"}, "1,250,000"},
		{"krw", cell.Field{Kind: cell.Text}, "-1234.9", readers.Cell{Content: readers.Number, Text: "-1234", Format: "#,##0"}, "-1,234"},
		{"krw", cell.Field{Kind: cell.Text}, "1234,56", readers.Cell{Content: readers.Text, Text: "1234,56", Format: "General"}, "1234,56"},
		{"krw", cell.Field{Kind: cell.Integer}, "1234567890123456789", readers.Cell{Content: readers.Text, Text: "1,234,567,890,123,456,789", Format: "#,##0"}, "1,234,567,890,123,456,789"},
		{"ymd", cell.Field{Kind: cell.Text}, "20260902", readers.Cell{Content: readers.Moment, Text: "2026-09-02 00:00:00", Format: day}, "2026/09/02"},
		{"ymd", cell.Field{Kind: cell.Text}, "20260230", readers.Cell{Content: readers.Text, Text: "20260230", Format: "General"}, "20260230"},
		{"tm", cell.Field{Kind: cell.Text}, "143025", readers.Cell{Content: readers.Duration, Text: "14:30:25", Format: clock}, "14:30:25"},
		{"tm", cell.Field{Kind: cell.Time}, "00:00:00", readers.Cell{Content: readers.Duration, Text: "0:00:00", Format: clock}, "00:00:00"},
		{"datetime", cell.Field{Kind: cell.Text}, "20260902143025", readers.Cell{Content: readers.Moment, Text: "2026-09-02 14:30:25", Format: moment}, "2026/09/02 14:30:25"},
		{"datetime", cell.Field{Kind: cell.DateTime}, "2026-09-02 23:59:59.999999", readers.Cell{Content: readers.Moment, Text: "2026-09-02 23:59:59", Format: moment}, "2026/09/02 23:59:59"},
		{"bizno", cell.Field{Kind: cell.Text}, "1234567890", readers.Cell{Content: readers.Text, Text: "123-45-67890", Format: "General"}, "123-45-67890"},
		{"phone", cell.Field{Kind: cell.Text}, "01012345678", readers.Cell{Content: readers.Text, Text: "010-1234-5678", Format: "General"}, "010-1234-5678"},
		{"tel", cell.Field{Kind: cell.Text}, "15881234", readers.Cell{Content: readers.Text, Text: "1588-1234", Format: "General"}, "1588-1234"},
		{"pct", cell.Field{Kind: cell.Integer}, "15", readers.Cell{Content: readers.Number, Text: "15", Format: pct0}, "15%"},
		{"pct", cell.Field{Kind: cell.Text}, "0.4", readers.Cell{Content: readers.Number, Text: "0.4", Format: pct1}, "0.4%"},
		{"pct", cell.Field{Kind: cell.Text}, "-12.345", readers.Cell{Content: readers.Number, Text: "-12.345", Format: pct2}, "-12.35%"},
		{"pct", cell.Field{Kind: cell.Integer}, "0", readers.Cell{Content: readers.Number, Text: "0", Format: pct0}, "-"},
		{"0.000", cell.Field{Kind: cell.Float}, "0.5", readers.Cell{Content: readers.Number, Text: "0.5", Format: "0.000"}, "0.500"},
		{"", cell.Field{Kind: cell.Integer}, "123456789012345", readers.Cell{Content: readers.Number, Text: "123456789012345", Format: "0"}, "123456789012345"},
		{"", cell.Field{Kind: cell.Integer}, "1234567890123456", readers.Cell{Content: readers.Text, Text: "1234567890123456", Format: "0"}, "1234567890123456"},
		{"", cell.Field{Kind: cell.Decimal, Scale: 2}, "1.10", readers.Cell{Content: readers.Number, Text: "1.10", Format: "0.00"}, "1.10"},
		{"", cell.Field{Kind: cell.Bool}, "1", readers.Cell{Content: readers.Boolean, Text: "1", Format: "General"}, "TRUE"},
		{"", cell.Field{Kind: cell.Bool}, "0", readers.Cell{Content: readers.Boolean, Text: "0", Format: "General"}, "FALSE"},
		{"", cell.Field{Kind: cell.Date}, "1900-03-01", readers.Cell{Content: readers.Moment, Text: "1900-03-01 00:00:00", Format: "yyyy-mm-dd"}, "1900-03-01"},
		{"", cell.Field{Kind: cell.Date}, "9999-12-31", readers.Cell{Content: readers.Moment, Text: "9999-12-31 00:00:00", Format: "yyyy-mm-dd"}, "9999-12-31"},
		{"", cell.Field{Kind: cell.Instant}, "2026-09-02 05:30:25Z", readers.Cell{Content: readers.Moment, Text: "2026-09-02 14:30:25", Format: "yyyy-mm-dd hh:mm:ss"}, "2026-09-02 14:30:25"},
		{"", cell.Field{Kind: cell.Time}, "838:59:59", readers.Cell{Content: readers.Duration, Text: "838:59:59", Format: clock}, "838:59:59"},
		{"", cell.Field{Kind: cell.Text}, "00123", readers.Cell{Content: readers.Text, Text: "00123", Format: "General"}, "00123"},
		{"", cell.Field{Kind: cell.Text}, "=1+1", readers.Cell{Content: readers.Text, Text: "=1+1", Format: "General"}, "=1+1"},
		{"", cell.Field{Kind: cell.Text}, "a_x000D_b", readers.Cell{Content: readers.Text, Text: "a_x000D_b", Format: "General"}, "a_x000D_b"},
		{"", cell.Field{Kind: cell.Text}, " \x01\r\n<&>😀\t", readers.Cell{Content: readers.Text, Text: " \x01\n<&>😀\t", Format: "General"}, " \x01\n<&>😀\t"},
		{"", cell.Field{Kind: cell.Text}, "", readers.Cell{}, ""},
	}
	b := new(poiBook)
	for _, c := range cases {
		b.column(cell.ColumnDef{Field: "x", ExcelFormat: c.format}, c.field, of(c.field.Kind, c.value))
	}
	b.column(cell.ColumnDef{Field: "last"}, cell.Field{Kind: cell.Text}, of(cell.Text, "."))
	path := b.write(t)
	held := readRows(t, java.Reader(), path)[1].cells
	shown := readRows(t, java.ShownReader(), path)[1].cells
	streamed := readRows(t, java.StreamReader(), path)[1].cells
	for i, c := range cases {
		if held[i] != c.want {
			t.Errorf("%s %q: %v of the format %q, want %v of %q", c.format, c.value, held[i], held[i].Format, c.want, c.want.Format)
		}
		want := readers.Cell{Content: readers.Shown, Text: c.shown, Format: c.want.Format}
		if c.want.Content == readers.Empty {
			want = readers.Cell{}
		}
		if shown[i] != want {
			t.Errorf("%s %q: shown as %v of the format %q, want %v", c.format, c.value, shown[i], shown[i].Format, want)
		}
		if want.Format = ""; streamed[i] != want {
			t.Errorf("%s %q: streamed as %v, want %v", c.format, c.value, streamed[i], want)
		}
	}
}

// The event model gives the same as the usermodel, in the same places.
func TestPOIStreams(t *testing.T) {
	t.Parallel()
	java := poi(t)
	for _, b := range []*poiBook{namedFormatsBook(), codeMapsBook(), stylesBook(), emptyCellsBook(), severalSheetsBook(), escapesBook()} {
		path := b.write(t)
		want, got := readRows(t, java.ShownReader(), path), readRows(t, java.StreamReader(), path)
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i, w := range want {
			for c := range w.cells {
				w.cells[c].Format = "" // which the event model does not tell
			}
			compareRow(t, got[i], w)
		}
	}
}

// A formula and an error are strange.
func TestPOIReadsStrangeCells(t *testing.T) {
	t.Parallel()
	java := poi(t)
	damaged := unpackBook(t, textBook("a", "b").bytes(t))
	damaged.replace(t, sheetPart, `<c r="A2" t="inlineStr"><is><t>a</t></is></c>`, `<c r="A2"><f>1+1</f><v>2</v></c>`)
	damaged.replace(t, sheetPart, `<c r="A3" t="inlineStr"><is><t>b</t></is></c>`, `<c r="A3" t="e"><v>#NUM!</v></c>`)
	rows := readRows(t, java.Reader(), damaged.write(t))
	for i, says := range map[int]string{1: "FORMULA 1+1", 2: "ERROR #NUM!"} {
		if c := rows[i].cells[0]; c.Content != readers.Strange || c.Text != says {
			t.Errorf("row %d: %v, want %s", i+1, c, says)
		}
	}
}

// What deflates to less than a hundredth, POI would take for an attack.
func TestPOIReadsWhatIsAllTheSame(t *testing.T) {
	t.Parallel()
	java := poi(t)
	b := textBook(slices.Repeat([]string{strings.Repeat("A", cell.MaxText)}, 20)...)
	data := b.bytes(t)
	if len(data) > 20*cell.MaxText/100 {
		t.Fatalf("%d bytes are no attack", len(data))
	}
	path := writeFile(t, data)
	for _, r := range []readers.Reader{java.Reader(), java.ShownReader(), java.StreamReader()} {
		if rows := readRows(t, r, path); len(rows) != 21 {
			t.Errorf("%s: %d rows", r.Name(), len(rows))
		}
	}
	validate(t, java, path)
}

// A file that POI cannot read is an error that says so, and the next file is read.
func TestPOIRefuses(t *testing.T) {
	t.Parallel()
	java := poi(t)
	damaged := unpackBook(t, textBook("a").bytes(t))
	damaged.replace(t, sheetPart, `</worksheet>`, ``)
	broken := damaged.write(t)
	text := writeFile(t, []byte("no archive"))
	for _, r := range []readers.Reader{java.Reader(), java.ShownReader(), java.StreamReader()} {
		for path, says := range map[string]string{
			broken:                     "must start and end",
			text:                       "NotOfficeXmlFileException",
			t.TempDir() + "/none.xlsx": "InvalidOperationException",
			"a\nb.xlsx":                "a line break",
		} {
			err := r.Read(t.Context(), path, func(string, int, []readers.Cell) error { return nil })
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: the error %v, want %q", r.Name(), err, says)
			}
		}
		if rows := readRows(t, r, textBook("a").write(t)); len(rows) != 2 {
			t.Errorf("%s: %d rows", r.Name(), len(rows))
		}
	}
}

// A context that ends while others are answered ends the wait.
func TestPOIWaits(t *testing.T) {
	t.Parallel()
	java := poi(t)
	path := textBook("a", "b").write(t)
	cancelled, cancel := context.WithCancel(t.Context())
	err := java.Reader().Read(t.Context(), path, func(string, int, []readers.Cell) error {
		cancel()
		return java.Reader().Read(cancelled, path, func(string, int, []readers.Cell) error { return nil })
	})
	if err == nil || err.Error() != context.Canceled.Error() {
		t.Errorf("the error %v", err)
	}
	if rows := readRows(t, java.Reader(), path); len(rows) != 3 {
		t.Errorf("%d rows", len(rows))
	}
}
