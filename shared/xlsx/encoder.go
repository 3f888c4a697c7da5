package xlsx

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/haexcel/haexcel/shared/cell"
)

// Encoder makes segments of the rows of one kind of sheet. It is safe for
// concurrent use, and its segments may be joined by another process, whose
// encoder was made of the same columns and options.
type Encoder struct {
	name       string
	options    Options
	header     *header
	frames     []frame
	columns    []*cell.Column // cloned, never used
	references bool
	headStyle  int
	styles     []byte   // the part
	opening    []byte   // of a sheet, from the XML declaration to the header rows
	firstTab   []byte   // the same for the first sheet, whose tab is selected
	rowXML     int      // about the markup of a row
	rowBound   int64    // more than the markup of a row, and what texts grow by
	layout     [16]byte // tells segments apart that must not be joined

	mu    sync.Mutex
	hands []*hand // free
}

// SheetError says why the columns asked for do not make a sheet. Another try will
// not help; its text speaks of numbers only.
type SheetError struct{ reason string }

// Error implements error.
func (e *SheetError) Error() string { return "xlsx: " + e.reason }

// NewEncoder prepares a sheet. It fails with a *SheetError where a sheet can't
// hold the columns or a limit leaves no room for a row, and also where the
// columns and the header do not belong together.
func NewEncoder(s Sheet, o Options) (*Encoder, error) {
	o = o.withDefaults()
	h := layOut(s.Header)
	switch {
	case o.Compression > Small:
		return nil, fmt.Errorf("xlsx: compression %d is unknown", o.Compression)
	case h.columns == 0:
		return nil, &SheetError{"a sheet needs a column"}
	case h.columns > cell.MaxLeaves:
		return nil, &SheetError{fmt.Sprintf("%d columns, a sheet holds %d", h.columns, cell.MaxLeaves)}
	case h.columns != len(s.Columns):
		return nil, fmt.Errorf("xlsx: the header has %d leaves for %d columns", h.columns, len(s.Columns))
	case len(h.rows) >= o.MaxRows:
		return nil, &SheetError{fmt.Sprintf("a header of %d rows leaves no room in a sheet of %d", len(h.rows), o.MaxRows)}
	}
	styles := newStyleTable()
	e := &Encoder{
		name: CleanSheetName(s.Name), options: o, header: h, references: !o.OmitReferences,
		headStyle: styles.add(look{format: "General", header: true}),
	}
	for i, c := range s.Columns {
		e.frames = append(e.frames, newFrame(i, c, styles, e.references))
		e.columns = append(e.columns, c.Clone())
	}
	if err := styles.check(); err != nil {
		return nil, err
	}
	e.styles = styles.xml()
	e.firstTab, e.opening = e.openSheet(true), e.openSheet(false)
	e.measure()
	return e, nil
}

// measure sizes up the markup of a row and takes the layout's fingerprint.
func (e *Encoder) measure() {
	digest := sha256.New()
	fmt.Fprintf(digest, "segment 1 %t\n", e.references)
	_, _ = digest.Write(e.styles) // a hash takes everything
	_, _ = digest.Write(e.opening)
	fmt.Fprintf(digest, "%v\n", e.header.leaves) // rules and code maps; maps print in order
	e.rowXML = len(`<row r="1000000"></row>`)
	e.rowBound = int64(e.rowXML)
	for i, f := range e.frames {
		e.rowBound += 2*markupBytes + expansion*int64(e.columns[i].Growth())
		m := f.number[len(f.number)-1]
		e.rowXML += f.open.size + m.size + endNumber.size
		if e.references {
			e.rowXML += len("100000")
		}
		for _, m := range f.number {
			fmt.Fprintf(digest, "%s\n", m.xml[:m.size])
		}
		fmt.Fprintln(digest)
	}
	copy(e.layout[:], digest.Sum(nil))
}

// FirstRow is the number of a sheet's first row behind its header; rows count
// from 1.
func (e *Encoder) FirstRow() int { return len(e.header.rows) + 1 }

// AppendXML appends the sheet XML of the rows in b, numbered from firstRow on, which
// must leave them within MaxRows. It waits while every core of the process encodes.
func (e *Encoder) AppendXML(dst []byte, b *Batch, firstRow int) []byte {
	d := takeDesk()
	own := d.page.xml
	defer func() {
		d.page.xml = own
		d.release()
	}()
	h := e.hand()
	defer e.put(h)
	d.page.xml = dst
	d.page.rows(e, h, b, firstRow)
	return d.page.xml
}

// Encode makes a segment of the rows in b, of which there must be one, numbered
// from firstRow on. It waits while every core of the process encodes.
func (e *Encoder) Encode(b *Batch, firstRow int) (*Segment, error) {
	s := new(Segment)
	if err := e.encode(s, b, firstRow); err != nil {
		return nil, err
	}
	return s, nil
}

// encode makes the segment in the memory of an earlier one.
func (e *Encoder) encode(s *Segment, b *Batch, firstRow int) error {
	rows := b.Rows()
	if b.columns != len(e.frames) || rows == 0 || firstRow < e.FirstRow() || firstRow+rows-1 > MaxRows {
		return fmt.Errorf("xlsx: %d rows of %d columns from row %d on make no segment", rows, b.columns, firstRow)
	}
	d := takeDesk()
	defer d.release()
	h := e.hand()
	defer e.put(h)
	cut := h.truncated()
	d.page.rows(e, h, b, firstRow)
	*s = Segment{layout: e.layout, first: firstRow, rows: rows, truncated: h.truncated() - cut, packed: s.packed[:0]}
	return d.pack(s, len(e.frames), e.options.Compression)
}

// hand is what encoding a sheet needs for itself: columns have buffers. It is
// taken at a desk, so that an encoder has no more of them than there are cores.
type hand struct {
	columns []*cell.Column
	known   []textCache
}

func (e *Encoder) hand() *hand {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.hands); n > 0 {
		h := e.hands[n-1]
		e.hands = e.hands[:n-1]
		return h
	}
	h := &hand{known: make([]textCache, len(e.columns))}
	for _, c := range e.columns {
		h.columns = append(h.columns, c.Clone())
	}
	return h
}

func (e *Encoder) put(h *hand) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hands = append(e.hands, h)
}

// truncated is the number of cells that the hand has cut so far.
func (h *hand) truncated() (n int64) {
	for _, c := range h.columns {
		n += c.Truncated()
	}
	return n
}
