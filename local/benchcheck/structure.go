package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// readStructure reads a file with the checker of the tests.
func readStructure(ctx context.Context, f file, c *cursor) error {
	var row []found
	_, err := eachRow(f, func(sheet string, line int, cells []xlsxtest.Cell) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row = row[:0]
		for _, cell := range cells {
			row = append(row, fromStructure(cell))
		}
		return c.row(sheet, line, row)
	})
	return err
}

func eachRow(f file, visit xlsxtest.Visit) (*xlsxtest.Book, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // it was only read
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	return xlsxtest.Check(in, info.Size(), visit)
}

// fromStructure takes a cell for what its type and its number format make it.
func fromStructure(c xlsxtest.Cell) found {
	switch {
	case c.Type == "":
		return found{}
	case c.Type == "s" && c.NumFmt == "General":
		return found{text, c.Text}
	case c.Type == "b" && c.NumFmt == "General":
		return found{boolean, c.Raw}
	case c.Type == "n" && c.NumFmt == "yyyy-mm-dd":
		return atMoment(day, c.Raw)
	case c.Type == "n" && c.NumFmt == "yyyy-mm-dd hh:mm:ss":
		return atMoment(moment, c.Raw)
	case c.Type == "n" && plainFormat(c.NumFmt):
		return found{number, c.Raw}
	}
	return found{strange, c.Type + " " + c.Raw + " in the format " + c.NumFmt}
}

// plainFormat knows the formats of numbers that show all of their digits.
func plainFormat(code string) bool {
	return code == "General" || code == "0" || strings.Trim(code, "0") == "." && strings.HasPrefix(code, "0.0")
}

func atMoment(kind content, serial string) found {
	at, err := xlsxtest.Moment(serial)
	if err != nil {
		return found{strange, serial}
	}
	return found{kind, at.Format(time.DateTime)}
}
