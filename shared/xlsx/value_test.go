package xlsx_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// column is a book of one column of a kind.
func column(f cell.Field, format string, values ...string) *book {
	b := &book{header: []cell.ColumnDef{{Field: "x", ExcelFormat: format}}, fields: []cell.Field{f}}
	for _, v := range values {
		b.rows = append(b.rows, []cell.Value{{Kind: f.Kind, Bytes: []byte(v)}})
	}
	return b
}

// seen is what a cell of the file is: type, content, number format, alignment.
type seen struct{ kind, text, format, align string }

func checkFile(t *testing.T, name string, f cell.Field, format string, rows map[string]seen) {
	t.Helper()
	var in []string
	for v := range rows {
		in = append(in, v)
	}
	slices.Sort(in)
	s := column(f, format, in...).open(t).Sheet(0)
	for i, v := range in {
		c := cellOf(s, i+2)
		if got := (seen{c.Type, c.Text, c.NumFmt, c.Align}); got != rows[v] {
			t.Errorf("%s: %q gives %+v, want %+v", name, v, got, rows[v])
		}
	}
}

func cellOf(s *xlsxtest.Sheet, row int) xlsxtest.Cell { return s.At("A" + strconv.Itoa(row)) }

func TestLongIntegers(t *testing.T) {
	checkFile(t, "bigint", cell.Field{Kind: cell.Integer}, "", map[string]seen{
		"5":                   {"n", "5", "0", "right"},
		"123456789012345":     {"n", "123456789012345", "0", "right"},
		"1234567890123456":    {"s", "1234567890123456", "0", "right"},
		"9223372036854775807": {"s", "9223372036854775807", "0", "right"},
	})
	checkFile(t, "varchar", cell.Field{Kind: cell.Text}, "", map[string]seen{
		"00123": {"s", "00123", "General", ""},
		"06236": {"s", "06236", "General", ""},
	})
}

func TestNumberLiterals(t *testing.T) {
	checkFile(t, "double", cell.Field{Kind: cell.Float}, "", map[string]seen{
		"NaN":                 {"s", "NaN", "General", ""},
		"+Inf":                {"s", "Infinity", "General", ""},
		"-Inf":                {"s", "-Infinity", "General", ""},
		"-0":                  {"n", "0", "General", ""},
		"33.333333333333336":  {"n", "33.333333333333336", "General", ""},
		"0.30000000000000004": {"n", "0.30000000000000004", "General", ""},
		"1e300":               {"n", "1E+300", "General", ""},
	})
	checkFile(t, "decimal(20,4)", cell.Field{Kind: cell.Decimal, Scale: 4}, "", map[string]seen{
		"1234567890123456.7890": {"s", "1234567890123456.7890", "0.0000", "right"},
		"-0.0000":               {"n", "0.0000", "0.0000", "right"},
	})
	checkFile(t, "decimal(15,2)", cell.Field{Kind: cell.Decimal, Scale: 2}, "", map[string]seen{
		"1234567890123.45": {"n", "1234567890123.45", "0.00", "right"},
		"1.10":             {"n", "1.10", "0.00", "right"},
	})
}

func TestDates(t *testing.T) {
	checkFile(t, "datetime", cell.Field{Kind: cell.DateTime}, "", map[string]seen{
		"0000-00-00 00:00:00": {},
		"2026-09-02 14:30:25": {"n", "46267.60445601852", "yyyy-mm-dd hh:mm:ss", ""},
		"1899-12-31 00:00:00": {"s", "1899-12-31 00:00:00", "yyyy-mm-dd hh:mm:ss", ""},
	})
	checkFile(t, "timestamptz", cell.Field{Kind: cell.Instant}, "", map[string]seen{
		"2026-09-02 05:30:25+00": {"n", "46267.60445601852", "yyyy-mm-dd hh:mm:ss", ""},
	})
	checkFile(t, "time", cell.Field{Kind: cell.Time}, "", map[string]seen{
		"25:30:00":      {"n", "1.0625", "[hh]:mm:ss", ""},
		"838:59:59":     {"n", "34.958321759259256", "[hh]:mm:ss", ""},
		"-25:30:00.500": {"s", "-25:30:00.500", "General", ""},
		"00:00:00":      {"n", "0", "[hh]:mm:ss", ""},
	})
	checkFile(t, "date", cell.Field{Kind: cell.Date}, "ymd", map[string]seen{
		"1592-05-23": {"s", "1592/05/23", "yyyy/mm/dd", ""},
		"1900-03-01": {"n", "61", "yyyy/mm/dd", ""},
		"9999-12-31": {"n", "2958465", "yyyy/mm/dd", ""},
	})
}

func TestEmptyCellsAndRepeatedFields(t *testing.T) {
	b := &book{
		header: []cell.ColumnDef{
			{Field: "name", HeaderName: "이름"}, {Field: "gone", HeaderName: "없음"}, {Field: "name", HeaderName: "이름 또"},
			{Field: "n"}, {Field: "ok"},
		},
		fields: []cell.Field{{Kind: cell.Text}, {}, {Kind: cell.Text}, {Kind: cell.Integer}, {Kind: cell.Bool}},
		rows: [][]cell.Value{
			{text("갑"), {}, text("갑"), integer("0"), {Kind: cell.Bool, Bytes: []byte("t")}},
			{text("NULL"), {}, text("NULL"), {}, {Kind: cell.Bool, Bytes: []byte("f")}},
			{text(""), {}, text("0"), {}, {}},
		},
	}
	s := b.open(t).Sheet(0)
	for i, want := range [][]string{{"이름", "없음", "이름 또", "n", "ok"}, {"갑", "", "갑", "0", "1"}, {"NULL", "", "NULL", "", "0"}, {"", "", "0"}} {
		if got := s.Texts(i + 1); !slices.Equal(got, want) {
			t.Errorf("row %d: %q, want %q", i+1, got, want)
		}
	}
	if c := s.At("E2"); c.Type != "b" {
		t.Errorf("boolean cell of type %q", c.Type)
	}
}

func TestAmounts(t *testing.T) {
	checkFile(t, "krw", cell.Field{Kind: cell.Decimal, Scale: 1}, "krw", map[string]seen{
		"1250000.0":             {"n", "1250000", "#,##0", "right"},
		"-1234.9":               {"n", "-1234", "#,##0", "right"},
		"1234567890123456789.0": {"s", "1,234,567,890,123,456,789", "#,##0", "right"},
	})
	checkFile(t, "pct", cell.Field{Kind: cell.Float}, "pct", map[string]seen{
		"15":    {"n", "15", `0"%";-0"%";"-"`, "right"},
		"0.4":   {"n", "0.4", `0.0"%";-0.0"%";"-"`, "right"},
		"0.004": {"n", "0.004", `0.00"%";-0.00"%";"-"`, "right"},
	})
}

func FuzzFloat(f *testing.F) {
	for _, seed := range []float64{0, math.Copysign(0, -1), 1e-7, 33.333333333333336, math.MaxFloat64, math.NaN(), math.Inf(1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		c := xlsxtest.Open(t, column(cell.Field{Kind: cell.Float}, "", strconv.FormatFloat(v, 'g', -1, 64)).bytes(t)).Sheet(0).At("A2")
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if c.Type != "s" {
				t.Fatalf("%v is a cell of type %q", v, c.Type)
			}
			return
		}
		if back, err := strconv.ParseFloat(c.Raw, 64); err != nil || c.Type != "n" || back != v {
			t.Fatalf("%v became %+v", v, c)
		}
	})
}

func FuzzDate(f *testing.F) {
	f.Add(int64(0), int32(0))
	f.Add(int64(253402300799), int32(999999999))
	f.Add(int64(-2203891201), int32(1))
	f.Add(int64(-62135596800), int32(500000000))
	f.Fuzz(func(t *testing.T, seconds int64, nanos int32) {
		at := time.Unix(seconds%400_000_000_000, int64(nanos)&0x3FFFFFFF%1_000_000_000).UTC()
		if at.Year() < 1 || at.Year() > 99_999 {
			return
		}
		c := xlsxtest.Open(t, column(cell.Field{Kind: cell.DateTime}, "", at.Format("2006-01-02 15:04:05.999999999")).bytes(t)).Sheet(0).At("A2")
		shown := at.Truncate(time.Second)
		if at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) || at.Year() > 9999 {
			if want := at.Format("2006-01-02 15:04:05"); c.Type != "s" || c.Text != want {
				t.Fatalf("%v became %+v", at, c)
			}
			return
		}
		if got, err := xlsxtest.Moment(c.Raw); err != nil || c.Type != "n" || !got.Equal(shown) {
			t.Fatalf("%v became %s, %v", at, c.Raw, got)
		}
	})
}
