package xlsx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Segment is a piece of a sheet: whole rows, deflated by themselves to blocks that
// end on a byte. Segments of one layout join in any order that their rows allow,
// also after they were stored and read by another process.
type Segment struct {
	layout    [16]byte
	first     int    // number of the first row
	rows      int    // how many
	truncated int64  // cells that were cut
	length    int64  // bytes of XML
	crc       uint32 // of the XML, CRC-32 (IEEE)
	packed    []byte // raw deflate blocks, none of them the last of its stream
}

// FirstRow is the number that the segment's first row has in its sheet.
func (s *Segment) FirstRow() int { return s.first }

// Rows is the number of rows.
func (s *Segment) Rows() int { return s.rows }

// Length is the number of bytes of sheet XML.
func (s *Segment) Length() int64 { return s.length }

// Truncated is the number of cells that were cut to the length a cell holds.
func (s *Segment) Truncated() int64 { return s.truncated }

// A stored segment is a header and the packed bytes:
//
//	4  "hxs1"
//	16 layout
//	4  first row
//	4  rows
//	8  cells that were cut
//	8  bytes of XML
//	4  CRC-32 of the XML
//	4  packed bytes
//	4  CRC-32C of everything before and of the packed bytes
//
// Numbers are big-endian.
const (
	segmentMagic  = "hxs1"
	segmentHeader = 4 + 16 + 4 + 4 + 8 + 8 + 4 + 4 + 4
	maxPacked     = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the segment in the form that ReadSegment reads.
func (s *Segment) AppendBinary(dst []byte) ([]byte, error) {
	if len(s.packed) > maxPacked {
		return nil, fmt.Errorf("xlsx: a segment of %d bytes can't be stored", len(s.packed))
	}
	start := len(dst)
	dst = append(dst, segmentMagic...)
	dst = append(dst, s.layout[:]...)
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.first))
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.rows))
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.truncated))
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.length))
	dst = binary.BigEndian.AppendUint32(dst, s.crc)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s.packed)))
	sum := crc32.Update(crc32.Checksum(dst[start:], castagnoli), castagnoli, s.packed)
	dst = binary.BigEndian.AppendUint32(dst, sum)
	return append(dst, s.packed...), nil
}

// errDamaged is the error of bytes that are no stored segment.
var errDamaged = errors.New("xlsx: a stored segment is damaged")

// ReadSegment reads the next of the segments stored in r, one behind the other,
// and io.EOF behind the last. A segment that is cut off or changed is an error.
func ReadSegment(r io.Reader) (*Segment, error) {
	var header [segmentHeader]byte
	if _, err := io.ReadFull(r, header[:]); err == io.EOF {
		return nil, err
	} else if err != nil {
		return nil, cutOff(err)
	}
	b := header[len(segmentMagic):]
	s := &Segment{layout: [16]byte(b)}
	b = b[len(s.layout):]
	s.first, s.rows = int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	s.truncated, s.length = int64(binary.BigEndian.Uint64(b[8:])), int64(binary.BigEndian.Uint64(b[16:]))
	s.crc = binary.BigEndian.Uint32(b[24:])
	size, sum := binary.BigEndian.Uint32(b[28:]), binary.BigEndian.Uint32(b[32:])
	if string(header[:len(segmentMagic)]) != segmentMagic || size > maxPacked {
		return nil, errDamaged
	}
	// Read in steps, so that a wrong length does not take memory.
	var packed bytes.Buffer
	if _, err := io.CopyN(&packed, r, int64(size)); err != nil {
		return nil, cutOff(err)
	}
	s.packed = packed.Bytes()
	if crc32.Update(crc32.Checksum(header[:segmentHeader-4], castagnoli), castagnoli, s.packed) != sum {
		return nil, errDamaged
	}
	return s, nil
}

// cutOff tells an early end, which must not be taken for the end of all segments,
// from a reader that failed.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is cut off", errDamaged)
	}
	return fmt.Errorf("xlsx: read a segment: %w", err)
}
