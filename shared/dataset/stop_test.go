package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// soon is how long a server may take to notice; nothing waits for all of it.
const soon = 30 * time.Second

// marker makes the test's statements known among all others of the server.
const marker = "haexcel_stop_marker"

// endless are statements that run for hours, and streams of rows without end in
// practice.
var endless = map[string]string{
	"sqlite":   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) AS " + marker + " FROM n",
	"mariadb":  "SELECT SLEEP(36000) AS " + marker,
	"postgres": "SELECT CAST(pg_sleep(36000) AS text) AS " + marker,
}

var streams = map[string]string{
	"sqlite":   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS " + marker + " FROM n",
	"mariadb":  "SELECT a.seq AS " + marker + ", REPEAT('x', 500) AS text FROM seq_1_to_1000000 a, seq_1_to_1000000 b",
	"postgres": "SELECT i AS " + marker + ", REPEAT('x', 500) AS text FROM generate_series(1, 1000000) a(i), generate_series(1, 1000000) b(j)",
}

// running counts the marked statements at the server.
func (e engine) running(t *testing.T) int {
	t.Helper()
	query := map[string]string{
		"mariadb":  "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID()",
		"postgres": "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE $1 AND state = 'active' AND pid <> pg_backend_pid()",
	}[e.name]
	if query == "" {
		return 0 // SQLite runs in this process
	}
	if e.name == "mariadb" {
		query = strings.Replace(query, "WHERE", "WHERE db = DATABASE() AND", 1)
	} else {
		query = strings.Replace(query, "WHERE", "WHERE datname = current_database() AND", 1)
	}
	n := 0
	if err := e.db.QueryRowContext(t.Context(), query, "%"+marker+"%").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soon); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", soon, what)
		}
	}
}

func endlessSet(t *testing.T, s *dataset.Sources, statement string) *dataset.SQL {
	t.Helper()
	return load(t, s, "name: endless\nsql: |\n  "+statement+"\n")
}

// TestContextStopsStatement ends the context while the server computes.
func TestContextStopsStatement(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE here (id INTEGER)") // SQLite's file must exist
		d := endlessSet(t, e.sources(t, dataset.SourceOptions{}), endless[e.name])
		for _, what := range []string{"open", "count"} {
			cause := fault.New(fault.Cancelled, "Cancelled by user.")
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				if what == "count" {
					_, _, err := d.Count(ctx, dataset.Query{})
					ended <- err
					return
				}
				_, _, err := readAll(ctx, d, dataset.Query{})
				ended <- err
			}()
			if e.name == "sqlite" {
				time.Sleep(50 * time.Millisecond) // nothing shows that it runs
			} else {
				eventually(t, "the statement runs", func() bool { return e.running(t) == 1 })
			}
			cancel(cause)
			select {
			case err := <-ended:
				if !errors.Is(err, cause) {
					t.Errorf("%s: %v", what, err)
				}
			case <-time.After(soon):
				t.Fatalf("%s did not end", what)
			}
			eventually(t, "the statement has left the process list", func() bool { return e.running(t) == 0 })
		}
	})
}

// TestCloseStopsStatement closes rows of which most are unread, with and without
// the context's end before.
func TestCloseStopsStatement(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE here (id INTEGER)")
		d := endlessSet(t, e.sources(t, dataset.SourceOptions{MaxConns: 1}), streams[e.name])
		for _, cancelled := range []bool{false, true, false} {
			ctx, cancel := context.WithCancel(t.Context())
			rows, err := d.Open(ctx, dataset.Query{})
			if err != nil {
				t.Fatal(err)
			}
			for range 1000 {
				if !rows.Next() {
					t.Fatal(rows.Err())
				}
			}
			if cancelled {
				cancel()
				for rows.Next() {
					continue
				}
				if err := rows.Err(); !errors.Is(err, context.Canceled) || fault.CodeOf(err) != fault.Unavailable {
					t.Errorf("after the context's end: %v", err)
				}
			}
			if err := rows.Close(); err != nil && !cancelled {
				t.Errorf("close: %v", err)
			}
			if err := rows.Close(); err != nil {
				t.Errorf("close again: %v", err)
			}
			eventually(t, "the statement has left the process list", func() bool { return e.running(t) == 0 })
			cancel()
		}
	})
}

// TestKilled cuts the connection, and stops the statement, after a part of the
// rows: neither may look like the end of the data.
func TestKilled(t *testing.T) {
	kills := map[string][]string{
		"mariadb":  {"KILL CONNECTION %d", "KILL QUERY %d"},
		"postgres": {"SELECT pg_terminate_backend(%d)", "SELECT pg_cancel_backend(%d)"},
	}
	find := map[string]string{
		"mariadb":  "SELECT id FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID() AND db = DATABASE()",
		"postgres": "SELECT pid FROM pg_stat_activity WHERE query LIKE $1 AND pid <> pg_backend_pid() AND datname = current_database()",
	}
	test := func(t *testing.T, e engine) {
		s := e.sources(t, dataset.SourceOptions{})
		for _, kill := range kills[e.name] {
			rows, err := endlessSet(t, s, streams[e.name]).Open(t.Context(), dataset.Query{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for rows.Next() {
				if n++; n == 1000 {
					var id int64
					if err := e.db.QueryRowContext(t.Context(), find[e.name], "%"+marker+"%").Scan(&id); err != nil {
						t.Fatal(err)
					}
					if _, err := e.db.ExecContext(t.Context(), fmt.Sprintf(kill, id)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := rows.Err(); !fault.Is(err, fault.Unavailable) || fault.SafeMessage(err) != `Dataset "endless": the database is not available.` {
				t.Errorf("%s: after %d rows: %v", kill, n, err)
			}
			if err := rows.Close(); err != nil {
				t.Errorf("%s: close: %v", kill, err)
			}
		}
		// The pool goes on with a good connection.
		if _, rows := mustRead(t, load(t, s, "name: one\nsql: SELECT 1 AS one\n"), dataset.Query{}); len(rows) != 1 {
			t.Errorf("after the kills: %v", rows)
		}
	}
	t.Run("mariadb", func(t *testing.T) { test(t, onMariaDB(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, onPostgres(t)) })
}

// TestSourcesClose closes the sources under a running statement.
func TestSourcesClose(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE here (id INTEGER)")
		s := e.sources(t, dataset.SourceOptions{})
		d := endlessSet(t, s, streams[e.name])
		rows, err := d.Open(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		for rows.Next() {
			continue
		}
		if rows.Err() == nil {
			t.Error("the rows ended without an error")
		}
		if err := rows.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-closed; err != nil {
			t.Errorf("close the sources: %v", err)
		}
		if _, err := d.Open(t.Context(), dataset.Query{}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("open after close: %v", err)
		}
	})
}
