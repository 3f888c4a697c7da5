package cell

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// benchValues is the number of values of each column.
const benchValues = 1000

// benchColumns are the columns of exports as they are: by kind and format, with
// values that differ from row to row.
var benchColumns = []struct {
	name  string
	leaf  ColumnDef
	field Field
	value func(r *rand.Rand) string
}{
	{"integer", ColumnDef{}, Field{Kind: Integer}, func(r *rand.Rand) string { return strconv.Itoa(r.IntN(5_000_000)) }},
	{"integer/negative", ColumnDef{}, Field{Kind: Integer}, func(r *rand.Rand) string { return strconv.FormatInt(r.Int64N(2e12)-1e12, 10) }},
	{"integer/bigint", ColumnDef{}, Field{Kind: Integer}, func(r *rand.Rand) string { return strconv.FormatInt(1e17+r.Int64N(1e17), 10) }},
	{"decimal", ColumnDef{}, Field{Kind: Decimal, Scale: 2}, benchAmount},
	{"decimal/numeric", ColumnDef{}, Field{Kind: Decimal, Scale: -1}, benchAmount},
	{"decimal/rate", ColumnDef{}, Field{Kind: Decimal, Scale: 4}, func(r *rand.Rand) string { return fmt.Sprintf("0.%04d", r.IntN(10_000)) }},
	{"decimal/negative", ColumnDef{}, Field{Kind: Decimal, Scale: 2}, func(r *rand.Rand) string { return "-" + benchAmount(r) }},
	{"float", ColumnDef{}, Field{Kind: Float}, func(r *rand.Rand) string { return strconv.FormatFloat(float64(r.IntN(1e6))/8, 'g', -1, 64) }},
	{"float/ratio", ColumnDef{}, Field{Kind: Float}, func(r *rand.Rand) string {
		return strconv.FormatFloat(float64(1+r.IntN(100_000))/7, 'g', -1, 64)
	}},
	{"text/ascii", ColumnDef{}, Field{Kind: Text}, func(r *rand.Rand) string { return fmt.Sprintf("ORD-%09d", r.IntN(1e9)) }},
	{"text/long", ColumnDef{}, Field{Kind: Text}, func(r *rand.Rand) string {
		return fmt.Sprintf("customer%d@example.com placed order number %d by telephone", r.IntN(1e6), r.IntN(1e9))
	}},
	{"text/name", ColumnDef{}, Field{Kind: Text}, benchName},
	{"text/address", ColumnDef{}, Field{Kind: Text}, func(r *rand.Rand) string {
		return fmt.Sprintf("서울특별시 강남구 테헤란로 %d길 %d", r.IntN(100), r.IntN(1000))
	}},
	{"date", ColumnDef{}, Field{Kind: Date}, benchDate},
	{"datetime", ColumnDef{}, Field{Kind: DateTime}, func(r *rand.Rand) string { return benchDate(r) + " " + benchClock(r) }},
	{"datetime/fraction", ColumnDef{}, Field{Kind: DateTime}, func(r *rand.Rand) string {
		return fmt.Sprintf("%s %s.%06d", benchDate(r), benchClock(r), r.IntN(1e6))
	}},
	{"instant", ColumnDef{}, Field{Kind: Instant}, func(r *rand.Rand) string { return benchDate(r) + " " + benchClock(r) + "+00:00" }},
	{"instant/fraction", ColumnDef{}, Field{Kind: Instant}, func(r *rand.Rand) string {
		return fmt.Sprintf("%s %s.%06d+00", benchDate(r), benchClock(r), r.IntN(1e6))
	}},
	{"time", ColumnDef{}, Field{Kind: Time}, benchClock},
	{"bool", ColumnDef{}, Field{Kind: Bool}, func(r *rand.Rand) string { return strconv.Itoa(r.IntN(2)) }},
	{"binary", ColumnDef{}, Field{Kind: Binary}, func(r *rand.Rand) string { return string(fmt.Appendf(nil, "%016d", r.Int64N(1e16))) }},
	{"null", ColumnDef{}, Field{Kind: Text}, nil},
	{"krw", ColumnDef{ExcelFormat: "krw"}, Field{Kind: Decimal, Scale: 2}, benchAmount},
	{"krw/integer", ColumnDef{ExcelFormat: "krw"}, Field{Kind: Integer}, func(r *rand.Rand) string { return strconv.Itoa(r.IntN(5_000_000)) }},
	{"pct", ColumnDef{ExcelFormat: "pct"}, Field{Kind: Decimal, Scale: 1}, func(r *rand.Rand) string { return fmt.Sprintf("%d.%d", r.IntN(100), r.IntN(10)) }},
	{"ymd", ColumnDef{ExcelFormat: "ymd"}, Field{Kind: Date}, benchDate},
	{"ymd/text", ColumnDef{ExcelFormat: "ymd"}, Field{Kind: Text}, func(r *rand.Rand) string { return compact(benchDate(r)) }},
	{"tm/text", ColumnDef{ExcelFormat: "tm"}, Field{Kind: Text}, func(r *rand.Rand) string { return compact(benchClock(r)) }},
	{"stamp", ColumnDef{ExcelFormat: "datetime"}, Field{Kind: DateTime}, func(r *rand.Rand) string { return benchDate(r) + " " + benchClock(r) }},
	{"stamp/text", ColumnDef{ExcelFormat: "datetime"}, Field{Kind: Text}, func(r *rand.Rand) string { return compact(benchDate(r) + benchClock(r)) }},
	{"phone", ColumnDef{ExcelFormat: "phone"}, Field{Kind: Text}, func(r *rand.Rand) string { return fmt.Sprintf("010%08d", r.IntN(1e8)) }},
	{"bizno", ColumnDef{ExcelFormat: "bizno"}, Field{Kind: Text}, func(r *rand.Rand) string { return fmt.Sprintf("%010d", r.Int64N(1e10)) }},
	{"custom", ColumnDef{ExcelFormat: "#,##0.0"}, Field{Kind: Decimal, Scale: 2}, benchAmount},
	{"codes", ColumnDef{ExcelCodeMap: map[string]string{"PAID": "결제", "CANCELLED": "취소"}}, Field{Kind: Text}, func(r *rand.Rand) string {
		return []string{"PAID", "CANCELLED", "OTHER"}[r.IntN(3)]
	}},
	{"codes/integer", ColumnDef{ExcelCodeMap: map[string]string{"1": "대기", "2": "결제", "3": "취소"}}, Field{Kind: Integer}, func(r *rand.Rand) string {
		return strconv.Itoa(1 + r.IntN(4))
	}},
}

func benchAmount(r *rand.Rand) string { return fmt.Sprintf("%d.%02d", r.IntN(9_999_999), r.IntN(100)) }

func benchDate(r *rand.Rand) string {
	return fmt.Sprintf("%04d-%02d-%02d", 2015+r.IntN(12), 1+r.IntN(12), 1+r.IntN(28))
}

func benchClock(r *rand.Rand) string {
	return fmt.Sprintf("%02d:%02d:%02d", r.IntN(24), r.IntN(60), r.IntN(60))
}

// compact leaves the digits of a date or a time.
func compact(s string) string {
	var out []byte
	for _, ch := range []byte(s) {
		if isDigit(ch) {
			out = append(out, ch)
		}
	}
	return string(out)
}

func benchName(r *rand.Rand) string {
	family, given := []rune("김이박최정강조윤장임"), []rune("민서준하은지우현수아윤도영")
	return string([]rune{family[r.IntN(len(family))], given[r.IntN(len(given))], given[r.IntN(len(given))]})
}

// benchInput is the values of a column; without a generator they are NULL.
func benchInput(k Kind, generate func(*rand.Rand) string) []Value {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]Value, benchValues)
	for i := range values {
		if generate != nil {
			values[i] = value(k, generate(r))
		}
	}
	return values
}

// BenchmarkCell makes a thousand cells per operation; ns/cell is the figure to
// compare.
func BenchmarkCell(b *testing.B) {
	for _, column := range benchColumns {
		b.Run(column.name, func(b *testing.B) {
			c := compiled(b, column.leaf, column.field)
			values := benchInput(column.field.Kind, column.value)
			b.ReportAllocs()
			for b.Loop() {
				for _, v := range values {
					c.Cell(v)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchValues, "ns/cell")
		})
	}
}

// The usual paths allocate nothing.
func TestCellsAreMadeWithoutAllocating(t *testing.T) {
	for _, column := range benchColumns {
		c := compiled(t, column.leaf, column.field)
		values := benchInput(column.field.Kind, column.value)
		for _, v := range values {
			c.Cell(v)
		}
		if n := testing.AllocsPerRun(1, func() {
			for _, v := range values {
				c.Cell(v)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations in %d cells", column.name, n, benchValues)
		}
	}
	for _, r := range []struct {
		format string
		kind   Kind
		in     string
	}{
		{"", Text, "글"}, {"", Integer, "-0012"}, {"", Decimal, "1.10"}, {"", Float, "33.333333333333336"},
		{"", Date, "2026-09-02"}, {"", DateTime, "2026-09-02 14:30:25"}, {"", Instant, "2026-09-02 05:30:25+00"},
		{"", Time, "14:30:25"}, {"", Binary, "\xff"}, {"", Bits, "\x01"}, {"", Bool, "1"}, {"", JSON, "{}"}, {"krw", Text, "1,234"},
		{"ymd", Text, "20260902"}, {"pct", Decimal, "1.5"}, {"phone", Text, "01012345678"}, {"bizno", Integer, "1234567890"},
	} {
		c := compiled(t, ColumnDef{ExcelFormat: r.format}, Field{Kind: r.kind, Scale: 2})
		v := value(r.kind, r.in)
		c.Cell(v)
		if n := testing.AllocsPerRun(100, func() { c.Cell(v) }); n > 0 {
			t.Errorf("%s of kind %d: %v allocations", r.format, r.kind, n)
		}
	}
}
