package xlsxtest

import (
	"fmt"
	"math"
	"strings"
)

// view is how a sheet is shown.
type view struct {
	frozenRows, frozenColumns int
	selections                map[string]bool // panes that have one
	selected                  bool            // its tab is
	window                    int             // the workbook's view that it belongs to
}

// start reads the view itself.
func (v *view) start(w *walker) error {
	*v = view{selections: make(map[string]bool)}
	id, _ := w.attr("workbookViewId")
	v.window, _ = parseNumber(string(id), math.MaxUint32)
	v.selected = isTrue(w, "tabSelected")
	if corner, ok := w.attr("topLeftCell"); ok {
		if _, _, ok := parseReference(string(corner)); !ok {
			return fmt.Errorf("a sheet's view begins at %q", corner)
		}
	}
	return nil
}

// isTrue reads a boolean attribute that is false where it is left out.
func isTrue(w *walker, name string) bool {
	value, _ := w.attr(name)
	return string(value) == "1" || string(value) == "true"
}

// pane reads a frozen pane. Excel repairs splits of zero, and active panes that
// the splits do not make.
func (v *view) pane(w *walker) error {
	if err := split(w, "ySplit", &v.frozenRows); err != nil {
		return err
	}
	if err := split(w, "xSplit", &v.frozenColumns); err != nil {
		return err
	}
	active := "topLeft"
	switch rows, columns := v.frozenRows > 0, v.frozenColumns > 0; {
	case rows && columns:
		active = "bottomRight"
	case rows:
		active = "bottomLeft"
	case columns:
		active = "topRight"
	}
	state, _ := w.attr("state")
	shown, _ := w.attr("activePane")
	corner, _ := w.attr("topLeftCell")
	row, column, ok := parseReference(string(corner))
	if active == "topLeft" || string(state) != "frozen" || string(shown) != active ||
		!ok || row <= v.frozenRows || column <= v.frozenColumns {
		return fmt.Errorf("a pane of %d rows and %d columns is %q, shows %q and has %q active", v.frozenRows, v.frozenColumns, state, corner, shown)
	}
	return nil
}

func split(w *walker, name string, into *int) error {
	value, ok := w.attr(name)
	if !ok {
		return nil
	}
	if *into, ok = parseNumber(string(value), maxRows-1); !ok || *into == 0 {
		return fmt.Errorf("a pane has the %s %q", name, value)
	}
	return nil
}

// selection reads the cells selected in one pane.
func (v *view) selection(w *walker) error {
	name := "topLeft"
	if value, ok := w.attr("pane"); ok {
		name = string(value)
	}
	there := map[string]bool{
		"topLeft":     true,
		"topRight":    v.frozenColumns > 0,
		"bottomLeft":  v.frozenRows > 0,
		"bottomRight": v.frozenColumns > 0 && v.frozenRows > 0,
	}
	if !there[name] || v.selections[name] {
		return fmt.Errorf("a selection is in the pane %q, which is not there or has one", name)
	}
	v.selections[name] = true
	cell, ranges := "A1", "A1"
	if value, ok := w.attr("activeCell"); ok {
		cell = string(value)
	}
	if value, ok := w.attr("sqref"); ok {
		ranges = string(value)
	}
	row, column, ok := parseReference(cell)
	inside := false
	for _, s := range strings.Fields(ranges) {
		b, is := parseRange(s)
		ok = ok && is
		inside = inside || b.contains(row, column)
	}
	if !ok || !inside {
		return fmt.Errorf("the selection of %q has %q active", ranges, cell)
	}
	return nil
}

// width reads the widths of a run of columns; they have to come in order.
func (r *sheetReader) width(w *walker) error {
	attr := func(name string) string {
		value, _ := w.attr(name)
		return string(value)
	}
	low, okLow := parseNumber(attr("min"), maxColumns)
	high, okHigh := parseNumber(attr("max"), maxColumns)
	if !okLow || !okHigh || low <= r.lastWidth || high < low {
		return fmt.Errorf("the widths of the columns %q to %q come after %d", attr("min"), attr("max"), r.lastWidth)
	}
	r.lastWidth = high
	if _, err := r.style(w, "style"); err != nil {
		return err
	}
	value, ok := w.attr("width")
	if !ok {
		return nil
	}
	chars, _ := number(value)
	for n := low; n <= high; n++ {
		r.sheet.Widths[n] = chars
	}
	return nil
}
