package xlsx_test

import (
	"io"
	"runtime"
	"testing"

	"github.com/haexcel/haexcel/shared/xlsx"
)

// What a workbook allocates does not depend on its rows: a hundred thousand more
// of them, over 40 MB of XML, cost next to nothing.
func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	b, fill := mixed()
	rows := benchInput(len(b.fields), fill)
	w, err := newWriter(io.Discard, b)
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			if err := w.Write(rows[i%len(rows)]); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(20_000)
	if n := allocated(100_000); n > 8<<20 {
		t.Errorf("100,000 rows allocated %d bytes", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// In steady state a row allocates nothing, from the source to the file;
// what a segment needs is a few allocations in some hundred rows.
func TestRowsAllocateNothing(t *testing.T) {
	for _, options := range []xlsx.Options{{}, {Compression: xlsx.Small}, {OmitReferences: true}} {
		b, fill := mixed()
		b.options = options
		rows := benchInput(len(b.fields), fill)
		w, err := newWriter(io.Discard, b)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		write := func() {
			for range 100 {
				if err := w.Write(rows[next%len(rows)]); err != nil {
					t.Fatal(err)
				}
				next++
			}
		}
		for range 100 {
			write()
		}
		if n := testing.AllocsPerRun(200, write); n >= 3 {
			t.Errorf("%+v: %v allocations in a hundred rows", options, n)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
