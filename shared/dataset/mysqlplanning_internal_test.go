package dataset

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
	"testing/fstest"

	"github.com/haexcel/haexcel/shared/cell"
)

// MariaDB answers with no rows and no error when KILL QUERY reaches it while it
// plans an ORDER BY over a key. Neither may be taken for the end of the data.

// pagesSession answers each statement with the next of its pages of keys.
type pagesSession struct{ pages [][]string }

func (s *pagesSession) asOf() int64  { return 0 }
func (s *pagesSession) close() error { return nil }

func (s *pagesSession) query(*statement) (cursor, error) {
	if len(s.pages) == 0 {
		return nil, errors.New("no statement is expected")
	}
	c := &pageCursor{keys: s.pages[0]}
	s.pages = s.pages[1:]
	return c, nil
}

type pageCursor struct {
	keys []string
	at   int // 1 for the first row
}

func (c *pageCursor) columns() []cell.Field {
	return []cell.Field{{Name: "id", Kind: cell.Text, Scale: -1}}
}

func (c *pageCursor) next() bool {
	c.at++
	return c.at <= len(c.keys)
}

func (c *pageCursor) values() []cell.Value {
	return []cell.Value{{Kind: cell.Text, Bytes: []byte(c.keys[c.at-1])}}
}

func (c *pageCursor) key(int) (bound, error) { return bound{value: c.keys[c.at-1]}, nil }
func (c *pageCursor) orderable(int) error    { return nil }
func (c *pageCursor) err() error             { return nil }
func (c *pageCursor) close() error           { return nil }

func TestPageWithoutRowsIsAskedForAgain(t *testing.T) {
	sources, err := NewSources(map[string]string{"": "mysql://user@127.0.0.1:1/none"}, SourceOptions{PageRows: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		option string
		pages  [][]string
		rows   int
		fails  bool
	}{
		"killed once":                       {"", [][]string{{"a", "b", "c"}, nil, {"c", "d"}}, 4, false},
		"killed once, without a snapshot":   {"snapshot: off\n", [][]string{{"a", "b", "c"}, nil, {"c", "d"}}, 4, false},
		"gone for good, in a snapshot":      {"", [][]string{{"a", "b", "c"}, nil, nil}, 2, true},
		"deleted since, without a snapshot": {"snapshot: off\n", [][]string{{"a", "b", "c"}, nil, nil}, 2, false},
		"the first page is killed":          {"", [][]string{nil, {"a"}}, 1, false},
		"none at all":                       {"", [][]string{nil, nil}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := "name: a\nkey: id\nselect: {id: t.id}\nfrom: t\n" + c.option
			sets, err := LoadFS(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, sources)
			if err != nil {
				t.Fatal(err)
			}
			s := &pagesSession{pages: c.pages}
			r := &sqlRows{reading: pagesOf(t, sets[0], s)}
			if r.cursor, err = r.start(1); err != nil {
				t.Fatal(err)
			}
			n := 0
			for r.Next() {
				n++
			}
			if n != c.rows || (r.Err() != nil) != c.fails || len(s.pages) != 0 {
				t.Errorf("%d rows, %v, %d pages not asked for; want %d rows", n, r.Err(), len(s.pages), c.rows)
			}
		})
	}
}

// pagesOf is a reading of the pages.
func pagesOf(t *testing.T, d *SQL, s *pagesSession) reading {
	t.Helper()
	order, err := d.order(Query{})
	if err != nil {
		t.Fatal(err)
	}
	return reading{dataset: d, ctx: t.Context(), order: order, fields: d.fields, engine: &mysqlEngine{}, session: s}
}

// TestPlanWithoutRowsIsAskedForAgain: nor may it for the end of a plan.
func TestPlanWithoutRowsIsAskedForAgain(t *testing.T) {
	sources, err := NewSources(map[string]string{"": "mysql://user@127.0.0.1:1/none"}, SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := LoadFS(fstest.MapFS{"a.yaml": {Data: []byte("name: a\nkey: id\nselect: {id: t.id}\nfrom: t\n")}}, sources)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		pages [][]string
		last  bool
	}{
		"another row follows": {[][]string{{"b", "c"}}, false},
		"killed once":         {[][]string{nil, {"b", "c"}}, false},
		"no row follows":      {[][]string{{"b"}}, true},
		"none is left":        {[][]string{nil, nil}, true},
	} {
		s := &pagesSession{pages: c.pages}
		p := &sqlPlanner{reading: pagesOf(t, sets[0], s), columns: (&pageCursor{}).columns()}
		place, last, err := p.Next("", 2)
		if err != nil || last != c.last || (place == "") != last || len(s.pages) != 0 {
			t.Errorf("%s: %q, %t, %v; %d answers are left", name, place, last, err, len(s.pages))
		}
		if want := `{"v":1,"db":"mysql","by":["+id"],"at":[{"form":"text","text":"b"}]}`; !last && place != want {
			t.Errorf("%s: %s, want %s", name, place, want)
		}
	}
}

// stoppedRows end like a statement that was stopped in the middle of planning.
type stoppedRows struct {
	mysqlRows
	stop func()
}

func (r stoppedRows) Next([]driver.Value) error {
	r.stop()
	return io.EOF
}

func (stoppedRows) Close() error { return nil }

// idleDriver makes connections that no statement is sent on.
type idleDriver struct{}

func (idleDriver) Open(string) (driver.Conn, error) { return idleConn{}, nil }

func (idleDriver) Connect(context.Context) (driver.Conn, error) { return idleConn{}, nil }

func (d idleDriver) Driver() driver.Driver { return d }

type idleConn struct{ driver.Conn }

func (idleConn) Close() error { return nil }

func TestStoppedStatementIsNoEndOfData(t *testing.T) {
	db := sql.OpenDB(idleDriver{})
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, what := range []string{"context", "engine"} {
		ctx, cancel := context.WithCancel(t.Context())
		closing, shutDown := context.WithCancel(t.Context())
		stop := cancel
		want := context.Canceled
		if what == "engine" {
			stop, want = shutDown, errClosed
		}
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := &mysqlSession{engine: &mysqlEngine{closing: closing}, ctx: ctx, conn: conn}
		c := &mysqlCursor{session: s, rows: stoppedRows{stop: stop}}
		if c.next() || !errors.Is(c.err(), want) || !s.broken {
			t.Errorf("%s: %v, want %v; the session is broken: %t", what, c.err(), want, s.broken)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		shutDown()
	}
}
