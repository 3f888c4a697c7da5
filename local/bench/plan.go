package main

import "slices"

const (
	// fullRows is the size that the figures are meant for; smaller ones shrink
	// every shape.
	fullRows = 1_000_000
	// sheetRows is what one sheet holds below its header. Excelize's stream writer
	// does not go on in another sheet.
	sheetRows = 1<<20 - 1

	shapeCols = 10
	maxCols   = 1000
)

// The shapes that are spoken of elsewhere; memory has two sizes.
const (
	mixedShape  = "mixed"
	memoryShape = "memory"
)

// A shape is a kind of rows with its size. The rows are those of a full run.
type shape struct {
	name    string
	rows    int64
	cols    int      // 0: as many as asked for
	writers []string // nil: all that work in the process alone
}

// shapes in the order of measuring, each of another size, so that results are told
// apart by size too. The peak's growth from the first size of the
// shape memory to the second is looked at.
var shapes = []shape{
	{name: mixedShape, rows: fullRows},
	{name: "wide", rows: 200_000, cols: 50},
	{name: "text", rows: 400_000, cols: shapeCols},
	{name: "numbers", rows: 600_000, cols: shapeCols},
	{name: memoryShape, rows: 100_000, cols: shapeCols, writers: []string{haexcel, idle}},
	{name: memoryShape, rows: 5_000_000, cols: shapeCols, writers: []string{haexcel, idle}},
}

func shapeNames() (names []string) {
	for _, s := range shapes {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// A benchCase is one shape and size with the writers to compare.
type benchCase struct {
	shape   string
	rows    int64
	cols    int
	writers []writer
}

// plan lists what to measure. What is asked for by name and can't be measured is
// told to say.
func plan(s settings, there servers, say func(string, ...any)) (cases []benchCase) {
	for _, sh := range shapes {
		if s.shapes != nil && !slices.Contains(s.shapes, sh.name) {
			continue
		}
		c := benchCase{shape: sh.name, rows: max(1, sh.rows*s.rows/fullRows), cols: sh.cols}
		if c.cols == 0 {
			c.cols = s.cols
		}
		for _, w := range writers {
			if !wanted(s, sh, w) {
				continue
			}
			if lack := w.lacks(c, there); lack != "" {
				say("%s is left out of %s with %d rows: %s", w.name, c.shape, c.rows, lack)
				continue
			}
			c.writers = append(c.writers, w)
		}
		if len(c.writers) > 0 {
			cases = append(cases, c)
		}
	}
	return cases
}

// wanted reports whether a writer belongs to a shape and was chosen.
func wanted(s settings, sh shape, w writer) bool {
	if s.writers != nil && !slices.Contains(s.writers, w.name) {
		return false
	}
	if sh.writers != nil {
		return slices.Contains(sh.writers, w.name)
	}
	return !w.remote() || sh.name == mixedShape
}

// order is the writers of a round: as listed in the first, and each time another
// part of the list first, so that no writer always follows the same one's heat.
func order(writers []writer, round, rounds int) []writer {
	first := round * len(writers) / rounds
	return slices.Concat(writers[first:], writers[:first])
}
