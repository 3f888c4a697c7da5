package main

import (
	"fmt"
	"strconv"

	"github.com/haexcel/haexcel/local/bench/rows"
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
func (c *cursor) row(sheet string, line int, cells []found) error {
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
		var f found
		if i < len(want) {
			w = want[i]
		}
		if i < len(cells) {
			f = cells[i]
		}
		if !f.agrees(w) {
			return fmt.Errorf("sheet %q, cell %s%d: expected %s, found %s", sheet, columnName(i), line, describe(w), f)
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

// A content is what a reader takes a cell for.
type content int

const (
	empty   content = iota
	text            // as it is
	number          // any literal of it
	boolean         // "1" or "0"
	day             // yyyy-MM-dd HH:mm:ss, displayed without the time
	moment          // yyyy-MM-dd HH:mm:ss
	date            // one of the two: the reader does not tell
	shown           // what a person sees, whatever it is
	strange         // none of these
)

// found is a cell as a reader gives it.
type found struct {
	content content
	text    string
}

func (f found) String() string {
	return fmt.Sprintf("%s %q", [...]string{
		"nothing", "the text", "the number", "the boolean", "the day", "the moment", "the date", "the display", "the cell",
	}[f.content], f.text)
}

// agrees tells whether a cell is what the rules make of a value. They display
// every value of the generator as the value's own text, but for booleans.
func (f found) agrees(v cell.Value) bool {
	own := string(v.Bytes)
	if f.content == shown {
		if v.Kind == cell.Bool {
			own = map[string]string{"1": "TRUE", "0": "FALSE"}[own]
		}
		return f.text == own
	}
	switch v.Kind {
	case cell.Null:
		return f.content == empty
	case cell.Text:
		return f.content == text && f.text == own
	case cell.Bool:
		return f.content == boolean && f.text == own
	case cell.Date:
		return (f.content == day || f.content == date) && f.text == own+" 00:00:00"
	case cell.DateTime:
		return (f.content == moment || f.content == date) && f.text == own
	case cell.Integer, cell.Decimal, cell.Float:
		if f.content != number {
			return false
		}
		got, errGot := strconv.ParseFloat(f.text, 64)
		want, errWant := strconv.ParseFloat(own, 64)
		return errGot == nil && errWant == nil && got == want
	}
	return false
}

func describe(v cell.Value) string {
	if v.Kind == cell.Null {
		return "nothing"
	}
	return fmt.Sprintf("%q", v.Bytes)
}
