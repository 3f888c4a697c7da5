package xlsx

import (
	"math"
	"strconv"

	"github.com/haexcel/haexcel/shared/cell"
)

// header is a tree of columns laid out: rows of texts and the ranges to merge.
type header struct {
	rows    [][]string // rows[level][column]; "" also under a merge
	merges  []string
	leaves  []cell.ColumnDef
	cut     int64 // texts that were too long
	columns int
}

// layOut puts groups across their leaves and lets a leaf above the deepest level
// reach down. A range of one cell is no merge.
func layOut(defs []cell.ColumnDef) *header {
	h := &header{leaves: cell.Leaves(defs)}
	h.columns = len(h.leaves)
	h.rows = make([][]string, depth(defs))
	for i := range h.rows {
		h.rows[i] = make([]string, h.columns)
	}
	h.place(defs, 0, 0)
	return h
}

func depth(defs []cell.ColumnDef) int {
	deepest := 0
	for _, d := range defs {
		deepest = max(deepest, 1+depth(d.Children))
	}
	return deepest
}

// place puts defs into a row from a column on and answers the column behind them.
func (h *header) place(defs []cell.ColumnDef, row, column int) int {
	for _, d := range defs {
		next, last := column+1, len(h.rows)-1
		if !d.Leaf() {
			next, last = h.place(d.Children, row+1, column), row
		}
		text, cut := cell.HeaderText(title(d))
		if cut {
			h.cut++
		}
		h.rows[row][column] = text
		if next-1 > column || last > row {
			h.merges = append(h.merges, reference(column, row+1)+":"+reference(next-1, last+1))
		}
		column = next
	}
	return column
}

// title is the text of a header; a column without one is called by its field.
func title(d cell.ColumnDef) string {
	if d.HeaderName == "" && d.Leaf() {
		return d.Field
	}
	return d.HeaderName
}

// width is a column's width in characters; ok is false for a column without one.
func width(d cell.ColumnDef) (chars float64, ok bool) {
	px := d.Width
	if !(px > 0) {
		px = d.MinWidth
	}
	if !(px > 0) {
		return 0, false
	}
	return math.Min(math.Max(px*36/256, 10), 255), true
}

// columnName is a column's letters; 0 is A.
func columnName(column int) string {
	var b [3]byte
	i := len(b)
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		i--
		b[i] = byte('A' + (n-1)%26)
	}
	return string(b[i:])
}

// reference is a cell's address; rows count from 1.
func reference(column, row int) string { return columnName(column) + strconv.Itoa(row) }
