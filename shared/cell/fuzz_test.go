package cell

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// checkCell fails where a cell is not what the writer of sheets relies on.
func checkCell(t *testing.T, c *Column, out Cell) {
	t.Helper()
	if out.Format < 0 || int(out.Format) >= len(c.Formats()) {
		t.Fatalf("format %d of %d", out.Format, len(c.Formats()))
	}
	switch out.Type {
	case Empty:
		if len(out.Text) > 0 {
			t.Fatalf("empty cell with text %q", out.Text)
		}
	case Number:
		f, err := strconv.ParseFloat(string(out.Text), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(string(out.Text), "xXpP_+ ") && !strings.Contains(string(out.Text), "E+") {
			t.Fatalf("number %q", out.Text)
		}
	case Boolean:
		if s := string(out.Text); s != "0" && s != "1" {
			t.Fatalf("boolean %q", s)
		}
	case String:
		if !utf8.Valid(out.Text) || len(out.Text) == 0 || len(utf16.Encode([]rune(string(out.Text)))) > MaxText {
			t.Fatalf("text %q", short(string(out.Text)))
		}
	}
}

// Any bytes of any kind in any format give a cell that can be written.
func FuzzCell(f *testing.F) {
	formats := []string{"", "krw", "ymd", "tm", "datetime", "bizno", "phone", "tel", "pct", "0.00", "yyyy-mm-dd h:mm", "@", "bogus"}
	for _, seed := range []string{"", "0", "-0.00", "1,234.5", "20260902143025", "2026-09-02 14:30:25.5+09:00", "-838:59:59", "\xff\x00", "1e-300", "0000-00-00", "99999999999999999999", "a\r\nb\r"} {
		for k := Null; k <= Other; k++ {
			f.Add([]byte(seed), uint8(k), uint8(k), int8(2))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, kind, format uint8, scale int8) {
		k := Kind(kind) % (Other + 1)
		for _, fieldKind := range []Kind{k, Null, Text} {
			leaf := ColumnDef{Field: "x", ExcelFormat: formats[int(format)%len(formats)]}
			c, _ := Compile(leaf, Field{Kind: fieldKind, Scale: int(scale)}, true, seoul)
			before := string(raw)
			checkCell(t, c, c.Cell(Value{Kind: k, Bytes: raw}))
			if string(raw) != before {
				t.Fatal("the value was changed")
			}
			leaf.ExcelCodeMap = map[string]string{"1": "하나"}
			c, _ = Compile(leaf, Field{Kind: fieldKind, Scale: int(scale)}, true, seoul)
			checkCell(t, c, c.Cell(Value{Kind: k, Bytes: raw}))
		}
	})
}

// A decimal keeps its exact value, as a number or as text.
func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0.00", "1.10", "1234567890123456.7890", "0.000000000000001", "00012", "-.5", "123456789012345678901234567890"} {
		f.Add(seed, int8(-1))
		f.Add(seed, int8(4))
	}
	f.Fuzz(func(t *testing.T, text string, scale int8) {
		n, ok := parseNumber([]byte(text))
		if !ok {
			return
		}
		c, _ := Compile(ColumnDef{Field: "x"}, Field{Kind: Decimal, Scale: int(max(scale, -1))}, true, nil)
		out := c.Cell(Value{Kind: Decimal, Bytes: []byte(text)})
		checkCell(t, c, out)
		got, okGot := new(big.Rat).SetString(string(out.Text))
		want, okWant := new(big.Rat).SetString(strings.TrimSuffix(text, "."))
		if len(text) > MaxText {
			return
		}
		if !okGot || !okWant || got.Cmp(want) != 0 {
			t.Fatalf("%q became %q", text, out.Text)
		}
		if out.Type != Number {
			return
		}
		// Fifteen digits survive the double that spreadsheets keep.
		double, _ := strconv.ParseFloat(string(out.Text), 64)
		back, _ := new(big.Rat).SetString(strconv.FormatFloat(double, 'e', maxDigits-1, 64))
		if back.Cmp(want) != 0 {
			t.Fatalf("%q is not kept by a double", text)
		}
		if format := c.Formats()[out.Format]; len(n.fraction) > max(0, len(format)-2) {
			t.Fatalf("%q is shown as %s", text, format)
		}
	})
}

func FuzzFloat(f *testing.F) {
	for _, seed := range []float64{0, math.Copysign(0, -1), 1, 0.1, 33.333333333333336, 1e-7, 1e21, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(-1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		c, _ := Compile(ColumnDef{Field: "x"}, Field{Kind: Float}, true, nil)
		out := c.Cell(Value{Kind: Float, Bytes: strconv.AppendFloat(nil, v, 'g', -1, 64)})
		checkCell(t, c, out)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if out.Type != String {
				t.Fatalf("%v is no text", v)
			}
			return
		}
		back, err := strconv.ParseFloat(string(out.Text), 64)
		if err != nil || back != v || (v == 0 && string(out.Text) != "0") {
			t.Fatalf("%v became %q", v, out.Text)
		}
		if want := strconv.FormatFloat(v, 'e', -1, 64); digitCount(string(out.Text)) > digitCount(want) {
			t.Fatalf("%v: %q is not the shortest form", v, out.Text)
		}
	})
}

// digitCount counts the significant digits of a literal.
func digitCount(s string) int {
	s, _, _ = strings.Cut(strings.ToLower(s), "e")
	if !strings.Contains(s, ".") {
		s = strings.TrimRight(s, "0")
	}
	return len(strings.TrimLeft(strings.NewReplacer(".", "", "-", "").Replace(s), "0"))
}

func FuzzFormatCode(f *testing.F) {
	for _, seed := range []string{"0", "#,##0.00;[Red]-0", `yyyy"년"`, "[h]:mm:ss", "[$₩-412]#,##0", "\\", "[", ";;;;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		parsed, ok := parseFormatCode(code)
		if ok && parsed.pattern != nil {
			out := appendPattern(nil, parsed.pattern, moment{year: 1899, month: 12, day: 31})
			if !utf8.Valid(out) {
				t.Fatalf("%q writes %q", code, out)
			}
		}
	})
}
