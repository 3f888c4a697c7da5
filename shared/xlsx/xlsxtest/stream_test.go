package xlsxtest

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// long is a workbook of ten columns, half of them numbers.
func long(t testing.TB, rows int) []byte {
	t.Helper()
	const columns = 10
	s := xlsx.Sheet{Name: "long"}
	for i := range columns {
		leaf := cell.ColumnDef{Field: fmt.Sprint("c", i)}
		c, _ := cell.Compile(leaf, cell.Field{Kind: []cell.Kind{cell.Text, cell.Integer}[i%2]}, true, nil)
		s.Header, s.Columns = append(s.Header, leaf), append(s.Columns, c)
	}
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, s, xlsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := make([]cell.Value, columns)
	for i := range rows {
		for j := range row {
			if row[j] = (cell.Value{Kind: cell.Integer, Bytes: fmt.Append(nil, i*j)}); j%2 == 0 {
				row[j] = cell.Value{Kind: cell.Text, Bytes: fmt.Appendf(nil, "주문 %d & more", i*j)}
			}
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What is held while a workbook is read does not depend on its rows.
func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	const rows = 20_000
	data := long(t, rows)
	held := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	var early, late uint64
	_, err := Check(bytes.NewReader(data), int64(len(data)), func(_ string, row int, _ []Cell) error {
		switch row {
		case 1000:
			early = held()
		case rows:
			late = held()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if early == 0 || late > early+256<<10 {
		t.Errorf("%d bytes are held at row 1,000, %d at row %d", early, late, rows)
	}
}

// BenchmarkCheck reads 100,000 rows of ten columns.
func BenchmarkCheck(b *testing.B) {
	const rows = 100_000
	data := long(b, rows)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(bytes.NewReader(data), int64(len(data)), func(string, int, []Cell) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
