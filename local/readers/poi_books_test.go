package readers_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// poi is the machine that the tests of this package share.
func poi(t *testing.T) *readers.Java {
	t.Helper()
	classpath := testservices.POIClasspath(t)
	testservices.Program(t, "javac")
	java, err := readers.SharedJava(classpath)
	if err != nil {
		t.Fatal(err)
	}
	return java
}

// poiBook is a workbook to be written.
type poiBook struct {
	name    string
	header  []cell.ColumnDef
	fields  []cell.Field
	rows    [][]cell.Value
	options xlsx.Options
}

// column adds a column and its values, from the first row on.
func (b *poiBook) column(def cell.ColumnDef, field cell.Field, values ...cell.Value) {
	c := len(b.fields)
	b.header, b.fields = append(b.header, def), append(b.fields, field)
	for len(b.rows) < len(values) {
		b.rows = append(b.rows, nil)
	}
	for i := range b.rows {
		for len(b.rows[i]) <= c {
			b.rows[i] = append(b.rows[i], cell.Value{})
		}
	}
	for i, v := range values {
		b.rows[i][c] = v
	}
}

// of is a value of a kind; without a text it is NULL.
func of(kind cell.Kind, text ...string) cell.Value {
	if len(text) == 0 {
		return cell.Value{}
	}
	return cell.Value{Kind: kind, Bytes: []byte(text[0])}
}

func each(kind cell.Kind, texts ...string) (values []cell.Value) {
	for _, text := range texts {
		values = append(values, of(kind, text))
	}
	return values
}

// textBook has one column of text.
func textBook(texts ...string) *poiBook {
	b := new(poiBook)
	b.column(cell.ColumnDef{Field: "x", HeaderName: "글"}, cell.Field{Kind: cell.Text}, each(cell.Text, texts...)...)
	return b
}

// write writes the workbook to a file.
func (b *poiBook) write(t *testing.T) string {
	t.Helper()
	return writeFile(t, b.bytes(t))
}

func (b *poiBook) bytes(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, b.sheet(t), b.options)
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
	return out.Bytes()
}

func (b *poiBook) sheet(t *testing.T) xlsx.Sheet {
	t.Helper()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	s := xlsx.Sheet{Name: b.name, Header: b.header}
	for i, leaf := range cell.Leaves(b.header) {
		c, _ := cell.Compile(leaf, b.fields[i], true, seoul) // warnings are for the requester
		s.Columns = append(s.Columns, c)
	}
	return s
}

func writeFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "통합 문서.xlsx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// allBooks are workbooks of every kind that the project writes.
func allBooks() map[string]*poiBook {
	empty := widthsBook()
	empty.rows = nil
	dated := textBook()
	dated.options.Modified = time.Date(2026, 9, 2, 14, 30, 25, 0, time.UTC)
	return map[string]*poiBook{
		"named formats":   namedFormatsBook(),
		"plain kinds":     kindsBook(),
		"custom formats":  customFormatsBook(),
		"code maps":       codeMapsBook(),
		"styles":          stylesBook(),
		"groups":          groupsBook(),
		"widths":          widthsBook(),
		"no rows":         empty,
		"several sheets":  severalSheetsBook(),
		"sheets by bytes": sheetsByBytesBook(),
		"empty cells":     emptyCellsBook(),
		"escapes":         escapesBook(),
		"huge texts": textBook(strings.Repeat("A", 32767), strings.Repeat("가", 32768),
			strings.Repeat("A", 32766)+"😀", strings.Repeat("&", 32767), strings.Repeat("\x01", 32768)),
		"widest":        widestBook(),
		"dated entries": dated,
	}
}

func namedFormatsBook() *poiBook {
	b := new(poiBook)
	texts := each(cell.Text, "1250000", "-1234.9", "1234,56", "1234567890123456789", "20260902", "2026-09-02", "20260230", "143025", "25:30:00",
		"20260902143025", "2026-09-02T14:30:25.999", "1234567890", "01012345678", "021234567", "15881234", "15", "0.4", "0", "0.004", "글", "", "=1+1")
	for _, format := range []string{"krw", "ymd", "tm", "datetime", "bizno", "phone", "tel", "pct"} {
		b.column(cell.ColumnDef{Field: format, HeaderName: format, ExcelFormat: format}, cell.Field{Kind: cell.Text}, texts...)
		b.column(cell.ColumnDef{Field: format + "N", ExcelFormat: format}, cell.Field{Kind: cell.Decimal, Scale: 2},
			each(cell.Decimal, "1250000.00", "-1234.90", "0.00", "12345678901234567.89")...)
	}
	return b
}

func kindsBook() *poiBook {
	b := new(poiBook)
	for i, c := range []struct {
		field cell.Field
		texts []string
	}{
		{cell.Field{Kind: cell.Text}, []string{"00123", "1e5", "TRUE", "2026-09-02"}},
		{cell.Field{Kind: cell.Integer}, []string{"0", "-5", "123456789012345", "1234567890123456", "-9223372036854775808"}},
		{cell.Field{Kind: cell.Decimal, Scale: 2}, []string{"1.10", "-0.00", "1234567890123.45", "123456789012345678.90"}},
		{cell.Field{Kind: cell.Decimal, Scale: 30}, []string{"0.000000000000000000000000000001", "1.000000000000000000000000000000"}},
		{cell.Field{Kind: cell.Decimal, Scale: -1}, []string{"1.10", "NaN", "Infinity"}},
		{cell.Field{Kind: cell.Float}, []string{"33.333333333333336", "1e+300", "5e-324", "-0", "NaN", "-Inf"}},
		{cell.Field{Kind: cell.Float32}, []string{"0.1", "3.4028235e+38"}},
		{cell.Field{Kind: cell.Bool}, []string{"1", "0", "t", "false"}},
		{cell.Field{Kind: cell.Date}, []string{"2026-09-02", "0000-00-00", "1592-05-23", "1900-03-01", "9999-12-31", "infinity"}},
		{cell.Field{Kind: cell.DateTime}, []string{"2026-09-02 14:30:25", "2026-09-02 14:30:25.999999", "9999-12-31 23:59:59"}},
		{cell.Field{Kind: cell.Instant}, []string{"2026-08-31 15:30:00Z", "2026-09-02 05:30:25.5+00"}},
		{cell.Field{Kind: cell.Time}, []string{"14:30:25", "838:59:59", "-25:30:00.500", "00:00:00", "24:00:00"}},
		{cell.Field{Kind: cell.Binary}, []string{"\x00\xff\x89", ""}},
		{cell.Field{Kind: cell.Bits}, []string{"\x01", "\x80\x01"}},
		{cell.Field{Kind: cell.JSON}, []string{`{"k":"값","n":1.10}`}},
		{cell.Field{Kind: cell.Other}, []string{"1 mon 2 days 25:30:00"}},
	} {
		b.column(cell.ColumnDef{Field: fmt.Sprint("c", i)}, c.field, append(each(c.field.Kind, c.texts...), cell.Value{})...)
	}
	return b
}

func customFormatsBook() *poiBook {
	b := new(poiBook)
	for i, format := range []string{
		`#,##0.00;[Red]-#,##0.00`, `yyyy"년" m"월" d"일"`, `@`, `0%`, `0.00%`, `"<&>'"0`, `[$₩-412]#,##0`, `_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-`,
		`0.00E+00`, `# ?/?`, `[h]:mm:ss`, `yyyy-mm-dd hh:mm:ss.000`, `[>=1000]#,##0,"K";0`, `\""x"0`, `no such format`,
	} {
		b.column(cell.ColumnDef{Field: fmt.Sprint("f", i), ExcelFormat: format}, cell.Field{Kind: cell.Decimal, Scale: 2},
			each(cell.Decimal, "1250.00", "-0.50", "123456789012345678.90")...)
		b.column(cell.ColumnDef{Field: fmt.Sprint("d", i), ExcelFormat: format}, cell.Field{Kind: cell.DateTime},
			each(cell.DateTime, "2026-09-02 14:30:25", "1592-05-23 00:00:00")...)
	}
	return b
}

func codeMapsBook() *poiBook {
	b := new(poiBook)
	labels := map[string]string{"1": "대기", "01": "<접수 & 확인>", "": "없음", "true": " 참 ", "formula": "=1+1", "escape": "_x0041_", "bell": "\a"}
	b.column(cell.ColumnDef{Field: "n", ExcelCodeMap: labels, ExcelFormat: "krw"}, cell.Field{Kind: cell.Integer}, of(cell.Integer, "1"), of(cell.Integer, "9"), of(cell.Null))
	b.column(cell.ColumnDef{Field: "t", ExcelCodeMap: labels}, cell.Field{Kind: cell.Text}, each(cell.Text, "01   ", "formula", "escape", "bell", "other", "")...)
	b.column(cell.ColumnDef{Field: "b", ExcelCodeMap: labels}, cell.Field{Kind: cell.Bool}, each(cell.Bool, "true", "false")...)
	return b
}

func stylesBook() *poiBook {
	b := new(poiBook)
	n := 0
	for _, align := range []string{"", "left", "center", "right"} {
		for _, weight := range []string{"", "bold"} {
			for _, slant := range []string{"", "italic"} {
				for _, colour := range []string{"", "#0000ff"} {
					for _, back := range []string{"", "#FFFF00"} {
						style := cell.Style{TextAlign: align, FontWeight: weight, FontStyle: slant, Color: colour, BackgroundColor: back}
						b.column(cell.ColumnDef{Field: fmt.Sprint("s", n), CellStyle: style, ExcelFormat: []string{"", "krw", "pct"}[n%3]},
							cell.Field{Kind: cell.Integer}, of(cell.Integer, "1250000"), of(cell.Integer, "12345678901234567"), of(cell.Null))
						n++
					}
				}
			}
		}
	}
	return b
}

// groupsBook has headers of every depth up to the deepest that is allowed.
func groupsBook() *poiBook {
	b := new(poiBook)
	for depth := 1; depth <= cell.MaxDepth; depth++ {
		children := []cell.ColumnDef{{Field: fmt.Sprint("g", depth)}, {Field: fmt.Sprint("h", depth), Width: 50}}
		b.fields = append(b.fields, cell.Field{Kind: cell.Text}, cell.Field{Kind: cell.Text})
		for level := depth - 1; level > 0; level-- {
			children = []cell.ColumnDef{{HeaderName: fmt.Sprintf(" 무리 <%d> & ", level), Children: children}}
		}
		b.header = append(b.header, children...)
	}
	row := make([]cell.Value, len(b.fields))
	for i := range row {
		row[i] = of(cell.Text, "값")
	}
	b.rows = append(b.rows, row)
	return b
}

func widthsBook() *poiBook {
	b := new(poiBook)
	for i, px := range []float64{120, 0, -5, 2000, 40, 123.456, 1e-9} {
		b.column(cell.ColumnDef{Field: fmt.Sprint("w", i), Width: px, MinWidth: float64(i)}, cell.Field{Kind: cell.Integer}, of(cell.Integer, "1"))
	}
	return b
}

func severalSheetsBook() *poiBook {
	b := textBook("a", "b", "c", "d", "e", "f", "g")
	b.header = []cell.ColumnDef{{HeaderName: "무리", Children: b.header}}
	b.options.MaxRows = 4
	return b
}

func sheetsByBytesBook() *poiBook {
	b := textBook()
	for i := range 60 {
		b.rows = append(b.rows, []cell.Value{of(cell.Text, fmt.Sprint(i, strings.Repeat("x", 1000)))})
	}
	b.options.MaxBytes = 20_000
	return b
}

func emptyCellsBook() *poiBook {
	b := new(poiBook)
	for i := range 4 {
		def := cell.ColumnDef{Field: fmt.Sprint("e", i)}
		if i%2 == 1 {
			def.CellStyle.BackgroundColor = "#00FF00"
		}
		values := make([]cell.Value, 5)
		values[i] = of(cell.Text, "x")
		b.column(def, cell.Field{Kind: cell.Text}, values...)
	}
	return b
}

// escapesBook has every character that XML or Excel treats in a way of its own, in
// the cells, the headers and the sheet's name.
func escapesBook() *poiBook {
	var texts []string
	for r := range rune(0x21) {
		texts = append(texts, string(r), "a"+string(r)+"b")
	}
	texts = append(texts, "\x7f", "\u0085", "\ufffe", "a\uffffb", "\ufeff", "&<>\"'", "]]>", "<![CDATA[x]]>", "<!-- -->", "&amp;", "_x000D_", "_x005F_",
		"_x00e9_", "_x12345_", "_x0041", "\xff", "\xed\xa0\xbd", "😀", "👨‍👩‍👧", "\r\n", "a\r\nb", "  앞", "뒤  ", "\u00a0", "\u2028", "=1+1", "+1", "-1", "@x", "_x000\x01_")
	b := textBook(texts...)
	for _, text := range texts {
		b.column(cell.ColumnDef{Field: "x", HeaderName: text}, cell.Field{Kind: cell.Text})
	}
	b.name = `a&<>"'b`
	return b
}

// widestBook has as many columns as a sheet holds, some of them with a width: POI
// takes seconds of a core to put thousands of widths in order.
func widestBook() *poiBook {
	b := new(poiBook)
	row := make([]cell.Value, cell.MaxLeaves)
	for i := range row {
		def := cell.ColumnDef{Field: fmt.Sprint("c", i), ExcelFormat: []string{"", "krw"}[i%2]}
		if i%64 == 63 {
			def.Width = 80
		}
		b.header = append(b.header, def)
		b.fields = append(b.fields, cell.Field{Kind: cell.Integer})
		row[i] = of(cell.Integer, fmt.Sprint(i))
	}
	b.rows = append(b.rows, row, make([]cell.Value, cell.MaxLeaves))
	return b
}
