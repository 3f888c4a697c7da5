package cases

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// book checks a workbook by structure and by schema, and answers its cells.
func book(t testing.TB, content []byte) *xlsxtest.Book {
	t.Helper()
	validate(t, content)
	return xlsxtest.Open(t, content)
}

// book is that of an export of one workbook.
func (f file) book(t testing.TB) *xlsxtest.Book {
	t.Helper()
	return book(t, f.content)
}

// part is an entry of a zip.
type part struct {
	zip.FileHeader
	content []byte
}

// parts are the workbooks of an export that is a zip.
func (f file) parts(t testing.TB) []part {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(f.content), int64(len(f.content)))
	if err != nil {
		t.Fatal(err)
	}
	var list []part
	for _, entry := range archive.File {
		in, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, part{entry.FileHeader, content})
	}
	return list
}

// saved writes a workbook to a file for programs that want one.
func saved(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "book.xlsx")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read gives the rows of the sheets, one below the other, as a reader finds them.
func read(t testing.TB, r readers.Reader, content []byte) [][]readers.Cell {
	t.Helper()
	var rows [][]readers.Cell
	err := r.Read(t.Context(), saved(t, content), func(_ string, _ int, cells []readers.Cell) error {
		rows = append(rows, append([]readers.Cell(nil), cells...))
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", r.Name(), err)
	}
	return rows
}

// openpyxl is the reader that tells the types of cells.
func openpyxl(t testing.TB) readers.Reader {
	t.Helper()
	return readers.Openpyxl(testservices.OpenpyxlPython(t), false)
}

// raw is a cell's element as it stands in the first sheet.
func raw(t testing.TB, content []byte, reference string) string {
	t.Helper()
	xml := sheetXML(t, content)
	element := regexp.MustCompile(`(?s)<c r="` + reference + `"[^>]*?(/>|>.*?</c>)`).FindString(xml)
	if element == "" {
		t.Fatalf("there is no cell %s in %.500s", reference, xml)
	}
	return element
}

// sheetXML is the first sheet as it stands in the workbook.
func sheetXML(t testing.TB, content []byte) string {
	t.Helper()
	return entry(t, content, "xl/worksheets/sheet1.xml")
}

// entry is a part of a workbook.
func entry(t testing.TB, content []byte, name string) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := io.Copy(&text, in); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
