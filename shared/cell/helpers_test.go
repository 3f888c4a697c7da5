package cell

import (
	"strings"
	"testing"
	"time"
)

var seoul = func() *time.Location {
	l, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		panic(err)
	}
	return l
}()

// shown is a cell in one line: its type, its text and, unless General, its
// number format.
func shown(c *Column, out Cell) string {
	s := map[Type]string{Empty: "empty", Number: "n:", String: "s:", Boolean: "b:"}[out.Type] + string(out.Text)
	if f := c.Formats()[out.Format]; f != "General" {
		s += " |" + f
	}
	return s
}

// compiled is a column that must compile without a warning.
func compiled(t testing.TB, leaf ColumnDef, f Field) *Column {
	t.Helper()
	if leaf.Field == "" {
		leaf.Field = "x"
	}
	c, warnings := Compile(leaf, f, true, seoul)
	if len(warnings) > 0 {
		t.Fatalf("warnings: %v", warnings)
	}
	return c
}

func value(k Kind, s string) Value { return Value{Kind: k, Bytes: []byte(s)} }

// show makes one cell of a column without a code map.
func show(t testing.TB, format string, k Kind, scale int, s string) string {
	t.Helper()
	c := compiled(t, ColumnDef{ExcelFormat: format}, Field{Kind: k, Scale: scale})
	return shown(c, c.Cell(value(k, s)))
}

// row of a table: a value in, a cell out.
type row struct {
	kind Kind
	in   string
	want string
}

func checkRows(t *testing.T, format string, scale int, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := show(t, format, r.kind, scale, r.in); got != r.want {
			t.Errorf("%s of kind %d %q: got %q, want %q", format, r.kind, short(r.in), short(got), short(r.want))
		}
	}
}

func short(s string) string {
	if len(s) > 80 {
		return s[:40] + "…" + s[len(s)-30:]
	}
	return s
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
