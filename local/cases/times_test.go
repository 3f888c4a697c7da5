package cases

import (
	"strconv"
	"testing"
)

// clock is a time of so many seconds in a time cell.
func clock(seconds int, shown string) want {
	return number(strconv.FormatFloat(float64(seconds/86400)+float64(seconds%86400)/86400, 'f', -1, 64), timeFormat, shown)
}

// D3: times go beyond a day, and below zero as text.
func TestCase_D3(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		onlyPostgres := func(value string, w want) typed { return typed{"", value, "", w, ""} }
		all := func(value string, w want) typed {
			return typed{"TIME: " + value, "time: " + value, "TIME: " + value, w, ""}
		}
		dataset, row := d.kinds(t, []typed{
			{"TIME: '25:30:00'", "", "TIME: '25:30:00'", number("1.0625", timeFormat, "25:30:00"), ""},
			{"TIME: '838:59:59'", "", "TIME: '838:59:59'", number("34.958321759259256", timeFormat, "838:59:59"), ""},
			{"TIME(3): '-25:30:00.500'", "", "TIME: '-25:30:00.500'", text("-25:30:00.500"), ""},
			all("'00:00:00'", number("0", timeFormat, "00:00:00")),
			{"TIME: '24:00:00'", "time: '24:00:00'", "TIME: '24:00:00'", number("1", timeFormat, "24:00:00"), ""},
			onlyPostgres("interval: '1 mon 2 days 25:30:00'", text("1 mon 2 days 25:30:00")),

			all("'00:00:01'", clock(1, "00:00:01")),
			all("'09:05:07'", clock(9*3600+5*60+7, "09:05:07")),
			all("'12:00:00'", number("0.5", timeFormat, "12:00:00")),
			all("'14:30:25'", clock(14*3600+30*60+25, "14:30:25")),
			all("'23:59:59'", clock(86399, "23:59:59")),
			{"TIME(6): '23:59:59.999999'", "time: '23:59:59.999999'", "TIME: '23:59:59.999999'", clock(86399, "23:59:59"), ""},
			{"TIME(6): '00:00:00.999999'", "time: '00:00:00.999999'", "TIME: '00:00:00.999999'", clock(0, "00:00:00"), ""},
			{"TIME(1): '01:02:03.9'", "time(1): '01:02:03.9'", "TIME: '01:02:03.9'", clock(3723, "01:02:03"), ""},
			{"TIME(1): '-00:00:00.4'", "", "TIME: '-00:00:00.4'", text("-00:00:00.4"), ""},
			{"TIME: '-838:59:59'", "", "TIME: '-838:59:59'", text("-838:59:59"), ""},
			{"TIME: '-00:00:01'", "", "TIME: '-00:00:01'", text("-00:00:01"), ""},
			{"TIME: '-00:00:00'", "", "TIME: '-00:00:00'", clock(0, "00:00:00"), ""},
			{"TIME: '100:00:00'", "", "TIME: '100:00:00'", clock(360000, "100:00:00"), ""},
			{"TIME: NULL", "time: NULL", "TIME: NULL", none, ""},

			onlyPostgres("timetz: '14:30:25+09'", text("14:30:25+09")),
			onlyPostgres("interval: '0'", text("00:00:00")),
			onlyPostgres("interval: '-25:30:00.5'", text("-25:30:00.5")),
			onlyPostgres("interval: '1 year 2 mons -3 days'", text("1 year 2 mons -3 days")),
			onlyPostgres("interval: '25:30:00'", text("25:30:00")),
			onlyPostgres("interval day to second: '36 hours'", text("36:00:00")),

			all("'14:30:25'", clock(14*3600+30*60+25, "14:30:25")).with("excelFormat: tm"),
			all("'14:30:25'", text("14:30:25")).with("excelFormat: ymd"),
			all("'14:30:25'", text("14:30:25")).with("excelFormat: datetime"),
			all("'14:30:25'", number("0.6044560185185185", "hh:mm", "14:30")).with(`excelFormat: "hh:mm"`),
			{"TIME: '25:30:00'", "", "TIME: '25:30:00'", number("1.0625", timeFormat, "25:30:00"), ", excelFormat: tm"},
			{"TIME: '25:30:00'", "", "TIME: '25:30:00'", number("1.0625", "[h]:mm", "25:30"), `, excelFormat: "[h]:mm"`},
			// Hours that begin anew would say 01:30.
			{"TIME: '25:30:00'", "", "TIME: '25:30:00'", text("25:30:00"), `, excelFormat: "hh:mm"`},
			{"TIME: '-01:30:00'", "", "TIME: '-01:30:00'", text("-01:30:00"), ", excelFormat: tm"},
			{"TIME: '-01:30:00'", "", "TIME: '-01:30:00'", text("-01:30:00"), `, excelFormat: "[h]:mm"`},
			onlyPostgres("interval: '14:30:25'", clock(14*3600+30*60+25, "14:30:25")).with("excelFormat: tm"),
			onlyPostgres("interval: '1 day 14:30:25'", text("1 day 14:30:25")).with("excelFormat: tm"),
			everywhereTyped("VARCHAR(20): '143025'", clock(14*3600+30*60+25, "14:30:25")).with("excelFormat: tm"),
			everywhereTyped("VARCHAR(20): '25:30:00'", text("25:30:00")).with("excelFormat: tm"),
			everywhereTyped("VARCHAR(20): '23:59:60'", text("23:59:60")).with("excelFormat: tm"),
			everywhereTyped("VARCHAR(20): '25:30:00'", text("25:30:00")),
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}

// Times that MariaDB computes.
func TestComputedTimes(t *testing.T) {
	t.Parallel()
	d := onMariaDB(t)
	dataset, row := d.expressions([]typed{
		{"SEC_TO_TIME(91800)", "", "", clock(91800, "25:30:00"), ""},
		{"TIMEDIFF('2026-09-03 01:30:00', '2026-09-02 00:00:00')", "", "", clock(91800, "25:30:00"), ""},
		{"TIMEDIFF('2026-09-02 00:00:00', '2026-09-02 01:30:00')", "", "", text("-01:30:00"), ""},
		{"CAST('10:11:12.5' AS TIME(1))", "", "", clock(36672, "10:11:12"), ""},
		{"CAST('2026-09-02 14:30:25' AS DATE)", "", "", day(t, "2026-09-02"), ""},
		{"CAST('2026-09-02' AS DATETIME)", "", "", moment(t, "2026-09-02 00:00:00"), ""},
		{"DATE_ADD('2026-02-28', INTERVAL 1 DAY)", "", "", text("2026-03-01"), ""}, // of a text it makes a text
		{"DATE_ADD(CAST('2026-02-28' AS DATE), INTERVAL 1 DAY)", "", "", day(t, "2026-03-01"), ""},
		{"STR_TO_DATE('02.09.2026', '%d.%m.%Y')", "", "", day(t, "2026-09-02"), ""},
		{"DATE_FORMAT('2026-09-02', '%Y%m%d')", "", "", text("20260902"), ""},
		{"YEAR('2026-09-02')", "", "", whole("2026"), ""},
		{"FROM_DAYS(0)", "", "", none, ""},
		{"MAKEDATE(1900, 60)", "", "", number("61", dayFormat, "1900-03-01"), ""},
		{"LAST_DAY('1900-02-01')", "", "", text("1900-02-28"), ""},
	})
	f := everyPath(t, []string{dataset}, "kinds", nil, d)
	f.expect(t, row)
}
