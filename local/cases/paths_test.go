package cases

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// everyPath exports a dataset in every way that cells take: as a workbook, as a
// part of a zip, and both of a program that leaves references out and makes small
// files. It expects the same cells of all, and answers the workbook.
func everyPath(t testing.TB, datasets []string, name string, request map[string]any, d database) file {
	t.Helper()
	usual := serve(t, datasets, nil, d)
	f := usual.export(t, name, body(t, request, "workbook"))
	zipped := usual.export(t, name, body(t, request, "zip"))
	if got := zipped.onlyPart(t); sheetXML(t, got) != sheetXML(t, f.content) {
		t.Errorf("the part of the zip has another sheet than the workbook:\n%.2000s\n%.2000s", sheetXML(t, got), sheetXML(t, f.content))
	}
	sparing := serve(t, datasets, []string{"HAEXCEL_XLSX_REFERENCES=off", "HAEXCEL_XLSX_COMPRESSION=small"}, d)
	want := filled(t, f.content)
	small := sparing.export(t, name, body(t, request, "workbook"))
	smallZip := sparing.export(t, name, body(t, request, "zip"))
	for way, content := range map[string][]byte{"small workbook": small.content, "small part": smallZip.onlyPart(t)} {
		if diff := cmp.Diff(want, filled(t, content)); diff != "" {
			t.Errorf("%s: %.3000s", way, diff)
		}
	}
	for way, other := range map[string]file{"zip": zipped, "small workbook": small, "small part": smallZip} {
		if other.TruncatedCells != f.TruncatedCells || !slices.Equal(other.Warnings, f.Warnings) || other.ProcessedRows != f.ProcessedRows {
			t.Errorf("%s: the status is %+v, that of the workbook %+v", way, other.status, f.status)
		}
	}
	return f
}

// filled are the rows of a workbook's first sheet. Where references are left out,
// a row has empty cells before its last one; they are no cells here.
func filled(t testing.TB, content []byte) [][]xlsxtest.Cell {
	t.Helper()
	rows := book(t, content).Sheet(0).Rows()
	for i, row := range rows {
		for j, c := range row {
			if c.Type == "" {
				row[j] = xlsxtest.Cell{}
			}
		}
		for len(row) > 0 && row[len(row)-1] == (xlsxtest.Cell{}) {
			row = row[:len(row)-1]
		}
		rows[i] = row
	}
	return rows
}

// body is a request in JSON.
func body(t testing.TB, request map[string]any, packaging string) string {
	t.Helper()
	full := map[string]any{"packaging": packaging}
	for member, value := range request {
		full[member] = value
	}
	text, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// onlyPart is the workbook of a zip that has one.
func (f file) onlyPart(t testing.TB) []byte {
	t.Helper()
	parts := f.parts(t)
	if len(parts) != 1 {
		t.Fatalf("the zip has %d parts", len(parts))
	}
	return parts[0].content
}
