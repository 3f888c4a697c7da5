package readers

import (
	"context"
	"errors"
	"fmt"

	excel "github.com/xuri/excelize/v2"
)

// Excelize reads with that library, which holds all cells in memory.
//
// The library tells texts, numbers and booleans apart and gives numbers as they
// stand in the file. Which of them are moments or durations is told by their
// formats; both are rounded to milliseconds. An empty text is given as no cell: it
// says of merged cells that each has the type of the first.
func Excelize() Reader { return excelize{} }

type excelize struct{}

func (excelize) Name() string { return "excelize" }

func (excelize) Read(ctx context.Context, path string, visit Visit) (err error) {
	f, err := excel.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	formats := map[int]string{} // by style
	s := steps{visit: visit}
	for _, sheet := range f.GetSheetList() {
		s.begin(sheet)
		rows, err := f.GetRows(sheet, excel.Options{RawCellValue: true})
		if err != nil {
			return err
		}
		var cells []Cell
		for i, row := range rows {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			cells = cells[:0]
			for column, raw := range row {
				c, err := fromExcelize(f, formats, sheet, column+1, i+1, raw)
				if err != nil {
					return err
				}
				cells = append(cells, c)
			}
			if err := s.show(i+1, cells); err != nil {
				return err
			}
		}
	}
	return nil
}

func fromExcelize(f *excel.File, formats map[int]string, sheet string, column, row int, raw string) (Cell, error) {
	at, err := excel.CoordinatesToCellName(column, row)
	if err != nil {
		return Cell{}, err
	}
	kind, err := f.GetCellType(sheet, at)
	if err != nil {
		return Cell{}, err
	}
	formula, err := f.GetCellFormula(sheet, at)
	if err != nil {
		return Cell{}, err
	}
	style, err := f.GetCellStyle(sheet, at)
	if err != nil {
		return Cell{}, err
	}
	code, known := formats[style]
	if !known {
		if code, err = excelizeFormat(f, style); err != nil {
			return Cell{}, err
		}
		formats[style] = code
	}
	switch {
	case formula != "":
		return Cell{Strange, "=" + formula, code}, nil
	case raw == "":
		return Cell{Format: code}, nil
	case kind == excel.CellTypeInlineString || kind == excel.CellTypeSharedString:
		return Cell{Text, raw, code}, nil
	case kind == excel.CellTypeBool:
		return Cell{Boolean, raw, code}, nil
	case kind == excel.CellTypeUnset || kind == excel.CellTypeNumber:
		return fromNumber(raw, code), nil
	}
	return Cell{Strange, fmt.Sprintf("type %d %s", kind, raw), code}, nil
}

// excelizeFormat is the code of a style's number format. The library tells the
// numbers of those that are built in.
func excelizeFormat(f *excel.File, style int) (string, error) {
	s, err := f.GetStyle(style)
	if err != nil {
		return "", err
	}
	if s.CustomNumFmt != nil {
		return *s.CustomNumFmt, nil
	}
	if code, ok := builtInFormats[s.NumFmt]; ok {
		return code, nil
	}
	return fmt.Sprintf("format %d", s.NumFmt), nil
}

// builtInFormats are the formats that files name by a number alone and that mean
// the same in every language (ECMA-376 part 1, 18.8.30).
var builtInFormats = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 49: "@",
}
