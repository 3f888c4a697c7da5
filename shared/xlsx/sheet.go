package xlsx

import (
	"strconv"

	"github.com/haexcel/haexcel/shared/cell"
)

// encoder writes the XML of sheets. It belongs to one goroutine, as its columns
// do.
type encoder struct {
	header     *header
	columns    []*cell.Column
	references bool
	frames     []frame
	headStyle  int
	opening    []byte // from the XML declaration to <sheetData>, header rows included
	firstTab   []byte // the same for the first sheet, whose tab is selected
}

// frame is the markup around the cells of one column, made beforehand. A cell is
// open, the row's number where references are written, and one of the others.
type frame struct {
	open    []byte
	empty   []byte // nil: an empty cell is left out
	boolean []byte
	// By the index of the column's number format.
	number, text, preserved [][]byte
}

const (
	endNumber = `</v></c>`
	endText   = `</t></is></c>`
)

func newEncoder(s Sheet, h *header, styles *styleTable, references bool) *encoder {
	e := &encoder{header: h, columns: s.Columns, references: references}
	e.headStyle = styles.add(look{format: "General", header: true})
	for i, c := range s.Columns {
		e.frames = append(e.frames, newFrame(i, c, styles, references))
	}
	e.firstTab = e.open(true)
	e.opening = e.open(false)
	return e
}

func newFrame(column int, c *cell.Column, styles *styleTable, references bool) frame {
	f := frame{open: []byte("<c")}
	quote := ""
	if references {
		f.open = []byte(`<c r="` + columnName(column))
		quote = `"`
	}
	for i, format := range c.Formats() {
		attributes := quote
		if n := styles.add(look{format: format, style: c.Style(), numbers: c.Numeric(i)}); n != 0 {
			attributes += ` s="` + strconv.Itoa(n) + `"`
		}
		if i == 0 {
			f.boolean = []byte(attributes + ` t="b"><v>`)
			// Without references each cell stands for its place. A background is
			// seen in empty cells too.
			if !references || c.Style().BackgroundColor != "" {
				f.empty = []byte(attributes + `/>`)
			}
		}
		f.number = append(f.number, []byte(attributes+`><v>`))
		f.text = append(f.text, []byte(attributes+` t="inlineStr"><is><t>`))
		f.preserved = append(f.preserved, []byte(attributes+` t="inlineStr"><is><t xml:space="preserve">`))
	}
	return f
}

// open is the start of a sheet: view, widths, header rows.
func (e *encoder) open(selected bool) []byte {
	rows := strconv.Itoa(len(e.header.rows))
	first := reference(0, len(e.header.rows)+1)
	b := []byte(xmlHead + `<worksheet xmlns="` + mainNS + `"><sheetViews><sheetView`)
	if selected {
		b = append(b, ` tabSelected="1"`...)
	}
	b = append(b, ` workbookViewId="0"><pane ySplit="`+rows+`" topLeftCell="`+first+
		`" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="`+first+
		`" sqref="`+first+`"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>`...)
	b = e.appendWidths(b)
	b = append(b, `<sheetData>`...)
	for row := range e.header.rows {
		b = e.appendHeaderRow(b, row)
	}
	return b
}

func (e *encoder) appendWidths(b []byte) []byte {
	started := false
	for i, d := range e.header.leaves {
		chars, ok := width(d)
		if !ok {
			continue
		}
		if !started {
			b = append(b, `<cols>`...)
			started = true
		}
		n := strconv.Itoa(i + 1)
		b = append(b, `<col min="`+n+`" max="`+n+`" width="`...)
		b = strconv.AppendFloat(b, chars, 'f', -1, 64)
		b = append(b, `" customWidth="1"/>`...)
	}
	if started {
		b = append(b, `</cols>`...)
	}
	return b
}

// appendHeaderRow writes one level of the header. Cells under a merge are there
// too, for their borders.
func (e *encoder) appendHeaderRow(b []byte, row int) []byte {
	number := strconv.Itoa(row + 1)
	style := ` s="` + strconv.Itoa(e.headStyle) + `"`
	b = append(b, `<row r="`+number+`">`...)
	for column, text := range e.header.rows[row] {
		b = append(b, `<c`...)
		if e.references {
			b = append(b, ` r="`+columnName(column)+number+`"`...)
		}
		b = append(b, style...)
		if text == "" {
			b = append(b, `/>`...)
			continue
		}
		b = append(b, ` t="inlineStr"><is><t`...)
		if needsPreserve([]byte(text)) {
			b = append(b, ` xml:space="preserve"`...)
		}
		b = append(b, '>')
		b = appendText(b, []byte(text))
		b = append(b, endText...)
	}
	return append(b, `</row>`...)
}

// appendRow writes a row of values.
func (e *encoder) appendRow(b []byte, number int, values []cell.Value) []byte {
	var digits [20]byte
	row := strconv.AppendInt(digits[:0], int64(number), 10)
	b = append(b, `<row r="`...)
	b = append(b, row...)
	b = append(b, `">`...)
	if !e.references {
		row = nil
	}
	for i, v := range values {
		c := e.columns[i].Cell(v)
		f := &e.frames[i]
		if c.Type == cell.Empty && f.empty == nil {
			continue
		}
		b = append(b, f.open...)
		b = append(b, row...)
		switch c.Type {
		case cell.Empty:
			b = append(b, f.empty...)
		case cell.Number:
			b = append(b, f.number[c.Format]...)
			b = append(b, c.Text...)
			b = append(b, endNumber...)
		case cell.Boolean:
			b = append(b, f.boolean...)
			b = append(b, c.Text...)
			b = append(b, endNumber...)
		case cell.String:
			if needsPreserve(c.Text) {
				b = append(b, f.preserved[c.Format]...)
			} else {
				b = append(b, f.text[c.Format]...)
			}
			b = appendText(b, c.Text)
			b = append(b, endText...)
		}
	}
	return append(b, `</row>`...)
}

// appendEnd writes what follows the rows. last is the number of the last one.
func (e *encoder) appendEnd(b []byte, last int) []byte {
	b = append(b, `</sheetData><autoFilter ref="`+
		reference(0, len(e.header.rows))+":"+reference(e.header.columns-1, last)+`"/>`...)
	if n := len(e.header.merges); n > 0 {
		b = append(b, `<mergeCells count="`+strconv.Itoa(n)+`">`...)
		for _, merge := range e.header.merges {
			b = append(b, `<mergeCell ref="`+merge+`"/>`...)
		}
		b = append(b, `</mergeCells>`...)
	}
	return append(b, `</worksheet>`...)
}

// filterRange is the range of the auto-filter as the workbook names it.
func (e *encoder) filterRange(last int) string {
	return "$A$" + strconv.Itoa(len(e.header.rows)) + ":$" + columnName(e.header.columns-1) + "$" + strconv.Itoa(last)
}
