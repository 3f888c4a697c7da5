package readers

import (
	"context"
	"fmt"
	"strconv"
)

// Reader reads with POI's usermodel, which holds all cells in memory.
//
// Numbers are as they stand in the file. Whether one is a date is for POI to say,
// which rounds moments to milliseconds; those whose format shows the clock alone
// are durations, which POI does not know. Formulas and errors are strange cells.
func (j *Java) Reader() Reader { return poiReader{j, "POI", "cells"} }

// ShownReader reads with POI's usermodel what its DataFormatter shows of each cell
// where English is spoken. It rounds as Java does, and knows no widths: a number
// too long for its column is shown whole.
func (j *Java) ShownReader() Reader { return poiReader{j, "POI, as shown", "shown"} }

// StreamReader reads with POI's event model, in little memory, what ShownReader
// gives, but for the formats. In a file without references POI does not tell the
// places of cells behind an empty one.
func (j *Java) StreamReader() Reader { return poiReader{j, "POI, event model", "streamed"} }

type poiReader struct {
	java *Java
	name string
	verb string
}

func (r poiReader) Name() string { return r.name }

func (r poiReader) Read(ctx context.Context, path string, visit Visit) error {
	s := steps{visit: visit}
	var cells []Cell
	return r.java.ask(ctx, r.verb, path, func(line javaLine) error {
		if line.Sheet != nil {
			s.begin(*line.Sheet)
			return nil
		}
		cells = cells[:0]
		for _, spoken := range line.Cells {
			c, err := fromPOI(spoken)
			if err != nil {
				return err
			}
			cells = append(cells, c)
		}
		return s.show(line.Row, cells)
	})
}

// fromPOI reads a cell as scripts write it, or with contents of POI's own.
func fromPOI(spoken []string) (Cell, error) {
	switch {
	case len(spoken) == 3 && spoken[0] == "shown":
		return Cell{Shown, spoken[1], spoken[2]}, nil
	case len(spoken) == 4 && spoken[0] == "date":
		moment, format, number := spoken[1], spoken[2], spoken[3]
		if contentOf(format) != Duration {
			return Cell{Moment, moment, format}, nil
		}
		days, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return Cell{}, fmt.Errorf("the number of a date: %w", err)
		}
		return Cell{Duration, durationText(days), format}, nil
	}
	return spokenCell(spoken)
}
