package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// maxNormalRows is what openpyxl reads in its normal mode, which holds all cells
// in memory.
const maxNormalRows = 200_000

//go:embed print_cells.py
var printCells string

// openpyxl reads a file with that library, in one of its modes.
func (p program) openpyxl(mode string) func(context.Context, file, *cursor) error {
	return func(ctx context.Context, f file, c *cursor) (err error) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		cmd := exec.CommandContext(ctx, p.python, "-I", "-c", printCells, f.path, mode)
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := compareLines(out, c); err != nil {
			stop()
			return errors.Join(err, complaint(cmd.Wait(), &complaints))
		}
		return complaint(cmd.Wait(), &complaints)
	}
}

// complaint adds what a program said to how it ended, where that was of itself.
func complaint(err error, said *bytes.Buffer) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil // it was stopped
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// compareLines compares what the script prints: the name of each sheet as text,
// then each of its rows as a list.
func compareLines(out io.Reader, c *cursor) error {
	lines := json.NewDecoder(out)
	lines.UseNumber()
	sheet, line := "", 0
	var row []found
	for {
		var value any
		if err := lines.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch v := value.(type) {
		case string:
			sheet, line = v, 0
		case []any:
			line++
			row = row[:0]
			for _, value := range v {
				row = append(row, fromJSON(value))
			}
			if err := c.row(sheet, line, row); err != nil {
				return err
			}
		default:
			return fmt.Errorf("the script printed %v", v)
		}
	}
}

func fromJSON(value any) found {
	switch v := value.(type) {
	case nil:
		return found{}
	case string:
		return found{text, v}
	case json.Number:
		return found{number, v.String()}
	case bool:
		return found{boolean, map[bool]string{true: "1", false: "0"}[v]}
	case map[string]any:
		if at, ok := v["moment"].(string); ok {
			return found{date, at}
		}
	}
	return found{strange, fmt.Sprint(value)}
}
