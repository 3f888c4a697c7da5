package readers

import (
	"context"
	"os"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// Structure reads with the checker of the tests, which also fails where the
// archive or its XML are not as Excel wants them.
//
// Numbers are given as they stand in the file. Which of them are moments or
// durations is told by their formats; both are rounded to milliseconds.
func Structure() Reader { return structure{} }

type structure struct{}

func (structure) Name() string { return "structure" }

func (structure) Read(ctx context.Context, path string, visit Visit) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	info, err := in.Stat()
	if err != nil {
		return err
	}
	s := steps{visit: visit}
	begun := false
	var row []Cell
	_, err = xlsxtest.Check(in, info.Size(), func(sheet string, line int, cells []xlsxtest.Cell) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !begun || sheet != s.sheet {
			s.begin(sheet)
			begun = true
		}
		row = row[:0]
		for _, c := range cells {
			row = append(row, fromStructure(c))
		}
		return s.show(line, row)
	})
	return err
}

// fromStructure takes a cell for what its type and its number format make it.
func fromStructure(c xlsxtest.Cell) Cell {
	switch {
	case c.Type == "":
		return Cell{Format: c.NumFmt}
	case c.Formula:
		return Cell{Strange, "a formula, last " + c.Raw, c.NumFmt}
	case c.Type == "s":
		return Cell{Text, c.Text, c.NumFmt}
	case c.Type == "b":
		return Cell{Boolean, c.Raw, c.NumFmt}
	case c.Type == "n":
		return fromNumber(c.Raw, c.NumFmt)
	}
	return Cell{Strange, c.Type + " " + c.Raw, c.NumFmt}
}
