package readers

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// showCSV shows the records of a CSV file. An empty line is the row of a sheet
// of one column; the library, which leaves such lines out, tells where in the
// file a record stands.
func showCSV(ctx context.Context, path string, s *steps) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := csv.NewReader(in)
	lines.FieldsPerRecord = -1
	lines.ReuseRecord = true
	row, next := 0, 1 // the row shown last and the line that the one after it begins in
	var cells []Cell
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("sheet %q: %w", s.sheet, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line, _ := lines.FieldPos(0)
		row += 1 + line - next
		next = line + 1
		cells = cells[:0]
		for _, field := range fields {
			cells = append(cells, Cell{Content: Shown, Text: field})
			next += strings.Count(field, "\n")
		}
		if err := s.show(row, cells); err != nil {
			return err
		}
	}
}
