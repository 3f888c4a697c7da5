package xlsx

import (
	"strconv"
)

// What stands around the rows of a sheet.

// openSheet is the start of a sheet: view, widths, header rows.
func (e *Encoder) openSheet(selected bool) []byte {
	rows := strconv.Itoa(len(e.header.rows))
	first := reference(0, e.FirstRow())
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

// appendWidths writes the widths; neighbours of one width share an element.
func (e *Encoder) appendWidths(b []byte) []byte {
	started := false
	for i := 0; i < len(e.header.leaves); {
		first := i
		chars, ok := width(e.header.leaves[i])
		for i++; i < len(e.header.leaves); i++ {
			if next, has := width(e.header.leaves[i]); has != ok || next != chars {
				break
			}
		}
		if !ok {
			continue
		}
		if !started {
			b = append(b, `<cols>`...)
			started = true
		}
		b = append(b, `<col min="`+strconv.Itoa(first+1)+`" max="`+strconv.Itoa(i)+`" width="`...)
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
func (e *Encoder) appendHeaderRow(b []byte, row int) []byte {
	number := strconv.Itoa(row + 1)
	style := ` s="` + strconv.Itoa(e.headStyle) + `"`
	b = append(b, e.rowOpen(number)...)
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
		b = append(b, `</t></is></c>`...)
	}
	return append(b, rowEnd...)
}

const rowEnd = `</row>`

// rowOpen begins a row; without references rows are in their places as well.
func (e *Encoder) rowOpen(number string) string {
	if !e.references {
		return `<row>`
	}
	return `<row r="` + number + `">`
}

// closeSheet is what follows the rows. last is the number of the last one.
func (e *Encoder) closeSheet(last int) []byte {
	b := []byte(`</sheetData><autoFilter ref="` +
		reference(0, len(e.header.rows)) + ":" + reference(e.header.columns-1, last) + `"/>`)
	if n := len(e.header.merges); n > 0 {
		b = append(b, `<mergeCells count="`+strconv.Itoa(n)+`">`...)
		for _, merge := range e.header.merges {
			b = append(b, `<mergeCell ref="`+merge+`"/>`...)
		}
		b = append(b, `</mergeCells>`...)
	}
	return append(b, `</worksheet>`...)
}

// closeReserve is room for the end of a sheet.
func (e *Encoder) closeReserve() int64 { return int64(256 + 48*len(e.header.merges)) }

// filterRange is the range of the auto-filter as the workbook names it.
func (e *Encoder) filterRange(last int) string {
	return "$A$" + strconv.Itoa(len(e.header.rows)) + ":$" + columnName(e.header.columns-1) + "$" + strconv.Itoa(last)
}
