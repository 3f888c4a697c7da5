package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/shared/cell"
)

// cursor goes over the rows that a file should hold while a reader goes over
// those that it holds: in each sheet the header, then the rows from where the
// sheet before has ended.
type cursor struct {
	generator *rows.Generator
	header    []cell.Value
	total     int64
	next      int64 // row of the generator that comes next
	sheet     string
	line      int // last row in the sheet
	sheets    int
	cells     int64
}

func newCursor(f file) *cursor {
	c := &cursor{generator: rows.New(f.shape, f.cols), total: f.rows}
	for _, column := range c.generator.Header() {
		c.header = append(c.header, cell.Value{Kind: cell.Text, Bytes: []byte(column.HeaderName)})
	}
	return c
}

// row compares a row of a sheet, counted from 1, with the one that is expected.
func (c *cursor) row(sheet string, line int, cells []readers.Cell) error {
	if sheet != c.sheet || c.sheets == 0 {
		c.sheet, c.line = sheet, 0
		c.sheets++
	}
	c.line++
	if line != c.line {
		return fmt.Errorf("sheet %q: row %d comes after row %d", sheet, line, c.line-1)
	}
	want := c.header
	if line > 1 {
		if c.next == c.total {
			return fmt.Errorf("sheet %q, row %d: expected %d rows in all, found more", sheet, line, c.total)
		}
		want = c.generator.Row(c.next)
		c.next++
	}
	for i := range max(len(want), len(cells)) {
		var w cell.Value
		var f readers.Cell
		if i < len(want) {
			w = want[i]
		}
		if i < len(cells) {
			f = cells[i]
		}
		if !agrees(f, w) {
			return fmt.Errorf("sheet %q, cell %s%d: expected %s, found %s", sheet, columnName(i), line, describe(w), describeCell(f))
		}
	}
	c.cells += int64(len(want))
	return nil
}

// end wants all rows to have been there.
func (c *cursor) end() error {
	if c.next != c.total {
		return fmt.Errorf("expected %d rows, found %d", c.total, c.next)
	}
	return nil
}

// columnName is a column's letters; 0 is A.
func columnName(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// The number formats of the generator's dates.
const (
	dayFormat    = "yyyy-mm-dd"
	momentFormat = "yyyy-mm-dd hh:mm:ss"
)

// agrees tells whether a cell is what the rules make of a value. They display
// every value of the generator as the value's own text, but for booleans.
func agrees(c readers.Cell, v cell.Value) bool {
	own := string(v.Bytes)
	if c.Content == readers.Shown {
		if v.Kind == cell.Bool {
			own = map[string]string{"1": "TRUE", "0": "FALSE"}[own]
		}
		return c.Text == own
	}
	switch v.Kind {
	case cell.Null:
		return c.Content == readers.Empty
	case cell.Text:
		return c.Content == readers.Text && c.Text == own && c.Format == "General"
	case cell.Bool:
		return c.Content == readers.Boolean && c.Text == own && c.Format == "General"
	case cell.Date:
		return c.Content == readers.Moment && c.Text == own+" 00:00:00" && c.Format == dayFormat
	case cell.DateTime:
		return c.Content == readers.Moment && c.Text == own && c.Format == momentFormat
	case cell.Integer, cell.Decimal, cell.Float:
		if c.Content != readers.Number || !plainFormat(c.Format) {
			return false
		}
		got, errGot := strconv.ParseFloat(c.Text, 64)
		want, errWant := strconv.ParseFloat(own, 64)
		return errGot == nil && errWant == nil && got == want
	}
	return false
}

// plainFormat knows the formats of numbers that show all of their digits.
func plainFormat(code string) bool {
	return code == "General" || code == "0" || strings.Trim(code, "0") == "." && strings.HasPrefix(code, "0.0")
}

// describeCell tells a cell with its number format, which may be what differs.
func describeCell(c readers.Cell) string {
	if c.Content == readers.Empty || c.Content == readers.Shown {
		return c.String()
	}
	return fmt.Sprintf("%s in the format %q", c, c.Format)
}

func describe(v cell.Value) string {
	if v.Kind == cell.Null {
		return "nothing"
	}
	return fmt.Sprintf("%q", v.Bytes)
}
