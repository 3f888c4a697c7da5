package xlsx

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/klauspost/compress/flate"

	"github.com/haexcel/haexcel/shared/deflate"
)

// renumber adds a segment whose rows have other numbers here than they were
// encoded with, or that does not fit into the sheet as a whole.
func (a *Assembler) renumber(s *Segment) error {
	xml, err := s.unpack()
	if err != nil {
		return err
	}
	var out []byte
	flush := func() error {
		if len(out) == 0 {
			return nil
		}
		a.length += int64(len(out))
		defer func() { out = out[:0] }()
		return a.entry.addPlain(out)
	}
	for row := range bytes.SplitAfterSeq(xml, []byte(rowEnd)) {
		if len(row) == 0 { // behind the last row
			continue
		}
		// A number has up to seven digits in each cell.
		if a.full(1, int64(len(out)+len(row)+8*(len(a.encoder.frames)+1))) {
			if err := flush(); err != nil {
				return err
			}
			if err := a.nextSheet(); err != nil {
				return err
			}
		}
		a.row++
		out = a.encoder.appendRenumbered(out, row, a.row)
		if len(out) >= segmentBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	a.truncated += s.truncated
	return flush()
}

// unpack gives the XML of the segment and makes sure that it is the one that was
// packed.
func (s *Segment) unpack() ([]byte, error) {
	r := flate.NewReader(io.MultiReader(bytes.NewReader(s.packed), bytes.NewReader(deflate.Final)))
	xml, err := io.ReadAll(io.LimitReader(r, s.length+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if int64(len(xml)) != s.length || crc32.ChecksumIEEE(xml) != s.crc {
		return nil, errDamaged
	}
	return xml, nil
}

// appendRenumbered appends a row with another number. "<" stands in markup only,
// since text is escaped, and r is the first attribute of rows and cells.
func (e *Encoder) appendRenumbered(dst, row []byte, number int) []byte {
	if !e.references {
		return append(dst, row...)
	}
	for len(row) > 0 {
		next := 1 + bytes.IndexByte(row[1:], '<')
		if next == 0 {
			next = len(row)
		}
		tag := row[:next]
		row = row[next:]
		for _, start := range [...]string{`<row r="`, `<c r="`} {
			if !bytes.HasPrefix(tag, []byte(start)) {
				continue
			}
			letters := len(start)
			for tag[letters] >= 'A' {
				letters++
			}
			dst = append(dst, tag[:letters]...)
			dst = strconv.AppendInt(dst, int64(number), 10)
			tag = tag[letters+bytes.IndexByte(tag[letters:], '"'):]
		}
		dst = append(dst, tag...)
	}
	return dst
}
