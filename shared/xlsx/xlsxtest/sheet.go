package xlsxtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxRows    = 1048576
	maxColumns = 16384
	maxText    = 32767
)

var numberForm = regexp.MustCompile(`^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$`)

// sheetReader walks over the tokens of a sheet.
type sheetReader struct {
	sheet  *Sheet
	styles []style
	row    int // number of the current row
	column int // number of the last cell in it

	cell      *Cell
	inlined   bool
	inValue   bool
	inText    bool
	value     strings.Builder
	text      strings.Builder
	piece     strings.Builder
	preserved bool
}

func readSheet(content []byte, styles []style) (*Sheet, error) {
	r := &sheetReader{sheet: &Sheet{Widths: make(map[int]float64)}, styles: styles}
	d := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = r.start(t)
		case xml.EndElement:
			err = r.end(t.Name.Local)
		case xml.CharData:
			switch {
			case r.inValue:
				r.value.Write(t)
			case r.inText:
				r.piece.Write(t)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return r.sheet, checkMerges(r.sheet.Merges)
}

// attributes are read by their local names.
type attributes []xml.Attr

func (a attributes) get(name string) string {
	for _, attr := range a {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

func (r *sheetReader) start(t xml.StartElement) error {
	switch t.Name.Local {
	case "row":
		return r.startRow(attributes(t.Attr))
	case "c":
		return r.startCell(attributes(t.Attr))
	case "f":
		if r.cell != nil {
			r.cell.Formula = true
		}
	case "v":
		r.inValue = true
		r.value.Reset()
	case "t":
		r.inText = true
		r.piece.Reset()
		r.preserved = attributes(t.Attr).get("space") == "preserve"
	case "pane":
		r.sheet.Frozen, _ = strconv.Atoi(attributes(t.Attr).get("ySplit"))
	case "col":
		return r.width(attributes(t.Attr))
	case "autoFilter":
		r.sheet.Filter = attributes(t.Attr).get("ref")
	case "mergeCell":
		r.sheet.Merges = append(r.sheet.Merges, attributes(t.Attr).get("ref"))
	}
	return nil
}

func (r *sheetReader) startRow(a attributes) error {
	n := r.row + 1
	if a.get("r") != "" {
		n, _ = strconv.Atoi(a.get("r"))
	}
	if n <= r.row || n > maxRows {
		return fmt.Errorf("row %q after %d", a.get("r"), r.row)
	}
	for len(r.sheet.rows) < n {
		r.sheet.rows = append(r.sheet.rows, nil)
	}
	r.row, r.column = n, 0
	return nil
}

func (r *sheetReader) startCell(a attributes) error {
	row, column, ok := r.row, r.column+1, true
	if a.get("r") != "" {
		row, column, ok = parseReference(a.get("r"))
	}
	if !ok || row != r.row || column <= r.column || column > maxColumns {
		return fmt.Errorf("cell %q in row %d after column %d", a.get("r"), r.row, r.column)
	}
	r.column = column
	cells := r.sheet.rows[r.row-1]
	for len(cells) < column {
		cells = append(cells, Cell{})
	}
	r.sheet.rows[r.row-1] = cells
	r.cell = &cells[column-1]
	r.cell.Type = a.get("t")
	if a.get("t") == "" {
		r.cell.Type = "n"
	}
	if a.get("s") != "" {
		n, err := strconv.Atoi(a.get("s"))
		if err != nil || n < 0 || n >= len(r.styles) {
			return fmt.Errorf("cell %q has style %q of %d", a.get("r"), a.get("s"), len(r.styles))
		}
		r.cell.Style = n
	}
	s := r.styles[r.cell.Style]
	r.cell.NumFmt, r.cell.Align, r.cell.Bold, r.cell.Fill, r.cell.Border = s.numFmt, s.align, s.bold, s.fill, s.border
	r.value.Reset()
	r.text.Reset()
	r.inlined = false
	return nil
}

func (r *sheetReader) end(name string) error {
	switch name {
	case "v":
		r.inValue = false
	case "t":
		r.inText = false
		text := r.piece.String()
		if text != strings.Trim(text, " \t\r\n") && !r.preserved {
			return fmt.Errorf("row %d column %d: blanks of %q are not protected", r.row, r.column, text)
		}
		r.text.WriteString(text)
		r.inlined = true
		if r.cell != nil {
			r.cell.Preserved = r.preserved
		}
	case "c":
		return r.endCell()
	}
	return nil
}

func (r *sheetReader) endCell() error {
	c := r.cell
	r.cell = nil
	c.Raw = r.value.String()
	c.Text = c.Raw
	at := fmt.Sprintf("row %d column %d", r.row, r.column)
	switch c.Type {
	case "n":
		if c.Raw == "" {
			c.Type = ""
			return nil
		}
		v, err := strconv.ParseFloat(c.Raw, 64)
		if !numberForm.MatchString(c.Raw) || err != nil || math.IsInf(v, 0) {
			return fmt.Errorf("%s: number %q", at, c.Raw)
		}
	case "b":
		if c.Raw != "0" && c.Raw != "1" {
			return fmt.Errorf("%s: boolean %q", at, c.Raw)
		}
	case "inlineStr":
		if !r.inlined {
			return fmt.Errorf("%s: inline text without text", at)
		}
		c.Type, c.Raw = "s", r.text.String()
		c.Text = Decode(c.Raw)
		if units(c.Text) > maxText {
			return fmt.Errorf("%s: text of %d units", at, units(c.Text))
		}
	default:
		return fmt.Errorf("%s: type %q", at, c.Type)
	}
	return nil
}

func (r *sheetReader) width(a attributes) error {
	low, errLow := strconv.Atoi(a.get("min"))
	high, errHigh := strconv.Atoi(a.get("max"))
	chars, errWidth := strconv.ParseFloat(a.get("width"), 64)
	if errLow != nil || errHigh != nil || errWidth != nil || low < 1 || high < low || high > maxColumns ||
		!(chars >= 0 && chars <= 255) {
		return fmt.Errorf("widths %v", a)
	}
	for n := low; n <= high; n++ {
		if _, twice := r.sheet.Widths[n]; twice {
			return fmt.Errorf("column %d has two widths", n)
		}
		r.sheet.Widths[n] = chars
	}
	return nil
}

// checkMerges refuses ranges of one cell and ranges that overlap.
func checkMerges(merges []string) error {
	type box struct{ top, left, bottom, right int }
	var boxes []box
	for _, merge := range merges {
		from, to, _ := strings.Cut(merge, ":")
		top, left, okFrom := parseReference(from)
		bottom, right, okTo := parseReference(to)
		if !okFrom || !okTo || bottom < top || right < left || (top == bottom && left == right) {
			return fmt.Errorf("merge %q", merge)
		}
		for _, b := range boxes {
			if bottom >= b.top && b.bottom >= top && right >= b.left && b.right >= left {
				return fmt.Errorf("merge %q overlaps another", merge)
			}
		}
		boxes = append(boxes, box{top, left, bottom, right})
	}
	return nil
}

func parseReference(s string) (row, column int, ok bool) {
	i := 0
	for i < len(s) && s[i] >= 'A' && s[i] <= 'Z' {
		column = column*26 + int(s[i]-'A') + 1
		i++
	}
	row, err := strconv.Atoi(s[i:])
	return row, column, err == nil && i > 0 && i <= 3 && row > 0
}

var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// Decode resolves the escapes of text as Excel does.
func Decode(raw string) string {
	return escape.ReplaceAllStringFunc(raw, func(s string) string {
		n, _ := strconv.ParseUint(s[2:6], 16, 16)
		return string(rune(n))
	})
}
