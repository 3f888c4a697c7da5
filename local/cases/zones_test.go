package cases

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// instants are moments in UTC, and what the clocks of Seoul showed.
var instants = [][2]string{
	{"2026-09-02 05:30:25", "2026-09-02 14:30:25"},
	{"2026-08-31 15:30:00", "2026-09-01 00:30:00"}, // on the next day
	{"2026-12-31 14:59:59", "2026-12-31 23:59:59"},
	{"2026-12-31 15:00:00", "2027-01-01 00:00:00"},
	{"2028-02-28 15:00:00", "2028-02-29 00:00:00"},
	{"1970-01-01 00:00:01", "1970-01-01 09:00:01"},
	{"2038-01-19 03:14:07", "2038-01-19 12:14:07"},
	// Seoul had daylight saving time in 1987 and 1988.
	{"1987-05-09 16:59:59", "1987-05-10 01:59:59"},
	{"1987-05-09 17:00:00", "1987-05-10 03:00:00"},
	{"1987-10-10 16:59:59", "1987-10-11 02:59:59"},
	{"1987-10-10 17:00:00", "1987-10-11 02:00:00"},
	{"1988-06-01 00:00:00", "1988-06-01 10:00:00"},
	// Hours that clocks leave out or show twice elsewhere.
	{"2026-03-08 07:00:00", "2026-03-08 16:00:00"},
	{"2026-11-01 05:30:00", "2026-11-01 14:30:00"},
	{"2026-11-01 06:30:00", "2026-11-01 15:30:00"},
}

// walls are moments without a zone, some of them in hours that New York or Seoul
// left out, or had twice.
var walls = []string{
	"2026-09-02 14:30:25", "2026-09-02 00:00:00", "2026-03-08 02:30:00", "2026-11-01 01:30:00", "1988-05-08 02:30:00",
	"1987-10-11 02:30:00", "1954-03-21 00:15:00", "1961-08-10 00:15:00", "2026-12-31 23:59:59", "1970-01-01 00:00:00",
	"1900-03-01 00:00:00", "9999-12-31 23:59:59", "2038-01-19 03:14:08", "2000-02-29 12:00:00", "1969-12-31 23:59:59",
}

// moments makes the table of instants, wall clocks and dates, and answers what its
// rows have to be in Seoul.
func (d database) moments(t testing.TB) (rows [][]want) {
	t.Helper()
	d.exec(t, d.pick(
		"CREATE TABLE moments (id INT PRIMARY KEY, instant TIMESTAMP(3) NULL, wall DATETIME, day DATE)",
		"CREATE TABLE moments (id integer PRIMARY KEY, instant timestamptz, wall timestamp, day date)",
		"CREATE TABLE moments (id INTEGER PRIMARY KEY, instant TIMESTAMP, wall DATETIME, day DATE)"))
	for i, at := range instants {
		zone := d.pick("", "Z", "Z") // MariaDB's session is in UTC
		d.exec(t, fmt.Sprintf("INSERT INTO moments VALUES (%d, '%s.999%s', '%s', '%s')", i+1, at[0], zone, walls[i], walls[i][:10]))
		ymd := number(day(t, at[1][:10]).text, "yyyy/mm/dd", strings.ReplaceAll(at[1][:10], "-", "/"))
		rows = append(rows, []want{moment(t, at[1]), moment(t, walls[i]), day(t, walls[i][:10]), ymd})
	}
	return rows
}

func (d database) momentsDataset() string {
	return "name: moments\nsource: " + d.name + "\nkey: id\nselect: {id: m.id, instant: m.instant, wall: m.wall, day: m.day}\n" +
		"from: moments m\ncolumns: [{field: instant}, {field: wall}, {field: day},\n" +
		"  {field: instant, headerName: ymd, excelFormat: ymd}]\n"
}

// inZone is the database as sessions see it that somebody has set to a zone, given
// as an offset.
func (d database) inZone(t testing.TB, offset string) database {
	t.Helper()
	switch d.name {
	case "mariadb":
		d.url += "?time_zone=" + url.QueryEscape("'"+offset+"'")
	case "postgres":
		u, err := url.Parse(d.url)
		if err != nil {
			t.Fatal(err)
		}
		// Signs of POSIX point west.
		posix := "<" + offset + ">" + strings.NewReplacer("+", "-", "-", "+").Replace(offset)
		d.exec(t, "ALTER DATABASE "+strings.TrimPrefix(u.Path, "/")+" SET timezone TO '"+posix+"'")
	}
	return d
}

// D2: the hour is the same whatever the zone of the machine and of the database.
func TestCase_D2(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		rows := d.moments(t)
		sheets := map[string]string{}
		first := ""
		for _, session := range []string{"+00:00", "+09:00", "-05:00"} {
			zoned := d.inZone(t, session)
			for _, machine := range []string{"UTC", "Asia/Seoul", "America/New_York"} {
				run := "TZ=" + machine + ", session " + session
				f := serve(t, []string{d.momentsDataset()}, []string{"TZ=" + machine}, zoned).export(t, "moments", `{}`)
				sheets[run] = sheetXML(t, f.content)
				if first == "" {
					first = run
					f.expect(t, rows)
				}
			}
			if d.name == "sqlite" {
				break // has no sessions
			}
		}
		for run, sheet := range sheets {
			if sheet != sheets[first] {
				t.Errorf("%s gives another sheet than %s:\n%.3000s\n%.3000s", run, first, sheet, sheets[first])
			}
		}
	})
}

// Another report zone moves the instants, and them alone.
func TestReportZones(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.moments(t)
		for zone, shown := range map[string][]string{
			"UTC": {"2026-09-02 05:30:25", "2026-08-31 15:30:00", "2026-12-31 14:59:59"},
			"America/New_York": {
				"2026-09-02 01:30:25", "2026-08-31 11:30:00", "2026-12-31 09:59:59", "2026-12-31 10:00:00", "2028-02-28 10:00:00",
				"1969-12-31 19:00:01", "2038-01-18 22:14:07", "1987-05-09 12:59:59", "1987-05-09 13:00:00", "1987-10-10 12:59:59",
				"1987-10-10 13:00:00", "1988-05-31 20:00:00", "2026-03-08 03:00:00", "2026-11-01 01:30:00", "2026-11-01 01:30:00",
			},
			"Asia/Kathmandu": {"2026-09-02 11:15:25", "2026-08-31 21:15:00", "2026-12-31 20:44:59"},
		} {
			f := serve(t, []string{d.momentsDataset()}, []string{"HAEXCEL_REPORT_ZONE=" + zone, "TZ=Asia/Tokyo"}, d).export(t, "moments", `{}`)
			sheet := f.book(t).Sheet(0).Rows()
			for i, at0 := range shown {
				moment(t, at0).check(t, zone+" instant "+instants[i][0], at(sheet, i+1, 0))
			}
			for i, wall := range walls {
				moment(t, wall).check(t, zone+" wall "+wall, at(sheet, i+1, 1))
				day(t, wall[:10]).check(t, zone+" day "+wall[:10], at(sheet, i+1, 2))
			}
		}
	})
}

// PostgreSQL keeps instants of all times, and SQLite whatever offset was written.
func TestInstantsWithOffsets(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		if d.name == "mariadb" {
			d.exec(t, "SET time_zone = '-03:30'")
		}
		dataset, row := d.kinds(t, []typed{
			{"", "timestamptz: '2026-09-02 05:30:25Z'", "TIMESTAMP: '2026-09-02 05:30:25Z'", moment(t, "2026-09-02 14:30:25"), ""},
			{"", "timestamptz: '2026-09-02 05:30:25+09:00'", "TIMESTAMP: '2026-09-02 05:30:25+09:00'", moment(t, "2026-09-02 05:30:25"), ""},
			{"", "timestamptz: '2026-09-02T05:30:25.5-03:30'", "DATETIME: '2026-09-02T05:30:25.5-03:30'", moment(t, "2026-09-02 18:00:25"), ""},
			{"", "timestamptz: '2026-09-02 05:30:25+0545'", "DATETIME: '2026-09-02 05:30:25+0545'", moment(t, "2026-09-02 08:45:25"), ""},
			{"", "timestamptz: '2026-09-02 05:30:25-12'", "DATETIME: '2026-09-02 05:30:25-12'", moment(t, "2026-09-03 02:30:25"), ""},
			{"", "timestamptz: '1960-01-01T00:00:00Z'", "TIMESTAMP: '1960-01-01T00:00:00Z'", moment(t, "1960-01-01 08:30:00"), ""},
			{"", "timestamptz: '1954-03-20T15:00:00Z'", "TIMESTAMP: '1954-03-20T15:00:00Z'", moment(t, "1954-03-20 23:30:00"), ""},
			{"", "timestamptz: '1911-12-31T15:00:00Z'", "TIMESTAMP: '1911-12-31T15:00:00Z'", moment(t, "1911-12-31 23:30:00"), ""},
			{"", "timestamptz: '1908-01-01T00:00:00Z'", "TIMESTAMP: '1908-01-01T00:00:00Z'", moment(t, "1908-01-01 08:27:52"), ""},
			{"", "timestamptz: '2026-02-28T14:59:59.999999Z'", "TIMESTAMP: '2026-02-28T14:59:59.999999Z'", moment(t, "2026-02-28 23:59:59"), ""},
			{"", "timestamptz: '1969-12-31T23:59:59.5Z'", "TIMESTAMP: '1969-12-31T23:59:59.5Z'", moment(t, "1970-01-01 08:59:59"), ""},
			{"TIMESTAMP NULL: FROM_UNIXTIME(1788327025)", "timestamptz: to_timestamp(1788327025)", "TIMESTAMP: '2026-09-02T05:30:25Z'", moment(t, "2026-09-02 14:30:25"), ""},
			{"TIMESTAMP NULL: FROM_UNIXTIME(1788327025)", "timestamptz: to_timestamp(1788327025)", "TIMESTAMP: '2026-09-02T05:30:25Z'", number(day(t, "2026-09-02").text, "yyyy/mm/dd", "2026/09/02"), ", excelFormat: ymd"},
			{"TIMESTAMP(6) NULL: FROM_UNIXTIME(1788188399.999999)", "timestamptz: to_timestamp(1788188399.999999)", "TIMESTAMP: '2026-08-31T14:59:59.999999Z'", number(serial(t, "2026-08-31 23:59:59"), "yyyy/mm/dd hh:mm:ss", "2026/08/31 23:59:59"), ", excelFormat: datetime"},
		})
		f := serve(t, []string{dataset}, nil, d).export(t, "kinds", `{}`)
		f.expect(t, row)
	})
}
