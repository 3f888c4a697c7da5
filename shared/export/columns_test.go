package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// Columns that no sheet can hold stay so at the next try: the fault is permanent
// and leaves nothing.
func TestColumnsThatNoSheetHolds(t *testing.T) {
	colours := make([]cell.ColumnDef, 4000)
	for i := range colours {
		colours[i] = cell.ColumnDef{Field: "any", CellStyle: cell.Style{Color: fmt.Sprintf("#%06X", i)}}
	}
	for name, columns := range map[string][]cell.ColumnDef{
		"none":                  {},
		"too many":              make([]cell.ColumnDef, cell.MaxLeaves+1),
		"too many cell formats": colours,
	} {
		for _, packaging := range []export.Packaging{export.Workbook, export.Zip} {
			t.Run(name+" "+string(packaging), func(t *testing.T) {
				b := setup(t)
				d := newNumbers(3)
				// Values that tell their kinds themselves need every format.
				d.fields = append(d.fields, cell.Field{Name: "any", Kind: cell.Null, Scale: -1})
				d.info.Columns = columns
				r := request(d)
				r.Packaging = packaging
				_, err := b.run(t.Context(), r)
				if !fault.Is(err, fault.Unprocessable) || fault.Retryable(err) {
					t.Errorf("error %v, want a permanent fault", err)
				}
				b.empty(t)
			})
		}
	}
}

// More number formats than Excel keeps would make it repair the workbook: the
// columns beyond are plain, and the user is told.
func TestMoreNumberFormatsThanExcelKeeps(t *testing.T) {
	b := setup(t)
	d := newNumbers(1)
	d.info.Columns = nil
	for i := range 250 {
		code := fmt.Sprintf(`0"%d"`, i%160) // the last ones repeat the first
		d.info.Columns = append(d.info.Columns, cell.ColumnDef{Field: "no", ExcelFormat: code})
	}
	res, err := b.run(t.Context(), request(d))
	if err != nil {
		t.Fatal(err)
	}
	row := xlsxtest.Open(t, b.object(t, res.Key)).Sheet(0).Rows()[1]
	for i, c := range row {
		want := "0"
		if i%160 < 150 {
			want = fmt.Sprintf(`0"%d"`, i%160)
		}
		if c.Type != "n" || c.NumFmt != want {
			t.Errorf("column %d: %s %s in the format %s, want %s", i, c.Type, c.Raw, c.NumFmt, want)
		}
	}
	if w := res.Warnings.Messages; len(row) != 250 || len(w) != 1 || !strings.Contains(w[0], "150 number formats") {
		t.Errorf("%d columns, warnings %q", len(row), w)
	}
}
