package xlsx

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/haexcel/haexcel/shared/cell"
)

// Writer writes one workbook. It is used by one goroutine and must be closed or
// aborted. Segments are encoded on all cores and written in order, both behind
// the caller's back; when the io.Writer is slow, Write waits.
type Writer struct {
	encoder   *Encoder
	assembler *Assembler // used by the goroutine whose turn it is
	batch     *Batch     // being filled
	row       int        // number of the sheet's last row, once the batch is written
	room      int64      // XML that still fits into the sheet, at the least
	closed    bool

	flights chan *flight  // free
	last    chan struct{} // closed when everything dispatched so far is written

	failed atomic.Bool
	mu     sync.Mutex
	err    error // the first
}

// flight is a batch on its way to become a written segment.
type flight struct {
	batch   *Batch
	segment Segment
	first   int // number of its first row
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
	// For each core one being encoded and one waiting for its turn to be written.
	n := 2*runtime.GOMAXPROCS(0) + 2
	writer := &Writer{encoder: e, assembler: a, batch: e.NewBatch(), flights: make(chan *flight, n), last: make(chan struct{})}
	for range n {
		writer.flights <- &flight{batch: e.NewBatch()}
	}
	close(writer.last)
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

// ended is the error of a call that comes too late.
func (w *Writer) ended() error {
	if err := w.failure(); err != nil {
		return err
	}
	return errClosed
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
	<-w.last
	return w.failure()
}

// dispatch hands the batch to a goroutine that encodes it and, after the one
// before has done so, writes it. The goroutine ends by itself.
func (w *Writer) dispatch() error {
	f := <-w.flights
	if err := w.failure(); err != nil {
		w.flights <- f
		return err
	}
	if len(w.batch.bytes) > giantBytes {
		<-w.last // giant rows go one by one
	}
	w.room -= w.batch.bound()
	f.batch, w.batch = w.batch, f.batch
	f.first = w.row - f.batch.Rows() + 1
	before, done := w.last, make(chan struct{})
	w.last = done
	go func() {
		defer close(done)
		err := guard(func() error { return w.encoder.encode(&f.segment, f.batch, f.first) })
		<-before
		if err == nil && w.failure() == nil {
			err = guard(func() error { return w.assembler.Add(&f.segment) })
		}
		if err != nil {
			_ = w.fail(err) // the next call answers it
		}
		f.batch.Reset()
		if cap(f.segment.packed) > giantBytes {
			f.segment.packed = nil
		}
		w.flights <- f
	}()
	return nil
}

// guard turns a panic of a rule or of the io.Writer into an error: in a goroutine
// it would end the process, with every other export in it.
func guard(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("xlsx: writing panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// fail notes the first error and answers it.
func (w *Writer) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.failed.Store(true)
	}
	return w.err
}

func (w *Writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Truncated is the number of this workbook's cells and headers that were cut to
// the length a cell holds. It is complete once the workbook is closed.
func (w *Writer) Truncated() int64 {
	<-w.last
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
	<-w.last
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
	<-w.last
}
