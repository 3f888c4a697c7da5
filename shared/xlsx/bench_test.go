package xlsx_test

import (
	"io"
	"strconv"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

const benchRows = 100_000

// BenchmarkWriter writes 100,000 rows of ten mixed columns.
func BenchmarkWriter(b *testing.B) {
	for name, compression := range map[string]xlsx.Compression{"fast": xlsx.Fast, "small": xlsx.Small} {
		b.Run(name, func(b *testing.B) {
			book, fill := mixed()
			book.options.Compression = compression
			rows := benchInput(len(book.fields), fill)
			b.ReportAllocs()
			for b.Loop() {
				var size counter
				w, err := newWriter(&size, book)
				if err != nil {
					b.Fatal(err)
				}
				for i := range benchRows {
					if err := w.Write(rows[i%len(rows)]); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(size), "bytes/op")
			}
			b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkEncode makes one segment again and again, on one goroutine: its XML
// alone, and whole.
func BenchmarkEncode(b *testing.B) {
	book, fill := mixed()
	input := benchInput(len(book.fields), fill)
	e := book.encoder(b)
	rows := e.NewBatch()
	for i := 0; !rows.Full(); i++ {
		if err := rows.Append(input[i%len(input)]); err != nil {
			b.Fatal(err)
		}
	}
	xml := e.AppendXML(nil, rows, e.FirstRow())
	b.Run("xml", func(b *testing.B) {
		b.SetBytes(int64(len(xml)))
		b.ReportAllocs()
		for b.Loop() {
			xml = e.AppendXML(xml[:0], rows, e.FirstRow())
		}
	})
	b.Run("segment", func(b *testing.B) {
		b.SetBytes(int64(len(xml)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := e.Encode(rows, e.FirstRow()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkExcelize writes the same amount with excelize's stream writer, which
// knows fewer rules, for comparison.
func BenchmarkExcelize(b *testing.B) {
	book, fill := mixed()
	rows := benchInput(len(book.fields), fill)
	b.ReportAllocs()
	for b.Loop() {
		f := excelize.NewFile()
		w, err := f.NewStreamWriter("Sheet1")
		if err != nil {
			b.Fatal(err)
		}
		out := make([]any, len(book.fields))
		for i := range benchRows {
			for j, v := range rows[i%len(rows)] {
				out[j] = nil
				switch v.Kind {
				case cell.Null:
				case cell.Integer, cell.Decimal, cell.Float:
					n, err := strconv.ParseFloat(string(v.Bytes), 64)
					if err != nil {
						b.Fatal(err)
					}
					out[j] = n
				default:
					out[j] = string(v.Bytes)
				}
			}
			if err := w.SetRow("A"+strconv.Itoa(i+1), out); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		if err := f.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// benchInput is a thousand rows that keep their bytes.
func benchInput(columns int, fill func([]cell.Value, int)) [][]cell.Value {
	rows := make([][]cell.Value, 1000)
	scratch := make([]cell.Value, columns)
	for i := range rows {
		fill(scratch, i)
		rows[i] = make([]cell.Value, columns)
		for j, v := range scratch {
			rows[i][j] = cell.Value{Kind: v.Kind, Bytes: append([]byte(nil), v.Bytes...)}
		}
	}
	return rows
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
