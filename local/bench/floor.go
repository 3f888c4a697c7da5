package main

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// eachXML gives the sheet XML of the rows to use, piece by piece; a piece is valid
// until the next one.
func eachXML(g *rows.Generator, n int64, use func(xml []byte)) error {
	encoder, err := xlsx.NewEncoder(sheetOf(g), xlsx.Options{})
	if err != nil {
		return err
	}
	batch := encoder.NewBatch()
	var xml []byte
	first := encoder.FirstRow()
	for i := range n {
		if err := batch.Append(g.Row(i)); err != nil {
			return err
		}
		if !batch.Full() && i < n-1 {
			continue
		}
		xml = encoder.AppendXML(xml[:0], batch, first)
		first += batch.Rows()
		batch.Reset()
		use(xml)
	}
	return nil
}

// xmlFloor makes the XML of the rows and throws it away.
type xmlFloor struct{ local }

func openFloorXML(_ context.Context, j job) (subject, error) { return xmlFloor{local{j}}, nil }

func (s xmlFloor) run(context.Context) (total int64, err error) {
	err = eachXML(s.generator(), s.job.Rows, func(xml []byte) { total += int64(len(xml)) })
	return total, err
}

// blockBytes is the amount that is deflated by itself.
const blockBytes = 256 << 10

// deflateFloor compresses XML that is in memory already.
type deflateFloor struct {
	local
	blocks [][]byte
}

func openFloorDeflate(_ context.Context, j job) (subject, error) {
	s := &deflateFloor{local: local{j}}
	var rest []byte
	err := eachXML(s.generator(), j.Rows, func(xml []byte) {
		rest = append(rest, xml...)
		for ; len(rest) >= blockBytes; rest = append(rest[:0], rest[blockBytes:]...) {
			s.blocks = append(s.blocks, bytes.Clone(rest[:blockBytes]))
		}
	})
	s.blocks = append(s.blocks, rest)
	return s, err
}

func (s *deflateFloor) run(context.Context) (int64, error) {
	cores := runtime.GOMAXPROCS(0)
	totals, faults := make([]int64, cores), make([]error, cores)
	var next atomic.Int64
	var all sync.WaitGroup
	for core := range cores {
		all.Go(func() { totals[core], faults[core] = s.deflate(&next) })
	}
	all.Wait()
	var total int64
	for core := range cores {
		if faults[core] != nil {
			return 0, faults[core]
		}
		total += totals[core]
	}
	return total, nil
}

// deflate takes blocks until none is left.
func (s *deflateFloor) deflate(next *atomic.Int64) (int64, error) {
	out := counter{Writer: io.Discard}
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return 0, err
	}
	for at := next.Add(1) - 1; at < int64(len(s.blocks)); at = next.Add(1) - 1 {
		w.Reset(&out)
		if _, err := w.Write(s.blocks[at]); err != nil {
			return 0, err
		}
		if err := w.Close(); err != nil {
			return 0, err
		}
	}
	return out.bytes, nil
}
