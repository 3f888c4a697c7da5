package readers

import (
	"context"
	_ "embed"
)

//go:embed openpyxl_cells.py
var openpyxlCells string

// Openpyxl reads with that library, which the Python at the path has, in its
// normal mode, which holds all cells in memory, or in its read-only mode.
//
// The library reads numbers with a point or an exponent through doubles and gives
// their shortest literal; moments and durations it rounds to milliseconds. It
// takes an elapsed format ([h]…) for a duration; of any other format of dates and
// times it takes what is less than a day for a time of day, all else for a moment.
// Escapes (_x000D_) in a text that stands in its cell are given as they are.
// Formulas are strange cells, their stored results are not read. The read-only
// mode leaves out what is not in the dimension that a sheet says it has.
func Openpyxl(python string, readOnly bool) Reader { return openpyxl{python, readOnly} }

type openpyxl struct {
	python   string
	readOnly bool
}

func (r openpyxl) Name() string { return "openpyxl, " + r.mode() + " mode" }

func (r openpyxl) mode() string {
	if r.readOnly {
		return "read-only"
	}
	return "normal"
}

func (r openpyxl) Read(ctx context.Context, path string, visit Visit) error {
	return readLines(ctx, r.python, []string{"-I", "-c", openpyxlCells, path, r.mode()}, "", visit)
}
