package cases

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	gathering   = 300 * time.Millisecond
	mostAtOnce  = 16
	csvAsShown  = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,true,false,false,-1"
	wroteASheet = "Writing sheet "
)

// showing is a workbook that a test wants to see.
type showing struct {
	soffice string
	path    string
	done    chan struct{}
	rows    [][]string // of all sheets, one below the other
	err     error
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
	if s.err == nil {
		return s.rows
	}
	// One bad workbook ends the others' conversion too. Alone it says what is wrong.
	var rows [][]string
	for _, row := range read(t, readers.LibreOffice(s.soffice), content) {
		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.Text
		}
		rows = append(rows, texts)
	}
	return rows
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
		err := convert(batch)
		for _, s := range batch {
			s.err = errors.Join(s.err, err)
			close(s.done)
		}
	}
}

// convert has every sheet written as CSV. LibreOffice may end well without having
// written any.
func convert(batch []*showing) (err error) {
	folder, err := os.MkdirTemp("", "haexcel-cases-office-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	args := []string{"--headless", "--norestore", "-env:UserInstallation=file://" + filepath.Join(folder, "profile"),
		"--convert-to", csvAsShown, "--outdir", folder}
	for i, s := range batch {
		name := filepath.Join(folder, fmt.Sprintf("book%d.xlsx", i))
		if err := os.Link(s.path, name); err != nil {
			return err
		}
		args = append(args, name)
	}
	cmd := exec.Command(batch[0].soffice, args...)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder, "TMPDIR=" + folder, "LC_ALL=C.UTF-8", "TZ=UTC"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	said := strings.Split(string(out), "\n")
	for i, s := range batch {
		s.err = s.collect(filepath.Join(folder, fmt.Sprintf("book%d-", i)), said)
	}
	return nil
}

// collect reads a workbook's sheets, in its order, from the files that LibreOffice
// said it wrote.
func (s *showing) collect(prefix string, said []string) error {
	found := false
	for _, line := range said {
		if _, path, ok := strings.Cut(line, " -> "+prefix); ok && strings.HasPrefix(line, wroteASheet) {
			found = true
			if err := s.read(prefix + path); err != nil {
				return err
			}
		}
	}
	if !found {
		return errors.New("no sheet was written")
	}
	return nil
}

// read adds a sheet's rows. The library leaves empty lines out, each of which is a
// row; where in the file a record stands tells how many there were.
func (s *showing) read(path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := csv.NewReader(in)
	lines.FieldsPerRecord = -1
	for next := 1; ; {
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := lines.FieldPos(0)
		for ; next < line; next++ {
			s.rows = append(s.rows, nil)
		}
		s.rows = append(s.rows, record)
		next++
		for _, field := range record {
			next += strings.Count(field, "\n")
		}
	}
}
