package cases

import (
	"math"
	"strconv"
	"testing"
	"time"
)

// day is a date of the calendar in a date cell, such as 2026-09-02.
func day(t testing.TB, date string) want {
	t.Helper()
	return number(serial(t, date+" 00:00:00"), dayFormat, date)
}

// moment is a date and a time in a date cell, such as 2026-09-02 14:30:25.
func moment(t testing.TB, wall string) want {
	t.Helper()
	return number(serial(t, wall), momentFormat, wall)
}

// serial is the number by which spreadsheets count days, as short as it can be.
func serial(t testing.TB, wall string) string {
	t.Helper()
	at, err := time.Parse(time.DateTime, wall)
	if err != nil {
		t.Fatal(err)
	}
	seconds := at.Unix() - dayZero.Unix()
	whole, rest := float64(seconds/86400), float64(seconds%86400)
	n := whole + rest/86400
	// LibreOffice counts days from 1970 on and cuts times near it: a number that is
	// too small by its last bit would show the second before.
	if near := math.Abs(float64(at.Unix()/86400)) <= 1000; near && (n-whole)*86400 < rest {
		n = math.Nextafter(n, math.Inf(1))
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// D1: no date is an empty cell, half a date the text of it.
func TestCase_D1(t *testing.T) {
	t.Parallel()
	d := onMariaDB(t)
	d.exec(t, "CREATE TABLE items (id INT PRIMARY KEY, d DATE, dt DATETIME, dt6 DATETIME(6), ts TIMESTAMP NULL)",
		`INSERT INTO items VALUES
			(1, '0000-00-00', '0000-00-00 00:00:00', '0000-00-00', '0000-00-00 00:00:00'),
			(2, '2026-09-02', '2026-09-02 14:30:25', '2026-09-02 14:30:25.999999', '2026-09-02 05:30:25'),
			(3, '2026-00-00', '2026-00-00 00:00:00', '2026-00-00 14:30:25.5', NULL),
			(4, '2026-09-00', '2026-09-00 00:00:00', '2026-09-00 00:00:00', NULL),
			(5, '0000-09-02', '0000-09-02 00:00:00', '0000-09-02 00:00:00', NULL),
			(6, '2026-00-02', '2026-00-02 23:59:59', '2026-00-02 23:59:59.999999', NULL),
			(7, NULL, NULL, NULL, NULL)`)
	dataset := `
name: items
source: mariadb
key: id
select: {id: i.id, d: i.d, dt: i.dt, dt6: i.dt6, ts: i.ts, first: "LEAST(i.d, '0000-00-00')"}
from: items i
columns:
  - {field: d}
  - {field: dt}
  - {field: dt6}
  - {field: ts}
  - {field: d, headerName: ymd, excelFormat: ymd}
  - {field: dt, headerName: ymd, excelFormat: ymd}
  - {field: dt, headerName: datetime, excelFormat: datetime}
  - {field: d, headerName: short, excelFormat: yy.mm.dd}
  - {field: dt6, headerName: clock, excelFormat: "dd/mm/yyyy hh:mm"}
  - {field: d, headerName: krw, excelFormat: krw}
  - {field: dt, headerName: amount, excelFormat: "#,##0"}
  - {field: ts, headerName: stamp, excelFormat: datetime}
`
	f := everyPath(t, []string{dataset}, "items", nil, d)
	wall := moment(t, "2026-09-02 14:30:25")
	in := func(w want, format, shown string) want { return number(w.text, format, shown) }
	today := day(t, "2026-09-02")
	f.expect(t, [][]want{
		make([]want, 12),
		{
			today, wall, wall, wall, in(today, "yyyy/mm/dd", "2026/09/02"), in(today, "yyyy/mm/dd", "2026/09/02"),
			in(wall, "yyyy/mm/dd hh:mm:ss", "2026/09/02 14:30:25"), in(today, "yy.mm.dd", "26.09.02"),
			in(wall, "dd/mm/yyyy hh:mm", "02/09/2026 14:30"), text("2026-09-02"), text("2026-09-02 14:30:25"),
			in(wall, "yyyy/mm/dd hh:mm:ss", "2026/09/02 14:30:25"),
		},
		{
			text("2026-00-00"), text("2026-00-00 00:00:00"), text("2026-00-00 14:30:25"), none, text("2026/00/00"), text("2026/00/00"),
			text("2026/00/00 00:00:00"), text("26.00.00"), text("00/00/2026 14:30"), text("2026-00-00"), text("2026-00-00 00:00:00"), none,
		},
		{
			text("2026-09-00"), text("2026-09-00 00:00:00"), text("2026-09-00 00:00:00"), none, text("2026/09/00"), text("2026/09/00"),
			text("2026/09/00 00:00:00"), text("26.09.00"), text("00/09/2026 00:00"), text("2026-09-00"), text("2026-09-00 00:00:00"), none,
		},
		{
			text("0000-09-02"), text("0000-09-02 00:00:00"), text("0000-09-02 00:00:00"), none, text("0000/09/02"), text("0000/09/02"),
			text("0000/09/02 00:00:00"), text("00.09.02"), text("02/09/0000 00:00"), text("0000-09-02"), text("0000-09-02 00:00:00"), none,
		},
		{
			text("2026-00-02"), text("2026-00-02 23:59:59"), text("2026-00-02 23:59:59"), none, text("2026/00/02"), text("2026/00/02"),
			text("2026/00/02 23:59:59"), text("26.00.02"), text("02/00/2026 23:59"), text("2026-00-02"), text("2026-00-02 23:59:59"), none,
		},
		make([]want, 12),
	})
	if f.ProcessedRows != 7 {
		t.Errorf("%d rows, want 7", f.ProcessedRows)
	}
}

// A zero date that is kept as text is none in a column for dates, and text anywhere
// else.
func TestZeroDatesInText(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, []typed{
			{"", "", "DATE: '0000-00-00'", none, ""},
			{"", "", "DATETIME: '0000-00-00 00:00:00'", none, ""},
			{"", "", "DATETIME: '2026-00-10'", text("2026-00-10"), ""},
			everywhereTyped("VARCHAR(20): '0000-00-00'", text("0000-00-00")),
			everywhereTyped("VARCHAR(20): '00000000'", text("00000000")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '0000-00-00'", text("0000-00-00")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '20260900'", text("20260900")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '00000000000000'", text("00000000000000")).with("excelFormat: datetime"),
			everywhereTyped("VARCHAR(20): '000000'", number("0", timeFormat, "00:00:00")).with("excelFormat: tm"),
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}

// D4: a date cell shows only what every spreadsheet shows alike.
func TestCase_D4(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		date := func(date string, w want) typed { return everywhereTyped("DATE: '"+date+"'", w) }
		wall := func(wall string, w want) typed {
			return typed{"DATETIME(6): '" + wall + "'", "timestamp: '" + wall + "'", "DATETIME: '" + wall + "'", w, ""}
		}
		onlyPostgres := func(value string, w want) typed { return typed{"", value, "", w, ""} }
		dataset, row := d.kinds(t, []typed{
			date("1592-05-23", text("1592-05-23")),
			date("1899-12-31", text("1899-12-31")),
			date("1900-01-01", text("1900-01-01")),
			date("1900-02-28", text("1900-02-28")),
			date("1900-03-01", number("61", dayFormat, "1900-03-01")),
			date("9999-12-31", number("2958465", dayFormat, "9999-12-31")),
			{"", "date: '10000-01-01'", "DATE: '10000-01-01'", text("10000-01-01"), ""},

			date("0001-01-01", text("0001-01-01")),
			date("1000-01-01", text("1000-01-01")),
			date("1582-10-10", text("1582-10-10")), // there was none in the calendar of that time
			date("1899-12-30", text("1899-12-30")),
			date("1900-03-02", day(t, "1900-03-02")),
			date("1969-12-31", day(t, "1969-12-31")),
			date("1970-01-01", day(t, "1970-01-01")),
			date("2000-02-29", day(t, "2000-02-29")),
			date("2100-02-28", day(t, "2100-02-28")),
			{"", "", "DATE: '1900-02-29'", text("1900-02-29"), ""}, // Excel alone knows this day
			{"", "", "DATE: '2026-02-30'", text("2026-02-30"), ""},
			{"", "", "DATE: '2026-13-01'", text("2026-13-01"), ""},
			{"", "", "DATE: '2026-9-2'", text("2026-9-2"), ""},
			wall("1899-12-31 23:59:59", text("1899-12-31 23:59:59")),
			wall("1900-02-28 23:59:59.999999", text("1900-02-28 23:59:59")),
			wall("1900-03-01 00:00:00", number("61", momentFormat, "1900-03-01 00:00:00")),
			wall("1900-03-01 00:00:01", moment(t, "1900-03-01 00:00:01")),
			wall("9999-12-31 23:59:59.999999", moment(t, "9999-12-31 23:59:59")),
			wall("2026-12-31 23:59:59.999999", moment(t, "2026-12-31 23:59:59")),
			wall("2026-09-02 14:30:25.9", moment(t, "2026-09-02 14:30:25")),
			wall("2026-09-02 00:00:00", moment(t, "2026-09-02 00:00:00")),
			{"", "", "DATETIME: '2016-12-31 23:59:60'", text("2016-12-31 23:59:60"), ""}, // a leap second
			{"", "", "DATETIME: '2026-09-02 24:00:00'", text("2026-09-02 24:00:00"), ""},

			onlyPostgres("date: 'infinity'", text("infinity")),
			onlyPostgres("date: '-infinity'", text("-infinity")),
			onlyPostgres("date: '0044-03-15 BC'", text("0044-03-15 BC")),
			onlyPostgres("date: '5874897-12-31'", text("5874897-12-31")),
			onlyPostgres("timestamp: 'infinity'", text("infinity")),
			onlyPostgres("timestamp: '10000-01-01 00:00:00'", text("10000-01-01 00:00:00")),
			onlyPostgres("timestamp: '0044-03-15 12:00:00 BC'", text("0044-03-15 12:00:00 BC")),
			onlyPostgres("timestamptz: 'infinity'", text("infinity")),
			onlyPostgres("timestamptz: '-infinity'", text("-infinity")),
			// In the report zone the year begins nine hours earlier.
			onlyPostgres("timestamptz: '9999-12-31T14:59:59Z'", moment(t, "9999-12-31 23:59:59")),
			onlyPostgres("timestamptz: '9999-12-31T15:00:00Z'", text("10000-01-01 00:00:00")),
			// Until 1908 the clocks of Seoul were 8:27:52 ahead.
			onlyPostgres("timestamptz: '1900-02-28T15:32:07Z'", text("1900-02-28 23:59:59")),
			onlyPostgres("timestamptz: '1900-02-28T15:32:08Z'", number("61", momentFormat, "1900-03-01 00:00:00")),

			date("1592-05-23", text("1592/05/23")).with("excelFormat: ymd"),
			date("1592-05-23", text("92.05.23")).with("excelFormat: yy.mm.dd"),
			date("1592-05-23", text("1592년 5월 23일")).with("excelFormat: yyyy년 m월 d일"),
			date("1592-05-23", text("1592-05-23")).with("excelFormat: mmm d"), // no way to say it
			date("1592-05-23", text("1592-05-23")).with("excelFormat: datetime"),
			date("9999-12-31", number("2958465", "yyyy/mm/dd", "9999/12/31")).with("excelFormat: ymd"),
			wall("1592-05-23 01:02:03", text("1592/05/23 01:02:03")).with("excelFormat: datetime"),
			wall("1592-05-23 01:02:03", text("1592/05/23")).with("excelFormat: ymd"),
			wall("1592-05-23 13:02:03", text("13:02 23.5")).with(`excelFormat: "hh:mm d.m"`),
			onlyPostgres("date: 'infinity'", text("infinity")).with("excelFormat: ymd"),
			onlyPostgres("date: '10000-01-01'", text("10000/01/01")).with("excelFormat: ymd"),
			onlyPostgres("timestamptz: '-infinity'", text("-infinity")).with("excelFormat: datetime"),
			onlyPostgres("timestamp: '0044-03-15 12:00:00 BC'", text("0044-03-15 12:00:00 BC")).with("excelFormat: datetime"),
			everywhereTyped("VARCHAR(20): '15920523'", text("1592/05/23")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '19000228'", text("1900/02/28")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '19000229'", text("19000229")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '19000301'", number("61", "yyyy/mm/dd", "1900/03/01")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '20161231235960'", text("20161231235960")).with("excelFormat: datetime"),
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}
