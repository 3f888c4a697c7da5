package xlsxtest

import (
	"fmt"
	"io"
)

// sheetReader walks over the tokens of a sheet and shows its rows one by one.
type sheetReader struct {
	sheet  *Sheet
	styles *styleTable
	texts  []sharedText
	visit  Visit // may be nil

	lastWidth int
	view      view
	views     int
	links     int
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
	case "hyperlink", "cfRule", "conditionalFormatting", "dataValidation", "ignoredError":
		return r.furniture(w)
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
	if w.within(1, "headerFooter") {
		return pageText(w.text)
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
	if value, ok := w.attr("spans"); ok && !isSpans(string(value)) {
		return fmt.Errorf("row %d spans %q", n, value)
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
	if !ok || n >= len(r.styles.cells) {
		return 0, fmt.Errorf("style %q of %d", value, len(r.styles.cells))
	}
	return n, nil
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
		var err error
		if c.Text, err = decodeText(c.Raw); err != nil {
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
