package xlsx

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"time"

	"github.com/haexcel/haexcel/shared/deflate"
)

// archive is the zip around the parts. It only ever writes forward: sizes and
// checksums follow the data of each entry.
type archive struct {
	zip      *zip.Writer
	modified time.Time
}

// entry is the part being written. Its header is completed when it ends.
type entry struct {
	body   io.Writer
	header *zip.FileHeader
}

const (
	flagDescriptor = 0x8
	zip64Limit     = 1<<32 - 1
	version20      = 20 // deflate
	version45      = 45 // zip64
)

// begin opens a deflated entry whose lengths are not known yet.
func (a *archive) begin(name string) (*entry, error) {
	h := &zip.FileHeader{
		Name:           name,
		Method:         zip.Deflate,
		Flags:          flagDescriptor,
		CreatorVersion: version20,
		ReaderVersion:  version20,
		Modified:       a.modified,
		Extra:          timeExtra(a.modified),
	}
	h.ModifiedDate, h.ModifiedTime = dosTime(a.modified) //nolint:staticcheck // CreateRaw writes these fields as they are
	body, err := a.zip.CreateRaw(h)
	if err != nil {
		return nil, err
	}
	return &entry{body: body, header: h}, nil
}

// add appends deflated bytes and what is known of the bytes they stand for.
func (e *entry) add(packed []byte, crc uint32, length int64) error {
	e.header.CRC32 = combineCRC(e.header.CRC32, crc, length)
	e.header.UncompressedSize64 += uint64(length)
	e.header.CompressedSize64 += uint64(len(packed))
	_, err := e.body.Write(packed)
	return err
}

// addPlain deflates content and appends it.
func (e *entry) addPlain(content []byte) error {
	packed, err := deflated(content)
	if err != nil {
		return err
	}
	return e.add(packed, crc32.ChecksumIEEE(content), int64(len(content)))
}

// deflated is content as a piece of a deflate stream. The core's turn is over
// before a byte is written: an io.Writer may be slow, and must not hold up other
// workbooks.
func deflated(content []byte) ([]byte, error) {
	d := takeDesk()
	defer d.release()
	return d.deflate(nil, content, Fast)
}

// end closes the deflate stream. The archive writes the header's sums behind the
// data when the next entry begins or the archive ends.
func (e *entry) end() error {
	e.header.CompressedSize64 += uint64(len(deflate.Final))
	h := e.header
	if h.CompressedSize64 >= zip64Limit || h.UncompressedSize64 >= zip64Limit {
		h.ReaderVersion = version45
	}
	h.CompressedSize, h.UncompressedSize = short(h.CompressedSize64), short(h.UncompressedSize64) //nolint:staticcheck // the descriptor and the directory hold the short fields
	_, err := e.body.Write(deflate.Final)
	return err
}

func short(n uint64) uint32 { return uint32(min(n, zip64Limit)) }

// part writes a small entry as a whole.
func (a *archive) part(name string, content []byte) error {
	e, err := a.begin(name)
	if err != nil {
		return err
	}
	if err := e.addPlain(content); err != nil {
		return err
	}
	return e.end()
}

// dosTime is a wall-clock time in the form of 1980, to two seconds.
func dosTime(t time.Time) (date, clock uint16) {
	if t.Year() < 1980 || t.Year() > 2107 {
		t = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	date = uint16(t.Day() + int(t.Month())<<5 + (t.Year()-1980)<<9)
	clock = uint16(t.Second()/2 + t.Minute()<<5 + t.Hour()<<11)
	return date, clock
}

// timeExtra is the field that carries the same moment as an instant.
func timeExtra(t time.Time) []byte {
	extra := []byte{0x55, 0x54, 5, 0, 1}
	return binary.LittleEndian.AppendUint32(extra, uint32(t.Unix()))
}
