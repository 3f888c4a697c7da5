//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// book is a workbook with those rows of the table, by their numbers.
func book(t *testing.T, numbers ...int) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	put := func(line int, values ...any) {
		for i, v := range values {
			cell, err := excelize.CoordinatesToCellName(i+1, line)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.SetCellValue("Sheet1", cell, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(1, "id", "grp", "label", "amount", "extra")
	for i, n := range numbers {
		r := rowOf(n)
		amount, err := strconv.ParseFloat(r.amount, 64)
		if err != nil {
			t.Fatal(err)
		}
		put(i+2, r.id, r.group, r.label, amount, filler(n))
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parts is a zip of workbooks.
func parts(t *testing.T, names []string, books ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(books[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFilesAreRead(t *testing.T) {
	t.Parallel()
	two := []string{"x_part1.xlsx", "x_part2.xlsx"}
	cut := book(t, 1, 2, 3)
	spoilt := slices.Clone(parts(t, two, book(t, 1, 2), book(t, 3)))
	spoilt[len(spoilt)/3] ^= 1
	byGroup := []int{4, 9, 3, 8, 2, 7, 1, 6, 5} // groups from 4 to 0
	for name, tc := range map[string]struct {
		file      []byte
		rows      int
		packaging string
		sorted    bool
		says      string // "" where all is right
	}{
		"every row once":     {file: book(t, 1, 2, 3), rows: 3},
		"no rows":            {file: book(t), rows: 0},
		"two parts":          {file: parts(t, two, book(t, 1, 2), book(t, 3)), rows: 3},
		"in the asked order": {file: book(t, byGroup...), rows: 9, sorted: true},

		"a row is missing":           {file: book(t, 1, 3), rows: 3, says: "2 rows of 3"},
		"the last one is missing":    {file: book(t, 1, 2), rows: 3, says: "2 rows of 3"},
		"a row comes twice":          {file: book(t, 1, 2, 2, 3), rows: 3, says: "the row 2 again"},
		"a row comes in two parts":   {file: parts(t, two, book(t, 1, 2), book(t, 2, 3)), rows: 3, says: "the row 2 again"},
		"a row too many":             {file: book(t, 1, 2, 3, 4), rows: 3, says: "not asked for"},
		"rows out of order":          {file: book(t, 2, 1, 3), rows: 3, says: "comes after"},
		"parts out of order":         {file: parts(t, two, book(t, 2, 3), book(t, 1)), rows: 3, says: "comes after"},
		"not in the asked order":     {file: book(t, 1, 2, 3, 4, 5, 6, 7, 8, 9), rows: 9, sorted: true, says: "comes after"},
		"a part is missing":          {file: parts(t, []string{"x_part2.xlsx"}, book(t, 3)), rows: 3, says: "is called"},
		"a workbook in place of zip": {file: book(t, 1, 2, 3), rows: 3, packaging: "zip", says: "a workbook: true"},
		"a zip in place of workbook": {file: parts(t, two, book(t, 1, 2), book(t, 3)), rows: 3, packaging: "workbook", says: "a workbook: false"},
		"a file that is cut":         {file: cut[:len(cut)/2], rows: 3, says: "zip"},
		"a damaged part":             {file: spoilt, rows: 3, says: "part"},
	} {
		if tc.packaging == "" {
			tc.packaging = "auto"
		}
		err := checkFile(tc.file, export{rows: tc.rows, packaging: tc.packaging, sorted: tc.sorted})
		if got := fmt.Sprint(err); (tc.says == "") != (err == nil) || !strings.Contains(got, tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

func TestValuesAreCompared(t *testing.T) {
	t.Parallel()
	for cell, value := range map[string]any{"A3": 11, "B3": 77, "C3": "행", "D3": 0.5, "E3": "?"} {
		f, err := excelize.OpenReader(bytes.NewReader(book(t, 1, 2, 3)))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
		b, err := f.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		if err := checkFile(b.Bytes(), export{rows: 3, packaging: "auto", kind: kind{wide: true}}); err == nil || !strings.Contains(err.Error(), "row 3") {
			t.Errorf("another value in %s: %v", cell, err)
		}
	}
}

func TestRowsAreFoundByTheirKeys(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, wideRows, tableRows} {
		if got, ok := numberOf(rowOf(n).id); !ok || got != n {
			t.Errorf("row %d is found as %d, %t", n, got, ok)
		}
	}
	for _, id := range []int64{0, 3, 9, 11, rowOf(tableRows).id + 7, -4} {
		if n, ok := numberOf(id); ok {
			t.Errorf("the key %d is taken for the row %d", id, n)
		}
	}
}
