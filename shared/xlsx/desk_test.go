package xlsx

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/haexcel/haexcel/shared/cell"
)

// textSheet is a sheet of text columns.
func textSheet(columns int) (s Sheet) {
	for i := range columns {
		d := cell.ColumnDef{Field: fmt.Sprintf("%x", uint64(i+1)*0x9E3779B97F4A7C15)}
		c, _ := cell.Compile(d, cell.Field{Kind: cell.Text}, true, nil)
		s.Header, s.Columns = append(s.Header, d), append(s.Columns, c)
	}
	return s
}

// textBatch is one row of texts.
func textBatch(t *testing.T, e *Encoder) *Batch {
	t.Helper()
	row := make([]cell.Value, len(e.columns))
	for i := range row {
		row[i] = cell.Value{Kind: cell.Text, Bytes: []byte("text")}
	}
	b := e.NewBatch()
	if err := b.Append(row); err != nil {
		t.Fatal(err)
	}
	return b
}

// stalled tells of its first write and lets none end before it is let go on.
type stalled struct {
	first  sync.Once
	called chan struct{}
	goOn   chan struct{}
}

func (s *stalled) Write(b []byte) (int, error) {
	s.first.Do(func() { close(s.called) })
	<-s.goOn
	return len(b), nil
}

// However many readers of workbooks stand still, others are made.
func TestStalledWritersHoldNobodyUp(t *testing.T) {
	wide, err := NewEncoder(textSheet(1000), Options{}) // its header is more than archives hold back
	if err != nil {
		t.Fatal(err)
	}
	goOn := make(chan struct{})
	var working sync.WaitGroup
	for range cap(desks) {
		w := &stalled{called: make(chan struct{}), goOn: goOn}
		working.Go(func() {
			if _, err := NewAssembler(w, wide); err != nil {
				t.Error(err)
			}
		})
		<-w.called
	}
	w, err := NewWriter(io.Discard, textSheet(1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	close(goOn)
	working.Wait()
}

// An encoder needs no more memory for many segments at a time than for one at each
// core.
func TestHandsAreNoMoreThanCores(t *testing.T) {
	e, err := NewEncoder(textSheet(3), Options{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		all := desks
		defer func() { desks = all }()
		desks = make(chan *desk, 2) // all taken
		for range 10 {
			b := textBatch(t, e)
			go func() {
				if _, err := e.Encode(b, e.FirstRow()); err != nil {
					t.Error(err)
				}
				e.AppendXML(nil, b, e.FirstRow())
			}()
		}
		synctest.Wait() // they stand in line
		for range cap(desks) {
			desks <- nil
		}
		synctest.Wait()
		if n := len(e.hands); n > cap(desks) {
			t.Errorf("%d hands at %d desks", n, cap(desks))
		}
	})
}
