package main

import (
	"context"
	"io"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// sheetName is what every writer's sheet is called.
const sheetName = "Sheet1"

// haexcelSubject writes the rows with shared/xlsx.
type haexcelSubject struct {
	local
	options xlsx.Options
}

func openHaexcel(_ context.Context, j job) (subject, error) {
	return haexcelSubject{local: local{j}}, nil
}

func openHaexcelSmall(_ context.Context, j job) (subject, error) {
	return haexcelSubject{local{j}, xlsx.Options{Compression: xlsx.Small}}, nil
}

func (s haexcelSubject) run(ctx context.Context) (int64, error) {
	return writeFile(s.job.File, func(w io.Writer) error {
		g := s.generator()
		return writeRows(ctx, w, g, s.job.Rows, s.options)
	})
}

// writeRows writes a workbook.
func writeRows(ctx context.Context, w io.Writer, g *rows.Generator, n int64, o xlsx.Options) error {
	book, err := xlsx.NewWriter(w, sheetOf(g), o)
	if err != nil {
		return err
	}
	defer book.Abort()
	for i := range n {
		if i%cancelRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := book.Write(g.Row(i)); err != nil {
			return err
		}
	}
	return book.Close()
}

// sheetOf describes the rows.
func sheetOf(g *rows.Generator) xlsx.Sheet {
	s := xlsx.Sheet{Name: sheetName, Header: g.Header()}
	for i, f := range g.Fields() {
		column, _ := cell.Compile(s.Header[i], f, true, nil)
		s.Columns = append(s.Columns, column)
	}
	return s
}
