package readers_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// validate fails the test with each violation of the workbook.
func validate(t *testing.T, java *readers.Java, path string) {
	t.Helper()
	violations, err := java.Validate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// Every kind of workbook that the project writes is as ECMA-376 has it, in both
// compressions, with references and without.
func TestSchemaAllows(t *testing.T) {
	t.Parallel()
	java := poi(t)
	for name, b := range allBooks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, compression := range []xlsx.Compression{xlsx.Fast, xlsx.Small} {
				for _, omit := range []bool{false, true} {
					written := *b
					written.options.Compression, written.options.OmitReferences = compression, omit
					validate(t, java, written.write(t))
				}
			}
		})
	}
}

func TestSchemaAllowsSheetNames(t *testing.T) {
	t.Parallel()
	java := poi(t)
	for _, name := range []string{
		"", " ", "매출/2026", strings.Repeat("가", 40), "'따옴표'", `"`, "<a>&amp;", "😀😀", "History", "a\tb", "\xff", "A1", "R1C1", "1", "Sheet1", "TRUE", " x ", "a!b", "#REF!", "]]>",
	} {
		b := severalSheetsBook()
		b.name = name
		validate(t, java, b.write(t))
	}
}

// A sheet of 50,000 cells is validated whole: a fault in its last row is found.
func TestSchemaOfManyCells(t *testing.T) {
	t.Parallel()
	java := poi(t)
	b := new(poiBook)
	const columns, rows = 10, 5000
	for c := range columns {
		values := make([]cell.Value, rows)
		for i := range values {
			values[i] = of(cell.Text, fmt.Sprint("글 ", i*c))
		}
		b.column(cell.ColumnDef{Field: fmt.Sprint("c", c)}, cell.Field{Kind: cell.Text}, values...)
	}
	validate(t, java, b.write(t))
	damaged := unpackBook(t, b.bytes(t))
	damaged.replace(t, "xl/worksheets/sheet1.xml", `<c r="J5001" t="inlineStr">`, `<c r="J5001" t="text">`)
	violations, err := java.Validate(t.Context(), damaged.write(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(violations) != 1 || violations[0].Path != "worksheet/sheetData/row[5001]/c[10]/@t" {
		t.Errorf("violations %v", violations)
	}
}

// Workbooks joined from segments that were stored, and numbered anew, are valid.
func TestSchemaAllowsJoinedSegments(t *testing.T) {
	t.Parallel()
	java := poi(t)
	for _, omit := range []bool{false, true} {
		b := namedFormatsBook()
		b.options.OmitReferences, b.options.MaxRows = omit, 40
		e, err := xlsx.NewEncoder(b.sheet(t), b.options)
		if err != nil {
			t.Fatal(err)
		}
		batch := e.NewBatch()
		for _, row := range b.rows {
			if err := batch.Append(row); err != nil {
				t.Fatal(err)
			}
		}
		segment, err := e.Encode(batch, e.FirstRow())
		if err != nil {
			t.Fatal(err)
		}
		stored, err := segment.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a, err := xlsx.NewAssembler(&out, e)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			s, err := xlsx.ReadSegment(bytes.NewReader(stored))
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		validate(t, java, writeFile(t, out.Bytes()))
	}
}
