package main

import (
	"context"
	"io"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/shared/cell"
)

// excelizeSubject writes the rows as excelize's documentation tells its users to
// write many.
type excelizeSubject struct{ local }

func openExcelize(_ context.Context, j job) (subject, error) { return excelizeSubject{local{j}}, nil }

func (s excelizeSubject) run(ctx context.Context) (int64, error) {
	return writeFile(s.job.File, func(w io.Writer) error { return s.write(ctx, w) })
}

func (s excelizeSubject) write(ctx context.Context, w io.Writer) (err error) {
	f := excelize.NewFile()
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	sheet, err := f.NewStreamWriter(sheetName)
	if err != nil {
		return err
	}
	if err := s.writeRows(ctx, f, sheet); err != nil {
		return err
	}
	if err := sheet.Flush(); err != nil {
		return err
	}
	return f.Write(w)
}

func (s excelizeSubject) writeRows(ctx context.Context, f *excelize.File, sheet *excelize.StreamWriter) error {
	g := s.generator()
	styles, err := dateStyles(f, g.Fields())
	if err != nil {
		return err
	}
	row := make([]any, len(styles))
	for i, column := range g.Header() {
		row[i] = column.HeaderName
	}
	if err := sheet.SetRow("A1", row); err != nil {
		return err
	}
	for i := range s.job.Rows {
		if i%cancelRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for c, v := range g.Values(i) {
			if _, isTime := v.(time.Time); isTime {
				v = excelize.Cell{StyleID: styles[c], Value: v}
			}
			row[c] = v
		}
		at, err := excelize.CoordinatesToCellName(1, int(i)+2)
		if err != nil {
			return err
		}
		if err := sheet.SetRow(at, row); err != nil {
			return err
		}
	}
	return nil
}

// dateStyles gives each column of dates the style that shows them, and 0 to all
// others.
func dateStyles(f *excelize.File, fields []cell.Field) ([]int, error) {
	formats := map[cell.Kind]string{cell.Date: "yyyy-mm-dd", cell.DateTime: "yyyy-mm-dd hh:mm:ss"}
	styles := make([]int, len(fields))
	for i, field := range fields {
		format, dated := formats[field.Kind]
		if !dated {
			continue
		}
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		if err != nil {
			return nil, err
		}
		styles[i] = style
	}
	return styles, nil
}
