package dataset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// instants are moments around changes of the clocks, with what the clocks of two
// zones showed.
var instants = []struct{ utc, seoul, newYork string }{
	// Seoul's clocks were half an hour slower from 1954 to 1961, with summer time.
	{"1954-03-20 14:59:59", "1954-03-20 23:59:59", "1954-03-20 09:59:59"},
	{"1954-03-20 15:00:00", "1954-03-20 23:30:00", "1954-03-20 10:00:00"},
	{"1960-07-01 00:00:00", "1960-07-01 09:30:00", "1960-06-30 20:00:00"},
	{"1961-08-09 15:29:59", "1961-08-09 23:59:59", "1961-08-09 11:29:59"},
	{"1961-08-09 15:30:00", "1961-08-10 00:30:00", "1961-08-09 11:30:00"},
	{"1969-12-31 23:59:59", "1970-01-01 08:59:59", "1969-12-31 18:59:59"},
	// From here on MySQL has them too.
	{"1970-01-01 00:00:01", "1970-01-01 09:00:01", "1969-12-31 19:00:01"},
	{"1974-01-06 07:00:00", "1974-01-06 16:00:00", "1974-01-06 03:00:00"},
	{"1987-05-09 16:59:59", "1987-05-10 01:59:59", "1987-05-09 12:59:59"},
	{"1987-05-09 17:00:00", "1987-05-10 03:00:00", "1987-05-09 13:00:00"},
	{"1987-10-10 16:59:59", "1987-10-11 02:59:59", "1987-10-10 12:59:59"},
	{"1987-10-10 17:00:00", "1987-10-11 02:00:00", "1987-10-10 13:00:00"},
	{"1988-06-01 00:00:00", "1988-06-01 10:00:00", "1988-05-31 20:00:00"},
	{"2026-03-08 06:59:59", "2026-03-08 15:59:59", "2026-03-08 01:59:59"},
	{"2026-03-08 07:00:00", "2026-03-08 16:00:00", "2026-03-08 03:00:00"},
	{"2026-07-01 03:59:59", "2026-07-01 12:59:59", "2026-06-30 23:59:59"},
	{"2026-07-01 04:00:00", "2026-07-01 13:00:00", "2026-07-01 00:00:00"},
	{"2026-08-31 15:30:00", "2026-09-01 00:30:00", "2026-08-31 11:30:00"},
	{"2026-11-01 05:30:00", "2026-11-01 14:30:00", "2026-11-01 01:30:00"},
	{"2026-11-01 05:59:59", "2026-11-01 14:59:59", "2026-11-01 01:59:59"},
	{"2026-11-01 06:00:00", "2026-11-01 15:00:00", "2026-11-01 01:00:00"},
	{"2026-11-01 06:30:00", "2026-11-01 15:30:00", "2026-11-01 01:30:00"},
	{"2026-11-01 07:00:00", "2026-11-01 16:00:00", "2026-11-01 02:00:00"},
	{"2037-12-31 23:59:59", "2038-01-01 08:59:59", "2037-12-31 18:59:59"},
}

// firstOnMySQL is the first of them that its TIMESTAMP takes.
const firstOnMySQL = 6

const instantFile = `name: instants
key: id
select: {id: k.id, at: k.at, wall: k.wall, day: k.day}
from: instants k
where:
  - {sql: "k.at >= :since", when: since}
  - {sql: "k.at < :until", when: until}
params: {since: {type: datetime}, until: {type: date}}
`

// fillInstants makes a table of the instants, with wall clocks and dates that show
// the same digits and belong to no zone.
func fillInstants(t *testing.T, e engine) (first int) {
	t.Helper()
	instant, datetime, suffix := "TIMESTAMP", "DATETIME", "+00:00"
	switch e.name {
	case "mariadb":
		instant, first, suffix = "TIMESTAMP NULL", firstOnMySQL, ""
		e.db.SetMaxOpenConns(1)
		e.exec(t, "SET time_zone = '+00:00'")
	case "postgres":
		instant, datetime = "TIMESTAMPTZ", "TIMESTAMP"
	}
	e.exec(t, "CREATE TABLE instants (id INTEGER NOT NULL PRIMARY KEY, at "+instant+", wall "+datetime+", day DATE)")
	for i, one := range instants[first:] {
		e.exec(t, fmt.Sprintf("INSERT INTO instants VALUES (%d, '%s%s', '%s', '%s')", first+i, one.utc, suffix, one.utc, one.utc[:10]))
	}
	return first
}

// TestSameSheet: the same workbook, byte for byte, whatever the time zones of the
// process, of the server's settings and of the URL.
func TestSameSheet(t *testing.T) {
	t.Parallel()
	settings := map[string][]func(t *testing.T, e engine) engine{
		"sqlite": {func(_ *testing.T, e engine) engine { return e }},
		"mariadb": {
			func(_ *testing.T, e engine) engine { return e },
			func(_ *testing.T, e engine) engine { return e.withParameters("time_zone='%2B00:00'&loc=Asia/Seoul") },
			func(_ *testing.T, e engine) engine {
				return e.withParameters("time_zone='-05:00'&loc=America/New_York&parseTime=true")
			},
		},
		"postgres": {
			func(_ *testing.T, e engine) engine { return e.withParameters("timezone=UTC") },
			func(t *testing.T, e engine) engine {
				e.exec(t, "ALTER DATABASE "+databaseOf(t, e)+" SET timezone TO 'Asia/Seoul'")
				return e
			},
			func(t *testing.T, e engine) engine {
				e.exec(t, "ALTER ROLE CURRENT_USER IN DATABASE "+databaseOf(t, e)+" SET timezone TO 'America/New_York'")
				return e
			},
		},
	}
	onEach(t, func(t *testing.T, e engine) {
		first := fillInstants(t, e)
		sheets := map[string][]byte{} // by report zone
		for i, set := range settings[e.name] {
			set := set(t, e)
			for _, tz := range []string{"UTC", "Asia/Seoul", "America/New_York"} {
				for _, report := range []string{"Asia/Seoul", "America/New_York"} {
					sheet := sheetIn(t, tz, sheetRequest{URL: set.url, File: instantFile, Zone: report})
					if want, ok := sheets[report]; ok && !bytes.Equal(want, sheet) {
						t.Errorf("settings %d, process in %s, report of %s: other bytes", i, tz, report)
					}
					sheets[report] = sheet
				}
			}
		}
		for report, sheet := range sheets {
			rows := xlsxtest.Open(t, sheet).Sheet(0).Rows()[1:]
			if len(rows) != len(instants)-first {
				t.Fatalf("%d rows, want %d", len(rows), len(instants)-first)
			}
			for i, one := range instants[first:] {
				want := map[string]string{"Asia/Seoul": one.seoul, "America/New_York": one.newYork}[report]
				if got := momentOf(t, rows[i][1]); got != want {
					t.Errorf("%s in %s: %s, want %s", one.utc, report, got, want)
				}
				if got := momentOf(t, rows[i][2]); got != one.utc {
					t.Errorf("the wall clock %s in %s: %s", one.utc, report, got)
				}
				if got := momentOf(t, rows[i][3]); got != one.utc[:10]+" 00:00:00" {
					t.Errorf("the date %s in %s: %s", one.utc[:10], report, got)
				}
			}
		}
	})
}

func momentOf(t *testing.T, c xlsxtest.Cell) string {
	t.Helper()
	m, err := xlsxtest.Moment(c.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return m.Format(time.DateTime)
}

// TestZonedParameters: dates and date-times are those of the report zone's clocks,
// in summer and in winter, also where they meet instants.
func TestZonedParameters(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		if e.name == "sqlite" {
			return // has no instants that could be compared
		}
		first := fillInstants(t, e)
		zones := []string{"Asia/Seoul", "America/New_York"}
		sessions := []string{"timezone=UTC", "timezone=Asia/Tokyo", "timezone=America/New_York"}
		if e.name == "mariadb" {
			for _, name := range zones {
				teachZone(t, e, name)
			}
			sessions = []string{"time_zone='%2B00:00'", "time_zone='%2B09:00'", "time_zone='-05:00'"}
		}
		for _, name := range zones {
			zone := zoneOf(t, name)
			for _, c := range []struct{ since, until string }{
				{"1987-05-10T01:59:59", ""}, {"1987-10-11T00:00:00", ""}, {"1988-06-01T09:30:00", ""},
				{"2026-03-08T01:00:00", "2026-03-09"}, {"2026-03-08T03:00:00", ""}, {"2026-07-01T00:00:00", "2026-07-02"},
				{"2026-07-01T04:00:00Z", "2026-11-01"}, {"", "2026-07-01"}, {"2026-09-01T00:00:00", "2026-09-02"},
				{"2026-11-01T02:00:00", "2026-11-02"}, {"2026-11-01T00:00:00.5", "2026-11-02"},
			} {
				q := dataset.Query{Params: dataset.Values{}, Zone: zone}
				if c.since != "" {
					q.Params["since"] = dataset.Value{Type: dataset.DateTimeParam, Items: []string{c.since}}
				}
				if c.until != "" {
					q.Params["until"] = dataset.Value{Type: dataset.DateParam, Items: []string{c.until}}
				}
				want := instantsBetween(t, first, c.since, c.until, zone)
				for _, p := range sessions {
					s := e.withParameters(p).sources(t, dataset.SourceOptions{MaxConns: 1})
					_, rows := mustRead(t, load(t, s, instantFile), q)
					if got := idsOf(rows); got != want {
						t.Errorf("%s, %s, from %q to %q: rows %s, want %s", name, p, c.since, c.until, got, want)
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
}

// instantsBetween are the numbers of the instants from since on and before until,
// by the clocks of the zone.
func instantsBetween(t *testing.T, first int, since, until string, zone *time.Location) string {
	t.Helper()
	parse := func(layout, text string) time.Time {
		at, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	var ids []string
	for i, one := range instants[first:] {
		at, err := time.Parse(time.DateTime, one.utc)
		if err != nil {
			t.Fatal(err)
		}
		layout := "2006-01-02T15:04:05"
		if strings.HasSuffix(since, "Z") {
			layout += "Z07:00"
		}
		if since != "" && at.Before(parse(layout, since)) || until != "" && !at.Before(parse(time.DateOnly, until)) {
			continue
		}
		ids = append(ids, fmt.Sprint(first+i))
	}
	return strings.Join(ids, " ")
}

// idsOf are the integers in the first column.
func idsOf(rows []row) string {
	var ids []string
	for _, r := range rows {
		ids = append(ids, strings.TrimPrefix(r[0], "integer:"))
	}
	return strings.Join(ids, " ")
}

// TestFixedZones: a report zone without a name is an offset, also one with minutes
// and one west of Greenwich.
func TestFixedZones(t *testing.T) {
	t.Parallel()
	ahead := map[string]string{
		"mariadb":  "SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS ahead",
		"postgres": "SELECT CAST(EXTRACT(EPOCH FROM LOCALTIMESTAMP - (now() AT TIME ZONE 'UTC')) / 60 AS integer) AS ahead",
	}
	onEach(t, func(t *testing.T, e engine) {
		sql, ok := ahead[e.name]
		if !ok {
			return // has no session zone
		}
		s := e.sources(t, dataset.SourceOptions{})
		for _, minutes := range []int{0, 9 * 60, 5*60 + 30, -(3*60 + 30)} {
			zone := time.FixedZone("here", minutes*60)
			_, rows := mustRead(t, load(t, s, fmt.Sprintf("name: ahead\nsql: %q\n", sql)), dataset.Query{Zone: zone})
			if want := fmt.Sprint("integer:", minutes); rows[0][0] != want {
				t.Errorf("%s, want %s", rows[0][0], want)
			}
		}
	})
}
