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
// takes an elapsed format ([h]…) for a duration, and a moment before 1900-01-01
// for a time of day. Formulas are strange cells, their stored results are not
// read.
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
