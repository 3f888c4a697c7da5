package celltest_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
)

// The second opinion itself, held against the examples of the contract.
func TestRule(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 9*3600)
	const pct0, pct1, pct2 = `0"%";-0"%";"-"`, `0.0"%";-0.0"%";"-"`, `0.00"%";-0.00"%";"-"`
	for _, r := range []struct {
		format string
		kind   cell.Kind
		scale  int
		in     string
		want   string // type, what is shown, and the number format of a number
	}{
		{"krw", cell.Integer, 0, "1250000", "n 1,250,000 #,##0"},
		{"krw", cell.Decimal, 1, "-1234.9", "n -1,234 #,##0"},
		{"krw", cell.Text, 0, "1234,56", "s 1234,56"},
		{"krw", cell.Text, 0, "abc", "s abc"},
		{"krw", cell.Text, 0, "1,234", "n 1,234 #,##0"},
		{"krw", cell.Float, 0, "-0.4", "n 0 #,##0"},
		{"krw", cell.Integer, 0, "1234567890123456789", "s 1,234,567,890,123,456,789"},
		{"krw", cell.Null, 0, "", "empty"},
		{"ymd", cell.Text, 0, "20260902", "n 2026/09/02 yyyy/mm/dd"},
		{"ymd", cell.Text, 0, "2026.09.02 14:30:25", "n 2026/09/02 yyyy/mm/dd"},
		{"ymd", cell.Text, 0, "20260931", "s 20260931"},
		{"ymd", cell.Date, 0, "1592-05-23", "s 1592/05/23"},
		{"tm", cell.Text, 0, "143025", "n 14:30:25 [hh]:mm:ss"},
		{"tm", cell.Text, 0, "14:30:61", "s 14:30:61"},
		{"datetime", cell.Text, 0, "20260902143025", "n 2026/09/02 14:30:25 yyyy/mm/dd hh:mm:ss"},
		{"datetime", cell.Text, 0, "2026-09-02T14:30:25.9", "n 2026/09/02 14:30:25 yyyy/mm/dd hh:mm:ss"},
		{"bizno", cell.Text, 0, "1234567890", "s 123-45-67890"},
		{"bizno", cell.Text, 0, "123456789", "s 123456789"},
		{"phone", cell.Text, 0, "01012345678", "s 010-1234-5678"},
		{"tel", cell.Text, 0, "021234567", "s 02-123-4567"},
		{"tel", cell.Text, 0, "0212345678", "s 02-1234-5678"},
		{"tel", cell.Text, 0, "03112345678", "s 031-1234-5678"},
		{"tel", cell.Text, 0, "15881234", "s 1588-1234"},
		{"tel", cell.Text, 0, "050512345678", "s 0505-1234-5678"},
		{"tel", cell.Text, 0, "02)123-4567", "s 02-123-4567"},
		{"tel", cell.Text, 0, "+82-2-123-4567", "s +82-2-123-4567"},
		{"tel", cell.Text, 0, "02-123-4567 (내선 3)", "s 02-123-4567 (내선 3)"},
		{"tel", cell.Decimal, 1, "1588123.4", "s 1588123.4"},
		{"pct", cell.Integer, 0, "15", "n 15% " + pct0},
		{"pct", cell.Float, 0, "0.4", "n 0.4% " + pct1},
		{"pct", cell.Float, 0, "0", "n - " + pct0},
		{"pct", cell.Float, 0, "0.004", "n 0.00% " + pct2},
		{"", cell.Integer, 0, "123456789012345", "n 123456789012345 0"},
		{"", cell.Integer, 0, "-9223372036854775808", "s -9223372036854775808"},
		{"", cell.Decimal, 2, "1.10", "n 1.10 0.00"},
		{"", cell.Decimal, 2, "-0.00", "n 0.00 0.00"},
		{"", cell.Decimal, 4, "1234567890123456.7890", "s 1234567890123456.7890"},
		{"", cell.Float, 0, "+Inf", "s Infinity"},
		{"", cell.Text, 0, "00123", "s 00123"},
		{"", cell.Text, 0, "a\r\nb\xff", "s a\nb\uFFFD"},
		{"", cell.Text, 0, "", "empty"},
		{"", cell.Bool, 0, "f", "b FALSE"},
		{"", cell.Date, 0, "0000-00-00", "empty"},
		{"", cell.Date, 0, "2026-00-10", "s 2026-00-10"},
		{"", cell.Date, 0, "1900-02-28", "s 1900-02-28"},
		{"", cell.Date, 0, "1900-03-01", "n 1900-03-01 yyyy-mm-dd"},
		{"", cell.Date, 0, "9999-12-31", "n 9999-12-31 yyyy-mm-dd"},
		{"", cell.Date, 0, "10000-01-01", "s 10000-01-01"},
		{"", cell.Date, 0, "0044-03-15 BC", "s 0044-03-15 BC"},
		{"", cell.DateTime, 0, "2026-09-02 23:59:59.999", "n 2026-09-02 23:59:59 yyyy-mm-dd hh:mm:ss"},
		{"", cell.Instant, 0, "2026-08-31 15:30:00+00", "n 2026-09-01 00:30:00 yyyy-mm-dd hh:mm:ss"},
		{"", cell.Time, 0, "838:59:59", "n 838:59:59 [hh]:mm:ss"},
		{"", cell.Time, 0, "-25:30:00.500", "s -25:30:00.500"},
		{"", cell.Binary, 0, "\x00\xff\x89", "s 00FF89"},
		{"", cell.Bits, 0, "\x80\x01", "n 32769 0"},
		{"", cell.JSON, 0, `{"k":"값","n":1.10}`, `s {"k":"값","n":1.10}`},
	} {
		w := celltest.Rule(cell.ColumnDef{ExcelFormat: r.format}, cell.Field{Kind: r.kind, Scale: r.scale}, cell.Value{Kind: r.kind, Bytes: []byte(r.in)}, zone)
		got := []string{cell.Empty: "empty", cell.Number: "n " + w.Shown + " " + w.Format, cell.String: "s " + w.Shown, cell.Boolean: "b " + w.Shown}[w.Type]
		if got != r.want || w.Type == cell.String && w.Text != w.Shown {
			t.Errorf("%q of kind %d as %q is %q, want %q", r.in, r.kind, r.format, got, r.want)
		}
	}
}

func TestRuleOfCodeMaps(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"1": "대기", "01": "접수", "true": "참", "": "없음"}
	for _, r := range []struct {
		kind     cell.Kind
		in, want string
	}{
		{cell.Integer, "1", "대기"}, {cell.Float, "1", "대기"}, {cell.Text, "1", "대기"}, {cell.Text, "01", "접수"},
		{cell.Text, "01   ", "접수"}, {cell.Bool, "t", "참"}, {cell.Null, "", "없음"}, {cell.Integer, "9", "9"},
	} {
		w := celltest.Rule(cell.ColumnDef{ExcelFormat: "krw", ExcelCodeMap: labels}, cell.Field{Kind: r.kind}, cell.Value{Kind: r.kind, Bytes: []byte(r.in)}, time.UTC)
		if w.Shown != r.want {
			t.Errorf("%q of kind %d is %q, want %q", r.in, r.kind, w.Shown, r.want)
		}
	}
}

// Every kind of difference is a fault.
func TestFault(t *testing.T) {
	t.Parallel()
	third := celltest.Want{Type: cell.Number, Number: big.NewRat(46267*3+1, 3), Format: "yyyy-mm-dd hh:mm:ss", Shown: "2026-09-02 08:00:00"}
	amount := celltest.Want{Type: cell.Number, Number: big.NewRat(11, 10), Format: "0.00", Shown: "1.10"}
	word := celltest.Want{Type: cell.String, Text: "a", Shown: "a"}
	for _, r := range []struct {
		want  celltest.Want
		seen  celltest.Seen
		fault string
	}{
		{third, celltest.Seen{Type: cell.Number, Text: "46267.333333333336", Format: "yyyy-mm-dd hh:mm:ss"}, ""},
		{third, celltest.Seen{Type: cell.Number, Text: "46267.3333333333", Format: "yyyy-mm-dd hh:mm:ss"}, "the number"},
		{third, celltest.Seen{Type: cell.Number, Text: "46267.333333333336", Format: "yyyy-mm-dd"}, "number format"},
		{amount, celltest.Seen{Type: cell.Number, Text: "1.1", Format: "0.00"}, ""},
		{amount, celltest.Seen{Type: cell.Number, Text: "1.10", Format: "0.00"}, ""},
		{amount, celltest.Seen{Type: cell.Number, Text: "1.1000000000000001", Format: "0.00"}, "the number"},
		{amount, celltest.Seen{Type: cell.Number, Text: "+1.1", Format: "0.00"}, "the number"},
		{amount, celltest.Seen{Type: cell.Number, Text: "NaN", Format: "0.00"}, "the number"},
		{celltest.Want{Type: cell.Number, Number: new(big.Rat), Format: "0", Shown: "0"}, celltest.Seen{Type: cell.Number, Text: "-0", Format: "0"}, "minus zero"},
		{amount, celltest.Seen{Type: cell.String, Text: "1.10", Format: "0.00"}, "type"},
		{celltest.Want{Type: cell.Number, Number: big.NewRat(11, 10), Format: "0", Shown: "1.10"}, celltest.Seen{Type: cell.Number, Text: "1.1", Format: "0"}, `"1" is shown`},
		{word, celltest.Seen{Type: cell.String, Text: "a"}, ""},
		{word, celltest.Seen{Type: cell.String, Text: "a", Format: "0.00"}, ""},
		{word, celltest.Seen{Type: cell.String, Text: "a", Format: "0;0;0;"}, "text in the number format"},
		{word, celltest.Seen{Type: cell.String, Text: "a "}, "text"},
		{word, celltest.Seen{}, "type"},
	} {
		fault := r.seen.Fault(r.want)
		if !strings.Contains(fault, r.fault) || (fault == "") != (r.fault == "") {
			t.Errorf("%+v has the fault %q, want %q", r.seen, fault, r.fault)
		}
	}
}
