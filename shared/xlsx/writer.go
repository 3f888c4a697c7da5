package xlsx

import (
	"errors"
	"io"

	"github.com/haexcel/haexcel/shared/cell"
)

// Writer writes one workbook. It is used by one goroutine and must be closed or
// aborted. Segments are encoded on all cores and written in order, both behind
// the caller's back; when the io.Writer is slow, Write waits.
type Writer struct {
	*pipeline
	assembler *Assembler // used by the goroutine whose turn it is
	batch     *Batch     // being filled
	row       int        // number of the sheet's last row, once the batch is written
	room      int64      // XML that still fits into the sheet, at the least
	closed    bool
}

var errAborted = errors.New("xlsx: the workbook was given up")

// NewWriter starts a workbook on w. It fails as NewEncoder does, or when w does.
func NewWriter(w io.Writer, s Sheet, o Options) (*Writer, error) {
	e, err := NewEncoder(s, o)
	if err != nil {
		return nil, err
	}
	a, err := NewAssembler(w, e)
	if err != nil {
		return nil, err
	}
	writer := &Writer{pipeline: newPipeline(e, a.Add), assembler: a, batch: e.NewBatch()}
	writer.beginSheet()
	return writer, nil
}

// beginSheet counts from the start of a sheet.
func (w *Writer) beginSheet() {
	w.row = w.encoder.FirstRow() - 1
	w.measureRoom()
}

// measureRoom is called when nothing is under way.
func (w *Writer) measureRoom() {
	w.room = w.encoder.options.MaxBytes - w.encoder.closeReserve() - w.assembler.length
}

// Write adds a row with one value for each column. The values are not used after
// it returns. An error may come from an earlier row, which is written in the
// background; after one, every call fails with it.
func (w *Writer) Write(row []cell.Value) error {
	if w.closed || w.failed.Load() {
		return w.ended()
	}
	if w.row == w.encoder.options.MaxRows {
		if err := w.nextSheet(); err != nil {
			return err
		}
	}
	if err := w.batch.Append(row); err != nil {
		return w.fail(err)
	}
	w.row++
	if w.batch.bound() > w.room {
		if err := w.makeRoom(); err != nil {
			return err
		}
	}
	if w.batch.Full() {
		return w.dispatch()
	}
	return nil
}

// makeRoom is called when the batch may be more than the sheet holds. How much the
// rows really take is known once they are encoded; only when there is no room for
// the last one then does it go to the next sheet. What happens depends on the rows
// alone, never on how far the encoding has come.
func (w *Writer) makeRoom() error {
	last := w.encoder.NewBatch()
	w.batch.moveLast(last)
	w.row--
	if err := w.settle(); err != nil {
		return err
	}
	w.measureRoom()
	if last.bound() > w.room && w.row >= w.encoder.FirstRow() {
		if err := w.nextSheet(); err != nil {
			return err
		}
	}
	last.moveLast(w.batch)
	w.row++
	return nil
}

func (w *Writer) nextSheet() error {
	if err := w.settle(); err != nil {
		return err
	}
	if err := w.assembler.NextSheet(); err != nil {
		return w.fail(err)
	}
	w.beginSheet()
	return nil
}

// settle waits until every row is written.
func (w *Writer) settle() error {
	if w.batch.Rows() > 0 {
		if err := w.dispatch(); err != nil {
			return err
		}
	}
	w.wait()
	return w.failure()
}

// dispatch has the batch encoded and written.
func (w *Writer) dispatch() error {
	room := w.batch.bound()
	batch, err := w.pipeline.dispatch(w.batch, w.row-w.batch.Rows()+1)
	w.batch = batch
	if err == nil {
		w.room -= room
	}
	return err
}

// Truncated is the number of this workbook's cells and headers that were cut to
// the length a cell holds. It is complete once the workbook is closed.
func (w *Writer) Truncated() int64 {
	w.wait()
	return w.assembler.Truncated()
}

// Close finishes the archive; the io.Writer stays open. A workbook without rows
// is valid and has its header. Closing again answers the first outcome.
func (w *Writer) Close() error {
	if w.closed {
		return w.failure()
	}
	err := w.settle()
	w.closed = true
	if err == nil {
		if err = w.assembler.Close(); err != nil {
			return w.fail(err)
		}
	}
	w.wait()
	return err
}

// Abort ends the work without finishing the archive and waits until nothing is
// written any more. Close then answers an error. After Close it does nothing.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	_ = w.fail(errAborted)
	w.closed = true
	w.wait()
}
