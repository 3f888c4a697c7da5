package xlsxtest

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

const (
	localHeaderSize = 30
	descriptorSize  = 16
	endSize         = 22
	zip64EndSize    = 56 + 20 // with its locator

	localSignature      = 0x04034b50
	descriptorSignature = 0x08074b50
	endSignature        = 0x06054b50
	zip64EndSignature   = 0x06064b50
	locatorSignature    = 0x07064b50

	zip64Tag     = 1
	flagNext     = 0x8   // a descriptor follows the data
	allowedFlags = 0x80e // that one, the level of compression, and UTF-8
	limit32      = 1<<32 - 1
	limit16      = 1<<16 - 1
)

// archive is a zip file whose headers agree with each other.
type archive struct {
	in      io.ReaderAt
	entries []*zip.File
}

// openArchive checks everything but the contents of the entries.
func openArchive(in io.ReaderAt, size int64) (*archive, error) {
	directory, err := zip.NewReader(in, size)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	offset := int64(0)
	for _, f := range directory.File {
		if err := checkEntry(f, seen); err != nil {
			return nil, err
		}
		if offset, err = checkLocal(in, f, offset); err != nil {
			return nil, fmt.Errorf("entry %s: %w", f.Name, err)
		}
	}
	if err := checkEnd(in, size, offset, len(directory.File)); err != nil {
		return nil, err
	}
	return &archive{in, directory.File}, nil
}

// checkEntry looks at what the central directory says.
func checkEntry(f *zip.File, seen map[string]bool) error {
	lower := strings.ToLower(f.Name)
	switch {
	case !entryName(f.Name):
		return fmt.Errorf("an entry is called %q", f.Name)
	case seen[lower]:
		return fmt.Errorf("entry %s is there twice", f.Name)
	case f.Flags&^allowedFlags != 0:
		return fmt.Errorf("entry %s has the flags %#x", f.Name, f.Flags)
	case f.Method != zip.Deflate && f.Method != zip.Store:
		return fmt.Errorf("entry %s has the method %d", f.Name, f.Method)
	case f.Method == zip.Store && f.Flags&flagNext != 0:
		return fmt.Errorf("entry %s is stored with a data descriptor", f.Name)
	case f.CompressedSize64 >= limit32 || f.UncompressedSize64 >= limit32:
		return fmt.Errorf("entry %s has 4 GiB or more", f.Name)
	}
	seen[lower] = true
	return nil
}

// entryName tells whether a name is a relative path as packages have them.
func entryName(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || strings.HasSuffix(segment, ".") {
			return false
		}
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`\:*?"<>|%`, c) >= 0 {
			return false
		}
	}
	return true
}

// checkLocal compares the header in front of an entry, and the descriptor
// behind it, with the central directory. The header has to begin at the offset;
// where the entry ends is returned.
func checkLocal(in io.ReaderAt, f *zip.File, offset int64) (end int64, err error) {
	head := make([]byte, localHeaderSize)
	if _, err := in.ReadAt(head, offset); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(head) != localSignature {
		return 0, fmt.Errorf("no local header at byte %d, where it should be", offset)
	}
	names := make([]byte, int(binary.LittleEndian.Uint16(head[26:]))+int(binary.LittleEndian.Uint16(head[28:])))
	if _, err := in.ReadAt(names, offset+localHeaderSize); err != nil {
		return 0, err
	}
	name, extra := names[:binary.LittleEndian.Uint16(head[26:])], names[binary.LittleEndian.Uint16(head[26:]):]
	data, err := f.DataOffset()
	if err != nil {
		return 0, err
	}
	sums := sumsOf(f)
	if f.Flags&flagNext != 0 {
		sums = [3]uint32{}
	}
	switch {
	case string(name) != f.Name:
		return 0, fmt.Errorf("its local header calls it %q", name)
	case data != offset+localHeaderSize+int64(len(names)):
		return 0, errors.New("the central directory points elsewhere")
	case binary.LittleEndian.Uint16(head[4:]) != f.ReaderVersion:
		return 0, errors.New("its headers want different versions")
	case binary.LittleEndian.Uint16(head[6:]) != f.Flags:
		return 0, errors.New("its headers have different flags")
	case binary.LittleEndian.Uint16(head[8:]) != f.Method:
		return 0, errors.New("its headers have different methods")
	case readSums(head[14:]) != sums:
		return 0, errors.New("its local header has other sums")
	}
	if err := checkExtra(extra, false); err != nil {
		return 0, fmt.Errorf("local header: %w", err)
	}
	if err := checkExtra(f.Extra, offset >= limit32); err != nil {
		return 0, fmt.Errorf("central directory: %w", err)
	}
	return checkDescriptor(in, f, data+int64(f.CompressedSize64))
}

// sumsOf are the checksum and the lengths as headers hold them.
func sumsOf(f *zip.File) [3]uint32 {
	return [3]uint32{f.CRC32, uint32(f.CompressedSize64), uint32(f.UncompressedSize64)}
}

func readSums(b []byte) (sums [3]uint32) {
	for i := range sums {
		sums[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return sums
}

// checkExtra wants whole fields, and one for zip64 just where it is needed.
func checkExtra(extra []byte, zip64 bool) error {
	found := false
	for len(extra) > 0 {
		if len(extra) < 4 || len(extra) < 4+int(binary.LittleEndian.Uint16(extra[2:])) {
			return errors.New("an extra field is cut off")
		}
		found = found || binary.LittleEndian.Uint16(extra) == zip64Tag
		extra = extra[4+int(binary.LittleEndian.Uint16(extra[2:])):]
	}
	if found != zip64 {
		return fmt.Errorf("zip64 is needed: %t, there: %t", zip64, found)
	}
	return nil
}

func checkDescriptor(in io.ReaderAt, f *zip.File, offset int64) (end int64, err error) {
	if f.Flags&flagNext == 0 {
		return offset, nil
	}
	b := make([]byte, descriptorSize)
	if _, err := in.ReadAt(b, offset); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(b) != descriptorSignature || readSums(b[4:]) != sumsOf(f) {
		return 0, errors.New("its data descriptor is not there or has other sums")
	}
	return offset + descriptorSize, nil
}

// checkEnd looks at the end of an archive whose central directory begins at the
// offset: it has to fill the rest of the file.
func checkEnd(in io.ReaderAt, size, offset int64, entries int) error {
	end := make([]byte, endSize)
	if _, err := in.ReadAt(end, size-endSize); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(end) != endSignature || binary.LittleEndian.Uint16(end[20:]) != 0 {
		return errors.New("the archive does not end with its directory")
	}
	length := size - endSize - offset
	zip64 := entries >= limit16 || length-zip64EndSize >= limit32 || offset >= limit32
	if zip64 {
		length -= zip64EndSize
		if err := checkZip64End(in, size, offset, length, entries); err != nil {
			return err
		}
	}
	has := [3]uint64{
		uint64(binary.LittleEndian.Uint16(end[10:])),
		uint64(binary.LittleEndian.Uint32(end[12:])),
		uint64(binary.LittleEndian.Uint32(end[16:])),
	}
	want := [3]uint64{uint64(entries), uint64(length), uint64(offset)}
	if zip64 { // Go's writer marks all three, others only what does not fit
		for i, limit := range [3]uint64{limit16, limit32, limit32} {
			if has[i] == limit {
				want[i] = limit
			}
		}
	}
	if has != want {
		return fmt.Errorf("the archive's end speaks of %v entries, bytes and offset, the directory has %v", has, want)
	}
	return nil
}

func checkZip64End(in io.ReaderAt, size, offset, length int64, entries int) error {
	b := make([]byte, zip64EndSize)
	if _, err := in.ReadAt(b, size-endSize-zip64EndSize); err != nil {
		return err
	}
	switch {
	case binary.LittleEndian.Uint32(b) != zip64EndSignature || binary.LittleEndian.Uint32(b[56:]) != locatorSignature:
		return errors.New("the archive needs a zip64 end and has none")
	case binary.LittleEndian.Uint64(b[32:]) != uint64(entries),
		binary.LittleEndian.Uint64(b[40:]) != uint64(length),
		binary.LittleEndian.Uint64(b[48:]) != uint64(offset),
		binary.LittleEndian.Uint64(b[64:]) != uint64(offset+length):
		return errors.New("the archive's zip64 end does not fit its directory")
	}
	return nil
}

// read shows an entry's content, and checks its length, its checksum and that
// nothing follows its deflate stream. The function has to read to the end.
func (a *archive) read(f *zip.File, consume func(io.Reader) error) error {
	raw, err := f.OpenRaw()
	if err != nil {
		return err
	}
	// Deflate reads no byte too many from a reader that gives single bytes.
	packed := bufio.NewReaderSize(raw, 64<<10)
	content := &summed{in: packed}
	if f.Method == zip.Deflate {
		content.in = flate.NewReader(packed)
	}
	if err := consume(content); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, content); err != nil || n > 0 {
		return fmt.Errorf("%d bytes were not looked at: %w", n, err)
	}
	if n, err := io.Copy(io.Discard, packed); err != nil || n > 0 {
		return errors.Join(fmt.Errorf("%d bytes stand behind the deflate stream", n), err)
	}
	if content.crc != f.CRC32 || content.size != f.UncompressedSize64 {
		return fmt.Errorf("%d bytes with the checksum %08x, where the headers say %d and %08x", content.size, content.crc, f.UncompressedSize64, f.CRC32)
	}
	return nil
}

// summed counts and sums what is read.
type summed struct {
	in   io.Reader
	size uint64
	crc  uint32
}

func (s *summed) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.size += uint64(n)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p[:n])
	return n, err
}
