package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// sortColumn is a column to sort by, with SQL literals of which some are equal for
// the database though they are written differently.
type sortColumn struct {
	name, declared string
	values         []string
}

var sortColumns = map[string][]sortColumn{
	"sqlite": {
		{"whole", "INTEGER", []string{"-5", "0", "3", "9223372036854775807", "-9223372036854775808"}},
		{"price", "DECIMAL(12,2)", []string{"1.1", "1.10", "-3", "2", "100000.25"}},
		{"real", "REAL", []string{"-0.0", "0.0", "9e999", "-9e999", "1e-320", "0.1"}},
		{"words", "TEXT", []string{"''", "'a'", "'A'", "'가'", "'z''\"'", "'😀'"}},
		{"anycase", "TEXT COLLATE NOCASE", []string{"'a'", "'A'", "'b'", "'B'", "''"}},
		{"trimmed", "TEXT COLLATE RTRIM", []string{"'a'", "'a '", "'a  '", "'b'", "''"}},
		{"bytes", "BLOB", []string{"x''", "x'00'", "x'00FF'", "x'FF'"}},
		{"broken", "TEXT", []string{"CAST(x'FF00' AS TEXT)", "CAST(x'FF' AS TEXT)", "CAST(x'00' AS TEXT)", "'x'"}},
		{"day", "DATE", []string{"'2026-09-02'", "'1592-05-23'", "'2026-09-03'"}},
		{"moment", "DATETIME", []string{"'2026-09-02 14:30'", "'2026-09-02 14:30:00'", "'2026-09-02T14:30:00Z'", "1788327025"}},
		{"truth", "BOOLEAN", []string{"0", "1", "2"}},
		{"mixed", "", []string{"1", "1.0", "'1'", "x'31'", "'a'", "2.5"}},
		{"filled", "INTEGER NOT NULL", []string{"1", "2", "3"}},
	},
	"mariadb": {
		{"whole", "INT", []string{"-5", "0", "3", "2147483647"}},
		{"huge", "BIGINT UNSIGNED", []string{"0", "9223372036854775807", "9223372036854775808", "18446744073709551615"}},
		{"price", "DECIMAL(30,10)", []string{"1.1", "1.10", "-3", "12345678901234567890.0000000001"}},
		{"single", "FLOAT", []string{"0.1", "-0e0", "0", "1e-40", "-7.3", "16777217"}},
		{"double", "DOUBLE", []string{"0.1", "-0e0", "0", "1e-320", "-1e300", "1e300"}},
		{"words", "VARCHAR(20)", []string{"''", "'a'", "'A'", "'á'", "'가'", "'😀'", "'a '"}},
		{"exact", "VARCHAR(20) COLLATE utf8mb4_bin", []string{"'a'", "'a '", "'A'", "'a\\t'", "'가'", "''"}},
		{"blanks", "VARCHAR(20) COLLATE utf8mb4_nopad_bin", []string{"'a'", "'a '", "'a  '", "'a\\t'", "''"}},
		{"german", "VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_german2_ci", []string{"'ä'", "'ae'", "'ß'", "'ss'", "'z'"}},
		{"long", "TEXT", []string{"''", "REPEAT('x', 1200)", "CONCAT(REPEAT('x', 1200), 'a')", "CONCAT(REPEAT('x', 1200), 'B')", "CONCAT(REPEAT('x', 1200), 'c')"}},
		{"padded", "CHAR(9)", []string{"'a'", "'A '", "'b'", "''"}},
		{"day", "DATE", []string{"'0000-00-00'", "'2026-00-00'", "'2026-09-00'", "'2026-09-02'"}},
		{"moment", "DATETIME(3)", []string{"'0000-00-00 00:00:00'", "'2026-09-02 14:30:25.250'", "'2026-09-02 14:30:25.251'", "'9999-12-31 23:59:59.999'"}},
		{"instant", "TIMESTAMP(3) NULL", []string{"'0000-00-00 00:00:00'", "'2026-09-02 14:30:25.250'", "'1988-06-01 02:30:00'", "'2038-01-18 00:00:00'"}},
		{"second", "TIMESTAMP NULL", []string{"'2026-09-02 14:30:25'", "'1988-10-09 02:30:00'", "'2026-09-02 14:30:26'"}},
		{"time", "TIME(3)", []string{"'-838:59:59'", "'-00:00:00.500'", "'00:00:00'", "'25:30:00.250'"}},
		{"year", "YEAR", []string{"0", "1901", "2155"}},
		{"bits", "BIT(64)", []string{"0", "5", "18446744073709551615"}},
		{"fixed", "BINARY(3)", []string{"x''", "x'61'", "x'6100'", "x'FF'"}},
		{"bytes", "VARBINARY(9)", []string{"x''", "x'00'", "x'00FF'", "x'FF'"}},
		{"guid", "UUID", []string{"'550e8400-e29b-41d4-a716-446655440000'", "'f47ac10b-58cc-4372-a567-0e02b2c3d479'", "'00000000-0000-0000-0000-000000000000'", "'1e0c1da0-1f5b-11ee-be56-0242ac120002'"}},
		{"address", "INET6", []string{"'::1'", "'::ffff:10.0.0.1'", "'2001:db8::1'"}},
		{"truth", "BOOLEAN", []string{"TRUE", "FALSE"}},
		{"document", "JSON", []string{`'{"a": 1}'`, `'[1]'`, `'null'`}},
		{"filled", "INT NOT NULL", []string{"1", "2", "3"}},
	},
	"postgres": {
		{"whole", "integer", []string{"-5", "0", "3", "2147483647"}},
		{"huge", "bigint", []string{"-9223372036854775808", "0", "9223372036854775807"}},
		{"price", "numeric", []string{"'NaN'", "'Infinity'", "'-Infinity'", "1.1", "1.10", "-12345678901234567890.001"}},
		{"single", "real", []string{"'NaN'", "'-0'", "0", "0.1", "'1e-40'", "'-Infinity'"}},
		{"double", "double precision", []string{"'NaN'", "'-0'", "0", "0.1", "'1e-320'", "'Infinity'"}},
		{"words", "text", []string{"''", "'a'", "'A'", "'a '", "'가'", "'😀'"}},
		{"exact", `varchar(9) COLLATE "C"`, []string{"''", "'a'", "'A'", "'a '", "'a\t'"}},
		{"anycase", "varchar(9) COLLATE sorted_anycase", []string{"'a'", "'A'", "'b'", "'B'", "''"}},
		{"padded", "char(9)", []string{"'a'", "'A '", "'a  '", "''"}},
		{"day", "date", []string{"'infinity'", "'-infinity'", "'0044-03-15 BC'", "'10000-01-01'", "'2026-09-02'"}},
		{"moment", "timestamp", []string{"'infinity'", "'2026-09-02 14:30:25.250001'", "'2026-09-02 14:30:25.25'", "'0044-03-15 BC'"}},
		{"instant", "timestamptz", []string{"'infinity'", "'1988-10-08 16:30:00Z'", "'1988-10-08 17:30:00Z'", "'2026-09-02 05:30:25.25Z'", "'1890-01-01 00:00:00Z'"}},
		{"time", "time", []string{"'00:00'", "'24:00'", "'14:30:25.5'"}},
		{"zoned", "timetz", []string{"'10:00+09'", "'01:00+00'", "'10:00+00'", "'02:00+01'"}},
		{"span", "interval", []string{"'1 mon'", "'30 days'", "'-1 day'", "'25:00:00.5'", "'720:00'"}},
		{"bytes", "bytea", []string{`'\x'`, `'\x00'`, `'\x00FF'`, `'\xFF'`}},
		{"bits", "bit(9)", []string{"B'000000000'", "B'000000101'", "B'111111111'"}},
		{"varbits", "bit varying", []string{"B''", "B'0'", "B'00'", "B'1'"}},
		{"truth", "boolean", []string{"true", "false"}},
		{"guid", "uuid", []string{"'550e8400-e29b-41d4-a716-446655440000'", "'f47ac10b-58cc-4372-a567-0e02b2c3d479'", "'00000000-0000-0000-0000-000000000000'"}},
		{"address", "inet", []string{"'10.0.0.1'", "'10.0.0.1/24'", "'::1'"}},
		{"list", "integer[]", []string{"'{}'", "'{1,NULL}'", "'{1,2}'", "'{2}'"}},
		{"document", "jsonb", []string{`'{"a": 1.10}'`, `'{"a": 1.1}'`, `'[]'`, `'"x"'`}},
		{"amount", "money", []string{"-1.5", "0", "1000000.25"}},
		{"mood", "sorted_mood", []string{"'so'", "'bad'", "'good'"}},
		{"domain", "sorted_domain", []string{"'a'", "'B'", "''"}},
		{"name", "name", []string{"'a'", "'B'", "''"}},
		{"object", "oid", []string{"0", "5", "4294967295"}},
		{"class", "regclass", []string{"'pg_class'", "'pg_type'", "'pg_proc'"}},
		{"range", "int4range", []string{"'[1,5)'", "'(,5)'", "'empty'"}},
		{"filled", "integer NOT NULL", []string{"1", "2", "3"}},
	},
}

// sortTable makes a table of random rows. Its key are two fields, one of which is
// the same for many rows.
func sortTable(t *testing.T, e engine, name string, rows int, random *rand.Rand) []string {
	t.Helper()
	if e.name == "postgres" {
		e.exec(t, "CREATE TYPE sorted_mood AS ENUM ('so', 'good', 'bad')", "CREATE DOMAIN sorted_domain AS varchar(9)",
			"CREATE COLLATION sorted_anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
	}
	columns := []string{"grp INTEGER NOT NULL", "id INTEGER NOT NULL"}
	var names []string
	for _, c := range sortColumns[e.name] {
		names = append(names, c.name)
		columns = append(columns, quoted(e, c.name)+" "+c.declared)
	}
	e.exec(t, fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (grp, id))", name, strings.Join(columns, ", ")))
	var all []string
	for i := range rows {
		values := []string{fmt.Sprint(random.IntN(3)), fmt.Sprint(i)}
		for _, c := range sortColumns[e.name] {
			one := c.values[random.IntN(len(c.values))]
			if random.IntN(4) == 0 && !strings.HasSuffix(c.declared, " NOT NULL") {
				one = "NULL"
			}
			values = append(values, one)
		}
		all = append(all, "("+strings.Join(values, ", ")+")")
	}
	e.exec(t, "INSERT INTO "+name+" VALUES "+strings.Join(all, ", "))
	return names
}

func quoted(e engine, name string) string {
	if e.name == "mariadb" {
		return "`" + name + "`"
	}
	return `"` + name + `"`
}

// sortFile is the dataset of such a table.
func sortFile(e engine, table string, columns []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nkey: [grp, id]\nfrom: %s s\nwhere: [{sql: s.id >= 0}]\nselect:\n  id: s.id\n  grp: s.grp\n", table, table)
	for _, c := range columns {
		fmt.Fprintf(&b, "  %s: s.%s\n", c, quoted(e, c))
	}
	fmt.Fprintf(&b, "sort: [%s, id, grp]\n", strings.Join(columns, ", "))
	return b.String()
}

// inOrder asks the database itself for the ids in an order.
func inOrder(t *testing.T, e engine, table string, sort []dataset.SortKey) []string {
	t.Helper()
	var terms []string
	for _, s := range append(sort[:len(sort):len(sort)], dataset.SortKey{Field: "grp"}, dataset.SortKey{Field: "id"}) {
		term := quoted(e, s.Field)
		if s.Desc {
			term += " DESC"
		}
		if e.name == "postgres" {
			term += map[bool]string{false: " NULLS FIRST", true: " NULLS LAST"}[s.Desc]
		}
		terms = append(terms, term)
	}
	rows, err := e.db.QueryContext(t.Context(), "SELECT id FROM "+table+" ORDER BY "+strings.Join(terms, ", "))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		out = append(out, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// ids are the values of the field id.
func ids(t *testing.T, fields []cell.Field, rows []row) []string {
	t.Helper()
	at := -1
	for i, f := range fields {
		if f.Name == "id" {
			at = i
		}
	}
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimPrefix(r[at], "integer:"))
	}
	return out
}

// setUpSorting is for the admin's own session, which must sort by all of a text.
func setUpSorting(t *testing.T, e engine) {
	t.Helper()
	if e.name == "mariadb" {
		e.db.SetMaxOpenConns(1)
		e.exec(t, "SET max_sort_length = 16384, sort_buffer_size = 8388608, sql_mode = '', time_zone = '+00:00'")
	}
}

// pagedSources opens the database once for each size of pages, in reports of Seoul.
func (e engine) pagedSources(t *testing.T) func(rows int) *dataset.Sources {
	opened := map[int]*dataset.Sources{}
	return func(rows int) *dataset.Sources {
		t.Helper()
		if opened[rows] == nil {
			opened[rows] = e.sources(t, dataset.SourceOptions{PageRows: rows, ReportZone: seoul(t)})
		}
		return opened[rows]
	}
}

// randomSort is an order of up to three fields.
func randomSort(random *rand.Rand, columns []string) []dataset.SortKey {
	var out []dataset.SortKey
	for range random.IntN(4) {
		field := columns[random.IntN(len(columns))]
		if random.IntN(6) == 0 {
			field = []string{"id", "grp"}[random.IntN(2)]
		}
		out = append(out, dataset.SortKey{Field: field, Desc: random.IntN(2) == 0})
	}
	return out
}

// TestSorted: by tiny pages, rows come in the database's own order, none twice and
// none left out, whatever they are sorted by.
func TestSorted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		random := rand.New(rand.NewPCG(1, 2))
		setUpSorting(t, e)
		columns, paged := sortTable(t, e, "sorted", 40, random), e.pagedSources(t)
		check := func(size int, sort []dataset.SortKey, option string) {
			t.Helper()
			fields, rows := mustRead(t, load(t, paged(size), sortFile(e, "sorted", columns)+option), dataset.Query{Sort: sort, Fields: []string{"id"}})
			if diff := cmp.Diff(inOrder(t, e, "sorted", sort), ids(t, fields, rows)); diff != "" {
				t.Errorf("sorted by %v in pages of %d %s: %s", sort, size, option, diff)
			}
			if len(sort) > 0 && fields[0].Name != sort[0].Field {
				t.Errorf("sorted by %v, the first field is %s", sort, fields[0].Name)
			}
		}
		for i, c := range columns {
			for _, desc := range []bool{false, true} {
				for _, size := range []int{1, 3} {
					check(size, []dataset.SortKey{{Field: c, Desc: desc}}, "")
				}
				check(1+i%5, []dataset.SortKey{{Field: c, Desc: desc}}, "snapshot: off\n")
			}
		}
		for range 40 {
			check(1+random.IntN(7), randomSort(random, columns), "")
		}
		// The first word on a field counts.
		check(3, []dataset.SortKey{{Field: "whole", Desc: true}, {Field: "whole"}, {Field: "grp", Desc: true}}, "")
	})
}

// TestLongTexts: MySQL's server sorts by the beginning of texts alone. What it does
// not tell apart is refused rather than read in another order than it is paged by.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	e := onMariaDB(t)
	e.exec(t, "CREATE TABLE lengthy (id INTEGER NOT NULL PRIMARY KEY, note TEXT, data BLOB)")
	for i := range 9 {
		e.exec(t, fmt.Sprintf("INSERT INTO lengthy VALUES (%d, CONCAT(REPEAT('가', 1400), %d), CONCAT(REPEAT('x', 40000), %d))", i, i*7%9, i*7%9))
	}
	d := load(t, e.sources(t, dataset.SourceOptions{PageRows: 2}), "name: lengthy\nkey: id\nselect: {id: id, note: l.note, data: l.data, begin: \"LEFT(l.note, 1300)\"}\nfrom: lengthy l\nsort: [note, data, begin]\n")
	for _, field := range []string{"note", "data", "begin"} {
		q := dataset.Query{Sort: []dataset.SortKey{{Field: field}}}
		_, rows, err := readAll(t.Context(), d, q)
		if field == "begin" {
			if len(rows) != 9 || err != nil {
				t.Errorf("%d rows, %v", len(rows), err)
			}
			continue
		}
		want := fmt.Sprintf("Dataset %q: the field %q has values too long to be read in their order.", "lengthy", field)
		if !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != want {
			t.Errorf("%s: %d rows, %v", field, len(rows), err)
		}
	}
}
