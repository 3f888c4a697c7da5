package xlsx_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// trial is a column that is asked for, and what it is filled with.
type trial struct {
	leaf   cell.ColumnDef
	field  cell.Field
	zone   *time.Location
	values []cell.Value
}

// each makes trials of one value, one in each of the formats.
func each(f cell.Field, kind cell.Kind, raw []byte, zone *time.Location, formats []string) (out []trial) {
	for _, format := range formats {
		leaf := cell.ColumnDef{Field: "x", ExcelFormat: format}
		out = append(out, trial{leaf, f, zone, []cell.Value{{Kind: kind, Bytes: raw}}})
	}
	return out
}

// namedFormats are the plain one and those with a name, but for tel, which is
// phone. The others are codes, and what is no code.
var (
	namedFormats = append([]string{""}, celltest.Names[:len(celltest.Names)-1]...)
	otherFormats = slices.Concat(celltest.Codes, celltest.NoCodes)
)

// workbook writes the trials side by side, each column with as many values as the
// first.
func workbook(t testing.TB, trials []trial, o xlsx.Options) (data []byte, cut int64) {
	t.Helper()
	s := xlsx.Sheet{Name: "자료"}
	for _, c := range trials {
		compiled, _ := cell.Compile(c.leaf, c.field, true, c.zone)
		s.Header = append(s.Header, c.leaf)
		s.Columns = append(s.Columns, compiled)
	}
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]cell.Value, len(trials))
	for i := range trials[0].values {
		for j, c := range trials {
			row[j] = c.values[i]
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), w.Truncated()
}

// judge writes a workbook of the trials and holds every cell that stands in it
// against the second opinion.
func judge(t testing.TB, trials []trial, o xlsx.Options) {
	t.Helper()
	data, cut := workbook(t, trials, o)
	header, row, wantCut := 0, -1, int64(0)
	_, err := xlsxtest.Check(bytes.NewReader(data), int64(len(data)), func(_ string, n int, cells []xlsxtest.Cell) error {
		if header == 0 {
			header = n
			return nil
		}
		row++
		if want := header + 1 + row; n != want {
			return fmt.Errorf("row %d comes where row %d should", n, want)
		}
		for j, c := range trials {
			var got xlsxtest.Cell
			if j < len(cells) {
				got = cells[j]
			}
			v := c.values[row]
			want := celltest.Rule(c.leaf, c.field, v, c.zone)
			if fault := seenIn(got).Fault(want); fault != "" {
				return fmt.Errorf("%+v %+v in %v: %.200q of kind %d is %.200v: %s", c.leaf, c.field, c.zone, v.Bytes, v.Kind, got, fault)
			}
			if got.Formula {
				return fmt.Errorf("%.80q became a formula", v.Bytes)
			}
			if want.Cut {
				wantCut++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if row+1 != len(trials[0].values) {
		t.Fatalf("%d rows, want %d", row+1, len(trials[0].values))
	}
	if cut != wantCut {
		t.Fatalf("%d cells count as cut, want %d", cut, wantCut)
	}
}

// seenIn is a cell of a file as the second opinion looks at it.
func seenIn(c xlsxtest.Cell) celltest.Seen {
	s := celltest.Seen{Text: c.Text, Format: c.NumFmt}
	switch c.Type {
	case "":
		s.Type = cell.Empty
	case "n":
		s.Type, s.Text = cell.Number, c.Raw
	case "s":
		s.Type = cell.String
	case "b":
		s.Type = cell.Boolean
	default:
		panic("a cell of the type " + c.Type)
	}
	return s
}

// Every cell of a workbook, of every kind, in every format, code map, scale and
// zone, is what the second opinion says, whatever the options of the writer.
func TestOracle(t *testing.T) {
	t.Parallel()
	zones, err := celltest.Zones()
	if err != nil {
		t.Fatal(err)
	}
	const columns, rows = 60, 600
	for i, o := range []xlsx.Options{{}, {Compression: xlsx.Small}, {OmitReferences: true}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := celltest.NewSource(uint64(100 + i))
			trials := make([]trial, columns)
			for j := range trials {
				kind := celltest.Kinds[j%len(celltest.Kinds)]
				trials[j] = trial{leaf: s.Leaf(), field: s.Field(kind), zone: zones[s.IntN(len(zones))]}
				for range rows {
					v := s.Value(kind)
					if s.IntN(20) == 0 {
						v = cell.Value{}
					}
					trials[j].values = append(trials[j].values, v)
				}
			}
			judge(t, trials, o)
		})
	}
}
