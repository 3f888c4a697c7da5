package xlsx

import (
	"archive/zip"
	"errors"
	"io"
)

// Assembler joins segments to a workbook on an io.Writer that need not seek, in
// the order in which they are added. It is used by one goroutine.
type Assembler struct {
	encoder   *Encoder
	archive   archive
	entry     *entry
	sheets    []finishedSheet
	row       int   // number of the sheet's last row
	length    int64 // XML of the sheet
	truncated int64
	err       error
	closed    bool
}

var (
	errClosed = errors.New("xlsx: the workbook is closed")
	errLayout = errors.New("xlsx: a segment of other columns or options")
)

// NewAssembler starts a workbook on w. The encoder gives everything but the rows;
// it may be another than that of the segments, if it was made of the same columns
// and options.
func NewAssembler(w io.Writer, e *Encoder) (*Assembler, error) {
	a := &Assembler{
		encoder: e, archive: archive{zip: zip.NewWriter(w), modified: e.options.Modified},
		truncated: e.header.cut,
	}
	if err := a.archive.part("_rels/.rels", []byte(packageRelations)); err != nil {
		return nil, err
	}
	if err := a.archive.part("xl/styles.xml", e.styles); err != nil {
		return nil, err
	}
	return a, a.openSheet()
}

// Add appends the rows of s to the sheet; a sheet that is full goes on in the next
// one. A segment whose rows were numbered for this place is copied as it is; any
// other is unpacked, numbered anew and packed again. s is not used after Add. An
// error ends the work: every call answers it from then on.
func (a *Assembler) Add(s *Segment) error {
	if a.err == nil {
		a.err = a.add(s)
	}
	return a.err
}

func (a *Assembler) add(s *Segment) error {
	switch {
	case a.closed:
		return errClosed
	case s.layout != a.encoder.layout:
		return errLayout
	}
	if a.full(1, 0) {
		if err := a.nextSheet(); err != nil {
			return err
		}
	}
	if a.full(s.rows, s.length) || a.encoder.references && s.first != a.row+1 {
		return a.renumber(s)
	}
	if err := a.entry.add(s.packed, s.crc, s.length); err != nil {
		return err
	}
	a.row += s.rows
	a.length += s.length
	a.truncated += s.truncated
	return nil
}

// full reports whether the sheet has no room for some rows more. The first row is
// taken in any case.
func (a *Assembler) full(rows int, length int64) bool {
	o := a.encoder.options
	return a.row+rows > o.MaxRows ||
		a.length+length+a.encoder.closeReserve() > o.MaxBytes && a.row+rows > a.encoder.FirstRow()
}

// NextSheet ends the sheet, if it has rows, and begins another.
func (a *Assembler) NextSheet() error {
	if a.err == nil && a.row >= a.encoder.FirstRow() {
		a.err = a.nextSheet()
	}
	return a.err
}

// Truncated is the number of cells and headers that were cut to the length a cell
// holds.
func (a *Assembler) Truncated() int64 { return a.truncated }

// Close finishes the archive; the io.Writer stays open. A workbook without rows is
// valid and has its header. Closing again answers the first outcome.
func (a *Assembler) Close() error {
	if a.closed {
		return a.err
	}
	a.closed = true
	if a.err == nil {
		a.err = a.finish()
	}
	return a.err
}

func (a *Assembler) finish() error {
	if err := a.closeSheet(); err != nil {
		return err
	}
	for _, part := range []struct {
		name    string
		content []byte
	}{
		{"xl/workbook.xml", workbook(a.sheets)},
		{"xl/_rels/workbook.xml.rels", workbookRelations(len(a.sheets))},
		{"[Content_Types].xml", contentTypes(len(a.sheets))},
	} {
		if err := a.archive.part(part.name, part.content); err != nil {
			return err
		}
	}
	return a.archive.zip.Close()
}

func (a *Assembler) nextSheet() error {
	if err := a.closeSheet(); err != nil {
		return err
	}
	return a.openSheet()
}

func (a *Assembler) openSheet() error {
	n := len(a.sheets) + 1
	entry, err := a.archive.begin("xl/" + sheetPath(n))
	if err != nil {
		return err
	}
	opening := a.encoder.opening
	if n == 1 {
		opening = a.encoder.firstTab
	}
	a.entry = entry
	a.row, a.length = a.encoder.FirstRow()-1, int64(len(opening))
	return entry.addPlain(opening)
}

func (a *Assembler) closeSheet() error {
	if err := a.entry.addPlain(a.encoder.closeSheet(a.row)); err != nil {
		return err
	}
	if err := a.entry.end(); err != nil {
		return err
	}
	a.sheets = append(a.sheets, finishedSheet{
		name:   sheetName(a.encoder.name, len(a.sheets)+1),
		filter: a.encoder.filterRange(a.row),
	})
	return nil
}
