package xlsxtest

import (
	"bytes"
	"fmt"
	"strconv"
)

// Bounds of the numbers in cells.
const (
	maxDigits  = 17      // a number of more is not what Excel reads
	endOfDates = 2958466 // the day after 9999-12-31; Excel shows it as ####
)

func (r *sheetReader) startCell(w *walker) error {
	row, column, ok := r.row, r.column+1, true
	reference, has := w.attr("r")
	if has {
		row, column, ok = parseReference(string(reference))
	}
	if !ok || row != r.row || column <= r.column || column > maxColumns {
		return fmt.Errorf("cell %q in row %d after column %d", reference, r.row, r.column)
	}
	for len(r.cells) < column {
		r.cells, r.spans = append(r.cells, Cell{}), append(r.spans, span{})
	}
	r.column = column
	n, err := r.style(w, "s")
	if err != nil {
		return fmt.Errorf("row %d column %d: %w", row, column, err)
	}
	s := &r.styles.cells[n]
	cellType, _ := w.attr("t")
	r.cells[column-1] = Cell{
		Type: typeName(cellType), Style: n,
		NumFmt: s.numFmt, Align: s.align, Bold: s.bold, Fill: s.fill, Border: s.border,
	}
	r.note(row, column)
	r.inCell, r.hasValue, r.value = true, false, r.value[:0]
	r.text.reset()
	return nil
}

// note widens the box around the cells.
func (r *sheetReader) note(row, column int) {
	if r.used.top == 0 {
		r.used = box{row, column, row, column}
	}
	r.used.bottom = row
	r.used.left, r.used.right = min(r.used.left, column), max(r.used.right, column)
}

// typeName spares a new text for each cell.
func typeName(t []byte) string {
	switch string(t) {
	case "", "n":
		return "n"
	case "inlineStr":
		return "inlineStr"
	case "s":
		return "s"
	case "str":
		return "str"
	case "b":
		return "b"
	}
	return string(t)
}

// errorValues are those that an error cell may hold.
var errorValues = map[string]bool{
	"#DIV/0!": true, "#N/A": true, "#NAME?": true, "#NULL!": true, "#NUM!": true, "#REF!": true, "#VALUE!": true,
}

// endCell checks the cell's content against its type and keeps it.
func (r *sheetReader) endCell() error {
	c := &r.cells[r.column-1]
	inline := c.Type == "inlineStr"
	if inline != r.text.found || inline && r.hasValue {
		return fmt.Errorf("the type %q does not fit the content", c.Type)
	}
	switch c.Type {
	case "inlineStr":
		c.Preserved = r.text.preserved
		r.keep(r.text.text)
		c.Type = "s"
		return nil
	case "s":
		n, ok := parseNumber(string(r.value), maxRows*maxColumns)
		if !ok || n >= len(r.texts) {
			return fmt.Errorf("shared text %q of %d", r.value, len(r.texts))
		}
		c.Raw, c.Preserved = r.texts[n].raw, r.texts[n].preserved
		return nil
	case "str":
		c.Type = "s"
	case "n":
		if len(r.value) == 0 {
			if r.hasValue {
				return fmt.Errorf("number %q", r.value)
			}
			c.Type = ""
			break
		}
		n, ok := number(r.value)
		if !ok || significant(r.value) > maxDigits {
			return fmt.Errorf("number %q", r.value)
		}
		if r.styles.cells[c.Style].dates && (n < 0 || n >= endOfDates) {
			return fmt.Errorf("%s is no date, its format is %q", r.value, c.NumFmt)
		}
	case "b":
		if string(r.value) != "0" && string(r.value) != "1" {
			return fmt.Errorf("boolean %q", r.value)
		}
	case "e":
		if !errorValues[string(r.value)] {
			return fmt.Errorf("error %q", r.value)
		}
	default:
		return fmt.Errorf("type %q", c.Type)
	}
	r.keep(r.value)
	return nil
}

// keep puts a cell's content behind those before it in the row.
func (r *sheetReader) keep(content []byte) {
	from := len(r.bytes)
	r.bytes = append(r.bytes, content...)
	r.spans[r.column-1] = span{from, len(r.bytes)}
}

// number reads the literal of a finite number. ParseFloat takes more than XML does:
// signs, hexadecimal digits, infinities.
func number(literal []byte) (n float64, ok bool) {
	for _, c := range literal {
		if (c < '0' || c > '9') && bytes.IndexByte([]byte("+-.eE"), c) < 0 {
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(string(literal), 64)
	return n, err == nil && literal[0] != '+'
}

// significant is the number of digits from the first to the last one that is not
// zero.
func significant(literal []byte) int {
	digits, last := 0, 0
	for _, c := range literal {
		switch {
		case c == 'e' || c == 'E':
			return last
		case c > '0' && c <= '9':
			digits++
			last = digits
		case c == '0' && digits > 0:
			digits++
		}
	}
	return last
}
