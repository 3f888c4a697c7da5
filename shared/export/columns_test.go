package export_test

import (
	"fmt"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
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
