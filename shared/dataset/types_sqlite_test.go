package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/dataset"
)

// sqliteTypes: all storage classes under declared types of all affinities, and
// what expressions give.
var sqliteTypes = []typed{
	// Numbers as they are stored.
	{"INTEGER", "5", "integer:5", "n 5 | 0"},
	{"INTEGER", "9223372036854775807", "integer:9223372036854775807", "s 9223372036854775807 | 0"},
	{"BIGINT", "-9223372036854775808", "integer:-9223372036854775808", "s -9223372036854775808 | 0"},
	{"UNSIGNED BIG INT", "12", "integer:12", "n 12 | 0"},
	{"INT2", "'7'", "integer:7", "n 7 | 0"}, // the affinity makes it a number
	{"INTEGER", "'abc'", "text:abc", "s abc"},
	{"INTEGER", "2.0", "integer:2", "n 2 | 0"},
	{"INTEGER", "2.5", "float:2.5", "n 2.5"},
	{"INTEGER", "NULL", "null", "-"},
	{"REAL", "0.30000000000000004", "float:0.30000000000000004", "n 0.30000000000000004"},
	{"REAL", "2", "float:2", "n 2"},
	{"REAL", "-0.0", "float:0", "n 0"},
	{"REAL", "1e300", "float:1e+300", "n 1E+300"},
	{"REAL", "-9e999", "float:-Inf", "s -Infinity"},
	{"REAL", "'Infinity'", "text:Infinity", "s Infinity"},
	{"REAL", "9e999 - 9e999", "null", "-"}, // NaN is NULL
	{"DOUBLE PRECISION", "33.333333333333336", "float:33.333333333333336", "n 33.333333333333336"},
	{"FLOAT", "0.1", "float:0.1", "n 0.1"},
	{"NUMERIC", "1.10", "float:1.1", "n 1.1"},
	{"NUMERIC", "'1e5'", "integer:100000", "n 100000 | 0"},

	// Decimals.
	{"DECIMAL(12,2)", "1250.1", "decimal(2):1250.10", "n 1250.10 | 0.00"},
	{"DECIMAL(12,2)", "'1.10'", "decimal(2):1.10", "n 1.10 | 0.00"},
	{"decimal(14, 2)", "1250", "decimal(2):1250.00", "n 1250.00 | 0.00"},
	{"NUMERIC(10,0)", "1250", "decimal(0):1250", "n 1250 | 0"},
	{"DEC(12,2)", "0.5", "decimal(2):0.50", "n 0.50 | 0.00"},
	{"FIXED(12,2)", "0.5", "decimal(2):0.50", "n 0.50 | 0.00"},
	{"NUMBER(12,2)", "0.5", "decimal(2):0.50", "n 0.50 | 0.00"},
	{"DECIMAL(12,2)", "-0.05", "decimal(2):-0.05", "n -0.05 | 0.00"},
	{"DECIMAL(12,2)", "0.125", "float:0.125", "n 0.125"},
	{"DECIMAL(30,2)", "1234567890123456.75", "float:1.2345678901234568e+15", "n 1234567890123456.8"},
	{"DECIMAL(12,2)", "'n/a'", "text:n/a", "s n/a"},
	{"DECIMAL(12,2)", "NULL", "null", "-"},
	{"DECIMAL", "1.5", "float:1.5", "n 1.5"},

	// Booleans.
	{"BOOLEAN", "1", "bool:1", "b 1"},
	{"BOOL", "0", "bool:0", "b 0"},
	{"BOOLEAN", "TRUE", "bool:1", "b 1"},
	{"BOOLEAN", "2", "integer:2", "n 2 | 0"},
	{"BOOLEAN", "'true'", "text:true", "s true"},

	// Texts.
	{"TEXT", "'00123'", "text:00123", "s 00123"},
	{"TEXT", "5", "text:5", "s 5"},
	{"TEXT", "1.50", "text:1.5", "s 1.5"},
	{"TEXT", "''", "text:", "-"},
	{"TEXT", "'2026-09-02'", "text:2026-09-02", "s 2026-09-02"},
	{"TEXT", "CAST(x'610062' AS TEXT)", "text:a\x00b", "s a\x00b"},
	{"TEXT", "CAST(x'78EDA0BD79' AS TEXT)", "text:x\xED\xA0\xBDy", "s x\uFFFD\uFFFD\uFFFDy"},
	{"VARCHAR(9)", "'가😀'", "text:가😀", "s 가😀"},
	{"CHAR(5)", "'01'", "text:01", "s 01"},
	{"CLOB", "'c'", "text:c", "s c"},
	{"JSON", `'{"k":"값","n":1.10}'`, `text:{"k":"값","n":1.10}`, `s {"k":"값","n":1.10}`},
	{"UUID", "'550e8400-e29b-41d4-a716-446655440000'", "text:550e8400-e29b-41d4-a716-446655440000", "s 550e8400-e29b-41d4-a716-446655440000"},

	// Dates and times, which are texts.
	{"DATE", "'2026-09-02'", "date:2026-09-02", "n 46267 | yyyy-mm-dd"},
	{"DATE", "'1592-05-23'", "date:1592-05-23", "s 1592-05-23 | yyyy-mm-dd"},
	{"DATE", "'2026-02-30'", "date:2026-02-30", "s 2026-02-30 | yyyy-mm-dd"},
	{"DATE", "'0000-00-00'", "date:0000-00-00", "-"},
	{"DATE", "'2026.09.02'", "text:2026.09.02", "s 2026.09.02"},
	{"DATE", "''", "text:", "-"},
	{"DATE", "2461286", "integer:2461286", "n 2461286 | 0"},
	{"DATETIME", "1756790000", "integer:1756790000", "n 1756790000 | 0"},
	{"DATETIME", "2461286.5", "float:2.4612865e+06", "n 2461286.5"},
	{"DATETIME", "'2026-09-02 14:30:25'", "datetime:2026-09-02 14:30:25", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"DATETIME(6)", "'2026-09-02T14:30:25.5'", "datetime:2026-09-02T14:30:25.5", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"datetime", "'2026-09-02'", "date:2026-09-02", "n 46267 | yyyy-mm-dd"},
	{"DATETIME", "'2026-09-02 14:30'", "datetime:2026-09-02 14:30:00", "n 46267.604166666664 | yyyy-mm-dd hh:mm:ss"},
	{"DATETIME", "'2026-09-02T14:30Z'", "instant:2026-09-02T14:30:00+00:00", "n 46267.979166666664 | yyyy-mm-dd hh:mm:ss"},
	{"DATETIME", "'2026-09-02 14'", "text:2026-09-02 14", "s 2026-09-02 14"},
	{"DATETIME", "'2026-09-02 14:30:2'", "text:2026-09-02 14:30:2", "s 2026-09-02 14:30:2"},
	{"DATETIME", "'2026-09-02 14:30:25.'", "text:2026-09-02 14:30:25.", "s 2026-09-02 14:30:25."},
	{"DATETIME", "'2026-09-02 24:30:25'", "datetime:2026-09-02 24:30:25", "s 2026-09-02 24:30:25"},
	{"TIMESTAMP", "'2026-09-02 05:30:25Z'", "instant:2026-09-02 05:30:25Z", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "'2026-09-02 05:30:25 Z'", "instant:2026-09-02 05:30:25+00:00", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "'2026-09-02 14:30:25+09:00'", "instant:2026-09-02 14:30:25+09:00", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "'2026-09-02 14:30:25.123+0900'", "instant:2026-09-02 14:30:25.123+09:00", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "'2026-09-02 14:30:25+09'", "instant:2026-09-02 14:30:25+09", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "'2026-09-02 14:30:25 -09:00'", "instant:2026-09-02 14:30:25-09:00", "n 46268.35445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "'2026-09-02 14:30:25 KST'", "text:2026-09-02 14:30:25 KST", "s 2026-09-02 14:30:25 KST"},
	{"TIMESTAMP", "'2026-09-02 14:30:25 '", "text:2026-09-02 14:30:25 ", "s 2026-09-02 14:30:25 "},
	{"TIMESTAMPTZ", "'2026-08-31T15:30:00Z'", "instant:2026-08-31T15:30:00Z", "n 46266.020833333336 | yyyy-mm-dd hh:mm:ss"},
	{"[TIMESTAMP WITH TIME ZONE]", "'2026-08-31T15:30:00Z'", "instant:2026-08-31T15:30:00Z", "n 46266.020833333336 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP WITHOUT TIME ZONE", "'2026-09-02 14:30:25'", "datetime:2026-09-02 14:30:25", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIME", "'14:30:25'", "time:14:30:25", "n 0.6044560185185185 | [hh]:mm:ss"},
	{"TIME(3)", "'14:30:25.250'", "time:14:30:25.250", "n 0.6044560185185185 | [hh]:mm:ss"},
	{"TIME", "'14:30'", "time:14:30:00", "n 0.6041666666666666 | [hh]:mm:ss"},
	{"TIME", "'838:59:59'", "time:838:59:59", "n 34.958321759259256 | [hh]:mm:ss"},
	{"TIME", "'-25:30:00.500'", "time:-25:30:00.500", "s -25:30:00.500"},
	{"TIME", "'14:30:25+09'", "text:14:30:25+09", "s 14:30:25+09"},
	{"TIME", "'noon'", "text:noon", "s noon"},
	{"TIME", "'-'", "text:-", "s -"},
	{"TIME", "52225", "integer:52225", "n 52225 | 0"},

	// Bytes.
	{"BLOB", "x'00FF89'", "binary:00FF89", "s 00FF89"},
	{"BLOB", "x''", "binary:", "-"},
	{"BLOB", "'a text'", "text:a text", "s a text"},
	{"BLOB", "5", "integer:5", "n 5 | 0"},
	{"TEXT", "x'41'", "binary:41", "s 41"},
	{"DATE", "x'323032362D30392D3032'", "binary:323032362D30392D3032", "s 323032362D30392D3032"},

	// Generated columns keep their declared types.
	{"DECIMAL(12,2) GENERATED ALWAYS AS (id * 1.5) STORED", "", "decimal(2):1.50", "n 1.50 | 0.00"},
	{"DATE GENERATED ALWAYS AS ('2026-09-0' || id) VIRTUAL", "", "date:2026-09-01", "n 46266 | yyyy-mm-dd"},

	// Expressions have no declared type.
	{"", "1=1", "integer:1", "n 1 | 0"},
	{"", "NULL", "null", "-"},
	{"", "1.50", "float:1.5", "n 1.5"},
	{"", "'00123'", "text:00123", "s 00123"},
	{"", "x'4142'", "binary:4142", "s 4142"},
	{"", "(SELECT COUNT(*) FROM kinds)", "integer:1", "n 1 | 0"},
	{"", "(SELECT SUM(id) FROM kinds)", "integer:1", "n 1 | 0"},
	{"", "(SELECT AVG(id) FROM kinds)", "float:1", "n 1"},
	{"", "10 / 4", "integer:2", "n 2 | 0"},
	{"", "'가' || 5", "text:가5", "s 가5"},
	{"", "CAST('1.50' AS NUMERIC)", "float:1.5", "n 1.5"},
	{"", "CAST('1.50' AS TEXT)", "text:1.50", "s 1.50"},
	{"", "CAST(65 AS BLOB)", "binary:3635", "s 3635"},
	{"", "CAST('2026-09-02' AS DATE)", "integer:2026", "n 2026 | 0"},
	{"", "date('2026-09-02')", "text:2026-09-02", "s 2026-09-02"},
	{"", "datetime(1788327025, 'unixepoch')", "text:2026-09-02 05:30:25", "s 2026-09-02 05:30:25"},
	{"", "julianday('2026-09-02')", "float:2.4612855e+06", "n 2461285.5"},
	{"", "printf('%.2f', 1.5)", "text:1.50", "s 1.50"},
	{"", "json_object('k', '값')", `text:{"k":"값"}`, `s {"k":"값"}`},
	{"", "CASE WHEN k.id = 1 THEN 5 ELSE 'x' END", "integer:5", "n 5 | 0"},
	{"", "iif(k.id > 5, 1, 2.5)", "float:2.5", "n 2.5"},
	{"", "hex('AB')", "text:4142", "s 4142"},
	{"", "typeof(k.id)", "text:integer", "s integer"},
}

// sqliteParameters are those of the driver of database/sql, and of SQLite.
var sqliteParameters = []map[string]string{
	{"_pragma": "busy_timeout(5000)", "_time_format": "sqlite", "_txlock": "immediate"},
	{"mode": "ro", "cache": "private"},
	{"_time_integer_format": "unix_milli", "_inttotime": "1"},
}

// TestSQLiteTypes reads all types in all ways and with all settings.
func TestSQLiteTypes(t *testing.T) {
	t.Parallel()
	e := onSQLite(t)
	selected := typeTable(t, e, sqliteTypes)
	checkTypes(t, e, sqliteTypes, selected)
	for _, p := range sqliteParameters {
		t.Run(parameters(p), func(t *testing.T) {
			checkTypes(t, e.withParameters(parameters(p)), sqliteTypes, selected)
		})
	}
	e.url = strings.Replace(e.url, "sqlite:", "sqlite://", 1)
	t.Run("slashes", func(t *testing.T) { checkTypes(t, e, sqliteTypes, selected) })
}

// TestSQLiteTables: the declared types show through views and subqueries, and
// strict tables and texts in UTF-16 are read like others.
func TestSQLiteTables(t *testing.T) {
	t.Parallel()
	e := onSQLite(t)
	e.exec(t, "PRAGMA encoding = 'UTF-16le'",
		"CREATE TABLE loose (d DATE, b BOOLEAN, m DECIMAL(12,2), t TIME, s TEXT)",
		"INSERT INTO loose VALUES ('2026-09-02', 1, 1.5, '14:30', '가😀')",
		"CREATE VIEW seen AS SELECT d, b, m, t, s FROM loose",
		"CREATE TABLE strict (i INT, j INTEGER, r REAL, t TEXT, b BLOB, a ANY, n ANY) STRICT",
		"INSERT INTO strict VALUES (1, 2, 3, '04', x'05', '06', 7.5)")
	s := e.sources(t, dataset.SourceOptions{ReportZone: seoul(t)})
	loose := []string{"n 46267 | yyyy-mm-dd", "b 1", "n 1.50 | 0.00", "n 0.6041666666666666 | [hh]:mm:ss", "s 가😀"}
	for sql, want := range map[string][]string{
		"SELECT * FROM loose":                                      loose,
		"SELECT * FROM seen":                                       loose,
		"SELECT * FROM (SELECT * FROM seen ORDER BY d)":            loose,
		"SELECT MAX(d) AS d, MAX(b) AS b FROM loose":               {"s 2026-09-02", "n 1 | 0"},
		"SELECT d FROM loose UNION ALL SELECT d FROM seen LIMIT 1": loose[:1],
		"SELECT * FROM strict":                                     {"n 1 | 0", "n 2 | 0", "n 3", "s 04", "s 05", "s 06", "n 7.5"},
		`SELECT s AS "a", t AS "A" FROM loose`:                     {"s 가😀", "n 0.6041666666666666 | [hh]:mm:ss"},
	} {
		_, _, cells := readTyped(t, load(t, s, fmt.Sprintf("name: tables\nsql: %q\n", sql)), dataset.Query{}, seoul(t))
		if diff := cmp.Diff(want, cells); diff != "" {
			t.Errorf("%s: %s", sql, diff)
		}
	}
}
