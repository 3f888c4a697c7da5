package readers_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// withEach runs a test with each reader but POI, side by side.
func withEach(t *testing.T, test func(t *testing.T, r readers.Reader)) {
	t.Helper()
	for name, reader := range map[string]func(t *testing.T) readers.Reader{
		"structure": func(*testing.T) readers.Reader { return readers.Structure() },
		"excelize":  func(*testing.T) readers.Reader { return readers.Excelize() },
		"openpyxl, read-only": func(t *testing.T) readers.Reader {
			return readers.Openpyxl(testservices.OpenpyxlPython(t), true)
		},
		"openpyxl, normal": func(t *testing.T) readers.Reader {
			return readers.Openpyxl(testservices.OpenpyxlPython(t), false)
		},
		"exceljs": func(t *testing.T) readers.Reader {
			return readers.Exceljs(testservices.Program(t, "node"), testservices.Exceljs(t))
		},
		"LibreOffice": func(t *testing.T) readers.Reader { return readers.LibreOffice(testservices.LibreOffice(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, reader(t))
		})
	}
}

// A shownRow is a row as a reader has shown it, without what is empty at its end.
// Numbers are in one literal: readers give them in theirs.
type shownRow struct {
	Sheet string
	Row   int
	Cells []readers.Cell
}

// shownRows reads a workbook.
func shownRows(t *testing.T, r readers.Reader, path string) (rows []shownRow) {
	t.Helper()
	err := r.Read(t.Context(), path, func(sheet string, row int, cells []readers.Cell) error {
		cells = slices.Clone(cells)
		for i, c := range cells {
			switch c.Content {
			case readers.Empty:
				cells[i] = readers.Cell{} // some tell its format
			case readers.Number:
				value, err := strconv.ParseFloat(c.Text, 64)
				if err != nil {
					return err
				}
				cells[i].Text = strconv.FormatFloat(value, 'g', -1, 64)
			}
		}
		for len(cells) > 0 && cells[len(cells)-1].Text == "" {
			cells = cells[:len(cells)-1]
		}
		rows = append(rows, shownRow{sheet, row, cells})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A variety is a value with what the readers must make of it.
type variety struct {
	value cell.Value
	found readers.Cell
	shown string // by LibreOffice
}

func plain(text string) variety {
	return variety{of(cell.Text, text), readers.Cell{Content: readers.Text, Text: text, Format: "General"}, text}
}

// varieties are rows of text, integers, decimals, doubles, booleans, dates, dates
// with a time and times.
func varieties() [][]variety {
	null := variety{}
	is := func(kind cell.Kind, own string, content readers.Content, text, format, shown string) variety {
		return variety{of(kind, own), readers.Cell{Content: content, Text: text, Format: format}, shown}
	}
	return [][]variety{
		{
			plain("홍길동 😀 👨‍👩‍👧"),
			is(cell.Integer, "123456789012345", readers.Number, "1.23456789012345e+14", "0", "123456789012345"),
			is(cell.Decimal, "0.10", readers.Number, "0.1", "0.00", "0.10"),
			is(cell.Float, "33.333333333333336", readers.Number, "33.333333333333336", "General", "33.3333333333333"),
			is(cell.Bool, "1", readers.Boolean, "1", "General", "TRUE"),
			is(cell.Date, "2026-09-02", readers.Moment, "2026-09-02 00:00:00", "yyyy-mm-dd", "2026-09-02"),
			is(cell.DateTime, "2026-09-02 14:30:25", readers.Moment, "2026-09-02 14:30:25", "yyyy-mm-dd hh:mm:ss", "2026-09-02 14:30:25"),
			is(cell.Time, "14:30:25", readers.Duration, "14:30:25", "[hh]:mm:ss", "14:30:25"),
		},
		{
			plain("  앞 \n\"둘째\", 줄\n\t끝 "),
			is(cell.Integer, "-7", readers.Number, "-7", "0", "-7"),
			is(cell.Decimal, "-12345678.90", readers.Number, "-1.23456789e+07", "0.00", "-12345678.90"),
			is(cell.Float, "1e+300", readers.Number, "1e+300", "General", "1E+300"),
			is(cell.Bool, "0", readers.Boolean, "0", "General", "FALSE"),
			is(cell.Date, "1900-03-01", readers.Moment, "1900-03-01 00:00:00", "yyyy-mm-dd", "1900-03-01"),
			is(cell.DateTime, "9999-12-31 23:59:59", readers.Moment, "9999-12-31 23:59:59", "yyyy-mm-dd hh:mm:ss", "9999-12-31 23:59:59"),
			is(cell.Time, "838:59:59", readers.Duration, "838:59:59", "[hh]:mm:ss", "838:59:59"),
		},
		{plain("_x0041_ a_x000D_b _x005F_ _x004"), null, null, null, null, null, null, is(cell.Time, "00:00:00", readers.Duration, "0:00:00", "[hh]:mm:ss", "00:00:00")},
		{null},
		{plain("00123"), null, is(cell.Decimal, "0.00", readers.Number, "0", "0.00", "0.00")},
		{plain("=1+1")},
		{plain("'&<>\"")},
	}
}

// escaped is a text as it stands in the file where it looks like an escape.
// openpyxl and exceljs give texts in this form.
var escaped = strings.NewReplacer("_x0041_", "_x005F_x0041_", "_x000D_", "_x005F_x000D_", "_x005F_", "_x005F_x005F_")

// What a writer has written, all readers find: each content, its number format, on
// each sheet.
func TestReadersAgree(t *testing.T) {
	t.Parallel()
	book := poiBook{name: `가 & "나"`, options: xlsx.Options{MaxRows: 4}}
	titles := []string{"글", "정수", "소수", "실수", "참", "날짜", "일시", "시각"}
	kinds := []cell.Kind{cell.Text, cell.Integer, cell.Decimal, cell.Float, cell.Bool, cell.Date, cell.DateTime, cell.Time}
	for i, kind := range kinds {
		book.column(cell.ColumnDef{Field: fmt.Sprint("f", i), HeaderName: titles[i]}, cell.Field{Kind: kind, Scale: 2})
	}
	for _, row := range varieties() {
		values := make([]cell.Value, len(kinds))
		for i, v := range row {
			values[i] = v.value
		}
		book.rows = append(book.rows, values)
	}
	path := book.write(t)
	withEach(t, func(t *testing.T, r readers.Reader) {
		got := shownRows(t, r, path)
		if difference := cmp.Diff(expected(r.Name(), book.name, titles), got, cmpopts.EquateEmpty()); difference != "" {
			t.Errorf("-want +got:\n%s", difference)
		}
	})
}

// expected is what a reader must show of the workbook: three rows and their header
// a sheet.
func expected(reader, name string, titles []string) (rows []shownRow) {
	const perSheet = 3
	for n, row := range varieties() {
		if n%perSheet == 0 {
			sheet := name
			if n > 0 {
				sheet += strconv.Itoa(n/perSheet + 1)
			}
			header := shownRow{Sheet: sheet, Row: 1}
			for _, title := range titles {
				header.Cells = append(header.Cells, as(reader, plain(title)))
			}
			rows = append(rows, header)
		}
		want := shownRow{Sheet: rows[len(rows)-1].Sheet, Row: n%perSheet + 2}
		for _, v := range row {
			want.Cells = append(want.Cells, as(reader, v))
		}
		for len(want.Cells) > 0 && want.Cells[len(want.Cells)-1].Text == "" {
			want.Cells = want.Cells[:len(want.Cells)-1]
		}
		rows = append(rows, want)
	}
	return rows
}

func as(reader string, v variety) readers.Cell {
	c := v.found
	switch {
	case reader == "LibreOffice":
		return readers.Cell{Content: readers.Shown, Text: v.shown}
	case c.Content == readers.Text && (reader == "exceljs" || strings.HasPrefix(reader, "openpyxl")):
		c.Text = escaped.Replace(c.Text)
	}
	return c
}

// A sheet of one column has rows without a cell, and texts that end in line breaks.
func TestRowsWithoutCells(t *testing.T) {
	t.Parallel()
	book := poiBook{}
	values := []cell.Value{{}, {}, of(cell.Text, "a\n\n"), {}, of(cell.Text, "\n"), {}, {}, of(cell.Text, "끝")}
	book.column(cell.ColumnDef{Field: "f", HeaderName: "글"}, cell.Field{Kind: cell.Text}, values...)
	path := book.write(t)
	withEach(t, func(t *testing.T, r readers.Reader) {
		var got []string
		err := r.Read(t.Context(), path, func(_ string, row int, cells []readers.Cell) error {
			if len(got) != row-1 {
				t.Errorf("row %d comes after %d", row, len(got))
			}
			text := ""
			if len(cells) > 0 {
				text = cells[0].Text
			}
			got = append(got, text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"글", "", "", "a\n\n", "", "\n", "", "", "끝"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestVisitEndsTheReading(t *testing.T) {
	t.Parallel()
	book := textBook()
	for i := range 3000 {
		book.rows = append(book.rows, []cell.Value{of(cell.Text, fmt.Sprint("줄 ", i))})
	}
	path := book.write(t)
	withEach(t, func(t *testing.T, r readers.Reader) {
		enough := errors.New("enough")
		err := r.Read(t.Context(), path, func(_ string, row int, _ []readers.Cell) error {
			if row > 2 {
				t.Errorf("row %d was shown after the end", row)
			}
			if row == 2 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Errorf("returned %v", err)
		}
	})
}
