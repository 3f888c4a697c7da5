package cases

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// want is what a cell has to be. The zero want is a cell without a value.
type want struct {
	kind   string // "s" text, "n" number, "b" boolean, as xlsxtest has it
	text   string // a number's literal; of text what a reader makes of it
	raw    string // of text, where it stands in the sheet otherwise than it reads
	format string // a number's format code; of text it is not looked at
	shown  string // what a person sees
}

// none is a cell without a value.
var none want

func text(s string) want { return want{kind: "s", text: s, shown: s} }

// escaped is text that stands in the sheet with Excel's escapes.
func escaped(s, raw string) want { return want{kind: "s", text: s, raw: raw, shown: s} }

// showing is the same cell where LibreOffice shows something else.
func (w want) showing(shown string) want {
	w.shown = shown
	return w
}

func number(literal, format, shown string) want {
	return want{kind: "n", text: literal, format: format, shown: shown}
}

// whole is an integer in a number cell.
func whole(digits string) want { return number(digits, "0", digits) }

func boolean(b bool) want {
	if b {
		return want{kind: "b", text: "1", shown: "TRUE"}
	}
	return want{kind: "b", text: "0", shown: "FALSE"}
}

// The formats of plain dates and times.
const (
	dayFormat    = "yyyy-mm-dd"
	momentFormat = "yyyy-mm-dd hh:mm:ss"
	timeFormat   = "[hh]:mm:ss"
)

// column is a column of wants, as rows.
func column(wants ...want) [][]want {
	rows := make([][]want, len(wants))
	for i, w := range wants {
		rows[i] = []want{w}
	}
	return rows
}

// expect compares the rows below the header with what they have to be: as they
// stand in the sheet, as LibreOffice shows them and as openpyxl reads them.
func (f file) expect(t testing.TB, rows [][]want) {
	t.Helper()
	sheet := f.book(t).Sheet(0)
	shown := display(t, f.content)
	python := read(t, openpyxl(t), f.content)
	for name, n := range map[string]int{"sheet": len(sheet.Rows()), "LibreOffice": len(shown), "openpyxl": len(python)} {
		// Readers leave out rows at the end that have nothing in them.
		if n > len(rows)+1 || n < len(rows)+1 && name == "sheet" {
			t.Errorf("%s: %d rows, want %d below the header", name, n, len(rows))
		}
	}
	for i, row := range rows {
		for j, w := range row {
			place := fmt.Sprintf("row %d column %d", i+1, j+1)
			c := at(sheet.Rows(), i+1, j)
			w.check(t, place, c)
			if got := at(shown, i+1, j); got != w.shown {
				t.Errorf("%s: LibreOffice shows %s, want %s", place, brief(got), brief(w.shown))
			}
			if got, must := at(python, i+1, j), w.python(c); !equal(got, must) {
				t.Errorf("%s: openpyxl reads %s %s, want %s %s", place, got.Content, brief(got.Text), must.Content, brief(must.Text))
			}
		}
	}
}

// check compares a cell with what it has to be.
func (w want) check(t testing.TB, place string, c xlsxtest.Cell) {
	t.Helper()
	if c.Type != w.kind || c.Text != w.text {
		t.Errorf("%s: the cell is %s %s, want %s %s", place, c.Type, brief(c.Text), w.kind, brief(w.text))
	}
	if w.kind == "n" && c.NumFmt != w.format {
		t.Errorf("%s: the format of %s is %q, want %q", place, c.Text, c.NumFmt, w.format)
	}
	if w.kind != "s" {
		return
	}
	if w.raw != "" && c.Raw != w.raw || w.raw == "" && c.Raw != w.text {
		t.Errorf("%s: the sheet says %s, want %s", place, brief(c.Raw), brief(w.raw+w.text))
	}
	const blanks = " \t\r\n"
	if edges := strings.Trim(w.text, blanks) != w.text; edges && !strings.ContainsAny(w.raw, "_") && !c.Preserved {
		t.Errorf("%s: the blanks of %s are not protected", place, brief(w.text))
	}
}

// dayZero is where spreadsheets begin to count, if they count right.
var dayZero = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// python is what openpyxl makes of the cell: it has no decoder for escapes, and
// takes numbers for dates by their format.
func (w want) python(c xlsxtest.Cell) readers.Cell {
	switch w.kind {
	case "s":
		return readers.Cell{Content: readers.Text, Text: c.Raw}
	case "b":
		return readers.Cell{Content: readers.Boolean, Text: w.text}
	case "n":
		return w.counted()
	}
	return readers.Cell{}
}

// counted is what openpyxl makes of a number cell.
func (w want) counted() readers.Cell {
	dated, timed := strings.ContainsAny(w.format, "yd"), strings.Contains(w.format, "h")
	if !dated && !timed {
		return readers.Cell{Content: readers.Number, Text: w.text}
	}
	days, _ := strconv.ParseFloat(w.text, 64) // checked as a number by the reader
	seconds := int64(math.Round(days * 86400))
	if dated {
		return readers.Cell{Content: readers.Moment, Text: time.Unix(dayZero.Unix()+seconds, 0).UTC().Format(time.DateTime)}
	}
	return readers.Cell{Content: readers.Duration, Text: fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)}
}

// equal compares two cells; numbers are equal when they read as the same double.
func equal(a, b readers.Cell) bool {
	if a.Content == readers.Number && b.Content == readers.Number {
		x, errX := strconv.ParseFloat(a.Text, 64)
		y, errY := strconv.ParseFloat(b.Text, 64)
		return errX == nil && errY == nil && x == y
	}
	return a.Content == b.Content && a.Text == b.Text
}

// at is an item of a table, the zero value where there is none.
func at[T any](rows [][]T, row, column int) (item T) {
	if row < len(rows) && column < len(rows[row]) {
		return rows[row][column]
	}
	return item
}

// brief quotes a text that may be very long.
func brief(s string) string {
	if len(s) <= 200 {
		return strconv.QuoteToASCII(s)
	}
	return fmt.Sprintf("%+q…%+q (%d bytes)", s[:60], s[len(s)-60:], len(s))
}
