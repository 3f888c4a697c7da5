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
// of it, which end on a byte without being the last of their stream. It owns the
// compressor, which takes hundreds of kilobytes.
type segment struct {
	level    int
	xml      []byte
	packed   bytes.Buffer
	crc      uint32
	deflater *flate.Writer
}

// segments keeps the memory of finished workbooks for the next ones, by level.
var segments [flate.BestCompression + 1]sync.Pool

func newSegment(level int) *segment {
	s, ok := segments[level].Get().(*segment)
	if !ok {
		s = &segment{level: level, xml: make([]byte, 0, segmentBytes+segmentBytes/4)}
	}
	s.reset()
	return s
}

func (s *segment) reset() {
	s.xml = s.xml[:0]
	s.packed.Reset()
}

// bloated reports whether a giant row has blown the segment up.
func (s *segment) bloated() bool {
	return cap(s.xml) > 8*segmentBytes || s.packed.Cap() > 8*segmentBytes
}

func (s *segment) release() {
	if !s.bloated() {
		segments[s.level].Put(s)
	}
}

// pack deflates the segment. It ends with a sync flush: an empty stored block.
func (s *segment) pack() error {
	s.crc = crc32.ChecksumIEEE(s.xml)
	s.packed.Reset()
	if s.deflater == nil {
		deflater, err := flate.NewWriter(&s.packed, s.level)
		if err != nil {
			return err
		}
		s.deflater = deflater
	} else {
		s.deflater.Reset(&s.packed)
	}
	if _, err := s.deflater.Write(s.xml); err != nil {
		return err
	}
	return s.deflater.Flush()
}

// lastBlock ends a deflate stream: an empty final block with fixed codes.
var lastBlock = []byte{0x03, 0x00}
