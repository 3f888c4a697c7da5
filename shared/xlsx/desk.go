package xlsx

import (
	"bytes"
	"hash/crc32"
	"runtime"

	"github.com/klauspost/compress/flate"

	"github.com/haexcel/haexcel/shared/deflate"
)

// desk is the memory of one segment in the making. There are no more of them at
// work than cores, whatever the number of workbooks.
type desk struct {
	page       page
	compressor deflate.Compressor
	general    [2]*flate.Writer // by compression: for what is no row of usual length
	out        bytes.Buffer
}

// desks holds one desk for each core, nil until it is used for the first time.
var desks = func() chan *desk {
	n := runtime.GOMAXPROCS(0)
	c := make(chan *desk, n)
	for range n {
		c <- nil
	}
	return c
}()

// takeDesk waits for a core's turn.
func takeDesk() *desk {
	if d := <-desks; d != nil {
		return d
	}
	return new(desk)
}

func (d *desk) release() {
	d.page.reset()
	if cap(d.page.xml) > giantBytes || d.out.Cap() > giantBytes {
		d = nil // what a giant row took is given back
	}
	desks <- d
}

// longRow is the XML of a row from which on cells are not compared with those of
// the row above: they are too far apart.
const longRow = 16 << 10

// pack deflates the page into s.
func (d *desk) pack(s *Segment, columns int, c Compression) (err error) {
	xml := d.page.xml
	s.length, s.crc = int64(len(xml)), crc32.ChecksumIEEE(xml)
	if len(xml)/s.rows >= longRow {
		s.packed, err = d.deflate(s.packed, xml, c)
		return err
	}
	d.compressor.Thorough = c == Small
	s.packed = d.compressor.Append(s.packed, xml, d.page.spans, columns)
	return nil
}

// generalLevels are deflate's, from 1 for the fastest to 9.
var generalLevels = [...]int{Fast: 1, Small: 6}

// deflate compresses b the general way, behind dst. It ends with a sync flush, an
// empty stored block.
func (d *desk) deflate(dst, b []byte, c Compression) ([]byte, error) {
	d.out.Reset()
	w := d.general[c]
	if w == nil {
		var err error
		if w, err = flate.NewWriter(&d.out, generalLevels[c]); err != nil {
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
	return append(dst, d.out.Bytes()...), nil
}
