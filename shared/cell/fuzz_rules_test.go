package cell_test

import (
	"bytes"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
)

// fuzzFormats are what a fuzzed column may ask for.
var fuzzFormats = append(append(append([]string{""}, celltest.Names...), celltest.Codes...), celltest.NoCodes...)

// Any bytes of any kind in any format, scale, code map and zone are the cell that
// the second opinion says.
func FuzzRules(f *testing.F) {
	zones, err := celltest.Zones()
	if err != nil {
		f.Fatal(err)
	}
	s := celltest.NewSource(1)
	for _, kind := range celltest.Kinds {
		for i := range 8 {
			f.Add(s.Value(kind).Bytes, uint8(kind), uint8(s.IntN(len(fuzzFormats))), int8(i-1), uint8(i), uint8(i))
		}
	}
	for kind := cell.Date; kind <= cell.Time; kind++ {
		for _, in := range []string{"0000-00-00", "00000-00-00", "0000-01-01 00:00:00-70", "0000-01-01 00:00:00+14:00", "0000-00-00 00:00:00 and more", "2026-09-02 00:00:00.5", "2026-09-02 14:30:25+09:60"} {
			f.Add([]byte(in), uint8(kind), uint8(len(fuzzFormats)-1), int8(0), uint8(len(celltest.Labels)), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, kind, format uint8, scale int8, labels, zone uint8) {
		k := celltest.Kinds[int(kind)%len(celltest.Kinds)]
		if k == cell.Integer && bytes.Contains(raw, []byte(".")) {
			return // no source calls that an integer, and either text of it would do
		}
		v := cell.Value{Kind: k, Bytes: raw}
		if k == cell.Null {
			v.Bytes = nil
		}
		leaf := cell.ColumnDef{Field: "x", ExcelFormat: fuzzFormats[int(format)%len(fuzzFormats)]}
		if n := int(labels) % (4 * len(celltest.Labels)); n < len(celltest.Labels) {
			leaf.ExcelCodeMap = celltest.Labels[n]
		}
		at := zones[int(zone)%len(zones)]
		for _, field := range []cell.Field{{Kind: k, Scale: int(max(scale, -1))}, {Scale: -1}} {
			c, _ := cell.Compile(leaf, field, true, at)
			want := celltest.Rule(leaf, field, v, at)
			got := seen(c, c.Cell(v))
			if fault := got.Fault(want); fault != "" {
				t.Fatalf("%+v %+v in %v: %q of kind %d is %+v: %s", leaf, field, at, raw, k, got, fault)
			}
			if cut := c.Truncated() > 0; cut != want.Cut {
				t.Fatalf("%+v: %.80q of kind %d was cut: %v", leaf, raw, k, cut)
			}
		}
	})
}
