package xlsx

import (
	"fmt"
	"io"

	"github.com/haexcel/haexcel/shared/cell"
)

// SegmentWriter writes rows as stored segments, one behind the other, for an
// Assembler of another time or process. As a Writer it is used by one goroutine,
// encodes on all cores behind the caller's back, and must be closed or aborted.
type SegmentWriter struct {
	*pipeline
	batch   *Batch
	row     int   // number of the last row
	rows    int64 // written so far
	encoded []byte
	cut     int64
	closed  bool
}

// NewSegmentWriter starts to write segments to w, whose rows are numbered from
// firstRow on, as far as a sheet reaches: for the place where they are likely to
// stand. A number that no row of a sheet has stands for Encoder.FirstRow.
func NewSegmentWriter(w io.Writer, e *Encoder, firstRow int) *SegmentWriter {
	if firstRow < e.FirstRow() || firstRow > e.options.MaxRows {
		firstRow = e.FirstRow()
	}
	writer := &SegmentWriter{batch: e.NewBatch(), row: firstRow - 1}
	writer.pipeline = newPipeline(e, func(s *Segment) error {
		var err error
		if writer.encoded, err = s.AppendBinary(writer.encoded[:0]); err != nil {
			return err
		}
		writer.cut += s.truncated
		if _, err := w.Write(writer.encoded); err != nil {
			return fmt.Errorf("xlsx: write a segment: %w", err)
		}
		if cap(writer.encoded) > giantBytes {
			writer.encoded = nil
		}
		return nil
	})
	return writer
}

// Write adds a row with one value for each column. The values are not used after
// it returns. An error may come from an earlier row; after one, every call fails
// with it.
func (w *SegmentWriter) Write(row []cell.Value) error {
	if w.closed || w.failed.Load() {
		return w.ended()
	}
	if w.row == w.encoder.options.MaxRows {
		// A sheet has no such number; where the rows come to stand is the
		// Assembler's to say.
		if err := w.flush(); err != nil {
			return err
		}
		w.row = w.encoder.FirstRow() - 1
	}
	if err := w.batch.Append(row); err != nil {
		return w.fail(err)
	}
	w.row++
	w.rows++
	if w.batch.Full() {
		return w.flush()
	}
	return nil
}

func (w *SegmentWriter) flush() error {
	if w.batch.Rows() == 0 {
		return nil
	}
	batch, err := w.dispatch(w.batch, w.row-w.batch.Rows()+1)
	w.batch = batch
	return err
}

// Rows is the number of rows so far.
func (w *SegmentWriter) Rows() int64 { return w.rows }

// Truncated is the number of cells that were cut. It is complete once the writer
// is closed.
func (w *SegmentWriter) Truncated() int64 {
	w.wait()
	return w.cut
}

// Close writes what is left; the io.Writer stays open. Without rows nothing is
// written at all. Closing again answers the first outcome.
func (w *SegmentWriter) Close() error {
	if w.closed {
		return w.failure()
	}
	err := w.flush()
	w.closed = true
	w.wait()
	if err != nil {
		return err
	}
	return w.failure()
}

// Abort ends the work and waits until nothing is written any more. Close then
// answers an error. After Close it does nothing.
func (w *SegmentWriter) Abort() {
	if w.closed {
		return
	}
	_ = w.fail(errAborted)
	w.closed = true
	w.wait()
}
