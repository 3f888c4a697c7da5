package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/local/bench/rows"
)

// file is a workbook that a benchmark left.
type file struct {
	path   string
	shape  string
	rows   int64
	cols   int
	writer string
}

var nameForm = regexp.MustCompile(`^([a-z]+)-([0-9]+)x([0-9]+)-(.+)\.xlsx$`)

// parseName reads what a file's name says: SHAPE-ROWSxCOLS-WRITER.xlsx.
func parseName(name string) (file, error) {
	found := nameForm.FindStringSubmatch(name)
	if found == nil || !rows.Known(found[1]) {
		return file{}, fmt.Errorf("%s is not called as a benchmark's file", name)
	}
	n, errRows := strconv.ParseInt(found[2], 10, 64)
	cols, errCols := strconv.Atoi(found[3])
	if errRows != nil || errCols != nil || cols < 1 {
		return file{}, fmt.Errorf("%s does not say how many rows it has", name)
	}
	return file{shape: found[1], rows: n, cols: cols, writer: found[4]}, nil
}

// ours tells whether haexcel wrote the file.
func (f file) ours() bool {
	return strings.HasPrefix(f.writer, "haexcel") || strings.HasPrefix(f.writer, "pipeline")
}
