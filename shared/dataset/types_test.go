package dataset_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// typed is one column of a table of all types.
type typed struct {
	declared string
	stored   string // SQL literal
	want     string
	kind     cell.Kind // of the field
	scale    int
}

func seoul(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

var mariaTypes = map[string]typed{
	"i":       {"INT", "5", "integer:5", cell.Integer, 0},
	"tiny":    {"TINYINT(1)", "1", "integer:1", cell.Integer, 0},
	"ubig":    {"BIGINT UNSIGNED", "18446744073709551615", "integer:18446744073709551615", cell.Integer, 0},
	"big":     {"BIGINT", "-9223372036854775808", "integer:-9223372036854775808", cell.Integer, 0},
	"med":     {"MEDIUMINT UNSIGNED", "16777215", "integer:16777215", cell.Integer, 0},
	"yr":      {"YEAR", "2026", "integer:2026", cell.Integer, 0},
	"utiny":   {"TINYINT UNSIGNED", "200", "integer:200", cell.Integer, 0},
	"ntiny":   {"TINYINT", "-128", "integer:-128", cell.Integer, 0},
	"usmall":  {"SMALLINT UNSIGNED", "65535", "integer:65535", cell.Integer, 0},
	"nsmall":  {"SMALLINT", "-32768", "integer:-32768", cell.Integer, 0},
	"nmed":    {"MEDIUMINT", "-8388608", "integer:-8388608", cell.Integer, 0},
	"uint":    {"INT UNSIGNED", "4294967295", "integer:4294967295", cell.Integer, 0},
	"nint":    {"INT", "-2147483648", "integer:-2147483648", cell.Integer, 0},
	"zero":    {"INT(6) ZEROFILL", "42", "integer:42", cell.Integer, 0},
	"dec1":    {"DECIMAL(12,2)", "1.10", "decimal:1.10", cell.Decimal, 2},
	"dec2":    {"DECIMAL(20,4)", "1234567890123456.7890", "decimal:1234567890123456.7890", cell.Decimal, 4},
	"dec3":    {"DECIMAL(10,0)", "-3", "decimal:-3", cell.Decimal, 0},
	"f":       {"FLOAT", "0.33333334", "float32:0.33333334", cell.Float32, -1},
	"f2":      {"FLOAT", "16777216", "float32:1.6777216e+07", cell.Float32, -1},
	"dbl":     {"DOUBLE", "33.333333333333336", "float:33.333333333333336", cell.Float, -1},
	"dblneg":  {"DOUBLE", "-2.2250738585072014e-308", "float:-2.2250738585072014e-308", cell.Float, -1},
	"dblmax":  {"DOUBLE", "1.7976931348623157e308", "float:1.7976931348623157e+308", cell.Float, -1},
	"dblcut":  {"DOUBLE(12,2)", "1250.505", "float:1250.51", cell.Float, -1},
	"dblint":  {"DOUBLE", "2000000", "float:2e+06", cell.Float, -1},
	"ch":      {"CHAR(5)", "'00123'", "text:00123", cell.Text, -1},
	"vc":      {"VARCHAR(40)", "'가😀'", "text:가😀", cell.Text, -1},
	"empty":   {"VARCHAR(40)", "''", "text:", cell.Text, -1},
	"txt":     {"LONGTEXT", "'1e5'", "text:1e5", cell.Text, -1},
	"latin":   {"VARCHAR(10) CHARACTER SET latin1", "'é'", "text:é", cell.Text, -1},
	"en":      {"ENUM('a','b')", "'b'", "text:b", cell.Text, -1},
	"st":      {"SET('a','b')", "'a,b'", "text:a,b", cell.Text, -1},
	"d":       {"DATE", "'2026-09-02'", "date:2026-09-02", cell.Date, -1},
	"d0":      {"DATE", "'0000-00-00'", "date:0000-00-00", cell.Date, -1},
	"dhalf":   {"DATE", "'2026-00-00'", "date:2026-00-00", cell.Date, -1},
	"dt":      {"DATETIME", "'2026-09-02 14:30:25'", "datetime:2026-09-02 14:30:25", cell.DateTime, -1},
	"dt6":     {"DATETIME(6)", "'2026-09-02 14:30:25.999999'", "datetime:2026-09-02 14:30:25.999999", cell.DateTime, -1},
	"dt0":     {"DATETIME", "'0000-00-00 00:00:00'", "datetime:0000-00-00 00:00:00", cell.DateTime, -1},
	"dtm":     {"DATETIME", "'2026-09-02 00:00:00'", "datetime:2026-09-02 00:00:00", cell.DateTime, -1},
	"ts":      {"TIMESTAMP NULL", "'2026-09-02 05:30:25'", "instant:2026-09-02 14:30:25+09:00", cell.Instant, -1},
	"ts3":     {"TIMESTAMP(3) NULL", "'2026-08-31 15:30:00.250'", "instant:2026-09-01 00:30:00.250+09:00", cell.Instant, -1},
	"ts0":     {"TIMESTAMP NULL", "'0000-00-00 00:00:00'", "null", cell.Instant, -1},
	"tm":      {"TIME", "'838:59:59'", "time:838:59:59", cell.Time, -1},
	"tmn":     {"TIME(3)", "'-25:30:00.500'", "time:-25:30:00.500", cell.Time, -1},
	"tm0":     {"TIME", "'00:00:00'", "time:00:00:00", cell.Time, -1},
	"bin":     {"VARBINARY(10)", "x'00FF89'", "binary:00FF89", cell.Binary, -1},
	"fixed":   {"BINARY(3)", "x'01'", "binary:010000", cell.Binary, -1},
	"blb":     {"BLOB", "x'FF00'", "binary:FF00", cell.Binary, -1},
	"bit1":    {"BIT(1)", "b'1'", "bits:01", cell.Bits, -1},
	"bit16":   {"BIT(16)", "b'1000000000000001'", "bits:8001", cell.Bits, -1},
	"js":      {"JSON", `'{"k": "값", "n": 1.10}'`, `text:{"k": "값", "n": 1.10}`, cell.Text, -1},
	"geo":     {"POINT", "POINT(1,2)", "binary:000000000101000000000000000000F03F0000000000000040", cell.Binary, -1},
	"uu":      {"UUID", "'550e8400-e29b-41d4-a716-446655440000'", "text:550e8400-e29b-41d4-a716-446655440000", cell.Text, -1},
	"ip":      {"INET6", "'::1'", "text:::1", cell.Text, -1},
	"nothing": {"INT NULL", "NULL", "null", cell.Integer, 0},
}

var postgresTypes = map[string]typed{
	"i2":      {"smallint", "-5", "integer:-5", cell.Integer, 0},
	"i8":      {"bigint", "9223372036854775807", "integer:9223372036854775807", cell.Integer, 0},
	"n":       {"numeric(12,2)", "1.10", "decimal:1.10", cell.Decimal, 2},
	"nfree":   {"numeric", "1234567890123456.7890", "decimal:1234567890123456.7890", cell.Decimal, -1},
	"nneg":    {"numeric(5,-2)", "1250", "decimal:1300", cell.Decimal, -1},
	"nan":     {"numeric", "'NaN'", "decimal:NaN", cell.Decimal, -1},
	"f4":      {"real", "0.33333334", "float32:0.33333334", cell.Float32, -1},
	"f8":      {"double precision", "0.30000000000000004", "float:0.30000000000000004", cell.Float, -1},
	"inf":     {"double precision", "'-Infinity'", "float:-Infinity", cell.Float, -1},
	"b":       {"boolean", "true", "bool:t", cell.Bool, -1},
	"tx":      {"text", "'  앞'", "text:  앞", cell.Text, -1},
	"vc":      {"varchar(9)", "'00123'", "text:00123", cell.Text, -1},
	"bp":      {"char(5)", "'01'", "text:01   ", cell.Text, -1},
	"d":       {"date", "'2026-09-02'", "date:2026-09-02", cell.Date, -1},
	"dinf":    {"date", "'infinity'", "date:infinity", cell.Date, -1},
	"d10k":    {"date", "'10000-01-01'", "date:10000-01-01", cell.Date, -1},
	"dbc":     {"date", "'0044-03-15 BC'", "date:0044-03-15 BC", cell.Date, -1},
	"ts":      {"timestamp", "'2026-09-02 14:30:25.5'", "datetime:2026-09-02 14:30:25.5", cell.DateTime, -1},
	"tz":      {"timestamptz", "'2026-09-02T05:30:25Z'", "instant:2026-09-02 14:30:25+09", cell.Instant, -1},
	"tzold":   {"timestamptz", "'1988-06-01T00:00:00Z'", "instant:1988-06-01 10:00:00+10", cell.Instant, -1},
	"tm":      {"time", "'24:00:00'", "time:24:00:00", cell.Time, -1},
	"ttz":     {"timetz", "'14:30:25+09'", "other:14:30:25+09", cell.Other, -1},
	"iv":      {"interval", "'1 mon 2 days 25:30:00'", "other:1 mon 2 days 25:30:00", cell.Other, -1},
	"by":      {"bytea", `'\x00FF89'`, "binary:00FF89", cell.Binary, -1},
	"by0":     {"bytea", `''`, "binary:", cell.Binary, -1},
	"bit16":   {"bit(16)", "B'1000000000000001'", "bits:8001", cell.Bits, -1},
	"bit3":    {"bit(3)", "B'101'", "bits:05", cell.Bits, -1},
	"vbit":    {"bit varying(8)", "B'0101'", "other:0101", cell.Other, -1},
	"js":      {"json", `'{"k":"값","n":1.10}'`, `json:{"k":"값","n":1.10}`, cell.JSON, -1},
	"jsb":     {"jsonb", `'{"n":1.10}'`, `json:{"n": 1.10}`, cell.JSON, -1},
	"arr":     {"text[]", "ARRAY['가','나,다',NULL]", `other:{가,"나,다",NULL}`, cell.Other, -1},
	"uu":      {"uuid", "'550e8400-e29b-41d4-a716-446655440000'", "other:550e8400-e29b-41d4-a716-446655440000", cell.Other, -1},
	"ip":      {"inet", "'10.0.0.1/8'", "other:10.0.0.1/8", cell.Other, -1},
	"nothing": {"integer", "NULL", "null", cell.Integer, 0},
}

var sqliteTypes = map[string]typed{
	"i":      {"INTEGER", "9223372036854775807", "integer:9223372036854775807", cell.Null, -1},
	"itext":  {"INTEGER", "'abc'", "text:abc", cell.Null, -1},
	"r":      {"REAL", "0.30000000000000004", "float:0.30000000000000004", cell.Null, -1},
	"rinf":   {"REAL", "-9e999", "float:-Inf", cell.Null, -1},
	"t":      {"TEXT", "'00123'", "text:00123", cell.Null, -1},
	"ttrue":  {"BOOLEAN", "'true'", "text:true", cell.Null, -1},
	"empty":  {"TEXT", "''", "text:", cell.Null, -1},
	"nul":    {"TEXT", "CAST(x'610062' AS TEXT)", "text:a\x00b", cell.Null, -1},
	"b1":     {"BOOLEAN", "1", "bool:1", cell.Null, -1},
	"b0":     {"BOOL", "0", "bool:0", cell.Null, -1},
	"b2":     {"BOOLEAN", "2", "integer:2", cell.Null, -1},
	"dec":    {"DECIMAL(12,2)", "1250.1", "decimal:1250.10", cell.Null, 2},
	"deci":   {"decimal(14, 2)", "1250", "decimal:1250.00", cell.Null, 2},
	"decz":   {"NUMERIC(10,0)", "1250", "decimal:1250", cell.Null, 0},
	"decn":   {"DECIMAL(12,2)", "-0.05", "decimal:-0.05", cell.Null, 2},
	"declos": {"DECIMAL(12,2)", "0.125", "float:0.125", cell.Null, 2},
	"decbig": {"DECIMAL(30,2)", "1234567890123456.75", "float:1.2345678901234568e+15", cell.Null, 2},
	"dect":   {"DECIMAL(12,2)", "'n/a'", "text:n/a", cell.Null, 2},
	"d":      {"DATE", "'2026-09-02'", "date:2026-09-02", cell.Null, -1},
	"dtt":    {"DATETIME", "'2026-09-02T14:30:25.5'", "datetime:2026-09-02T14:30:25.5", cell.Null, -1},
	"dt":     {"DATETIME", "'2026-09-02 14:30:25'", "datetime:2026-09-02 14:30:25", cell.Null, -1},
	"dtd":    {"DATETIME", "'2026-09-02'", "date:2026-09-02", cell.Null, -1},
	"ts":     {"TIMESTAMP", "'2026-09-02 05:30:25Z'", "instant:2026-09-02 05:30:25Z", cell.Null, -1},
	"tso":    {"TIMESTAMP", "'2026-09-02 05:30:25+09:00'", "instant:2026-09-02 05:30:25+09:00", cell.Null, -1},
	"dtx":    {"DATE", "'2026.09.02'", "text:2026.09.02", cell.Null, -1},
	"dti":    {"DATETIME", "1756790000", "integer:1756790000", cell.Null, -1},
	"dtext":  {"TEXT", "'2026-09-02'", "text:2026-09-02", cell.Null, -1},
	"bl":     {"BLOB", "x'00FF89'", "binary:00FF89", cell.Null, -1},
	"bl0":    {"BLOB", "x''", "binary:", cell.Null, -1},
	"n":      {"INTEGER", "NULL", "null", cell.Null, -1},
}

// TestTypes reads a table of all types, with a bound parameter and without one:
// both must give the same.
func TestTypes(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		types := map[string]map[string]typed{"sqlite": sqliteTypes, "mariadb": mariaTypes, "postgres": postgresTypes}[e.name]
		var names []string
		for name := range types {
			names = append(names, name)
		}
		slices.Sort(names)
		create, insert, selected := "CREATE TABLE kinds (id INTEGER NOT NULL PRIMARY KEY", "INSERT INTO kinds VALUES (1", ""
		for _, name := range names {
			create += ", " + name + " " + types[name].declared
			insert += ", " + types[name].stored
			selected += ", " + name + ": k." + name
		}
		setup := []string{create + ")", insert + ")"}
		if e.name == "mariadb" {
			setup = append([]string{"SET time_zone = '+00:00'", "SET sql_mode = ''"}, setup...)
		}
		e.db.SetMaxOpenConns(1) // the settings above hold for one connection
		e.exec(t, setup...)

		s := e.sources(t, dataset.SourceOptions{ReportZone: seoul(t)})
		parts := "name: kinds\nkey: id\nselect: {id: k.id" + selected + "}\nfrom: kinds k\n"
		plain := load(t, s, parts)
		bound := load(t, s, parts+"where: [{sql: \"k.id = :id\"}]\nparams: {id: {type: integer, required: true}}\n")
		whole := load(t, s, "name: whole\nsql: SELECT * FROM kinds\n")
		id := dataset.Query{Params: dataset.Values{"id": {Type: dataset.IntegerParam, Items: []string{"1"}}}}

		fields, rows := mustRead(t, plain, dataset.Query{})
		if len(rows) != 1 {
			t.Fatalf("%d rows", len(rows))
		}
		for i, f := range fields[1:] {
			want := types[f.Name]
			if rows[0][i+1] != want.want {
				t.Errorf("%s %s %s = %q, want %q", f.Name, want.declared, want.stored, rows[0][i+1], want.want)
			}
			if f.Kind != want.kind || f.Scale != want.scale {
				t.Errorf("%s %s: field %s scale %d, want %s scale %d", f.Name, want.declared, kindNames[f.Kind], f.Scale, kindNames[want.kind], want.scale)
			}
		}
		for _, again := range []struct {
			name string
			set  *dataset.SQL
			q    dataset.Query
		}{{"bound", bound, id}, {"whole", whole, dataset.Query{}}} {
			otherFields, otherRows := mustRead(t, again.set, again.q)
			if diff := cmp.Diff(fields, otherFields); diff != "" {
				t.Errorf("%s: other fields: %s", again.name, diff)
			}
			if diff := cmp.Diff(rows, otherRows); diff != "" {
				t.Errorf("%s: other values: %s", again.name, diff)
			}
		}
	})
}

// TestOpenNumberOfDecimals: a column that the driver cannot read is a fault of
// the statement. Another try would not help.
func TestOpenNumberOfDecimals(t *testing.T) {
	e := onMariaDB(t)
	s := e.sources(t, dataset.SourceOptions{MaxConns: 1})
	const when = "FROM_UNIXTIME(seq / 2e0)"
	_, _, err := readAll(t.Context(), load(t, s, "name: open\nsql: SELECT "+when+" AS at FROM seq_1_to_1000000\n"), dataset.Query{})
	if !fault.Is(err, fault.Unprocessable) {
		t.Errorf("%v, want Unprocessable", err)
	}
	_, rows := mustRead(t, load(t, s, "name: given\nsql: SELECT CAST("+when+" AS DATETIME(6)) AS at FROM seq_1_to_1\n"), dataset.Query{})
	if diff := cmp.Diff([]row{{"datetime:1970-01-01 00:00:00.500000"}}, rows); diff != "" {
		t.Error(diff)
	}
}
