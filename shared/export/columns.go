package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// wantedFields are the fields of the leaves, each once, in order.
func wantedFields(defs []cell.ColumnDef) []string {
	var out []string
	seen := map[string]bool{}
	for _, leaf := range cell.Leaves(defs) {
		if leaf.Field != "" && !seen[leaf.Field] {
			seen[leaf.Field] = true
			out = append(out, leaf.Field)
		}
	}
	return out
}

// maxFormats is how many number format codes of a request a workbook takes. With
// those of the rules they stay below the number that Excel keeps.
const maxFormats = 150

// binding ties the leaves of a header to the fields of the rows.
type binding struct {
	columns []*cell.Column
	source  []int // leaf → field, -1 where the rows lack it
	row     []cell.Value
}

// bind compiles the leaves and keeps their warnings: a field that the rows lack
// is a blank column.
func bind(defs []cell.ColumnDef, fields []cell.Field, zone *time.Location, warn *Warnings) *binding {
	leaves := cell.Leaves(defs)
	b := &binding{
		columns: make([]*cell.Column, len(leaves)),
		source:  make([]int, len(leaves)),
		row:     make([]cell.Value, len(leaves)),
	}
	asked := map[string]bool{} // number format codes of the request
	for i, leaf := range leaves {
		at := findField(fields, leaf.Field)
		b.source[i] = at
		var f cell.Field
		if at >= 0 {
			f = fields[at]
		}
		col, notes := cell.Compile(leaf, f, at >= 0, zone)
		if slices.Contains(col.Formats()[1:], leaf.ExcelFormat) {
			asked[leaf.ExcelFormat] = true
		}
		if len(asked) > maxFormats {
			delete(asked, leaf.ExcelFormat)
			leaf.ExcelFormat = ""
			col, notes = cell.Compile(leaf, f, at >= 0, zone)
			notes = append(notes, fmt.Sprintf("column %q: Excel keeps no more than %d number formats of one's own: plain values are written", leaf.Field, maxFormats))
		}
		b.columns[i] = col
		for _, n := range notes {
			warn.add(n)
		}
	}
	return b
}

// values picks the leaves' values out of a source row. The answer is valid until
// the next call.
func (b *binding) values(src []cell.Value) []cell.Value {
	for i, at := range b.source {
		if at < 0 {
			b.row[i] = cell.Value{}
			continue
		}
		b.row[i] = src[at]
	}
	return b.row
}

// findField looks a field up by its name; where no name is equal, by one that is
// equal but for case, when there is exactly one (PostgreSQL folds unquoted
// aliases).
func findField(fields []cell.Field, name string) int {
	folded, matches := -1, 0
	for i, f := range fields {
		if f.Name == name {
			return i
		}
		if strings.EqualFold(f.Name, name) {
			folded = i
			matches++
		}
	}
	if matches != 1 {
		return -1
	}
	return folded
}
