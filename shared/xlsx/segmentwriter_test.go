package xlsx_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// storedRows writes rows as segments numbered from first on.
func storedRows(t testing.TB, e *xlsx.Encoder, rows [][]cell.Value, first int) ([]byte, *xlsx.SegmentWriter) {
	t.Helper()
	var out bytes.Buffer
	w := xlsx.NewSegmentWriter(&out, e, first)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if w.Rows() != int64(len(rows)) {
		t.Fatalf("%d rows counted, want %d", w.Rows(), len(rows))
	}
	return out.Bytes(), w
}

// Runs of rows that are stored apart, by encoders of their own, join to the file
// that one writer makes, wherever they were numbered for.
func TestStoredRowsJoin(t *testing.T) {
	b := fixed(9000)
	for _, c := range []struct {
		name    string
		maxRows int
		first   func(e *xlsx.Encoder, done int) int
	}{
		{"their own place", 0, func(e *xlsx.Encoder, done int) int { return e.FirstRow() + done }},
		{"a sheet that is full", 5000, func(e *xlsx.Encoder, done int) int { return e.FirstRow() + done }},
		{"no place of a sheet", 5000, func(*xlsx.Encoder, int) int { return 1 << 30 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := *b
			b.options.MaxRows = c.maxRows
			joining := b.encoder(t)
			var out bytes.Buffer
			a, err := xlsx.NewAssembler(&out, joining)
			if err != nil {
				t.Fatal(err)
			}
			for done := 0; done < len(b.rows); done += 4500 {
				e := b.encoder(t)
				data, _ := storedRows(t, e, b.rows[done:done+4500], c.first(e, done))
				r := bytes.NewReader(data)
				for {
					s, err := xlsx.ReadSegment(r)
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					if err := a.Add(s); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			compareBooks(t, xlsxtest.Open(t, out.Bytes()), xlsxtest.Open(t, b.bytes(t)))
		})
	}
}

func TestNoRowsAreNoSegments(t *testing.T) {
	if data, _ := storedRows(t, numbered(1).encoder(t), nil, 2); len(data) != 0 {
		t.Errorf("%d bytes", len(data))
	}
}

func TestCutCellsOfStoredRows(t *testing.T) {
	b := texts()
	long := cell.Value{Kind: cell.Text, Bytes: bytes.Repeat([]byte("A"), cell.MaxText+1)}
	_, w := storedRows(t, b.encoder(t), [][]cell.Value{{long}, {long}}, 2)
	if w.Truncated() != 2 {
		t.Errorf("%d cells cut, want 2", w.Truncated())
	}
}

// An io.Writer that fails ends the work, and so does Abort.
func TestStoredRowsThatFail(t *testing.T) {
	b := fixed(20000)
	w := xlsx.NewSegmentWriter(failingWriter{}, b.encoder(t), 2)
	var err error
	for i := 0; err == nil && i < len(b.rows); i++ {
		err = w.Write(b.rows[i])
	}
	if closed := w.Close(); !errors.Is(closed, errDisk) {
		t.Errorf("Close answers %v, Write %v", closed, err)
	}
	if !errors.Is(w.Write(b.rows[0]), errDisk) {
		t.Error("a closed writer takes rows")
	}

	var out bytes.Buffer
	w = xlsx.NewSegmentWriter(&out, b.encoder(t), 2)
	if err := w.Write(b.rows[0]); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if w.Close() == nil || out.Len() != 0 {
		t.Errorf("an aborted writer closes well, or wrote %d bytes", out.Len())
	}
}

var errDisk = errors.New("disk full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errDisk }
