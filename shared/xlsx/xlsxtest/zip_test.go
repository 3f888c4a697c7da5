package xlsxtest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"testing"
)

// raw is an entry as it is put into an archive.
type raw struct {
	header  zip.FileHeader
	content []byte
}

// deflated is a part as an entry whose sums follow it.
func deflated(t testing.TB, p partText) raw {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, p.text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return raw{content: out.Bytes(), header: zip.FileHeader{
		Name: p.name, Method: zip.Deflate, Flags: flagNext, ReaderVersion: 20, CRC32: crc32.ChecksumIEEE([]byte(p.text)),
		CompressedSize64: uint64(out.Len()), UncompressedSize64: uint64(len(p.text)),
	}}
}

// archiveOf writes the good workbook, the first entry changed.
func archiveOf(t testing.TB, change func(*raw)) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, p := range good {
		entry := deflated(t, p)
		if i == 0 {
			change(&entry)
		}
		to, err := w.CreateRaw(&entry.header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(entry.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGoodEntries(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*raw){
		"a descriptor": func(*raw) {},
		"no descriptor": func(e *raw) {
			e.header.Flags = 0
		},
		"stored": func(e *raw) {
			e.content = []byte(good[0].text)
			e.header.Flags, e.header.Method, e.header.CompressedSize64 = 0, zip.Store, e.header.UncompressedSize64
		},
		"an extra field": func(e *raw) { e.header.Extra = []byte{0x55, 0x54, 1, 0, 9} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := check(archiveOf(t, change)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each fault of an entry that both its headers agree on is found.
func TestFaultsOfEntries(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]struct {
		says   string
		change func(*raw)
	}{
		"an absolute name":   {`is called "/_rels/.rels"`, func(e *raw) { e.header.Name = "/_rels/.rels" }},
		"a name upwards":     {"is called", func(e *raw) { e.header.Name = "xl/../_rels/.rels" }},
		"a backslash":        {"is called", func(e *raw) { e.header.Name = `_rels\.rels` }},
		"an empty folder":    {"is called", func(e *raw) { e.header.Name = "_rels//.rels" }},
		"no ASCII":           {"is called", func(e *raw) { e.header.Name = "가.xml" }},
		"a name twice":       {"is there twice", func(e *raw) { e.header.Name = "XL/workbook.xml" }},
		"encryption":         {"the flags 0x9", func(e *raw) { e.header.Flags |= 1 }},
		"another method":     {"the method 12", func(e *raw) { e.header.Method = 12 }},
		"stored, descriptor": {"is stored with a data descriptor", func(e *raw) { e.header.Method = zip.Store }},
		"4 GiB":              {"4 GiB", func(e *raw) { e.header.UncompressedSize64 = 1 << 32 }},
		"a needless zip64":   {"zip64", func(e *raw) { e.header.Extra = append([]byte{1, 0, 16, 0}, make([]byte, 16)...) }},
		"half a field":       {"extra field is cut off", func(e *raw) { e.header.Extra = []byte{0x55, 0x54, 9, 0, 9} }},
		"a wrong checksum":   {"checksum", func(e *raw) { e.header.CRC32++ }},
		"a wrong length":     {"where the headers say", func(e *raw) { e.header.UncompressedSize64++ }},
		"bytes behind the stream": {"3 bytes stand behind the deflate stream", func(e *raw) {
			e.content = append(e.content, "abc"...)
			e.header.CompressedSize64 += 3
		}},
		"half a stream": {"unexpected EOF", func(e *raw) {
			e.content = e.content[:len(e.content)/2]
			e.header.CompressedSize64 = uint64(len(e.content))
		}},
		"no deflate": {"flate", func(e *raw) { e.content[0] = 0xFF }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFault(t, check(archiveOf(t, f.change)), f.says)
		})
	}
}

// Each disagreement between headers, and each byte too many, is found.
func TestFaultsOfArchives(t *testing.T) {
	t.Parallel()
	whole := packed(t, good)
	r, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	second := int(dataOffset(t, r.File[1])) - localHeaderSize - len(r.File[1].Name)
	descriptor := second - descriptorSize
	directory := bytes.Index(whole, []byte("PK\x01\x02"))
	end := len(whole) - endSize
	add := func(offset int) func([]byte) []byte {
		return func(b []byte) []byte {
			b[offset]++
			return b
		}
	}
	insert := func(offset int, text string) func([]byte) []byte {
		return func(b []byte) []byte { return slices.Insert(b, offset, []byte(text)...) }
	}
	for name, f := range map[string]struct {
		says   string
		change func([]byte) []byte
	}{
		"local signature":      {"no local header", add(second)},
		"local version":        {"versions", add(second + 4)},
		"local flags":          {"flags", add(second + 7)},
		"local method":         {"methods", add(second + 8)},
		"local checksum":       {"other sums", add(second + 14)},
		"local length":         {"other sums", add(second + 22)},
		"local name":           {"local header calls it", add(second + localHeaderSize)},
		"descriptor signature": {"data descriptor", add(descriptor)},
		"descriptor checksum":  {"data descriptor", add(descriptor + 4)},
		"descriptor packed":    {"data descriptor", add(descriptor + 8)},
		"descriptor length":    {"data descriptor", add(descriptor + 12)},
		"directory checksum":   {"data descriptor", add(directory + 16)},
		"count of entries":     {"EOF", add(end + 10)},
		"bytes in front":       {"no local header", insert(0, "abc")},
		"bytes between":        {"zip", insert(second, "abc")},
		"bytes at the end":     {"does not end with its directory", insert(len(whole), "abc")},
		"a comment":            {"does not end with its directory", func(b []byte) []byte { return append(add(len(b)-2)(b), 'x') }},
		"a byte of the data":   {"", func(b []byte) []byte { b[second-descriptorSize-40] ^= 0xFF; return b }},
		"no archive":           {"zip", func([]byte) []byte { return []byte("PK") }},
		"half an archive":      {"zip", func(b []byte) []byte { return b[:len(b)/2] }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFault(t, check(f.change(slices.Clone(whole))), f.says)
		})
	}
}

func dataOffset(t testing.TB, f *zip.File) int64 {
	t.Helper()
	n, err := f.DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An archive of so many entries ends with zip64, which is taken where it is
// needed and is right.
func TestZip64Entries(t *testing.T) {
	t.Parallel()
	const entries = 1 << 16
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range entries {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("p%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	if a, err := openArchive(bytes.NewReader(data), int64(len(data))); err != nil || len(a.entries) != entries {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(data[len(data)-endSize-zip64EndSize+40:], 1)
	_, err := openArchive(bytes.NewReader(data), int64(len(data)))
	wantFault(t, err, "zip")
}

// An entry behind 4 GiB of others has a zip64 field in the directory alone.
func TestZip64Offset(t *testing.T) {
	t.Parallel()
	file := &sparse{}
	w := zip.NewWriter(file)
	zeros := make([]byte, 64<<20)
	for i := range 3 {
		const length = 3 << 30
		h := &zip.FileHeader{
			Name: fmt.Sprintf("p%d", i), Method: zip.Deflate, Flags: flagNext, ReaderVersion: 20,
			CompressedSize64: length, UncompressedSize64: length,
		}
		to, err := w.CreateRaw(h)
		if err != nil {
			t.Fatal(err)
		}
		for range length / len(zeros) {
			if _, err := to.Write(zeros); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openArchive(file, file.size); err != nil {
		t.Error(err)
	}
}

// sparse is a file that keeps small writes; large ones are taken for zeros.
type sparse struct {
	size   int64
	pieces []piece
}

type piece struct {
	offset int64
	data   []byte
}

func (s *sparse) Write(p []byte) (int, error) {
	if len(p) < 1<<20 {
		s.pieces = append(s.pieces, piece{s.size, slices.Clone(p)})
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *sparse) ReadAt(p []byte, offset int64) (int, error) {
	clear(p)
	for _, q := range s.pieces {
		from, to := max(offset, q.offset), min(offset+int64(len(p)), q.offset+int64(len(q.data)))
		if from < to {
			copy(p[from-offset:], q.data[from-q.offset:to-q.offset])
		}
	}
	if offset+int64(len(p)) > s.size {
		return int(max(0, s.size-offset)), io.EOF
	}
	return len(p), nil
}
