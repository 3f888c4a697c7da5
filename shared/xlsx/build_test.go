package xlsx_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

var seoul = func() *time.Location {
	l, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		panic(err)
	}
	return l
}()

// book is a workbook in the making: columns with their fields, and rows.
type book struct {
	name    string
	header  []cell.ColumnDef
	fields  []cell.Field
	rows    [][]cell.Value
	options xlsx.Options
}

// sheet compiles the columns.
func (b *book) sheet() xlsx.Sheet {
	s := xlsx.Sheet{Name: b.name, Header: b.header}
	for i, leaf := range cell.Leaves(b.header) {
		c, _ := cell.Compile(leaf, b.fields[i], true, seoul)
		s.Columns = append(s.Columns, c)
	}
	return s
}

// bytes writes the workbook.
func (b *book) bytes(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, b.sheet(), b.options)
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
	return out.Bytes()
}

// open writes the workbook and reads it back; excelize must agree on every cell.
func (b *book) open(t testing.TB) *xlsxtest.Book {
	t.Helper()
	data := b.bytes(t)
	read := xlsxtest.Open(t, data)
	compareWithExcelize(t, data, read)
	return read
}

// compareWithExcelize reads the same file with another library. Its raw values
// are compared; excelize decodes escapes as Excel does.
func compareWithExcelize(t testing.TB, data []byte, read *xlsxtest.Book) {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("excelize: %v", err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Errorf("excelize: %v", err)
		}
	}()
	if got, want := fmt.Sprint(f.GetSheetList()), fmt.Sprint(names(read)); got != want {
		t.Fatalf("excelize sees the sheets %s, want %s", got, want)
	}
	for _, s := range read.Sheets {
		rows, err := f.GetRows(s.Name, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatalf("excelize: %v", err)
		}
		for i, row := range s.Rows() {
			for j, c := range row {
				got := ""
				if i < len(rows) && j < len(rows[i]) {
					got = rows[i][j]
				}
				if got != c.Text {
					t.Fatalf("excelize reads %q in row %d column %d of %s, want %q", got, i+1, j+1, s.Name, c.Text)
				}
			}
		}
	}
}

func names(b *xlsxtest.Book) (out []string) {
	for _, s := range b.Sheets {
		out = append(out, s.Name)
	}
	return out
}

func text(s string) cell.Value    { return cell.Value{Kind: cell.Text, Bytes: []byte(s)} }
func integer(s string) cell.Value { return cell.Value{Kind: cell.Integer, Bytes: []byte(s)} }

// texts is a book of one text column.
func texts(values ...string) *book {
	b := &book{header: []cell.ColumnDef{{Field: "x", HeaderName: "글"}}, fields: []cell.Field{{Kind: cell.Text}}}
	for _, v := range values {
		b.rows = append(b.rows, []cell.Value{text(v)})
	}
	return b
}

// numbered is a book of one integer column with n rows 1…n.
func numbered(n int) *book {
	b := &book{header: []cell.ColumnDef{{Field: "n", HeaderName: "번호"}}, fields: []cell.Field{{Kind: cell.Integer}}}
	for i := range n {
		b.rows = append(b.rows, []cell.Value{integer(fmt.Sprint(i + 1))})
	}
	return b
}
