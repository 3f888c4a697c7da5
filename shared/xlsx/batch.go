package xlsx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/haexcel/haexcel/shared/cell"
)

// Batch holds copies of rows until they are encoded. It is used by one goroutine
// at a time, and again after Reset.
type Batch struct {
	columns  int
	rowXML   int   // about the markup of a row
	rowBound int64 // more than the markup of a row, and what texts grow by
	kinds    []cell.Kind
	ends     []uint32 // of each value, in bytes
	bytes    []byte
}

const (
	// segmentBytes is the amount of sheet XML that makes a segment. It is large
	// against the window of deflate, so that starting afresh costs little, and
	// small enough for several to be in memory.
	segmentBytes = 256 << 10
	// giantBytes is more than usual segments need. Memory beyond it is not kept.
	giantBytes = 8 * segmentBytes
	// maxBatchBytes keeps the ends of values within 32 bits.
	maxBatchBytes = 1 << 30
	// largestSegment is what the XML of a segment may grow to where values stand for
	// long texts: labels of a code map have up to 32,767 characters. It is so much
	// that usual columns, whatever their rules, do not reach it.
	largestSegment = 64 * segmentBytes
	// expansion is the greatest number of bytes that one of a value becomes: a
	// control character is written as _x0001_.
	expansion = 7
)

// NewBatch returns an empty batch for the encoder's columns.
func (e *Encoder) NewBatch() *Batch {
	return &Batch{columns: len(e.frames), rowXML: e.rowXML, rowBound: e.rowBound}
}

// Append copies a row. It fails where the row does not have one value for each
// column, and where the batch would hold more than a gigabyte.
func (b *Batch) Append(row []cell.Value) error {
	if len(row) != b.columns {
		return fmt.Errorf("xlsx: a row of %d values for %d columns", len(row), b.columns)
	}
	rows := len(b.ends)
	for _, v := range row {
		if len(v.Bytes) > maxBatchBytes-len(b.bytes) {
			b.kinds, b.ends, b.bytes = b.kinds[:rows], b.ends[:rows], b.bytes[:b.start(rows)]
			return errTooLarge
		}
		b.kinds = append(b.kinds, v.Kind)
		b.bytes = append(b.bytes, v.Bytes...)
		b.ends = append(b.ends, uint32(len(b.bytes)))
	}
	return nil
}

var errTooLarge = errors.New("xlsx: the rows of a segment are larger than a gigabyte")

// Rows is the number of rows.
func (b *Batch) Rows() int { return len(b.ends) / b.columns }

// Full reports whether the rows make a segment of the right size: their XML, as
// far as it can be told, is some hundred kilobytes, or it might be megabytes.
func (b *Batch) Full() bool {
	return b.Rows()*b.rowXML+len(b.bytes) >= segmentBytes || b.bound() >= largestSegment
}

// Reset empties the batch. Memory that a giant row took is given back.
func (b *Batch) Reset() {
	if cap(b.bytes) > giantBytes {
		b.bytes = nil
	}
	b.kinds, b.ends, b.bytes = b.kinds[:0], b.ends[:0], b.bytes[:0]
}

// moveLast moves the last row to another batch.
func (b *Batch) moveLast(to *Batch) {
	first := len(b.ends) - b.columns
	start := b.start(first)
	to.kinds = append(to.kinds, b.kinds[first:]...)
	base := uint32(len(to.bytes))
	for _, end := range b.ends[first:] {
		to.ends = append(to.ends, end-start+base)
	}
	to.bytes = append(to.bytes, b.bytes[start:]...)
	b.kinds, b.ends, b.bytes = b.kinds[:first], b.ends[:first], b.bytes[:start]
}

// start is where the i-th value begins, or would.
func (b *Batch) start(i int) uint32 {
	if i == 0 {
		return 0
	}
	return b.ends[i-1]
}

// room makes the bytes behind the last value readable, so that short values are
// copied by words.
func (b *Batch) room() { b.bytes = slices.Grow(b.bytes, wordBytes) }

// bound is more XML than the rows can become.
func (b *Batch) bound() int64 {
	return int64(b.Rows())*b.rowBound + expansion*int64(len(b.bytes))
}
