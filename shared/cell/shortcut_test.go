package cell

import "testing"

// general makes a cell without the shortcuts.
func general(c *Column, v Value) Cell {
	if c.codes != nil {
		if l, ok := c.label(v); ok {
			return c.labelled(l)
		}
	}
	return c.ruled(v)
}

func checkShortcut(t *testing.T, leaf ColumnDef, f Field, v Value) {
	t.Helper()
	leaf.Field = "x"
	quick, _ := Compile(leaf, f, true, seoul)
	slow := quick.Clone()
	got, want := quick.Cell(v), general(slow, v)
	if got.Type != want.Type || got.Format != want.Format || string(got.Text) != string(want.Text) || quick.Truncated() != slow.Truncated() {
		t.Fatalf("format %q, field %+v, kind %d %q: %+v %q, want %+v %q", leaf.ExcelFormat, f, v.Kind, short(string(v.Bytes)),
			got, short(string(got.Text)), want, short(string(want.Text)))
	}
}

// checkShortcuts tries a value in columns of every format.
func checkShortcuts(t *testing.T, v Value, scale int) {
	t.Helper()
	for _, field := range []Field{{Kind: v.Kind, Scale: scale}, {Kind: Null, Scale: -1}, {Kind: Decimal, Scale: scale}} {
		for _, format := range corpusFormats {
			checkShortcut(t, ColumnDef{ExcelFormat: format}, field, v)
		}
		checkShortcut(t, ColumnDef{ExcelCodeMap: map[string]string{"1": "하나", "": "none", "t": "참"}}, field, v)
	}
}

func TestShortcutsGiveTheRulesCells(t *testing.T) {
	t.Parallel()
	r := newSource(7)
	for k := Null; k <= Other+1; k++ {
		for _, in := range corpusEdges {
			checkShortcuts(t, value(k, in), 2)
		}
		for range 1000 {
			checkShortcuts(t, value(k, corpusValue(r, k)), r.below(5)-1)
		}
	}
}

func FuzzShortcuts(f *testing.F) {
	for i, seed := range corpusEdges {
		f.Add([]byte(seed), uint8(i), int8(i%35-1))
	}
	f.Fuzz(func(t *testing.T, raw []byte, kind uint8, scale int8) {
		checkShortcuts(t, Value{Kind: Kind(kind) % (Other + 2), Bytes: raw}, int(scale))
	})
}
