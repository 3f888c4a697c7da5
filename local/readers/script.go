package readers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// readLines runs a program that prints a workbook's cells, a JSON object on each
// line, and shows them:
//
//	{"sheet": "name"}                                    for each sheet, in order
//	{"row": 7, "cells": [null, ["number", "0.5", "0%"]]}  for each of its rows
//
// A cell is null where it is empty, else its content, its text and its number
// format's code; rows without cells may be left out. Where the program fails or
// prints something else, the error carries its complaints.
func readLines(ctx context.Context, program string, args []string, folder string, visit Visit) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := showLines(out, visit); err != nil {
		stop()
		return errors.Join(err, complaint(cmd.Wait(), &complaints))
	}
	return failure(cmd.Wait(), &complaints)
}

// failure adds what a program said to how it ended.
func failure(err error, said *bytes.Buffer) error {
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// complaint is the failure of a program that was stopped, unless it had ended of
// itself.
func complaint(err error, said *bytes.Buffer) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil
	}
	return failure(err, said)
}

// spokenContents are the contents as scripts call them.
var spokenContents = map[string]Content{
	"text": Text, "number": Number, "boolean": Boolean, "moment": Moment, "duration": Duration, "strange": Strange,
}

func showLines(out io.Reader, visit Visit) error {
	lines := json.NewDecoder(out)
	lines.DisallowUnknownFields()
	s := steps{visit: visit}
	var cells []Cell
	for {
		var line struct {
			Sheet *string
			Row   int
			Cells [][]string
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("what the script prints: %w", err)
		}
		if line.Sheet != nil {
			s.begin(*line.Sheet)
			continue
		}
		cells = cells[:0]
		for _, c := range line.Cells {
			spoken, err := spokenCell(c)
			if err != nil {
				return err
			}
			cells = append(cells, spoken)
		}
		if err := s.show(line.Row, cells); err != nil {
			return err
		}
	}
}

func spokenCell(c []string) (Cell, error) {
	if c == nil {
		return Cell{}, nil
	}
	if len(c) == 3 {
		if content, ok := spokenContents[c[0]]; ok {
			return Cell{content, c[1], c[2]}, nil
		}
	}
	return Cell{}, fmt.Errorf("the script printed the cell %q", c)
}
