package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/dataset"
)

// TestMySQLZones: where the server knows the zone, its functions follow the zone's
// clocks, and no row is lost or read twice over the hour that they show twice.
func TestMySQLZones(t *testing.T) {
	t.Parallel()
	e := onMariaDB(t)
	teachZone(t, e, "America/New_York")
	e.db.SetMaxOpenConns(1)
	e.exec(t, "SET time_zone = '+00:00'", "CREATE TABLE ticks (at TIMESTAMP(3) NOT NULL PRIMARY KEY, id INTEGER NOT NULL, grp TIMESTAMP NOT NULL)")
	begin := time.Date(2026, time.November, 1, 3, 50, 0, 0, time.UTC)
	const rows = 31
	var want []string
	for i := range rows {
		at := begin.Add(time.Duration(i) * 10 * time.Minute)
		e.exec(t, fmt.Sprintf("INSERT INTO ticks VALUES ('%s', %d, '%s')", at.Format(time.DateTime)+".250", i, at.Truncate(time.Hour).Format(time.DateTime)))
		want = append(want, fmt.Sprint(i))
	}
	for _, key := range []string{"[at]", "[grp, id]", "[grp, at]"} {
		for size := 1; size < 9; size++ {
			s := e.sources(t, dataset.SourceOptions{PageRows: size, ReportZone: zoneOf(t, "America/New_York")})
			file := "name: ticks\nkey: " + key + "\nselect: {id: k.id, at: k.at, grp: k.grp}\nfrom: ticks k\nwhere: [{sql: \"k.id >= 0\"}]\n"
			fields, got := mustRead(t, load(t, s, file), dataset.Query{})
			at := -1
			for i, f := range fields {
				if f.Name == "id" {
					at = i
				}
			}
			var ids []string
			for _, r := range got {
				ids = append(ids, strings.TrimPrefix(r[at], "integer:"))
			}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("key %s in pages of %d: %s", key, size, diff)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}

	const told = "name: told\nsql: \"SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS ahead, FROM_UNIXTIME(1782878400) AS summer, MAX(at) AS last FROM ticks\"\n"
	for name, want := range map[string]row{
		// July 1st, by the summer clock.
		"America/New_York": {"datetime:2026-07-01 00:00:00", "instant:2026-11-01 03:50:00.250-05:00"},
		"Etc/GMT+3":        {"datetime:2026-07-01 01:00:00", "instant:2026-11-01 05:50:00.250-03:00"},
	} {
		s := e.sources(t, dataset.SourceOptions{ReportZone: zoneOf(t, name)})
		_, got := mustRead(t, load(t, s, told), dataset.Query{})
		if diff := cmp.Diff(want, got[0][1:]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMySQLLacksZone: on a server without a zone's rules instants are right all the
// same, and the log says once what is not.
func TestMySQLLacksZone(t *testing.T) {
	t.Parallel()
	e := onMariaDB(t)
	first := fillInstants(t, e)
	const zone = "Europe/London"
	var log bytes.Buffer
	s := e.sources(t, dataset.SourceOptions{ReportZone: zoneOf(t, zone), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 2 {
		_, rows := mustRead(t, load(t, s, instantFile), dataset.Query{})
		for i, r := range rows {
			at, err := time.Parse("instant:2006-01-02 15:04:05Z07:00", r[1])
			if err != nil {
				t.Fatal(err)
			}
			if got := at.UTC().Format(time.DateTime); got != instants[first+i].utc {
				t.Errorf("%s came as %s", instants[first+i].utc, r[1])
			}
		}
	}
	var known bool
	if err := e.db.QueryRowContext(t.Context(), "SELECT CONVERT_TZ('2026-01-01', '+00:00', ?) IS NOT NULL", zone).Scan(&known); err != nil {
		t.Fatal(err)
	}
	if warned := strings.Count(log.String(), zone); !known && warned != 1 || known && warned != 0 {
		t.Errorf("known: %v, warned %d times: %s", known, warned, log.String())
	}
}

// teaching keeps tests from filling the server's tables at the same time.
var teaching sync.Mutex

// teachZone gives the server the rules of a zone, as mysql_tzinfo_to_sql does,
// unless it has them. The tables are the whole server's; other tests see no
// difference but that the zone has a name.
func teachZone(t *testing.T, e engine, name string) {
	t.Helper()
	teaching.Lock()
	defer teaching.Unlock()
	conn, err := e.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(context.WithoutCancel(t.Context()), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	var known bool
	if err := conn.QueryRowContext(t.Context(), "SELECT CONVERT_TZ('2026-01-01', '+00:00', ?) IS NOT NULL", name).Scan(&known); err != nil {
		t.Fatal(err)
	}
	if known {
		return
	}
	exec("INSERT INTO mysql.time_zone (Use_leap_seconds) VALUES ('N')")
	var id int64
	if err := conn.QueryRowContext(t.Context(), "SELECT LAST_INSERT_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	types := map[string]int{}
	at := time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC).In(zoneOf(t, name))
	for !at.IsZero() && at.Year() < 2038 {
		abbreviation, offset := at.Zone()
		kind := fmt.Sprint(offset, abbreviation, at.IsDST())
		if _, ok := types[kind]; !ok {
			types[kind] = len(types)
			exec("INSERT INTO mysql.time_zone_transition_type VALUES (?, ?, ?, ?, ?)", id, types[kind], offset, at.IsDST(), abbreviation)
		}
		start, end := at.ZoneBounds()
		if !start.IsZero() {
			exec("INSERT INTO mysql.time_zone_transition VALUES (?, ?, ?)", id, start.Unix(), types[kind])
		}
		at = end
	}
	// The server looks for the name first, so it comes last.
	exec("INSERT INTO mysql.time_zone_name VALUES (?, ?)", name, id)
}
