package cell_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
)

// seen is a finished cell as the second opinion looks at it.
func seen(c *cell.Column, out cell.Cell) celltest.Seen {
	return celltest.Seen{Type: out.Type, Text: string(out.Text), Format: c.Formats()[out.Format]}
}

// Cells of every kind, in every format, code map, scale and zone, are what the
// second opinion says.
func TestOracle(t *testing.T) {
	t.Parallel()
	zones, err := celltest.Zones()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := celltest.NewSource(seed)
			faults := 0
			for range 25_000 {
				leaf, kind, zone := s.Leaf(), celltest.Kinds[s.IntN(len(celltest.Kinds))], zones[s.IntN(len(zones))]
				f := s.Field(kind)
				v := s.Value(kind)
				c, _ := cell.Compile(leaf, f, true, zone)
				want := celltest.Rule(leaf, f, v, zone)
				got := seen(c, c.Cell(v))
				if fault := got.Fault(want); fault != "" {
					t.Errorf("%+v %+v in %v: %q of kind %d is %+v: %s", leaf, f, zone, v.Bytes, v.Kind, got, fault)
					faults++
				}
				if cut := c.Truncated() > 0; cut != want.Cut {
					t.Errorf("%+v: %.80q of kind %d was cut: %v", leaf, v.Bytes, v.Kind, cut)
					faults++
				}
				if faults > 20 {
					t.Fatal("and so on")
				}
			}
		})
	}
}

// The same for what is longer than a cell holds.
func TestOracleOfLongValues(t *testing.T) {
	t.Parallel()
	nines, crlf := strings.Repeat("9", 32767), strings.Repeat("\r\n", 32767)
	for _, in := range []string{
		nines, nines + "9", "-" + nines, nines + ".5", "0." + nines, "-0." + strings.Repeat("0", 32766), strings.Repeat("0", 40000) + "1", "1e" + nines,
		strings.Repeat("9", 24575), strings.Repeat("9", 24576), // with commas they just fit, and just do not
		strings.Repeat("가", 32768), strings.Repeat("A", 32766) + "😀", strings.Repeat("A", 32765) + "😀", strings.Repeat("\xff", 70_000),
		crlf, crlf + "\r\n", crlf[:65533] + "\r", strings.Repeat(" ", 40000) + "1,234", strings.Repeat(" ", 40000) + "20260902",
		"2026-09-02 14:30:25." + nines + "9", "2026-09-02 14:30:25." + nines + "9+09:00", nines + ":00:00", "00:00:00." + nines,
	} {
		for _, kind := range []cell.Kind{cell.Text, cell.Integer, cell.Decimal, cell.Float, cell.DateTime, cell.Instant, cell.Time, cell.Binary} {
			if kind == cell.Integer && strings.Contains(in, ".") {
				continue // no database sends one with a point
			}
			// One format of each way to read a value: the others share it.
			for _, format := range []string{"", "0.000", "yyyy-mm-dd;;;", "krw", "ymd", "tm", "tel"} {
				leaf, f := cell.ColumnDef{ExcelFormat: format}, cell.Field{Kind: kind, Scale: 2}
				v := cell.Value{Kind: kind, Bytes: []byte(in)}
				c, _ := cell.Compile(leaf, f, true, nil)
				want := celltest.Rule(leaf, f, v, time.UTC)
				got := seen(c, c.Cell(v))
				if fault := got.Fault(want); fault != "" {
					t.Errorf("%d bytes %.20q of kind %d as %q: %s", len(in), in, kind, format, fault)
				}
				if cut := c.Truncated() > 0; cut != want.Cut {
					t.Errorf("%d bytes %.20q of kind %d as %q were cut: %v", len(in), in, kind, format, cut)
				}
			}
		}
	}
}

// A zero date is empty, also in a format that dates do not fit.
func TestZeroDatesAreEmptyInEveryFormat(t *testing.T) {
	t.Parallel()
	zero := map[cell.Kind]string{cell.Date: "0000-00-00", cell.DateTime: "0000-00-00 00:00:00.000", cell.Instant: "0000-00-00 00:00:00+00"}
	for kind, text := range zero {
		for _, format := range append(append(append([]string{""}, celltest.Names...), celltest.Codes...), celltest.NoCodes...) {
			c, _ := cell.Compile(cell.ColumnDef{ExcelFormat: format}, cell.Field{Kind: kind}, true, nil)
			if got := c.Cell(cell.Value{Kind: kind, Bytes: []byte(text)}); got.Type != cell.Empty {
				t.Errorf("%s as %q is %q", text, format, got.Text)
			}
		}
	}
}

// Numbers and dates that must be text do not vanish behind the section that a
// format has for text; text itself is shown as the format says.
func TestTextInsteadOfANumberIsShown(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		format string
		kind   cell.Kind
		in     string
		want   string // the number format of the cell
	}{
		{`0;-0;0;"글"`, cell.Integer, "1234567890123456", "General"},
		{`0;-0;0;"글"`, cell.Bits, "\x04\x62\xd5\x3c\x8a\xba\xc0", "General"},
		{`0;-0;0;"글"`, cell.Integer, "123456789012345", `0;-0;0;"글"`},
		{`0;-0;0;"글"`, cell.Text, "1234567890123456", `0;-0;0;"글"`},
		{`0;-0;0;@`, cell.Integer, "1234567890123456", `0;-0;0;@`},
		{"#,##0", cell.Integer, "1234567890123456", "#,##0"},
		{"yyyy-mm-dd;;;", cell.Date, "1592-05-23", "General"},
		{"yyyy-mm-dd;;;", cell.Date, "2026-09-02", "yyyy-mm-dd;;;"},
		{`yyyy-mm-dd;;;"글: "@`, cell.DateTime, "10000-01-01 00:00:00", "General"},
		{"yyyy-mm-dd", cell.Date, "1592-05-23", "yyyy-mm-dd"},
	} {
		c, warnings := cell.Compile(cell.ColumnDef{ExcelFormat: r.format}, cell.Field{Kind: r.kind}, true, nil)
		got := seen(c, c.Cell(cell.Value{Kind: r.kind, Bytes: []byte(r.in)}))
		if got.Format != r.want || len(warnings) > 0 {
			t.Errorf("%q of kind %d as %q is %+v, want the format %q; %q", r.in, r.kind, r.format, got, r.want, warnings)
		}
	}
}
