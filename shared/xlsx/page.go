package xlsx

import (
	"slices"
	"strconv"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/deflate"
)

// page is sheet XML with the places of its values.
type page struct {
	xml   []byte
	spans []deflate.Span // one for each cell, row by row; an empty one for a cell left out
	row   rowNumber
}

// rowNumber is the number of the row being written, as cells repeat it.
type rowNumber struct {
	digits [8]byte
	size   int // 0 without references
}

func (p *page) reset() { p.xml, p.spans = p.xml[:0], p.spans[:0] }

// wordBytes is how much is copied at a time where a value is short: copying more
// than there is takes less time than asking how much there is.
const wordBytes = 16

// rows appends the rows of b, numbered from first on.
func (p *page) rows(e *Encoder, h *hand, b *Batch, first int) {
	b.room()
	for i := range h.known {
		h.known[i].begin(b.Rows())
	}
	columns := len(e.frames)
	start := uint32(0)
	for row := range b.Rows() {
		p.openRow(first+row, e.references)
		kinds, ends := b.kinds[row*columns:][:columns], b.ends[row*columns:][:columns]
		for i, end := range ends {
			p.cell(&e.frames[i], h.columns[i], &h.known[i], cell.Value{Kind: kinds[i], Bytes: b.bytes[start:end]})
			start = end
		}
		p.xml = append(p.xml, rowEnd...)
	}
}

func (p *page) openRow(number int, references bool) {
	if !references {
		p.row.size = 0
		p.xml = append(p.xml, `<row>`...)
		return
	}
	digits := strconv.AppendInt(p.row.digits[:0], int64(number), 10)
	p.row.size = len(digits)
	p.xml = append(p.xml, `<row r="`...)
	p.xml = append(p.xml, digits...)
	p.xml = append(p.xml, `">`...)
}

// cell appends the cell of a value.
func (p *page) cell(f *frame, column *cell.Column, known *textCache, v cell.Value) {
	var entry *knownText
	if v.Kind == cell.Text {
		if entry = known.entry(v.Bytes); entry != nil && entry.holds(v.Bytes) {
			known.hits++
			p.repeat(f, entry)
			return
		}
	}
	c := column.Cell(v)
	if c.Type == cell.Empty && f.empty.size == 0 {
		p.mark(len(p.xml), len(p.xml))
		return
	}
	out, n := p.open(f, len(c.Text))
	switch c.Type {
	case cell.Empty:
		n = f.empty.copy(out, n)
		p.mark(n, n)
		p.xml = out[:n]
	case cell.String:
		p.xml = out[:n]
		p.text(f, c)
		if entry != nil {
			entry.keep(v.Bytes, p.xml[n:], p.spans[len(p.spans)-1], n)
		}
	case cell.Boolean:
		p.literal(out, f.boolean.copy(out, n), c.Text)
	case cell.Number:
		p.literal(out, f.number[c.Format].copy(out, n), c.Text)
	}
}

// open writes the start of a cell up to the number of its row. It answers all the
// memory there is, enough for the cell's markup and size bytes, and the end of
// what is written.
func (p *page) open(f *frame, size int) (out []byte, n int) {
	out = slices.Grow(p.xml, 4*markupBytes+size)
	n = f.open.copy(out[:cap(out)], len(out))
	out = out[:cap(out)]
	*(*[len(p.row.digits)]byte)(out[n:]) = p.row.digits
	return out, n + p.row.size
}

// literal writes the value of a number or a boolean and ends the cell.
func (p *page) literal(out []byte, n int, value []byte) {
	start := n
	if len(value) <= wordBytes && cap(value) >= wordBytes {
		*(*[wordBytes]byte)(out[n:]) = [wordBytes]byte(value[:wordBytes])
		n += len(value)
	} else {
		n += copy(out[n:], value)
	}
	p.mark(start, n)
	p.xml = out[:endNumber.copy(out, n)]
}

// text writes a text from the attributes on and ends the cell.
func (p *page) text(f *frame, c cell.Cell) {
	m := &f.text[c.Format]
	if needsPreserve(c.Text) {
		m = &f.preserved[c.Format]
	}
	p.xml = append(p.xml, m.xml[:m.size]...)
	start := len(p.xml)
	p.xml = appendText(p.xml, c.Text)
	p.mark(start, len(p.xml))
	p.xml = append(p.xml, endText.xml[:endText.size]...)
}

// repeat writes the cell of a text that was written before.
func (p *page) repeat(f *frame, t *knownText) {
	out, n := p.open(f, len(t.xml))
	p.mark(n+t.start, n+t.end)
	p.xml = out[:n+copy(out[n:], t.xml)]
}

// mark notes where a value stands.
func (p *page) mark(start, end int) {
	p.spans = append(p.spans, deflate.Span{Start: uint32(start), End: uint32(end)})
}
