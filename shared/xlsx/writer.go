package xlsx

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// Limits of a sheet.
const (
	MaxRows = 1 << 20
	// MaxBytes stays below 4 GiB, from where on entries need zip64.
	MaxBytes = 1<<32 - 1<<16
)

// Sheet is what a workbook shows.
type Sheet struct {
	Name   string           // as asked for; CleanSheetName makes it fit
	Header []cell.ColumnDef // the tree of columns and groups
	// Columns are the compiled leaves of Header, left to right. The writer uses
	// them until it is closed.
	Columns []*cell.Column
}

// Options tune a workbook. The zero value is right for most.
type Options struct {
	Level          int       // deflate level 1–9; 0: the fastest
	OmitReferences bool      // leaves out r="A1", which every reader but the oldest infers
	MaxRows        int       // rows of a sheet, header rows included; 0: MaxRows
	MaxBytes       int64     // XML of a sheet; 0: MaxBytes
	Modified       time.Time // time of the archive's entries, shown in its own zone; zero: 1980-01-01
}

// Writer writes one workbook. It is used by one goroutine and must be closed or
// aborted.
type Writer struct {
	archive archive
	encoder *encoder
	options Options
	name    string
	sheets  []finishedSheet

	entry   *entry
	current *segment    // being encoded
	spare   *segment    // free
	packing chan packed // takes the outcome of the segment that is being packed
	busy    bool        // there is one

	row       int   // number of the sheet's last row
	bytes     int64 // XML of the sheet in earlier segments
	headerCut int64
	baseCut   int64 // cells that the columns had cut before, or counted twice
	err       error
	closed    bool
}

// SheetError says why the columns asked for do not make a sheet. Another try will
// not help; its text speaks of numbers only.
type SheetError struct{ reason string }

// Error implements error.
func (e *SheetError) Error() string { return "xlsx: " + e.reason }

var (
	errClosed  = errors.New("xlsx: the workbook is closed")
	errAborted = errors.New("xlsx: the workbook was given up")
)

// NewWriter starts a workbook on w. It fails with a *SheetError where a sheet
// can't hold the columns or a limit leaves no room for a row, and also where the
// columns and the header do not belong together, or w fails.
func NewWriter(w io.Writer, s Sheet, o Options) (*Writer, error) {
	if o.Level == 0 {
		o.Level = 1
	}
	if o.MaxRows <= 0 || o.MaxRows > MaxRows {
		o.MaxRows = MaxRows
	}
	if o.MaxBytes <= 0 || o.MaxBytes > MaxBytes {
		o.MaxBytes = MaxBytes
	}
	if o.Modified.IsZero() {
		o.Modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	h := layOut(s.Header)
	switch {
	case o.Level < 1 || o.Level > 9:
		return nil, fmt.Errorf("xlsx: deflate level %d is not within 1–9", o.Level)
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
	writer := &Writer{
		archive:   archive{zip: zip.NewWriter(w), modified: o.Modified, level: o.Level},
		encoder:   newEncoder(s, h, styles, !o.OmitReferences),
		options:   o,
		name:      CleanSheetName(s.Name),
		packing:   make(chan packed, 1),
		headerCut: h.cut,
	}
	if n := len(styles.looks); n > maxStyles {
		return nil, &SheetError{fmt.Sprintf("%d cell formats, a workbook holds %d", n, maxStyles)}
	}
	writer.baseCut = writer.cutByColumns()
	if err := writer.archive.part("_rels/.rels", []byte(packageRelations)); err != nil {
		return nil, err
	}
	if err := writer.archive.part("xl/styles.xml", styles.xml()); err != nil {
		return nil, err
	}
	if err := writer.openSheet(); err != nil {
		return nil, err
	}
	return writer, nil
}

// Write adds a row with one value for each column. The values are not used after
// it returns. An error may come from an earlier row, which is written in the
// background; after one, every call fails with it.
func (w *Writer) Write(row []cell.Value) error {
	if w.err != nil {
		return w.err
	}
	if w.closed {
		return errClosed
	}
	if len(row) != len(w.encoder.columns) {
		return w.fail(fmt.Errorf("xlsx: a row of %d values for %d columns", len(row), len(w.encoder.columns)))
	}
	if w.row == w.options.MaxRows {
		if err := w.nextSheet(); err != nil {
			return w.fail(err)
		}
	}
	start := len(w.current.xml)
	w.current.xml = w.encoder.appendRow(w.current.xml, w.row+1, row)
	if w.overflows() && w.row > len(w.encoder.header.rows) {
		w.current.xml = w.current.xml[:start]
		if err := w.nextSheet(); err != nil {
			return w.fail(err)
		}
		counted := w.cutByColumns()
		w.current.xml = w.encoder.appendRow(w.current.xml, w.row+1, row)
		w.baseCut += w.cutByColumns() - counted
	}
	w.row++
	if len(w.current.xml) >= segmentBytes {
		if err := w.flush(); err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// endReserve is room for the end of a sheet without its merges.
const endReserve = 256

func (w *Writer) overflows() bool {
	end := int64(endReserve + len(w.encoder.header.merges)*48)
	return w.bytes+int64(len(w.current.xml))+end > w.options.MaxBytes
}

// Truncated is the number of this workbook's cells and headers that were cut to
// the length a cell holds.
func (w *Writer) Truncated() int64 { return w.headerCut + w.cutByColumns() - w.baseCut }

func (w *Writer) cutByColumns() (n int64) {
	for _, c := range w.encoder.columns {
		n += c.Truncated()
	}
	return n
}

// Close finishes the archive; the io.Writer stays open. A workbook without rows
// is valid and has its header. Closing again answers the first outcome.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	if w.err == nil {
		w.err = w.finish()
	}
	w.release()
	return w.err
}

// Abort ends the work without finishing the archive and waits until nothing is
// written any more. Close then answers an error. After Close it does nothing.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	if w.err == nil {
		w.err = errAborted
	}
	w.release()
}

// release waits for the segment under way and gives the memory back. Its outcome
// no longer matters: the archive is finished, or has failed already.
func (w *Writer) release() {
	w.closed = true
	_ = w.wait()
	for _, s := range []*segment{w.current, w.spare} {
		if s != nil {
			s.release()
		}
	}
	w.current, w.spare = nil, nil
}

func (w *Writer) finish() error {
	if err := w.closeSheet(); err != nil {
		return err
	}
	for _, part := range []struct {
		name    string
		content []byte
	}{
		{"xl/workbook.xml", workbook(w.sheets)},
		{"xl/_rels/workbook.xml.rels", workbookRelations(len(w.sheets))},
		{"[Content_Types].xml", contentTypes(len(w.sheets))},
	} {
		if err := w.archive.part(part.name, part.content); err != nil {
			return err
		}
	}
	return w.archive.zip.Close()
}

func (w *Writer) fail(err error) error {
	w.err = err
	return err
}

func (w *Writer) openSheet() error {
	n := len(w.sheets) + 1
	entry, err := w.archive.begin("xl/" + sheetPath(n))
	if err != nil {
		return err
	}
	w.entry = entry
	if w.current == nil {
		w.current = newSegment(w.archive.level)
	}
	opening := w.encoder.opening
	if n == 1 {
		opening = w.encoder.firstTab
	}
	w.current.xml = append(w.current.xml, opening...)
	w.row = len(w.encoder.header.rows)
	w.bytes = 0
	return nil
}

func (w *Writer) closeSheet() error {
	w.current.xml = w.encoder.appendEnd(w.current.xml, w.row)
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.wait(); err != nil {
		return err
	}
	if err := w.entry.end(); err != nil {
		return err
	}
	w.sheets = append(w.sheets, finishedSheet{
		name:   sheetName(w.name, len(w.sheets)+1),
		filter: w.encoder.filterRange(w.row),
	})
	return nil
}

func (w *Writer) nextSheet() error {
	if err := w.closeSheet(); err != nil {
		return err
	}
	return w.openSheet()
}

// flush hands the segment to a goroutine that packs and writes it, after the one
// before is done: at most two segments are in memory. The goroutine ends by
// itself, so a writer that is dropped leaves nothing behind.
func (w *Writer) flush() error {
	if err := w.wait(); err != nil {
		return err
	}
	s, entry := w.current, w.entry
	w.bytes += int64(len(s.xml))
	if w.current = w.spare; w.current == nil {
		w.current = newSegment(w.archive.level)
	}
	w.spare = nil
	w.busy = true
	go func() {
		err := s.pack()
		if err == nil {
			err = entry.add(s)
		}
		w.packing <- packed{s, err}
	}()
	return nil
}

// wait takes the outcome of the segment under way and keeps its memory for the
// one after the next.
func (w *Writer) wait() error {
	if !w.busy {
		return nil
	}
	w.busy = false
	done := <-w.packing
	if !done.segment.bloated() {
		done.segment.reset()
		w.spare = done.segment
	}
	return done.err
}

// packed is a segment that was written, or failed to be.
type packed struct {
	segment *segment
	err     error
}
