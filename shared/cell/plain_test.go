package cell

import (
	"math"
	"strconv"
	"testing"
	"unicode/utf16"
)

func TestTextIsCutBetweenCharacters(t *testing.T) {
	c := compiled(t, ColumnDef{}, Field{Kind: Text})
	for _, r := range []struct {
		name, in, want string
		cut            int64
	}{
		{"fits", repeat("A", 32767), repeat("A", 32767), 0},
		{"one too many", repeat("A", 32768), repeat("A", 32767), 1},
		{"hangul", repeat("가", 32768), repeat("가", 32767), 1},
		{"no half emoji", repeat("A", 32766) + "😀", repeat("A", 32766), 1},
		{"emoji at the end", repeat("A", 32765) + "😀", repeat("A", 32765) + "😀", 0},
		{"length before escaping", repeat("&", 32767), repeat("&", 32767), 0},
		{"CRLF before counting", repeat("\r\n", 32767), repeat("\n", 32767), 0},
		{"broken and long", repeat("\xff", 200000), repeat("\uFFFD", 32767), 1},
	} {
		before := c.Truncated()
		got := c.Cell(value(Text, r.in))
		if got.Type != String || string(got.Text) != r.want {
			t.Errorf("%s: %d bytes, want %d", r.name, len(got.Text), len(r.want))
		}
		if n := c.Truncated() - before; n != r.cut {
			t.Errorf("%s: %d cells counted as cut, want %d", r.name, n, r.cut)
		}
		if n := len(utf16.Encode([]rune(string(got.Text)))); n > MaxText {
			t.Errorf("%s: %d units", r.name, n)
		}
	}
}

func TestTextStays(t *testing.T) {
	checkRows(t, "", 0, []row{
		{Text, "a\x00b", "s:a\x00b"}, // written as an escape by the sheet
		{Text, "a\x7fb", "s:a\x7fb"},
		{Text, "  앞", "s:  앞"},
		{Text, "   ", "s:   "},
		{Text, "\n첫줄", "s:\n첫줄"},
		{Text, "a\r\nb", "s:a\nb"},
		{Text, "a\rb\r\n\r", "s:a\rb\n\r"},
		{Text, "\t탭", "s:\t탭"},
		{Text, "😀", "s:😀"},
		{Text, "👨‍👩‍👧 가족", "s:👨‍👩‍👧 가족"},
		{Text, "𠮷野家", "s:𠮷野家"},
		{Text, "x\xed\xa0\xbdy", "s:x\uFFFD\uFFFD\uFFFDy"},
		{Text, "\xb0\xa1", "s:\uFFFD\uFFFD"},
	})
	if got, cut := HeaderText("머리\r\n글\xff"); got != "머리\n글\uFFFD" || cut {
		t.Errorf("header %q, cut %v", got, cut)
	}
	if got, cut := HeaderText(repeat("A", 40000)); len(got) != MaxText || !cut {
		t.Errorf("long header: %d, cut %v", len(got), cut)
	}
}

func TestIntegers(t *testing.T) {
	checkRows(t, "", 0, []row{
		{Text, "00123", "s:00123"},
		{Text, "06236", "s:06236"},
		{Text, "1e5", "s:1e5"},
		{Text, "Inf", "s:Inf"},
		{Text, "110234567890123456", "s:110234567890123456"},
		{Integer, "123456789012345", "n:123456789012345 |0"},
		{Integer, "-123456789012345", "n:-123456789012345 |0"},
		{Integer, "1234567890123456", "s:1234567890123456 |0"},
		{Integer, "9007199254740993", "s:9007199254740993 |0"},
		{Integer, "9223372036854775807", "s:9223372036854775807 |0"},
		{Integer, "-9223372036854775808", "s:-9223372036854775808 |0"},
		{Integer, "18446744073709551615", "s:18446744073709551615 |0"},
		{Integer, "00000005", "n:5 |0"}, // ZEROFILL: only the text protocol has the zeros
		{Integer, "0", "n:0 |0"},
		{Integer, "-0", "n:0 |0"},
		{Integer, "-007", "n:-7 |0"},
		{Integer, "1x", "s:1x"},
	})
	c := compiled(t, ColumnDef{}, Field{Kind: Integer})
	long := c.Cell(value(Integer, "9007199254740993"))
	if !c.Numeric(int(long.Format)) {
		t.Error("a long integer is not aligned as numbers are")
	}
	if c.Numeric(0) {
		t.Error("General counts as numbers")
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	checkRows(t, "", -1, []row{
		{Float, "NaN", "s:NaN"},
		{Float, "+Inf", "s:Infinity"},
		{Float, "Infinity", "s:Infinity"},
		{Float, "-Inf", "s:-Infinity"},
		{Float, "-Infinity", "s:-Infinity"},
		{Float, "1e999", "s:Infinity"},
		{Decimal, "NaN", "s:NaN"},
		{Decimal, "Infinity", "s:Infinity"},
		{Decimal, "-Infinity", "s:-Infinity"},
		{Float, "-0", "n:0"},
		{Float, "-0.0", "n:0"},
		{Float, "-0e5", "n:0"},
		{Float32, "-0", "n:0"},
		{Float32, "NaN", "s:NaN"},
	})
}

func TestDecimalsAndDoubles(t *testing.T) {
	checkRows(t, "", 4, []row{{Decimal, "1234567890123456.7890", "s:1234567890123456.7890 |0.0000"}})
	checkRows(t, "", 2, []row{
		{Decimal, "0.10", "n:0.10 |0.00"},
		{Decimal, "1.10", "n:1.10 |0.00"},
		{Decimal, "-0.00", "n:0.00 |0.00"},
		{Decimal, "-0.01", "n:-0.01 |0.00"},
		{Decimal, "1234567890123.45", "n:1234567890123.45 |0.00"},
		{Decimal, "1.1", "n:1.1 |0.00"},
		{Decimal, "1.125", "s:1.125"}, // more places than the column declares: shown whole
		{Decimal, "123456789012345.00", "n:123456789012345.00 |0.00"},
		{Decimal, "1234567890123456.00", "s:1234567890123456.00 |0.00"},
		{Decimal, "1234567890123450.00", "n:1234567890123450.00 |0.00"},
	})
	checkRows(t, "", -1, []row{
		{Decimal, "1.10", "n:1.10 |0.00"},
		{Decimal, "7", "n:7 |0"},
		{Decimal, "0.0000000001", "n:0.0000000001 |0.0000000000"},
		{Decimal, "0.123456789012345678", "s:0.123456789012345678 |0.000000000000000000"},
		{Decimal, "0.000000000000000000001", "s:0.000000000000000000001 |0.000000000000000000000"},
		{Decimal, "0." + repeat("0", 30) + "1", "s:0." + repeat("0", 30) + "1"},
	})
	checkRows(t, "", 0, []row{
		{Decimal, "12", "n:12 |0"},
		{Float, "33.333333333333336", "n:33.333333333333336"},
		{Float, "0.30000000000000004", "n:0.30000000000000004"},
		{Float, "1e+06", "n:1000000"},
		{Float, "1.50", "n:1.5"},
		{Float, "1e-07", "n:1E-07"},
		{Float, "5e-324", "n:5E-324"},
		{Float, "1.7976931348623157e+308", "n:1.7976931348623157E+308"},
		{Float, "1e21", "n:1E+21"},
		{Float, "123456789012345680000", "n:123456789012345680000"},
		{Float, "12abc", "s:12abc"},
		{Float32, "0.1", "n:0.1"},
		{Float32, "16777216", "n:16777216"},
		{Float32, "3.4028235e+38", "n:3.4028235E+38"},
	})
}

func TestNothingAndBooleans(t *testing.T) {
	text := compiled(t, ColumnDef{}, Field{Kind: Text})
	for in, want := range map[string]string{"": "empty", "NULL": "s:NULL", "0": "s:0"} {
		if got := shown(text, text.Cell(value(Text, in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for k := Null; k <= Other; k++ {
		c := compiled(t, ColumnDef{}, Field{Kind: k, Scale: -1})
		if got := c.Cell(Value{Kind: Null}); got.Type != Empty {
			t.Errorf("NULL in a column of kind %d: %v", k, got)
		}
	}
	checkRows(t, "", 0, []row{
		{Integer, "0", "n:0 |0"},
		{Bool, "1", "b:1"}, {Bool, "t", "b:1"}, {Bool, "true", "b:1"},
		{Bool, "0", "b:0"}, {Bool, "f", "b:0"}, {Bool, "false", "b:0"},
		{Bool, "maybe", "s:maybe"},
	})
	missing, warnings := Compile(ColumnDef{Field: "gone"}, Field{}, false, seoul)
	if len(warnings) != 1 || warnings[0] != `field "gone" is not in the rows: its column is empty` {
		t.Errorf("warnings %q", warnings)
	}
	if got := missing.Cell(value(Text, "x")); got.Type != Empty {
		t.Errorf("missing field: %v", got)
	}
}

func TestBytesAndDocuments(t *testing.T) {
	checkRows(t, "", 0, []row{
		{Bits, "\x01", "n:1 |0"},
		{Bits, "\x80\x01", "n:32769 |0"},
		{Bits, "\x00\x00", "n:0 |0"},
		{Bits, "\xff\xff\xff\xff\xff\xff\xff\xff", "s:18446744073709551615 |0"},
		{Bits, "\x01\x00\x00\x00\x00\x00\x00\x00\x00", "s:18446744073709551616 |0"},
		{Binary, "\x00\xff\x89", "s:00FF89"},
		{Binary, "", "empty"},
		{JSON, `{"k":"값","n":1.10}`, `s:{"k":"값","n":1.10}`},
		{Other, `{가,"나,다",NULL}`, `s:{가,"나,다",NULL}`},
		{Other, "1 mon 2 days 25:30:00", "s:1 mon 2 days 25:30:00"},
	})
	c := compiled(t, ColumnDef{}, Field{Kind: Binary})
	got := c.Cell(value(Binary, repeat("\xab", 1<<20)))
	if len(got.Text) != MaxText || c.Truncated() != 1 {
		t.Errorf("long binary: %d characters, %d cut", len(got.Text), c.Truncated())
	}
	if cap(c.scratch) > 2*MaxText {
		t.Errorf("a binary of a megabyte took %d bytes", cap(c.scratch))
	}
}

// A source may give each value its own kind; the formats are declared beforehand.
func TestKindByValue(t *testing.T) {
	c := compiled(t, ColumnDef{}, Field{Kind: Null, Scale: -1})
	before := len(c.Formats())
	for _, r := range []row{
		{Integer, "5", "n:5 |0"},
		{Float, "1.5", "n:1.5"},
		{Text, "true", "s:true"},
		{Decimal, "1.10", "n:1.10 |0.00"},
		{Decimal, "3", "n:3 |0"},
		{Date, "2026-09-02", "n:46267 |yyyy-mm-dd"},
		{DateTime, "2026-09-02 14:30:25", "n:46267.60445601852 |yyyy-mm-dd hh:mm:ss"},
		{Time, "25:30:00", "n:1.0625 |[hh]:mm:ss"},
		{Bool, "1", "b:1"},
	} {
		if got := shown(c, c.Cell(value(r.kind, r.in))); got != r.want {
			t.Errorf("kind %d %q: %q, want %q", r.kind, r.in, got, r.want)
		}
	}
	if len(c.Formats()) != before {
		t.Error("the formats grew with the values")
	}
	// A value of another kind than its column's is shown by its text.
	strict := compiled(t, ColumnDef{}, Field{Kind: Text})
	if got := shown(strict, strict.Cell(value(Date, "2026-09-02"))); got != "s:2026-09-02" {
		t.Errorf("date in a text column: %q", got)
	}
}

func TestFloatsReadBackEqual(t *testing.T) {
	c := compiled(t, ColumnDef{}, Field{Kind: Float})
	for bits := uint64(1); bits < 1<<63; bits += bits/3 + 1 {
		for _, b := range []uint64{bits, ^bits} {
			f := math.Float64frombits(b)
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			for _, form := range []byte{'g', 'e', 'f'} {
				out := c.Cell(value(Float, strconv.FormatFloat(f, form, -1, 64)))
				back, err := strconv.ParseFloat(string(out.Text), 64)
				if out.Type != Number || err != nil || back != f {
					t.Fatalf("%v in form %c: %s", f, form, out.Text)
				}
			}
		}
	}
}

func TestCloneCountsForItself(t *testing.T) {
	c := compiled(t, ColumnDef{}, Field{Kind: Text})
	c.Cell(value(Text, repeat("A", 40000)))
	clone := c.Clone()
	if clone.Truncated() != 0 {
		t.Error("a clone starts with cut cells")
	}
	clone.Cell(value(Text, repeat("A", 40000)))
	if c.Truncated() != 1 || clone.Truncated() != 1 {
		t.Errorf("%d and %d cut cells", c.Truncated(), clone.Truncated())
	}
}

// Numbers longer than a cell holds are cut like other text and counted, and a
// number beyond the range of a double is text, however few digits it has.
func TestHugeNumbers(t *testing.T) {
	nines, bits := repeat("9", 40_000), repeat("\xFF", 20_000)
	for _, c := range []struct {
		format string
		kind   Kind
		in     string
	}{
		{"", Decimal, nines}, {"", Decimal, "0." + nines}, {"", Decimal, "-" + nines}, {"", Integer, nines}, {"", Integer, "+" + nines},
		{"", Bits, bits}, {"#,##0", Integer, nines}, {"#,##0", Decimal, nines}, {"krw", Decimal, nines}, {"pct", Integer, nines},
	} {
		column := compiled(t, ColumnDef{ExcelFormat: c.format}, Field{Kind: c.kind, Scale: -1})
		got := column.Cell(value(c.kind, c.in))
		if got.Type != String || len(got.Text) != MaxText || column.Truncated() != 1 {
			t.Errorf("%q of kind %d: type %d, %d bytes, %d cut", c.format, c.kind, got.Type, len(got.Text), column.Truncated())
		}
	}
	large, larger := "1"+repeat("0", 307), "1"+repeat("0", 308)
	for _, format := range []string{"", "#,##0", "pct"} {
		for in, want := range map[string]Type{large: Number, larger: String} {
			column := compiled(t, ColumnDef{ExcelFormat: format}, Field{Kind: Decimal, Scale: -1})
			if got := column.Cell(value(Decimal, in)); got.Type != want || string(got.Text) != in {
				t.Errorf("%q of %d digits: type %d, %s", format, len(in), got.Type, short(string(got.Text)))
			}
		}
	}
}
