package cases

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// office shows workbooks with LibreOffice, as many at once as tests are waiting:
// its start takes longer than hundreds of small files.
var office struct {
	once  sync.Once
	queue chan *showing
}

// The tests of a busy moment are gathered for this long, and no more than so many.
const (
	gathering  = 300 * time.Millisecond
	mostAtOnce = 16
)

// showing is a workbook that a test wants to see.
type showing struct {
	soffice string
	path    string
	done    chan struct{}
	rows    [][]string // of all sheets, one below the other
	err     error
}

// show is shown a row.
func (s *showing) show(_ string, _ int, cells []readers.Cell) error {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.Text
	}
	s.rows = append(s.rows, texts)
	return nil
}

// display gives what a person sees in a workbook, row by row, the header first.
func display(t testing.TB, content []byte) [][]string {
	t.Helper()
	s := &showing{soffice: testservices.LibreOffice(t), path: saved(t, content), done: make(chan struct{})}
	office.once.Do(func() {
		office.queue = make(chan *showing)
		go serveOffice()
	})
	office.queue <- s
	<-s.done
	if s.err != nil {
		// One bad workbook ends the others' conversion too. Alone it says what is wrong.
		s.rows = nil
		if err := readers.LibreOffice(s.soffice).Read(t.Context(), s.path, s.show); err != nil {
			t.Fatal(err)
		}
	}
	return s.rows
}

// serveOffice converts what has gathered, for as long as the tests run.
func serveOffice() {
	for first := range office.queue {
		batch := []*showing{first}
		for timeout := time.After(gathering); timeout != nil && len(batch) < mostAtOnce; {
			select {
			case next := <-office.queue:
				batch = append(batch, next)
			case <-timeout:
				timeout = nil
			}
		}
		var books []readers.Workbook
		for _, s := range batch {
			books = append(books, readers.Workbook{Path: s.path, Visit: s.show})
		}
		err := readers.LibreOfficeAll(context.Background(), first.soffice, books)
		for _, s := range batch {
			s.err = err
			close(s.done)
		}
	}
}
