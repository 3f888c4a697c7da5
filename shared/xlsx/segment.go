package xlsx

import (
	"bytes"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// segmentBytes is the amount of sheet XML that makes a segment. It is large
// against the window of deflate, so that starting afresh costs little, and small
// enough for several to be in memory.
const segmentBytes = 256 << 10

// segment is a piece of an entry: its XML and, once packed, the raw deflate blocks
// of it, which end on a byte without being the last of their stream.
type segment struct {
	xml    []byte
	packed bytes.Buffer
	crc    uint32
}

var segments = sync.Pool{New: func() any {
	return &segment{xml: make([]byte, 0, segmentBytes+segmentBytes/4)}
}}

func newSegment() *segment {
	s := segments.Get().(*segment)
	s.xml = s.xml[:0]
	s.packed.Reset()
	return s
}

// release gives the segment's memory to the next writer, unless a giant row has
// blown it up.
func (s *segment) release() {
	if cap(s.xml) <= 8*segmentBytes && s.packed.Cap() <= 8*segmentBytes {
		segments.Put(s)
	}
}

// deflaters keeps compressors by level, since one is hundreds of kilobytes.
var deflaters [flate.BestCompression + 1]sync.Pool

// pack deflates the segment. It ends with a sync flush: an empty stored block.
func (s *segment) pack(level int) error {
	s.crc = crc32.ChecksumIEEE(s.xml)
	s.packed.Reset()
	deflater, ok := deflaters[level].Get().(*flate.Writer)
	if ok {
		deflater.Reset(&s.packed)
	} else {
		var err error
		if deflater, err = flate.NewWriter(&s.packed, level); err != nil {
			return err
		}
	}
	defer deflaters[level].Put(deflater)
	if _, err := deflater.Write(s.xml); err != nil {
		return err
	}
	return deflater.Flush()
}

// lastBlock ends a deflate stream: an empty final block with fixed codes.
var lastBlock = []byte{0x03, 0x00}
