package dataset_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

// alike is one value as the three databases hold it.
type alike struct {
	sqlite, mariadb, postgres string // declared types
	stored                    string // the SQL literal
	cell                      string // see showCell
}

var alikes = []alike{
	{"INTEGER", "INT", "integer", "5", "n 5 | 0"},
	{"INTEGER", "INT", "integer", "-0", "n 0 | 0"},
	{"BIGINT", "BIGINT", "bigint", "999999999999999", "n 999999999999999 | 0"},
	{"BIGINT", "BIGINT", "bigint", "9223372036854775807", "s 9223372036854775807 | 0"},
	{"DECIMAL(12,2)", "DECIMAL(12,2)", "decimal(12,2)", "1.10", "n 1.10 | 0.00"},
	{"DECIMAL(12,2)", "DECIMAL(12,2)", "decimal(12,2)", "-1234567890.5", "n -1234567890.50 | 0.00"},
	{"DECIMAL(12,2)", "DECIMAL(12,2)", "decimal(12,2)", "0", "n 0.00 | 0.00"},
	{"NUMERIC(12,0)", "NUMERIC(12,0)", "numeric(12,0)", "1250", "n 1250 | 0"},
	{"DECIMAL(15,4)", "DECIMAL(15,4)", "decimal(15,4)", "12345678901.2345", "n 12345678901.2345 | 0.0000"},
	{"DOUBLE", "DOUBLE", "double precision", "0.30000000000000004", "n 0.30000000000000004"},
	{"DOUBLE", "DOUBLE", "double precision", "2", "n 2"},
	{"DOUBLE", "DOUBLE", "double precision", "1e300", "n 1E+300"},
	{"REAL", "FLOAT", "real", "0.1", "n 0.1"},
	{"REAL", "FLOAT", "real", "16777216", "n 16777216"},
	{"DATE", "DATE", "date", "'2026-09-02'", "n 46267 | yyyy-mm-dd"},
	{"DATE", "DATE", "date", "'1592-05-23'", "s 1592-05-23 | yyyy-mm-dd"},
	{"DATE", "DATE", "date", "'1900-03-01'", "n 61 | yyyy-mm-dd"},
	{"DATETIME", "DATETIME(3)", "timestamp(3)", "'2026-09-02 14:30:25.999'", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"DATETIME", "DATETIME", "timestamp", "'2026-09-02 00:00:00'", "n 46267 | yyyy-mm-dd hh:mm:ss"},
	{"DATETIME", "DATETIME", "timestamp", "'1900-01-01 10:00:00'", "s 1900-01-01 10:00:00 | yyyy-mm-dd hh:mm:ss"},
	// The test's own sessions are in UTC, and SQLite's text says so.
	{"TIMESTAMP", "TIMESTAMP NULL", "timestamptz", "'2026-09-02 05:30:25+00:00'", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "TIMESTAMP(6) NULL", "timestamptz", "'2026-08-31 15:30:00.000001+00:00'", "n 46266.020833333336 | yyyy-mm-dd hh:mm:ss"},
	{"TIMESTAMP", "TIMESTAMP NULL", "timestamptz", "'1988-06-01 00:00:00+00:00'", "n 32295.416666666668 | yyyy-mm-dd hh:mm:ss"},
	{"TIME", "TIME", "time", "'14:30:25'", "n 0.6044560185185185 | [hh]:mm:ss"},
	{"TIME", "TIME(3)", "time(3)", "'14:30:25.999'", "n 0.6044560185185185 | [hh]:mm:ss"},
	{"TIME", "TIME", "time", "'00:00:00'", "n 0 | [hh]:mm:ss"},
	{"TEXT", "TEXT", "text", "'00123'", "s 00123"},
	{"TEXT", "TEXT", "text", "'=1+1'", "s =1+1"},
	{"VARCHAR(40)", "VARCHAR(40)", "varchar(40)", "'  가😀  '", "s   가😀  "},
	{"VARCHAR(40)", "VARCHAR(40)", "varchar(40)", "''", "-"},
	{"CHAR(5)", "CHAR(5)", "char(5)", "'01'", "s 01"},
	{"CHAR(20)", "CHAR(20)", "char(20)", "'01012345678'", "s 01012345678"},
	{"CHAR(10)", "CHAR(10)", "char(10)", "'20260902'", "s 20260902"},
	{"VARCHAR(40)", "VARCHAR(40)", "varchar(40)", "'1,234.5'", "s 1,234.5"},
	{"UUID", "UUID", "uuid", "'550e8400-e29b-41d4-a716-446655440000'", "s 550e8400-e29b-41d4-a716-446655440000"},
	{"JSON", "JSON", "json", `'{"k": "값", "n": 1.10}'`, `s {"k": "값", "n": 1.10}`},
	{"BLOB", "VARBINARY(9)", "bytea", "x'00FF89'", "s 00FF89"},
	{"INTEGER", "BIT(16)", "bit(16)", "b'1000000000000001'", "n 32769 | 0"},
	{"INTEGER", "INT", "integer", "NULL", "-"},
	{"DECIMAL(12,2)", "DECIMAL(12,2)", "decimal(12,2)", "NULL", "-"},
	{"DATETIME", "DATETIME", "timestamp", "NULL", "-"},
	{"TEXT", "TEXT", "text", "NULL", "-"},
}

// onThis is the declared type and the literal for one database.
func (a alike) onThis(name string) (declared, literal string) {
	switch name {
	case "mariadb":
		literal := a.stored
		if a.postgres == "timestamptz" {
			literal = literal[:len(literal)-len("+00:00'")] + "'"
		}
		return a.mariadb, literal
	case "postgres":
		if a.postgres == "bytea" {
			return a.postgres, `'\x` + a.stored[2:]
		}
		return a.postgres, a.stored
	}
	if a.mariadb == "BIT(16)" {
		return a.sqlite, "32769"
	}
	return a.sqlite, a.stored
}

// TestAlike: the same values give the same cells from all databases, under every
// format. MySQL's BOOLEAN is the exception: it is an integer there.
func TestAlike(t *testing.T) {
	t.Parallel()
	formats := []string{"", "krw", "ymd", "tm", "datetime", "bizno", "phone", "tel", "pct", "#,##0.0", "yyyy-mm-dd"}
	seen := map[string]map[string][]string{} // by database and format
	onEach(t, func(t *testing.T, e engine) {
		e.db.SetMaxOpenConns(1)
		switch e.name {
		case "mariadb":
			e.exec(t, "SET time_zone = '+00:00'")
		case "postgres":
			e.exec(t, "SET timezone = 'UTC'")
		}
		var types []typed
		for _, a := range alikes {
			declared, literal := a.onThis(e.name)
			types = append(types, typed{declared: declared, stored: literal})
		}
		selected := typeTable(t, e, types)
		d := typeSets(t, e.sources(t, dataset.SourceOptions{ReportZone: seoul(t)}), selected)["pages"]
		seen[e.name] = map[string][]string{}
		rows, err := d.Open(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Error("no row")
		}
		for i, f := range rows.Fields()[1:] {
			for _, format := range formats {
				column, _ := cell.Compile(cell.ColumnDef{Field: f.Name, ExcelFormat: format}, f, true, seoul(t))
				shown := showCell(column.Formats(), column.Cell(rows.Values()[i+1]))
				seen[e.name][format] = append(seen[e.name][format], fmt.Sprintf("%s %s: %s", alikes[i].mariadb, alikes[i].stored, shown))
			}
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	})
	var plain []string
	for _, a := range alikes {
		plain = append(plain, fmt.Sprintf("%s %s: %s", a.mariadb, a.stored, a.cell))
	}
	for name, shown := range seen {
		for _, format := range formats {
			want, ran := seen["sqlite"][format] // a filter of tests may leave it out
			if format == "" {
				want, ran = plain, true
			}
			if !ran {
				continue
			}
			if diff := cmp.Diff(want, shown[format]); diff != "" {
				t.Errorf("%s, format %q: %s", name, format, diff)
			}
		}
	}
}
