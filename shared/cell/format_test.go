package cell

import (
	"strings"
	"testing"
)

func TestAmountsSharesAndBusinessNumbers(t *testing.T) {
	const f = " |#,##0"
	checkRows(t, "krw", -1, []row{
		{Integer, "1250000", "n:1250000" + f},
		{Integer, "-1234", "n:-1234" + f},
		{Integer, "0", "n:0" + f},
		{Decimal, "1234.9", "n:1234" + f},
		{Decimal, "-1234.9", "n:-1234" + f},
		{Decimal, "-0.4", "n:0" + f},
		{Float, "-0.4", "n:0" + f},
		{Float, "1234.9", "n:1234" + f},
		{Float, "1e+06", "n:1000000" + f},
		{Float, "1e21", "s:1,000,000,000,000,000,000,000" + f},
		{Float, "NaN", "s:NaN"},
		{Text, "abc", "s:abc"},
		{Text, "1,234", "n:1234" + f},
		{Text, " 1,234,567.89 ", "n:1234567" + f},
		{Text, "-1,234.9", "n:-1234" + f},
		{Text, "+5.", "n:5" + f},
		{Text, "1234,56", "s:1234,56"},
		{Text, "1,23", "s:1,23"},
		{Text, ",123", "s:,123"},
		{Text, "1,,234", "s:1,,234"},
		{Text, "1,234,", "s:1,234,"},
		{Text, "1234,567", "s:1234,567"},
		{Text, "1,234.5,6", "s:1,234.5,6"},
		{Text, ".5", "s:.5"},
		{Text, "1e5", "s:1e5"},
		{Text, "-", "s:-"},
		{Text, "  ", "s:  "},
		{Text, "", "empty"},
		{Text, "0012", "n:12" + f},
		{Integer, "123456789012345", "n:123456789012345" + f},
		{Integer, "1234567890123456789", "s:1,234,567,890,123,456,789" + f},
		{Integer, "-1234567890123456", "s:-1,234,567,890,123,456" + f},
		{Text, "1,234,567,890,123,456,789.5", "s:1,234,567,890,123,456,789" + f},
		{Bits, "\x01\x00", "n:256" + f},
		{Date, "2026-09-02", "s:2026-09-02"},
		{Bool, "1", "s:true"},
		{Null, "", "empty"},
	})
	const whole, one, two = ` |0"%";-0"%";"-"`, ` |0.0"%";-0.0"%";"-"`, ` |0.00"%";-0.00"%";"-"`
	checkRows(t, "pct", -1, []row{
		{Integer, "15", "n:15" + whole},
		{Integer, "0", "n:0" + whole},
		{Decimal, "0.4", "n:0.4" + one},
		{Decimal, "0.004", "n:0.004" + two},
		{Decimal, "15.00", "n:15.00" + two},
		{Decimal, "-0.00", "n:0.00" + two},
		{Float, "15", "n:15" + whole},
		{Float, "0.4", "n:0.4" + one},
		{Float, "0.30000000000000004", "n:0.30000000000000004" + two},
		{Float, "1e-7", "n:1E-07" + two},
		{Float, "-0", "n:0" + whole},
		{Text, "12.5", "n:12.5" + one},
		{Text, "1,234", "n:1234" + whole},
		{Text, "15%", "s:15%"},
		{Integer, "1234567890123456", "s:1234567890123456"},
		{Null, "", "empty"},
	})
	checkRows(t, "bizno", -1, []row{
		{Text, "1234567890", "s:123-45-67890"},
		{Text, "123-45-67890", "s:123-45-67890"},
		{Text, " 123 45 67890 ", "s:123-45-67890"},
		{Integer, "1234567890", "s:123-45-67890"},
		{Text, "123456789", "s:123456789"},
		{Text, "12345678901", "s:12345678901"},
		{Text, "1234567890123", "s:1234567890123"},
		{Text, "12345a7890", "s:12345a7890"},
		{Integer, "-1234567890", "s:-1234567890"},
		{Decimal, "123456789.0", "s:123456789.0"},
		{Decimal, "1234567890", "s:123-45-67890"},
		{Float, "1234567890", "s:123-45-67890"},
		{Float, "1.23456789e9", "s:123-45-67890"},
		{Null, "", "empty"},
	})
}

func TestCodeMaps(t *testing.T) {
	labels := map[string]string{"1": "대기", "01": "접수", "true": "참", "": "없음"}
	for _, r := range []row{
		{Integer, "1", "s:대기"},
		{Float, "1", "s:대기"},
		{Float, "1e0", "s:대기"},
		{Decimal, "1", "s:대기"},
		{Bits, "\x01", "s:대기"},
		{Text, "1", "s:대기"},
		{Text, "01", "s:접수"},
		{Text, "01   ", "s:접수"},
		{Bool, "t", "s:참"},
		{Null, "", "s:없음"},
		{Text, "  ", "s:없음"},
		{Integer, "9", "n:9 |0"},
		{Text, "9", "s:9"},
		{Date, "2026-09-02", "n:46267 |yyyy-mm-dd"},
	} {
		c := compiled(t, ColumnDef{ExcelCodeMap: labels, ExcelFormat: "krw"}, Field{Kind: r.kind, Scale: 0})
		if got := shown(c, c.Cell(value(r.kind, r.in))); got != r.want {
			t.Errorf("kind %d %q: %q, want %q", r.kind, r.in, got, r.want)
		}
	}
	one := func(labels map[string]string, k Kind, in string) string {
		c := compiled(t, ColumnDef{ExcelCodeMap: labels}, Field{Kind: k})
		return shown(c, c.Cell(value(k, in)))
	}
	if got := one(map[string]string{"01": "접수"}, Integer, "1"); got != "n:1 |0" {
		t.Errorf("second map: %q", got)
	}
	if got := one(map[string]string{"1": "=1+1"}, Integer, "1"); got != "s:=1+1" {
		t.Errorf("third map: %q", got)
	}
	if got := one(map[string]string{"1": "사용"}, Bool, "true"); got != "s:사용" {
		t.Errorf("boolean as a digit: %q", got)
	}
	if got := one(map[string]string{"1": "x"}, Null, ""); got != "empty" {
		t.Errorf("NULL without a label: %q", got)
	}
	if got := one(map[string]string{"1": "a\r\nb\xff"}, Integer, "1"); got != "s:a\nb\uFFFD" {
		t.Errorf("label's text rules: %q", got)
	}
	c := compiled(t, ColumnDef{ExcelCodeMap: map[string]string{"1": repeat("A", 40000)}}, Field{Kind: Integer})
	if out := c.Cell(value(Integer, "1")); len(out.Text) != MaxText || c.Truncated() != 1 {
		t.Errorf("long label: %d, %d cut", len(out.Text), c.Truncated())
	}
}

func TestTelephoneNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"021234567":            "02-123-4567",
		"0212345678":           "02-1234-5678",
		"0311234567":           "031-123-4567",
		"03112345678":          "031-1234-5678",
		"15881234":             "1588-1234",
		"16001234":             "1600-1234",
		"18991234":             "1899-1234",
		"17001234":             "17001234",
		"02)123-4567":          "02-123-4567",
		"(02) 123.4567":        "02-123-4567",
		"+82-2-123-4567":       "+82-2-123-4567",
		"02-123-4567 (내선 3)":   "02-123-4567 (내선 3)",
		"01012345678":          "010-1234-5678",
		"0101234567":           "0101234567",
		"0111234567":           "011-123-4567",
		"01112345678":          "011-1234-5678",
		"0171234567":           "017-123-4567",
		"0121234567":           "0121234567",
		"07012345678":          "070-1234-5678",
		"0701234567":           "0701234567",
		"050512345678":         "0505-1234-5678",
		"05051234567":          "0505-123-4567",
		"0505123456":           "0505123456",
		"030312345678":         "0303-1234-5678",
		"0303123456":           "0303123456",
		"0511234567":           "051-123-4567",
		"0641234567":           "064-123-4567",
		"0801234567":           "080-123-4567",
		"0901234567":           "0901234567",
		"821012345678":         "821012345678",
		"02123456":             "02123456",
		"02123456789":          "02123456789",
		"0101234567890":        "0101234567890",
		"전화":                   "전화",
		"０２１２３４５６７":            "０２１２３４５６７",
		"010-1234-5678":        "010-1234-5678",
		" 010 1234 5678\u00a0": "010-1234-5678",
	} {
		for _, format := range []string{"phone", "tel"} {
			if got := show(t, format, Text, 0, in); got != "s:"+want {
				t.Errorf("%s %q: %q, want %q", format, in, got, want)
			}
		}
	}
	if got := show(t, "tel", Integer, 0, "15881234"); got != "s:1588-1234" {
		t.Errorf("integer: %q", got)
	}
	if got := show(t, "tel", Integer, 0, "212345678"); got != "s:212345678" {
		t.Errorf("integer without its zero: %q", got)
	}
}

func TestDateFormats(t *testing.T) {
	const ymd, tm, stamp = " |yyyy/mm/dd", " |[hh]:mm:ss", " |yyyy/mm/dd hh:mm:ss"
	checkRows(t, "ymd", 0, []row{
		{Text, "20260902", "n:46267" + ymd},
		{Text, "2026-09-02", "n:46267" + ymd},
		{Text, "2026/09/02", "n:46267" + ymd},
		{Text, " 2026.09.02 ", "n:46267" + ymd},
		{Text, "20260902143025", "n:46267" + ymd},
		{Text, "2026-09-02 23:59:59.9", "n:46267" + ymd},
		{Text, "2026-09-02T14:30:25", "n:46267" + ymd},
		{Integer, "20260902", "n:46267" + ymd},
		{Decimal, "20260902", "n:46267" + ymd},
		{Decimal, "20260902.0", "s:20260902.0"},
		{Decimal, "-20260902", "s:-20260902"},
		{Text, "20260230", "s:20260230"},
		{Text, "20261301", "s:20261301"},
		{Text, "2026-9-2", "s:2026-9-2"},
		{Text, "2026090", "s:2026090"},
		{Text, "2026090212", "s:2026090212"},
		{Text, "2026-09-02x", "s:2026-09-02x"},
		{Text, "2026-09-02 25:00:00", "s:2026-09-02 25:00:00"},
		{Text, "어제", "s:어제"},
		{Text, "00000000", "s:00000000"},
		{Date, "2026-09-02", "n:46267" + ymd},
		{DateTime, "2026-09-02 23:59:59.999", "n:46267" + ymd},
		{Instant, "2026-08-31 15:30:00Z", "n:46266" + ymd},
		{Integer, "5", "s:5"},
		{Float, "5", "s:5"},
		{Time, "10:00:00", "s:10:00:00"},
	})
	checkRows(t, "tm", 0, []row{
		{Text, "143025", "n:0.6044560185185185" + tm},
		{Text, "14:30:25", "n:0.6044560185185185" + tm},
		{Text, "000000", "n:0" + tm},
		{Text, "250000", "s:250000"},
		{Text, "146025", "s:146025"},
		{Text, "14:30", "s:14:30"},
		{Text, "1430250", "s:1430250"},
		{Integer, "143025", "n:0.6044560185185185" + tm},
		{Decimal, "143025", "n:0.6044560185185185" + tm},
		{Decimal, "143025.5", "s:143025.5"},
		{Time, "14:30:25.999", "n:0.6044560185185185" + tm},
		{Time, "-01:00:00", "s:-01:00:00"},
		{DateTime, "2026-09-02 14:30:25", "s:2026-09-02 14:30:25"},
	})
	checkRows(t, "datetime", 0, []row{
		{Text, "20260902143025", "n:46267.60445601852" + stamp},
		{Text, "20260902143025.999", "n:46267.60445601852" + stamp},
		{Text, "2026-09-02 14:30:25", "n:46267.60445601852" + stamp},
		{Text, "2026.09.02T14:30:25.5", "n:46267.60445601852" + stamp},
		{Text, "20260902 14:30:25", "n:46267.60445601852" + stamp},
		{Text, "2026-09-02", "s:2026-09-02"},
		{Text, "2026-09-02 14:30:25.", "s:2026-09-02 14:30:25."},
		{Text, "2026-09-02 14:30:25Z", "s:2026-09-02 14:30:25Z"},
		{Date, "2026-09-02", "s:2026-09-02"},
		{Decimal, "20260902143025", "n:46267.60445601852" + stamp},
		{DateTime, "2026-09-02 14:30:25.999", "n:46267.60445601852" + stamp},
		{Instant, "2026-09-02 05:30:25Z", "n:46267.60445601852" + stamp},
		{DateTime, "1899-12-31 01:02:03", "s:1899/12/31 01:02:03" + stamp},
	})
}

// A duration beyond a day stays what it is under a format that would begin anew.
func TestTimesUnderFormatCodes(t *testing.T) {
	for _, test := range []struct{ code, value, want string }{
		{"hh:mm", "14:30:00", "n:0.6041666666666666 |hh:mm"},
		{"hh:mm", "23:59:59.9", "n:0.999988425925926 |hh:mm"},
		{"hh:mm", "24:00:00", "s:24:00:00"},
		{"hh:mm", "25:30:00", "s:25:30:00"},
		{"[h]:mm", "25:30:00", "n:1.0625 |[h]:mm"},
		{"[mm]:ss", "25:30:00", "n:1.0625 |[mm]:ss"},
		{"[m]", "25:30:00", "n:1.0625 |[m]"},
		{"h:mm AM/PM", "14:30:00", "n:0.6041666666666666 |h:mm AM/PM"},
		{"h:mm AM/PM", "25:30:00", "s:25:30:00"},
		{"mm:ss", "00:30:00", "n:0.020833333333333332 |mm:ss"},
		{"yyyy-mm-dd hh:mm", "14:30:00", "s:14:30:00"},
		{"mm", "14:30:00", "s:14:30:00"},
		{"aaa", "14:30:00", "s:14:30:00"},
		{"[h]:mm", "-01:00:00", "s:-01:00:00"},
		{"0.00", "14:30:00", "s:14:30:00"},
	} {
		if got := show(t, test.code, Time, 0, test.value); got != test.want {
			t.Errorf("%s under %s: %q, want %q", test.value, test.code, got, test.want)
		}
	}
}

func TestNumberFormatCodes(t *testing.T) {
	checkRows(t, "#,##0.000", 2, []row{
		{Integer, "5", "n:5 |#,##0.000"},
		{Decimal, "1.10", "n:1.10 |#,##0.000"},
		{Float, "0.5", "n:0.5 |#,##0.000"},
		{Bits, "\x05", "n:5 |#,##0.000"},
		{Integer, "1234567890123456", "s:1234567890123456 |#,##0.000"},
		{Decimal, "1234567890123456.78", "s:1234567890123456.78"},
		{Text, "5", "s:5 |#,##0.000"},
		{Date, "2026-09-02", "s:2026-09-02"},
		{Time, "10:00:00", "s:10:00:00"},
		{Bool, "1", "b:1"},
		{Binary, "\xff", "s:FF"},
		{Null, "", "empty"},
	})
	checkRows(t, `yyyy"년" mm"월"`, 0, []row{
		{Date, "2026-09-02", `n:46267 |yyyy"년" mm"월"`},
		{Date, "1899-12-31", `s:1899년 12월 |yyyy"년" mm"월"`},
		{Instant, "2026-08-31 15:30:00Z", `n:46266.020833333336 |yyyy"년" mm"월"`},
		{Integer, "46267", `n:46267 |yyyy"년" mm"월"`},
		{Integer, "2958465", `n:2958465 |yyyy"년" mm"월"`},
		// What no calendar has would be a cell full of #.
		{Integer, "20260902", "s:20260902"},
		{Integer, "-1", "s:-1"},
		{Integer, "1", "s:1"},
		{Integer, "60", "s:60"},
		{Integer, "61", `n:61 |yyyy"년" mm"월"`},
		{Decimal, "2958466.00", "s:2958466.00"},
		{Decimal, "2958465.5", `n:2958465.5 |yyyy"년" mm"월"`},
		{Float, "-0.5", "s:-0.5"},
		{Float, "1e+21", "s:1E+21"},
		{Float, "NaN", "s:NaN"},
		{Time, "10:00:00", "s:10:00:00"},
	})
	for _, code := range []string{
		"0", "0.00", "#,##0", "#,##0.00;[Red]-#,##0.00", "0%", "0.0%", "0.00E+00", "# ?/?", "# ?/16", "@", `@"님"`,
		"General", `General"원"`, `#,##0"원"`, "#,##0원", "₩#,##0", "[$₩-412]#,##0", "[$-412]yyyy", "yyyy-mm-dd", "m/d/yy h:mm",
		"h:mm AM/PM", "[h]:mm", "[mm]:ss.000", "yyyy.mm.dd", `0"%";-0"%";"-"`, `_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`,
		"[>=1000]0,;0", "[Blue]0;[Color3]0;", ";;;", `[=1]"예";0`, `\#0`, "000-0000", "aaa", "yyyy년 m월", "[DBNum1]0", `"]["0`,
	} {
		c, warnings := Compile(ColumnDef{Field: "x", ExcelFormat: code}, Field{Kind: Integer}, true, nil)
		if len(warnings) > 0 {
			t.Errorf("%q is refused", code)
		} else if len(warnings) == 0 && c.Formats()[1] != code {
			t.Errorf("%q became %q", code, c.Formats()[1])
		}
	}
	for _, code := range []string{
		"KRW", "won", "0.0.0", "abc", `0"open`, `0\`, "0_", "0*", "*-*-0", "[", "[]", "[foo]0", "[>=x]0", "yyyy0", "yyyyy",
		"hhh", "0@", "0;0;0;@;0", "0E", "0E5", "1", "General0", "a\x01", "0\x00", "0|0", "0`0", repeat("0", 256), "\xff0", "[$]0", "[Color57]0",
		"yyyy E+0", "h.0", "[$[]0", "통화", "금액(원)", "-", "(", `"원"`, `"원";0`,
	} {
		c, warnings := Compile(ColumnDef{Field: "amount", ExcelFormat: code}, Field{Kind: Integer}, true, nil)
		if len(warnings) != 1 || !strings.Contains(warnings[0], "amount") {
			t.Errorf("%q: warnings %q", code, warnings)
			continue
		}
		if got := shown(c, c.Cell(value(Integer, "5"))); got != "n:5 |0" {
			t.Errorf("%q: %q instead of the plain value", code, got)
		}
	}
	if c, w := Compile(ColumnDef{Field: "x", ExcelFormat: "  "}, Field{Kind: Text}, true, nil); len(w) > 0 || c.rule != rulePlain {
		t.Error("a blank format is none")
	}
}
