package cases

import (
	"net/url"
	"strings"
	"testing"
)

// Whatever a server, a role or a URL says of how values are printed, cells are the
// same.
func TestSettingsChangeNoCell(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, []typed{
			everywhereTyped("DATE: '2026-09-02'", day(t, "2026-09-02")),
			everywhereTyped("DATE: '1592-05-23'", text("1592-05-23")),
			{"DATETIME(3): '2026-09-02 14:30:25.5'", "timestamp: '2026-09-02 14:30:25.5'", "DATETIME: '2026-09-02 14:30:25.5'", moment(t, "2026-09-02 14:30:25"), ""},
			{"TIMESTAMP NULL: '2026-09-02 05:30:25'", "timestamptz: '2026-09-02 05:30:25Z'", "TIMESTAMP: '2026-09-02 05:30:25Z'", moment(t, "2026-09-02 14:30:25"), ""},
			{"DOUBLE: 0.30000000000000004", "double precision: 0.30000000000000004", "DOUBLE: 0.30000000000000004", double("0.30000000000000004", "0.3"), ""},
			{"FLOAT: 0.33333334", "real: 0.33333334", "", double("0.33333334", "0.33333334"), ""},
			everywhereTyped("DECIMAL(12,2): 1250.10", decimal("1250.10")),
			{"BLOB: x'00FF89'", `bytea: '\x00FF89'`, "BLOB: x'00FF89'", text("00FF89"), ""},
			{"CHAR(9): '07'", "char(9): '07'", "CHAR(9): '07'", text("07"), ""},
			{"DATE: '2026-00-00'", "interval: '1 mon 2 days 25:30:00'", "", text(d.pick("2026-00-00", "1 mon 2 days 25:30:00", "")), ""},
			{"TEXT: '값😀'", "text: '값😀'", "TEXT: '값😀'", text("값😀"), ""},
			{"VARCHAR(9) CHARACTER SET latin1: 'é'", "xml: '<a>값</a>'", "", text(d.pick("é", "<a>값</a>", "")), ""},
			{"", "daterange: '[2026-09-01,2026-09-03)'", "", text("[2026-09-01,2026-09-03)"), ""},
			{"", "date[]: ARRAY['2026-09-02'::date]", "", text("{2026-09-02}"), ""},
		})
		usual := serve(t, []string{dataset}, nil, d).export(t, "kinds", `{}`)
		usual.expect(t, row)

		odd := d
		switch d.name {
		case "mariadb":
			odd.url += "?" + url.Values{
				"sql_mode": {"'PAD_CHAR_TO_FULL_LENGTH,NO_ZERO_IN_DATE,NO_ZERO_DATE,STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,ANSI_QUOTES'"},
				"charset":  {"latin1"}, "collation": {"latin1_swedish_ci"}, "parseTime": {"true"}, "loc": {"America/New_York"},
				"time_zone": {"'-05:00'"}, "lc_time_names": {"'ko_KR'"}, "div_precision_increment": {"10"}, "sql_select_limit": {"1"},
			}.Encode()
		case "postgres":
			u, err := url.Parse(d.url)
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{
				"datestyle": "'SQL, DMY'", "intervalstyle": "iso_8601", "bytea_output": "escape", "extra_float_digits": "'-15'",
				"timezone": "'America/New_York'", "xmlbinary": "hex", "client_encoding": "LATIN1", "standard_conforming_strings": "off",
				"lc_numeric": "'C'", "backslash_quote": "on", "array_nulls": "off",
			} {
				d.exec(t, "ALTER DATABASE "+strings.TrimPrefix(u.Path, "/")+" SET "+name+" TO "+value)
			}
			odd.url += "&client_encoding=LATIN1&datestyle=German&timezone=Asia/Tokyo"
		case "sqlite":
			odd.url += "?_time_format=sqlite&_texttotime=1"
		}
		got := serve(t, []string{dataset}, []string{"TZ=America/New_York", "LC_ALL=de_DE.UTF-8", "LANG=ko_KR.EUC-KR"}, odd).export(t, "kinds", `{}`)
		if sheetXML(t, got.content) != sheetXML(t, usual.content) {
			t.Errorf("the settings change the sheet:\n%.3000s\n%.3000s", sheetXML(t, got.content), sheetXML(t, usual.content))
		}
	})
}

// A date and time as a parameter meets instants by the report zone's clock. SQLite
// has no instants to meet: it compares texts.
func TestParametersByTheReportZone(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE events (id INTEGER NOT NULL PRIMARY KEY, "+d.pick("instant TIMESTAMP NULL, wall DATETIME", "instant timestamptz, wall timestamp", "")+")")
		zone := d.pick("", "Z", "")
		for i, at := range []string{"2026-01-15 14:59:59", "2026-01-15 15:00:00", "2026-07-15 14:59:59", "2026-07-15 15:00:00"} {
			d.exec(t, "INSERT INTO events VALUES ("+string(rune('1'+i))+", '"+at+zone+"', '"+at+"')")
		}
		dataset := "name: events\nsource: " + d.name + "\nkey: id\nselect: {id: e.id}\nfrom: events e\ncolumns: [{field: id}]\n" +
			"params: {from: {type: datetime}, until: {type: datetime}, wall: {type: datetime}}\n" +
			"where: [{when: from, sql: \"e.instant >= :from\"}, {when: until, sql: \"e.instant < :until\"}, {when: wall, sql: \"e.wall >= :wall\"}]\n"
		seoul := serve(t, []string{dataset}, []string{"TZ=America/New_York"}, d)
		for params, ids := range map[string]string{
			`{"from":"2026-01-16T00:00:00","until":"2026-07-15T23:59:59"}`:        "2",
			`{"from":"2026-07-16T00:00:00"}`:                                      "4",
			`{"from":"2026-07-15T15:00:00Z"}`:                                     "4",
			`{"from":"2026-07-15T11:00:00-04:00"}`:                                "4",
			`{"wall":"2026-07-15T15:00:00"}`:                                      "4",
			`{"from":"20260716000000"}`:                                           "4",
			`{"until":"2026-01-16T00:00:00"}`:                                     "1",
			`{"from":"2026-01-16T00:00:00+09:00","until":"2026-07-15T14:59:59Z"}`: "2",
		} {
			if got := idsOf(t, seoul.export(t, "events", `{"params":`+params+`}`)); got != ids {
				t.Errorf("in Seoul %s finds %q, want %q", params, got, ids)
			}
		}
	}
	t.Run("mariadb", func(t *testing.T) {
		t.Parallel()
		test(t, onMariaDB(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, onPostgres(t))
	})
}

// idsOf are the texts of the first column, joined.
func idsOf(t testing.TB, f file) string {
	t.Helper()
	var ids []string
	for _, row := range f.book(t).Sheet(0).Rows()[1:] {
		ids = append(ids, row[0].Text)
	}
	return strings.Join(ids, " ")
}

// A column of SQLite may hold values of every type, each of which keeps its own.
func TestMixedColumn(t *testing.T) {
	t.Parallel()
	for _, declared := range []string{"", "ANY"} {
		d := onSQLite(t)
		d.exec(t, "CREATE TABLE items (id INTEGER PRIMARY KEY, v "+declared+")")
		literals := []string{"1", "'1'", "1.5", "x'31'", "NULL", "'2026-09-02'", "''", "9007199254740993", "1e300", "-0.0", "'00123'", "TRUE", "9e999"}
		if declared == "ANY" {
			literals[1], literals[10] = "'a'", "'b'" // ANY without STRICT has the affinity of numbers
		}
		for _, literal := range literals {
			d.exec(t, "INSERT INTO items (v) VALUES ("+literal+")")
		}
		one, zero, code := text("1"), double("0", "0"), text("00123")
		if declared == "ANY" {
			one, zero, code = text("a"), whole("0"), text("b")
		}
		f := everyPath(t, []string{d.items("")}, "items", nil, d)
		f.expect(t, column(whole("1"), one, double("1.5", "1.5"), text("31"), none, text("2026-09-02"), none, text("9007199254740993"),
			double("1E+300", "1E+300"), zero, code, whole("1"), text("Infinity")))
	}
}
