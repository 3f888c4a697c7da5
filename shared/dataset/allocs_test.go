package dataset_test

import (
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

// TestReadingAllocatesNothing: from the driver to the value nothing is allocated
// for a row. The driver of MySQL makes what driverAllocs counts; the others make
// nothing themselves.
func TestReadingAllocatesNothing(t *testing.T) {
	const block = 2000
	onEach(t, func(t *testing.T, e engine) {
		fillOrders(t, e, 3*block)
		d := load(t, e.sources(t, dataset.SourceOptions{}), orderSet)
		r, err := d.Open(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		// Not for a row, but now and then: a library's cache of pages grows.
		const growth = block / 100
		read, allowed := 0, 0
		// The first block is for the buffers to find their size.
		got := testing.AllocsPerRun(1, func() {
			allowed = growth
			for range block {
				if !r.Next() {
					return
				}
				read++
				if e.name == "mariadb" {
					for _, v := range r.Values() {
						allowed += driverAllocs(v)
					}
				}
			}
		})
		if read != 2*block {
			t.Errorf("%d rows, %v", read, r.Err())
		}
		if got > float64(allowed) {
			t.Errorf("%v allocations in %d rows, want at most %d", got, block, allowed)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// driverAllocs is how often the driver of MySQL allocates for a value: once to
// box it, unless the runtime has it boxed already, and once more for the text of
// a date or time.
func driverAllocs(v cell.Value) int {
	switch v.Kind {
	case cell.Null:
		return 0
	case cell.Integer:
		if len(v.Bytes) < 3 || len(v.Bytes) == 3 && string(v.Bytes) < "256" && v.Bytes[0] != '-' {
			return 0
		}
	case cell.Date, cell.DateTime, cell.Instant, cell.Time:
		return 2
	}
	return 1
}
