package xlsx

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// pipeline encodes batches on all cores and hands their segments on in order, both
// behind the caller's back. It is fed by one goroutine.
type pipeline struct {
	encoder *Encoder
	take    func(*Segment) error // called by the goroutine whose turn it is; keeps nothing

	flights chan *flight  // free
	last    chan struct{} // closed when everything dispatched so far is taken

	failed atomic.Bool
	mu     sync.Mutex
	err    error // the first
}

// flight is a batch on its way to become a segment that is taken.
type flight struct {
	batch   *Batch
	segment Segment
	first   int // number of its first row
}

func newPipeline(e *Encoder, take func(*Segment) error) *pipeline {
	// For each core one being encoded and one waiting for its turn to be taken.
	n := 2*runtime.GOMAXPROCS(0) + 2
	p := &pipeline{encoder: e, take: take, flights: make(chan *flight, n), last: make(chan struct{})}
	for range n {
		p.flights <- &flight{batch: e.NewBatch()}
	}
	close(p.last)
	return p
}

// dispatch hands the batch, whose first row has the number first, to a goroutine
// that encodes it and, after the one before has done so, has it taken. The
// goroutine ends by itself. The answer is an empty batch to go on with.
func (p *pipeline) dispatch(batch *Batch, first int) (*Batch, error) {
	f := <-p.flights
	if err := p.failure(); err != nil {
		p.flights <- f
		return batch, err
	}
	if len(batch.bytes) > giantBytes {
		<-p.last // giant rows go one by one
	}
	f.batch, batch = batch, f.batch
	f.first = first
	before, done := p.last, make(chan struct{})
	p.last = done
	go func() {
		defer close(done)
		err := guard(func() error { return p.encoder.encode(&f.segment, f.batch, f.first) })
		<-before
		if err == nil && p.failure() == nil {
			err = guard(func() error { return p.take(&f.segment) })
		}
		if err != nil {
			_ = p.fail(err) // the next call answers it
		}
		f.batch.Reset()
		if cap(f.segment.packed) > giantBytes {
			f.segment.packed = nil
		}
		p.flights <- f
	}()
	return batch, nil
}

// wait waits until everything dispatched is taken.
func (p *pipeline) wait() { <-p.last }

// guard turns a panic of a rule or of the io.Writer into an error: in a goroutine
// it would end the process, with every other export in it.
func guard(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("xlsx: writing panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// fail notes the first error and answers it.
func (p *pipeline) fail(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.failed.Store(true)
	}
	return p.err
}

func (p *pipeline) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// ended is the error of a call that comes too late.
func (p *pipeline) ended() error {
	if err := p.failure(); err != nil {
		return err
	}
	return errClosed
}
