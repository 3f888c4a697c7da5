// Package readers reads finished workbooks with programs and libraries that know
// nothing of haexcel, and tells in one vocabulary what each takes a cell for:
// LibreOffice, openpyxl, Apache POI, exceljs and excelize, beside the strict
// checker of the tests (shared/xlsx/xlsxtest). A test that compares what several
// of them say finds what one of them forgives.
//
// None of them gives back all that a cell is. Each constructor says what its
// reader rounds, converts or leaves out.
//
// A reader may be used from several goroutines.
package readers

import "context"

// A Reader reads workbooks.
type Reader interface {
	// Name is what messages call it.
	Name() string
	// Read shows all cells of the workbook at path. Where it fails, the error
	// carries what the reader's program said.
	Read(ctx context.Context, path string, visit Visit) error
}

// Visit is shown each row of each sheet in order, counted from 1, with the cells
// from column A on; the slice is used again. Rows without cells between others
// are shown too. Cells behind the last one of a row and rows behind the last one
// of a sheet may be missing where they are empty. An error ends the reading.
type Visit func(sheet string, row int, cells []Cell) error
