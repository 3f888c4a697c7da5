package dataset_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/dataset"
)

// TestSessionSettings asks the servers how a reading's session is set up.
func TestSessionSettings(t *testing.T) {
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		on             func(t testing.TB) engine
		sql            string
		snapshot, none row
	}{
		"mariadb": {
			on: onMariaDB,
			sql: "SELECT @@session.net_write_timeout AS wait, TIMEDIFF(NOW(), UTC_TIMESTAMP()) AS ahead, @@session.tx_isolation AS isolation, " +
				"@@session.character_set_client AS client, @@session.sql_mode AS mode, @@in_transaction AS inside",
			snapshot: row{"integer:3600", "time:09:00:00", "text:REPEATABLE-READ", "text:utf8mb4", "text:", "integer:1"},
			none:     row{"integer:3600", "time:09:00:00", "text:REPEATABLE-READ", "text:utf8mb4", "text:", "integer:0"},
		},
		"postgres": {
			on: onPostgres,
			sql: "SELECT current_setting('TimeZone') AS zone, current_setting('transaction_isolation') AS isolation, " +
				"current_setting('transaction_read_only') AS read_only, current_setting('DateStyle') AS dates",
			snapshot: row{"text:Asia/Seoul", "text:repeatable read", "text:on", "text:ISO, MDY"},
			none:     row{"text:Asia/Seoul", "text:read committed", "text:on", "text:ISO, MDY"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := tc.on(t).sources(t, dataset.SourceOptions{MaxConns: 1, ReportZone: seoul})
			read := func(text string) row {
				t.Helper()
				_, rows := mustRead(t, load(t, s, text), dataset.Query{})
				if len(rows) != 1 {
					t.Fatalf("rows %v", rows)
				}
				return rows[0]
			}
			// One connection serves all three in turn: what the one before has set
			// must not stay.
			for _, c := range []struct {
				option string
				want   row
			}{{"", tc.snapshot}, {"snapshot: off\n", tc.none}, {"", tc.snapshot}} {
				if got := read("name: session\nsql: \"" + tc.sql + "\"\n" + c.option); strings.Join(got, "|") != strings.Join(c.want, "|") {
					t.Errorf("%q: %v, want %v", c.option, got, c.want)
				}
			}
		})
	}
}

// TestRowsAreNotLimited: a limit that the server's settings put on statements
// would cut a file short without a word.
func TestRowsAreNotLimited(t *testing.T) {
	e := onMariaDB(t)
	s := e.withParameters("sql_select_limit=3").sources(t, dataset.SourceOptions{})
	_, rows := mustRead(t, load(t, s, "name: all\nsql: SELECT seq FROM seq_1_to_10\n"), dataset.Query{})
	if len(rows) != 10 {
		t.Errorf("%d rows, want 10", len(rows))
	}
}

// TestSessionsOnlyRead: a statement that writes is refused, whatever a file says.
func TestSessionsOnlyRead(t *testing.T) {
	const writes = "name: writes\nsql: INSERT INTO here (id) VALUES (1) RETURNING id\n"
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE here (id INTEGER)")
		s := e.sources(t, dataset.SourceOptions{MaxConns: 1})
		for _, option := range []string{"", "snapshot: off\n"} {
			_, _, err := readAll(t.Context(), load(t, s, writes+option), dataset.Query{})
			if err == nil {
				t.Errorf("%q: a statement that writes was run", option)
			}
		}
		var n int
		if err := e.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM here").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

// TestConnectionsAreBounded: a reading beyond the bound waits for one to end.
func TestConnectionsAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE here (id INTEGER)")
		d := endlessSet(t, e.sources(t, dataset.SourceOptions{MaxConns: 2}), streams[e.name])
		var open []dataset.Rows
		for range 2 {
			rows, err := d.Open(t.Context(), dataset.Query{})
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, rows)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if rows, err := d.Open(ctx, dataset.Query{}); err == nil {
			t.Error("a third reading was begun")
			_ = rows.Close()
		}
		if err := open[0].Close(); err != nil {
			t.Error(err)
		}
		third, err := d.Open(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal("after one had ended:", err)
		}
		for _, rows := range []dataset.Rows{third, open[1]} {
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestQuotesAndPipesAreTheServers: what a dataset's SQL means is settled by the
// server that it was written for.
func TestQuotesAndPipesAreTheServers(t *testing.T) {
	e := onMariaDB(t)
	e.exec(t, "CREATE TABLE words (v CHAR(5))", "INSERT INTO words VALUES ('가')")
	for _, tc := range []struct{ mode, want string }{
		{"'PAD_CHAR_TO_FULL_LENGTH,NO_BACKSLASH_ESCAPES'", "integer:0"},
		{"'ANSI_QUOTES,PIPES_AS_CONCAT,PAD_CHAR_TO_FULL_LENGTH'", "text:가x"},
		{"'ANSI'", "text:가x"},
	} {
		s := e.withParameters(parameters(map[string]string{"sql_mode": tc.mode})).sources(t, dataset.SourceOptions{MaxConns: 1})
		set := load(t, s, `{name: words, sql: "SELECT \"v\" || 'x' AS w FROM words"}`)
		for range 2 { // the second time on the same connection
			if _, rows := mustRead(t, set, dataset.Query{}); len(rows) != 1 || rows[0][0] != tc.want {
				t.Errorf("%s: %v, want %s", tc.mode, rows, tc.want)
			}
		}
	}
}
