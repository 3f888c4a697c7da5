package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// keyTable is a table whose rows are paged by some key.
type keyTable struct {
	name    string
	columns string // of the table
	key     string // of the file
	row     func(i int) string
}

// TestPages reads tables by small pages and in one: both must give all rows in
// the same order. The keys are of all types that can be keys.
func TestPages(t *testing.T) {
	const rows = 50
	common := []keyTable{
		{"integers", "a BIGINT NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a)", "a",
			func(i int) string { return fmt.Sprintf("%d, %d", (i*7919)%1_000_003-500_000, i) }},
		{"composite", "a VARCHAR(20) NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
			func(i int) string { return fmt.Sprintf("'그룹 %c', %d", 'a'+i%4, i) }},
		{"three", "a INTEGER NOT NULL, b VARCHAR(9) NOT NULL, c INTEGER NOT NULL, PRIMARY KEY (a, b, c)", "[a, b, c]",
			func(i int) string { return fmt.Sprintf("%d, '%d', %d", i%2, i%5, i) }},
		{"texts", "a VARCHAR(40) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
			func(i int) string {
				return fmt.Sprintf("'%s%d', %d", []string{"", "가", "Z", "z''", `\`, "😀"}[i%6], i, i)
			}},
		{"dates", "a DATE NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
			func(i int) string { return fmt.Sprintf("'%d-%02d-%02d', %d", 1970+i, i%12+1, i%28+1, i) }},
		{"decimals", "a DECIMAL(12,3) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
			func(i int) string { return fmt.Sprintf("%d.%03d, %d", i%5-2, i*17, i) }},
		{"doubles", "a DOUBLE PRECISION NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
			func(i int) string { return fmt.Sprintf("%d / 7e0, %d", i-20, i) }},
	}
	special := map[string][]keyTable{
		"sqlite": {
			{"nocase", "a TEXT COLLATE NOCASE NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string { return fmt.Sprintf("'%c', %d", "aAbBcC"[i%6], i) }},
			{"rtrim", "a TEXT COLLATE RTRIM NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string { return fmt.Sprintf("'%c%s', %d", "ab"[i%2], strings.Repeat(" ", i%5), i) }},
			{"clocks", "a DATETIME NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"2026-09-02 14:30", "2026-09-02 14:30:00", "2026-09-02 14:30Z", "2026-09-02 14:30:00+0900", ""}[i%5], i)
				}},
			{"extremes", "a REAL NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("%s, %d", []string{"-9e999", "9e999", "-0.0", "0.1", "1e-320"}[i%5], i)
				}},
			{"huge", "a NUMERIC NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("%d, %d", 1<<53+i, i) }},
			{"broken", "a TEXT NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("CAST(x'FF00%02X' AS TEXT), %d", i, i) }},
			{"decimals12", "a DECIMAL(12,2) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("%d.%02d, %d", i/3, i*7%100, i) }},
			{"blobs", "a BLOB NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("x'00FF%02X', %d", i, i) }},
			{"mixed", "a PRIMARY KEY NOT NULL, b INTEGER NOT NULL", "a", func(i int) string {
				return fmt.Sprintf([]string{"%d, %d", "'%d', %d", "%d.5, %d", "x'%02X', %d"}[i%4], i, i)
			}},
		},
		"mariadb": {
			{"blanks", "a VARCHAR(9) COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
				func(i int) string {
					return fmt.Sprintf("'%c%s', %d", 'a'+i%10, strings.Repeat(" ", i/10), i)
				}},
			{"padded", "a CHAR(9) NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string { return fmt.Sprintf("'%c%s', %d", "aAbB"[i%4], strings.Repeat(" ", i%3), i) }},
			{"zeroed", "a DATE NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"0000-00-00", "2026-00-00", "2026-00-10", "2026-09-02"}[i%4], i)
				}},
			{"stamps", "a TIMESTAMP NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"0000-00-00 00:00:00", "1988-06-01 02:30:00"}[i%2], i)
				}},
			{"moments", "a DATETIME(6) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
				func(i int) string { return fmt.Sprintf("'2026-11-01 01:30:00.%06d', %d", i*i, i) }},
			{"filled", "a DECIMAL(30,10) ZEROFILL NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
				func(i int) string { return fmt.Sprintf("12345678901234567.%02d, %d", i, i) }},
			{"years", "a YEAR NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string { return fmt.Sprintf("%d, %d", []int{0, 1901, 2155}[i%3], i) }},
			{"wide", "a BIT(64) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("18446744073709551615 - %d, %d", i, i) }},
			{"fixed", "a BINARY(3) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("x'%02X', %d", i, i) }},
			{"addresses", "a INET6 NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'::%x', %d", i*37, i) }},
			{"blobs", "a VARBINARY(9) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("x'00FF%02X', %d", i, i) }},
			{"unsigned", "a BIGINT UNSIGNED NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("18446744073709551615 - %d, %d", i, i) }},
			{"instants", "a TIMESTAMP(3) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'2026-09-02 05:30:%02d.250', %d", i, i) }},
			{"times", "a TIME(3) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'-%d:30:25.500', %d", i, i) }},
			{"floats", "a FLOAT NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("%d / 7e0, %d", i-20, i) }},
			{"uuids", "a UUID NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("UUID(), %d", i) }},
			{"bits", "a BIT(9) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("%d, %d", i*9, i) }},
			{"anycase", "a VARCHAR(9) COLLATE utf8mb4_general_ci NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
				func(i int) string { return fmt.Sprintf("'%c%d ', %d", "aBcD"[i%4], i, i) }},
			{"latin", "a VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_german2_ci NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a",
				func(i int) string { return fmt.Sprintf("'%s%d', %d", []string{"ä", "ae", "ß", "z"}[i%4], i, i) }},
		},
		"postgres": {
			{"padded", "a CHAR(9) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'%c%d  ', %d", "aAbB"[i%4], i, i) }},
			{"blanks", `a VARCHAR(9) COLLATE "C" NOT NULL PRIMARY KEY, b INTEGER NOT NULL`, "a",
				func(i int) string { return fmt.Sprintf("'%c%s', %d", 'a'+i%10, strings.Repeat(" ", i/10), i) }},
			{"anycase", "a VARCHAR(9) COLLATE anycase NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string { return fmt.Sprintf("'%c', %d", "aAbBcC"[i%6], i) }},
			{"truths", "a BOOLEAN NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]", func(i int) string { return fmt.Sprintf("%t, %d", i%2 == 0, i) }},
			{"specials", "a FLOAT8 NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"NaN", "Infinity", "-Infinity", "-0", "1e-320"}[i%5], i)
				}},
			{"endless", "a NUMERIC NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"NaN", "Infinity", "-Infinity", "1.10", "1.1"}[i%5], i)
				}},
			{"eras", "a DATE NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"infinity", "-infinity", "0044-03-15 BC", "10000-01-01"}[i%4], i)
				}},
			{"spans", "a INTERVAL NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string {
					return fmt.Sprintf("'%s', %d", []string{"1 mon", "30 days", "-1 day", "25:00:00.5"}[i%4], i)
				}},
			{"zonedtimes", "a TIMETZ NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]",
				func(i int) string { return fmt.Sprintf("'%02d:30:00%+03d', %d", i%24, i%12, i) }},
			{"bits", "a BIT(9) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("%d::bit(9), %d", i*9, i) }},
			{"addresses", "a INET NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'10.0.0.%d/%d', %d", i, 24+i%8, i) }},
			{"lists", "a INTEGER[] NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'{%d,%d}', %d", i%3, i, i) }},
			{"documents", "a JSONB NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf(`'{"k": %d}', %d`, i, i) }},
			{"amounts", "a MONEY NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("%d.5, %d", i*1000-9000, i) }},
			{"domains", "a key_text NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'%c%d', %d", 'y'+i%2, i, i) }},
			{"blobs", "a BYTEA NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf(`'\x00FF%02X', %d`, i, i) }},
			{"instants", "a TIMESTAMPTZ NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'2026-11-01 05:%02d:00.250Z', %d", i, i) }},
			{"uuids", "a UUID NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("gen_random_uuid(), %d", i) }},
			{"numerics", "a NUMERIC NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("12345678901234567890.%03d, %d", i, i) }},
			{"enums", "a mood NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)", "[a, b]", func(i int) string { return fmt.Sprintf("'%s', %d", []string{"so", "bad", "good"}[i%3], i) }},
			{"names", "a VARCHAR(9) NOT NULL PRIMARY KEY, b INTEGER NOT NULL", "a", func(i int) string { return fmt.Sprintf("'%d', %d", i, i) }},
		},
	}
	onEach(t, func(t *testing.T, e engine) {
		if e.name == "postgres" {
			e.exec(t, "CREATE TYPE mood AS ENUM ('so', 'good', 'bad')", "CREATE DOMAIN key_text AS varchar(9) CHECK (VALUE <> '')",
				"CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
		}
		small := e.sources(t, dataset.SourceOptions{PageRows: 7, ReportZone: seoul(t)})
		exact := e.sources(t, dataset.SourceOptions{PageRows: rows, ReportZone: seoul(t)}) // the last page is full
		large := e.sources(t, dataset.SourceOptions{PageRows: 1000, ReportZone: seoul(t)})
		for _, table := range append(common, special[e.name]...) {
			t.Run(table.name, func(t *testing.T) {
				statements := []string{"CREATE TABLE k_" + table.name + " (" + table.columns + ")"}
				for i := range rows {
					statements = append(statements, "INSERT INTO k_"+table.name+" VALUES ("+table.row(i)+")")
				}
				if e.name == "mariadb" {
					for i, s := range statements {
						statements[i] = strings.ReplaceAll(s, `\`, `\\`)
					}
				}
				e.exec(t, statements...)
				file := "name: paged\nkey: " + table.key + "\nselect: {b: k.b, a: k.a}\nfrom: k_" + table.name + " k\nwhere: [{sql: \"k.b IS NOT NULL\"}]\n"
				if table.name == "three" {
					file = strings.Replace(file, "a: k.a", "a: k.a, c: k.c", 1)
				}
				_, want := mustRead(t, load(t, large, file), dataset.Query{})
				if len(want) != rows {
					t.Fatalf("%d rows in one page, want %d", len(want), rows)
				}
				for _, s := range []*dataset.Sources{small, exact} {
					_, got := mustRead(t, load(t, s, file), dataset.Query{})
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("paged rows differ: %s", diff)
					}
				}
				if n, known, err := load(t, small, file).Count(t.Context(), dataset.Query{}); n != rows || !known || err != nil {
					t.Errorf("count = %d, %v, %v", n, known, err)
				}
			})
		}
	})
}

// TestBadKeys checks that rows are never lost without a word between pages.
func TestBadKeys(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		s := e.sources(t, dataset.SourceOptions{PageRows: 3})
		e.exec(t, "CREATE TABLE bad (id INTEGER, grp INTEGER)")
		for i := range 9 {
			e.exec(t, fmt.Sprintf("INSERT INTO bad VALUES (%d, %d)", i, i/2))
		}
		const file = "name: bad\nselect: {id: id, grp: grp}\nfrom: bad\n"
		want := func(key, text string) {
			t.Helper()
			_, rows, err := readAll(t.Context(), load(t, s, file+"key: "+key+"\n"), dataset.Query{})
			if !fault.Is(err, fault.Unprocessable) || !strings.Contains(fault.SafeMessage(err), text) {
				t.Errorf("key %s: %d rows, %v", key, len(rows), err)
			}
		}
		want("grp", "the key grp is not unique")
		e.exec(t, "UPDATE bad SET id = NULL WHERE id IN (1, 2, 3, 4, 6)")
		want("id", "the key id is not unique or NULL")
		if e.name == "mariadb" {
			e.exec(t, "CREATE TABLE bad2 (id ENUM('x','a','b','c','d') PRIMARY KEY)", "INSERT INTO bad2 VALUES ('x'),('a'),('b'),('c'),('d')")
			_, _, err := readAll(t.Context(), load(t, s, "name: bad2\nkey: id\nselect: {id: id}\nfrom: bad2\n"), dataset.Query{})
			if !strings.Contains(fault.SafeMessage(err), "cannot be a key") {
				t.Errorf("enum key: %v", err)
			}
		}
	})
}

// TestSnapshot changes the table between two pages.
func TestSnapshot(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		s := e.sources(t, dataset.SourceOptions{PageRows: 5})
		e.exec(t, "CREATE TABLE snap (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL)")
		for i := range 20 {
			e.exec(t, fmt.Sprintf("INSERT INTO snap VALUES (%d, 0)", i*10))
		}
		const file = "name: snap\nkey: id\nselect: {id: id, n: n}\nfrom: snap\n"
		for _, c := range []struct {
			extra string
			want  string
		}{
			{"", "20 rows, 0 changed"},
			{"snapshot: off\n", "20 rows, 12 changed"},
		} {
			rows, err := load(t, s, file+c.extra).Open(t.Context(), dataset.Query{})
			if err != nil {
				t.Fatal(err)
			}
			if rows.AsOf() < 1_700_000_000_000 {
				t.Errorf("asOf = %d", rows.AsOf())
			}
			n, changed := 0, 0
			for rows.Next() {
				if n++; n == 3 {
					e.exec(t, "UPDATE snap SET n = 1 WHERE id >= 80", "INSERT INTO snap VALUES (95, 1)", "DELETE FROM snap WHERE id = 100")
				}
				if string(rows.Values()[1].Bytes) == "1" {
					changed++
				}
			}
			if err := rows.Err(); err != nil {
				t.Error(err)
			}
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
			if got := fmt.Sprintf("%d rows, %d changed", n, changed); got != c.want {
				t.Errorf("%q: %s, want %s", c.extra, got, c.want)
			}
			e.exec(t, "UPDATE snap SET n = 0", "DELETE FROM snap WHERE id = 95", "INSERT INTO snap VALUES (100, 0)")
		}
	})
}
