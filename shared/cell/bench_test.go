package cell

import "testing"

func BenchmarkCell(b *testing.B) {
	for _, r := range []struct {
		name, format string
		kind         Kind
		scale        int
		in           string
	}{
		{"text", "", Text, 0, "서울특별시 강남구 테헤란로"},
		{"integer", "", Integer, 0, "1234567"},
		{"decimal", "", Decimal, 2, "1234567.50"},
		{"float", "", Float, 0, "33.333333333333336"},
		{"date", "", Date, 0, "2026-09-02"},
		{"datetime", "", DateTime, 0, "2026-09-02 14:30:25.123456"},
		{"instant", "", Instant, 0, "2026-09-02 05:30:25.123456+00"},
		{"krw", "krw", Decimal, 2, "1234567.50"},
		{"phone", "phone", Text, 0, "01012345678"},
		{"datetimeText", "datetime", Text, 0, "20260902143025"},
		{"custom", "#,##0.0", Decimal, 2, "1234567.50"},
	} {
		b.Run(r.name, func(b *testing.B) {
			c := compiled(b, ColumnDef{ExcelFormat: r.format}, Field{Kind: r.kind, Scale: r.scale})
			v := value(r.kind, r.in)
			b.ReportAllocs()
			for b.Loop() {
				c.Cell(v)
			}
		})
	}
	b.Run("codeMap", func(b *testing.B) {
		c := compiled(b, ColumnDef{ExcelCodeMap: map[string]string{"PAID": "결제", "CANCELLED": "취소"}}, Field{Kind: Text})
		v := value(Text, "PAID")
		b.ReportAllocs()
		for b.Loop() {
			c.Cell(v)
		}
	})
}

// The usual paths allocate nothing.
func TestCellsAreMadeWithoutAllocating(t *testing.T) {
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
