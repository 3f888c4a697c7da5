package xlsx_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// columnLists are lists of columns as requests have them, some of them wrong.
var columnLists = []string{
	`[{"field":"orderNo","headerName":"주문번호","width":140},{"headerName":"고객","children":[{"field":"id","headerName":"ID","width":80},{"field":"name"}]},{"field":"amount","excelFormat":"krw","cellStyle":{"textAlign":"right","fontWeight":"bold","color":"#0000FF","backgroundColor":"#ffee00"}},{"field":"status","excelCodeMap":{"01":"대기","02":null,"":"없음"}}]`,
	`[{"field":"A"},{"headerName":"B","children":[{"field":"b1"},{"field":"b2"}]},{"headerName":"C","children":[{"headerName":"C1","children":[{"field":"c"}]}]},{"headerName":"D","children":[]}]`,
	`[{"width":0},{"width":-5},{"width":"2000"},{"minWidth":40},{"width":1e308},{"width":"1e-320"},{"width":" "},{"width":"x"},{"width":true}]`,
	`[{"excelFormat":"yyyy년 mm월"},{"excelFormat":"0;-0;;@"},{"excelFormat":"[Red]-0;0"},{"excelFormat":"nonsense"},{"excelFormat":1},{"excelFormat":null},{"excelFormat":"_x0041_)0"}]`,
	`[{"field":1.10,"headerName":true,"cellStyle":{"textAlign":3,"color":"red"}},{"field":{}},{"excelCodeMap":[]},{"excelCodeMap":{"a":{}}},{"cellStyle":1},{"children":{}},7]`,
	`[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"children":[{"field":"deep"}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]`,
	`[{"headerName":"\u0000\ud800_x0041_\r\n"},{"headerName":""},{"field":"\t"}]`, `null`, `[]`, ` `, `{}`, `[null]`, `[[]]`, `[{}]`, `[{}] []`, "[{\"field\":\"\xff\"}]",
}

// Any columns of a request give a valid workbook with the header asked for, or a
// reason that has a name, and never a panic.
func FuzzColumns(f *testing.F) {
	for i, list := range columnLists {
		f.Add([]byte(list), uint64(i))
	}
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		defs, faults := cell.ParseColumns(raw)
		if len(faults) > 0 {
			for path, reason := range faults {
				if path == "" || reason == "" {
					t.Fatalf("%q is wrong because of %q", path, reason)
				}
			}
			if defs != nil {
				t.Fatal("columns and faults")
			}
			return
		}
		source := celltest.NewSource(seed)
		b := &book{header: defs, options: fuzzOptions(uint8(seed))}
		sheet := xlsx.Sheet{Name: "열", Header: defs}
		for _, leaf := range cell.Leaves(defs) {
			kind := celltest.Kinds[source.IntN(len(celltest.Kinds))]
			b.fields = append(b.fields, source.Field(kind))
			c, _ := cell.Compile(leaf, b.fields[len(b.fields)-1], source.IntN(8) > 0, time.UTC)
			sheet.Columns = append(sheet.Columns, c)
		}
		var out bytes.Buffer
		w, err := xlsx.NewWriter(&out, sheet, b.options)
		if err != nil {
			var refused *xlsx.SheetError
			if !errors.As(err, &refused) || len(sheet.Columns) > 0 && len(sheet.Columns) < 200 {
				t.Fatalf("%d columns: %v", len(sheet.Columns), err)
			}
			return
		}
		for range 3 {
			var row []cell.Value
			for _, field := range b.fields {
				kind := field.Kind
				if kind == cell.Null {
					kind = celltest.Kinds[source.IntN(len(celltest.Kinds))]
				}
				row = append(row, source.Value(kind))
			}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		judgeTree(t, xlsxtest.Open(t, out.Bytes()).Sheet(0), defs)
	})
}

// judgeTree looks for the header of every column and group: the text stands in the
// first row and column of its own, and nothing else stands in the header.
func judgeTree(t *testing.T, s *xlsxtest.Sheet, defs []cell.ColumnDef) {
	t.Helper()
	texts, levels := 0, 0
	var walk func(defs []cell.ColumnDef, row, column int) int
	walk = func(defs []cell.ColumnDef, row, column int) int {
		levels = max(levels, row+1)
		for _, d := range defs {
			name := d.HeaderName
			if name == "" && len(d.Children) == 0 {
				name = d.Field
			}
			want := celltest.Header(name)
			var got xlsxtest.Cell
			if rows := s.Rows(); row < len(rows) && column < len(rows[row]) {
				got = rows[row][column]
			}
			if got.Text != want.Text || got.Formula {
				t.Fatalf("the header of row %d and column %d is %.80q, want %.80q", row, column, got.Text, want.Text)
			}
			if want.Text != "" {
				texts++
			}
			if len(d.Children) == 0 {
				column++
				continue
			}
			column = walk(d.Children, row+1, column)
		}
		return column
	}
	walk(defs, 0, 0)
	for _, row := range s.Rows()[:levels] {
		for _, c := range row {
			if c.Text != "" {
				texts--
			}
		}
	}
	if texts != 0 {
		t.Fatalf("%d headers are missing", texts)
	}
	if s.Frozen != levels {
		t.Fatalf("%d rows are frozen, want %d", s.Frozen, levels)
	}
}
