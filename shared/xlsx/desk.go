package xlsx

import (
	"bytes"
	"hash/crc32"
	"runtime"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/haexcel/haexcel/shared/deflate"
)

// desk is the memory of one segment in the making. There are no more of them at
// work than cores, whatever the number of workbooks.
type desk struct {
	page       page
	compressor deflate.Compressor
	general    [2]*flate.Writer // by level: for long rows, for small files
	out        bytes.Buffer
}

var (
	desks    = sync.Pool{New: func() any { return new(desk) }}
	deskFree = make(chan struct{}, runtime.GOMAXPROCS(0))
)

// takeDesk waits for a core's turn.
func takeDesk() *desk {
	deskFree <- struct{}{}
	return desks.Get().(*desk)
}

func (d *desk) release() {
	d.page.reset()
	// What a giant row took is given back.
	if cap(d.page.xml) <= 8*segmentBytes && d.out.Cap() <= 8*segmentBytes {
		desks.Put(d)
	}
	<-deskFree
}

const (
	levelFast  = 1
	levelSmall = 6
	// longRow is the XML of a row from which on cells are not compared with those
	// of the row above: they are too far apart.
	longRow = 16 << 10
)

// pack deflates the page into s. Small takes the smaller of two outcomes.
func (d *desk) pack(s *Segment, columns int, c Compression) error {
	xml := d.page.xml
	s.length, s.crc = int64(len(xml)), crc32.ChecksumIEEE(xml)
	if short := len(xml)/s.rows < longRow; short {
		s.packed = d.compressor.Append(s.packed, xml, d.page.spans, columns)
		if c == Fast {
			return nil
		}
	}
	packed, err := d.deflate(xml, c)
	if err == nil && (len(s.packed) == 0 || len(packed) < len(s.packed)) {
		s.packed = append(s.packed[:0], packed...)
	}
	return err
}

// deflate compresses b by the general way. The result ends with a sync flush, an
// empty stored block, and is overwritten by the next call.
func (d *desk) deflate(b []byte, c Compression) ([]byte, error) {
	d.out.Reset()
	w := d.general[c]
	if w == nil {
		var err error
		if w, err = flate.NewWriter(&d.out, [...]int{Fast: levelFast, Small: levelSmall}[c]); err != nil {
			return nil, err
		}
		d.general[c] = w
	} else {
		w.Reset(&d.out)
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return d.out.Bytes(), nil
}
