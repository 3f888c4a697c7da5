package xlsx_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// Any number of rows of any length, with any limits of a sheet, cut anywhere into
// segments that are numbered for anywhere: every row stands in the workbook once
// and in order, every sheet has the header and keeps to the limits.
func FuzzSheets(f *testing.F) {
	f.Add(uint64(1), uint16(0), uint16(0), uint16(0), uint8(0))
	f.Add(uint64(2), uint16(1), uint16(3), uint16(0), uint8(1))
	f.Add(uint64(3), uint16(100), uint16(7), uint16(3000), uint8(2))
	f.Add(uint64(4), uint16(500), uint16(0), uint16(9000), uint8(3))
	f.Add(uint64(5), uint16(250), uint16(4), uint16(60000), uint8(4))
	f.Add(uint64(6), uint16(64), uint16(64), uint16(1), uint8(5))
	f.Add(uint64(7), uint16(63), uint16(64), uint16(20000), uint8(7))
	f.Fuzz(func(t *testing.T, seed uint64, rows, maxRows, maxBytes uint16, choice uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		b := &book{name: "장부", header: headerOf(1 + int(choice>>2)%3), fields: []cell.Field{{Kind: cell.Integer}, {Kind: cell.Text}}, options: fuzzOptions(choice)}
		b.options.MaxRows, b.options.MaxBytes = int(maxRows), int64(maxBytes)
		longest := 1 + r.IntN(300)
		for i := range int(rows % 150) {
			b.rows = append(b.rows, []cell.Value{integer(strconv.Itoa(i + 1)), text(strings.Repeat("가\n", r.IntN(longest)))})
		}
		var whole bytes.Buffer
		w, err := newWriter(&whole, b)
		if levels := 1 + int(choice>>2)%3; maxRows > 0 && int(maxRows) <= levels {
			var refused *xlsx.SheetError
			if !errors.As(err, &refused) {
				t.Fatalf("%d rows have room for a header of %d levels: %v", maxRows, levels, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range b.rows {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		judgeSheets(t, b, whole.Bytes())
		judgeSheets(t, b, b.inSegments(t, r))
	})
}

// headerOf is a header of two columns in one, two or three levels.
func headerOf(levels int) []cell.ColumnDef {
	header := []cell.ColumnDef{{Field: "n", HeaderName: "번호"}, {Field: "x", HeaderName: "글"}}
	for range levels - 1 {
		header = []cell.ColumnDef{{HeaderName: "묶음", Children: header}}
	}
	return header
}

// inSegments writes the book by segments of random sizes, some stored, some numbered
// for another place.
func (b *book) inSegments(t testing.TB, r *rand.Rand) []byte {
	t.Helper()
	e := b.encoder(t)
	var out bytes.Buffer
	a, err := xlsx.NewAssembler(&out, e)
	if err != nil {
		t.Fatal(err)
	}
	room := b.options.MaxRows
	if room == 0 {
		room = xlsx.MaxRows
	}
	next := e.FirstRow()
	for left := b.rows; len(left) > 0; {
		n := min(1+r.IntN(40), len(left), room-e.FirstRow()+1)
		if next+n-1 > room || r.IntN(4) == 0 {
			next = e.FirstRow() + r.IntN(room-e.FirstRow()+1-n+1)
		}
		s := segment(t, e, left[:n], next)
		if r.IntN(3) == 0 {
			s = stored(t, s)
		}
		if err := a.Add(s); err != nil {
			t.Fatal(err)
		}
		left, next = left[n:], next+n
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// judgeSheets looks for the rows of a book in a file.
func judgeSheets(t testing.TB, b *book, data []byte) {
	t.Helper()
	read := xlsxtest.Open(t, data)
	first := 1
	for d := b.header; len(d) > 0; d = d[0].Children {
		first++
	}
	n := 0
	for i, s := range read.Sheets {
		rows := s.Rows()
		if got := fmt.Sprint(s.Texts(first - 1)); got != "[번호 글]" {
			t.Fatalf("%s has the header %s", s.Name, got)
		}
		if b.options.MaxRows > 0 && len(rows) > b.options.MaxRows {
			t.Fatalf("%s has %d rows", s.Name, len(rows))
		}
		if len(rows) < first && len(b.rows) > 0 {
			t.Fatalf("%s has no rows", s.Name)
		}
		if full := len(rows) == b.options.MaxRows; b.options.MaxBytes == 0 && i+1 < len(read.Sheets) && !full {
			t.Fatalf("%s ends after %d rows", s.Name, len(rows))
		}
		for _, row := range rows[first-1:] {
			want := b.rows[n]
			n++
			got := ""
			if len(row) > 1 {
				got = row[1].Text
			}
			if row[0].Raw != string(want[0].Bytes) || got != string(want[1].Bytes) {
				t.Fatalf("row %d of %s is %s %.40q, want row %d", n, s.Name, row[0].Raw, got, n)
			}
		}
	}
	if n != len(b.rows) {
		t.Fatalf("%d rows, want %d", n, len(b.rows))
	}
	judgeLengths(t, b, read, data, first)
}

// judgeLengths measures the XML of the sheets. Only a sheet of a single row may be
// longer than the limit.
func judgeLengths(t testing.TB, b *book, read *xlsxtest.Book, data []byte, first int) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range read.Sheets {
		entry, err := archive.Open(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1))
		if err != nil {
			t.Fatal(err)
		}
		info, err := entry.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if err := entry.Close(); err != nil {
			t.Fatal(err)
		}
		if limit := b.options.MaxBytes; limit > 0 && info.Size() > limit && len(s.Rows()) > first {
			t.Fatalf("%s has %d bytes and %d rows, its limit is %d", s.Name, info.Size(), len(s.Rows()), limit)
		}
	}
}
