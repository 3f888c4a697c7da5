package xlsxtest

import (
	"bytes"
	"slices"
	"testing"
)

// Cell is a cell as it stands in the sheet.
type Cell struct {
	Type   string // "" no cell or no value, "n", "s", "b", "e"
	Raw    string // the content of v, or of t for text
	Text   string // the text with escapes decoded; Raw for other types
	Style  int    // index in cellXfs
	NumFmt string // number format code of the style
	Align  string // horizontal alignment of the style
	Bold   bool
	Fill   string // RGB of a solid fill
	Border bool
	// Preserved tells that the text's blanks are protected.
	Preserved bool
	Formula   bool
}

// Sheet is one worksheet.
type Sheet struct {
	Name   string
	Merges []string
	Widths map[int]float64 // by column, from 1
	Filter string          // range of the auto-filter
	Frozen int             // rows of the frozen pane
	rows   [][]Cell
}

// Rows are the rows from 1 on, header rows included; there are none where only
// Check has read the workbook. A row ends with its last cell; rows that are left
// out are empty.
func (s *Sheet) Rows() [][]Cell { return s.rows }

// At is the cell at an address such as "B2", the zero Cell where there is none.
func (s *Sheet) At(reference string) Cell {
	row, column, ok := parseReference(reference)
	if !ok || row > len(s.rows) || column > len(s.rows[row-1]) {
		return Cell{}
	}
	return s.rows[row-1][column-1]
}

// Texts are the displayed kind of contents of each cell of a row, from 1.
func (s *Sheet) Texts(row int) []string {
	var out []string
	for _, c := range s.rows[row-1] {
		out = append(out, c.Text)
	}
	return out
}

// Book is a workbook that passed the checks.
type Book struct {
	Sheets []*Sheet
	Styles int               // length of cellXfs
	Names  map[string]string // defined names, "sheet index/name" → range
	Parts  []string          // entries of the archive in order
}

// Sheet is the i-th sheet, from 0.
func (b *Book) Sheet(i int) *Sheet { return b.Sheets[i] }

// Open reads a workbook, cells included, and fails the test where anything is
// wrong with it.
func Open(t testing.TB, data []byte) *Book {
	t.Helper()
	rows := make(map[string][][]Cell)
	book, err := Check(bytes.NewReader(data), int64(len(data)), func(sheet string, row int, cells []Cell) error {
		for len(rows[sheet]) < row-1 {
			rows[sheet] = append(rows[sheet], nil)
		}
		rows[sheet] = append(rows[sheet], slices.Clone(cells))
		return nil
	})
	if err != nil {
		t.Fatalf("workbook: %v", err)
	}
	for _, s := range book.Sheets {
		s.rows = rows[s.Name]
	}
	return book
}
