package xlsxtest

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// maxHeight is that of a row, in points.
const maxHeight = 409.5

// sheetReader walks over the tokens of a sheet and shows its rows one by one.
type sheetReader struct {
	sheet  *Sheet
	styles []style
	texts  []sharedText
	visit  Visit // may be nil

	lastWidth int
	view      view
	views     int
	dimension string
	used      box // around all cells

	row    int // number of the current row, or of the last one
	column int // number of the last cell in it
	cells  []Cell
	spans  []span // where the texts of cells are, cell by cell
	bytes  []byte // the row's texts and numbers, one behind the other

	inCell   bool
	inValue  bool
	value    []byte
	hasValue bool
	text     richText
}

// span is a piece of the row's bytes.
type span struct{ from, to int }

// read reads a sheet to its end.
func (r *sheetReader) read(in io.Reader) (relations []string, err error) {
	w := newWalker(in, root{mainNS, "worksheet"})
	for {
		kind, err := w.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case startTag:
			err = r.start(w)
		case charData:
			err = r.characters(w)
		case endTag:
			err = r.end(w)
		default:
			return w.relations, r.finish()
		}
		if err != nil {
			return nil, err
		}
	}
}

// start looks at elements whose names are known at their place: the walker has
// checked the order.
func (r *sheetReader) start(w *walker) error {
	if w.frames[len(w.frames)-1].element == nil {
		return nil
	}
	switch string(w.local) {
	case "c":
		return r.startCell(w)
	case "v":
		r.inValue, r.hasValue = true, true
	case "f":
		r.cells[r.column-1].Formula = true
	case "is", "r", "t":
		return r.text.take(w, startTag)
	case "row":
		return r.startRow(w)
	case "dimension":
		r.attribute(w, "ref", &r.dimension)
	case "sheetView":
		r.views++
		return r.view.start(w)
	case "pane":
		return r.view.pane(w)
	case "selection":
		return r.view.selection(w)
	case "col":
		return r.width(w)
	case "autoFilter":
		r.attribute(w, "ref", &r.sheet.Filter)
		return r.checkFilter()
	case "mergeCell":
		var merge string
		r.attribute(w, "ref", &merge)
		r.sheet.Merges = append(r.sheet.Merges, merge)
	}
	return nil
}

func (r *sheetReader) attribute(w *walker, name string, into *string) {
	value, _ := w.attr(name)
	*into = string(value)
}

func (r *sheetReader) characters(w *walker) error {
	if r.inValue {
		r.value = append(r.value, w.text...)
		return nil
	}
	if r.inCell {
		return r.text.take(w, charData)
	}
	return nil
}

func (r *sheetReader) end(w *walker) error {
	switch {
	case r.inValue:
		r.inValue = false
	case r.inCell && w.within(0, "row"):
		r.inCell = false
		if err := r.endCell(); err != nil {
			return fmt.Errorf("row %d column %d: %w", r.row, r.column, err)
		}
	case r.inCell:
		if err := r.text.take(w, endTag); err != nil {
			return fmt.Errorf("row %d column %d: %w", r.row, r.column, err)
		}
	case w.within(0, "sheetData"):
		return r.endRow()
	}
	return nil
}

func (r *sheetReader) startRow(w *walker) error {
	n := r.row + 1
	if value, ok := w.attr("r"); ok {
		if n, ok = parseNumber(string(value), maxRows); !ok || n <= r.row {
			return fmt.Errorf("row %q after %d", value, r.row)
		}
	}
	if n > maxRows {
		return fmt.Errorf("row %d", n)
	}
	r.row, r.column = n, 0
	r.cells, r.spans, r.bytes = r.cells[:0], r.spans[:0], r.bytes[:0]
	if value, ok := w.attr("ht"); ok {
		if height, err := strconv.ParseFloat(string(value), 64); err != nil || !(height >= 0 && height <= maxHeight) {
			return fmt.Errorf("row %d has the height %q", n, value)
		}
	}
	if _, err := r.style(w, "s"); err != nil {
		return fmt.Errorf("row %d: %w", n, err)
	}
	return nil
}

// style reads the index of a cell format.
func (r *sheetReader) style(w *walker, name string) (int, error) {
	value, ok := w.attr(name)
	if !ok {
		return 0, nil
	}
	n, ok := parseNumber(string(value), maxStyles)
	if !ok || n >= len(r.styles) {
		return 0, fmt.Errorf("style %q of %d", value, len(r.styles))
	}
	return n, nil
}

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
	s := &r.styles[n]
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
		} else if !isNumber(r.value) {
			return fmt.Errorf("number %q", r.value)
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

// isNumber knows the literals of finite numbers. ParseFloat takes more than XML
// does: signs, hexadecimal digits, infinities.
func isNumber(literal []byte) bool {
	for _, c := range literal {
		if (c < '0' || c > '9') && bytes.IndexByte([]byte("+-.eE"), c) < 0 {
			return false
		}
	}
	_, err := strconv.ParseFloat(string(literal), 64)
	return err == nil && literal[0] != '+'
}

// endRow completes the row's cells, whose texts share one string, and shows them.
func (r *sheetReader) endRow() error {
	all := string(r.bytes)
	for i := range r.cells {
		c := &r.cells[i]
		if s := r.spans[i]; s.to > s.from {
			c.Raw = all[s.from:s.to]
		}
		c.Text = c.Raw
		if c.Type != "s" {
			continue
		}
		c.Text = Decode(c.Raw)
		if err := checkLength(c.Text); err != nil {
			return fmt.Errorf("row %d column %d: %w", r.row, i+1, err)
		}
	}
	if r.visit == nil {
		return nil
	}
	return r.visit(r.sheet.Name, r.row, r.cells)
}

func (r *sheetReader) checkFilter() error {
	if _, relative := parseRange(r.sheet.Filter); !relative && !isAbsolute(r.sheet.Filter) {
		return fmt.Errorf("the auto-filter of %q", r.sheet.Filter)
	}
	return nil
}

// finish checks what can be known only at the sheet's end.
func (r *sheetReader) finish() error {
	r.sheet.Frozen = r.view.frozenRows
	if r.views > 1 {
		return fmt.Errorf("%d views of one sheet", r.views)
	}
	// Writers that do not know the dimension beforehand call it A1.
	if r.dimension != "" && r.dimension != "A1" {
		if b, ok := parseRange(r.dimension); !ok || b != r.used {
			return fmt.Errorf("the dimension %q, where the cells are in %v", r.dimension, r.used)
		}
	}
	return checkMerges(r.sheet.Merges)
}
