package dataset_test

import (
	"slices"
	"strings"
	"testing"
)

// postgresTypes: all types of PostgreSQL's catalog and of usual extensions, the
// kinds of types that users make, and what expressions give.
var postgresTypes = []typed{
	// Numbers.
	{"int2", "-5", "integer:-5", "n -5 | 0"},
	{"int4", "2147483647", "integer:2147483647", "n 2147483647 | 0"},
	{"int8", "9223372036854775807", "integer:9223372036854775807", "s 9223372036854775807 | 0"},
	{"int8", "-999999999999999", "integer:-999999999999999", "n -999999999999999 | 0"},
	{"bigserial", "7", "integer:7", "n 7 | 0"},
	{"oid", "4294967295", "integer:4294967295", "n 4294967295 | 0"},
	{"xid", "'123'", "integer:123", "n 123 | 0"},
	{"xid8", "'12345678901234567890'", "integer:12345678901234567890", "s 12345678901234567890 | 0"},
	{"cid", "'5'", "integer:5", "n 5 | 0"},
	{"int4", "NULL", "integer", "-"},
	{"numeric(12,2)", "1.10", "decimal(2):1.10", "n 1.10 | 0.00"},
	{"numeric(12,2)", "-0.00", "decimal(2):0.00", "n 0.00 | 0.00"},
	{"numeric(12,2)", "NULL", "decimal(2)", "-"},
	{"numeric", "1234567890123456.7890", "decimal:1234567890123456.7890", "s 1234567890123456.7890 | 0.0000"},
	{"numeric", "12.500", "decimal:12.500", "n 12.500 | 0.000"},
	{"numeric(9)", "12", "decimal(0):12", "n 12 | 0"},
	{"numeric(5,-2)", "1250", "decimal:1300", "n 1300 | 0"},
	{"numeric(40,35)", "0.5", "decimal(35):0.50000000000000000000000000000000000", "s 0.50000000000000000000000000000000000"},
	{"numeric", "'NaN'", "decimal:NaN", "s NaN"},
	{"numeric", "'-Infinity'", "decimal:-Infinity", "s -Infinity"},
	{"float4", "0.33333334", "float32:0.33333334", "n 0.33333334"},
	{"float4", "16777216", "float32:1.6777216e+07", "n 16777216"},
	{"float8", "0.30000000000000004", "float:0.30000000000000004", "n 0.30000000000000004"},
	{"float8", "2", "float:2", "n 2"},
	{"float8", "1e300", "float:1e+300", "n 1E+300"},
	{"float8", "'-0'", "float:-0", "n 0"},
	{"float8", "'NaN'", "float:NaN", "s NaN"},
	{"float8", "'-Infinity'", "float:-Infinity", "s -Infinity"},
	{"money", "'1234.5'", "other:$1,234.50", "s $1,234.50"},
	{"bool", "true", "bool:t", "b 1"},
	{"bool", "false", "bool:f", "b 0"},
	{"bool", "NULL", "bool", "-"},

	// Texts.
	{"text", "'  앞'", "text:  앞", "s   앞"},
	{"text", "''", "text:", "-"},
	{"varchar(9)", "'00123'", "text:00123", "s 00123"},
	{"varchar(9)", "'01   '", "text:01   ", "s 01   "},
	{"char(5)", "'01'", "text:01", "s 01"},
	{"char(5)", "''", "text:", "-"},
	{"char(5)", "' 가'", "text: 가", "s  가"},
	{"bpchar", "'a  '", "text:a", "s a"},
	{"name", "'n'", "text:n", "s n"},
	{`"char"`, "'x'", "text:x", "s x"},

	// Dates and times.
	{"date", "'2026-09-02'", "date:2026-09-02", "n 46267 | yyyy-mm-dd"},
	{"date", "'1592-05-23'", "date:1592-05-23", "s 1592-05-23 | yyyy-mm-dd"},
	{"date", "'infinity'", "date:infinity", "s infinity"},
	{"date", "'10000-01-01'", "date:10000-01-01", "s 10000-01-01 | yyyy-mm-dd"},
	{"date", "'0044-03-15 BC'", "date:0044-03-15 BC", "s 0044-03-15 BC"},
	{"timestamp", "'2026-09-02 14:30:25.5'", "datetime:2026-09-02 14:30:25.5", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"timestamp(0)", "'2026-09-02 00:00:00'", "datetime:2026-09-02 00:00:00", "n 46267 | yyyy-mm-dd hh:mm:ss"},
	{"timestamp", "'-infinity'", "datetime:-infinity", "s -infinity"},
	{"timestamptz", "'2026-09-02T05:30:25Z'", "instant:2026-09-02 14:30:25+09", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"timestamptz", "'1988-06-01T00:00:00Z'", "instant:1988-06-01 10:00:00+10", "n 32295.416666666668 | yyyy-mm-dd hh:mm:ss"},
	{"timestamptz", "'infinity'", "instant:infinity", "s infinity"},
	{"timestamptz", "'0044-03-15 03:32:08Z BC'", "instant:0044-03-15 12:00:00+08:27:52 BC", "s 0044-03-15 12:00:00+08:27:52 BC"},
	{"time", "'24:00:00'", "time:24:00:00", "n 1 | [hh]:mm:ss"},
	{"time(3)", "'14:30:25.250'", "time:14:30:25.25", "n 0.6044560185185185 | [hh]:mm:ss"},
	{"timetz", "'14:30:25+09'", "other:14:30:25+09", "s 14:30:25+09"},
	{"interval", "'1 mon 2 days 25:30:00'", "other:1 mon 2 days 25:30:00", "s 1 mon 2 days 25:30:00"},
	{"interval", "'-00:00:00.5'", "other:-00:00:00.5", "s -00:00:00.5"},

	// Bytes and bits.
	{"bytea", `'\x00FF89'`, "binary:00FF89", "s 00FF89"},
	{"bytea", `''`, "binary:", "-"},
	{"bit", "B'1'", "bits:01", "n 1 | 0"},
	{"bit(3)", "B'101'", "bits:05", "n 5 | 0"},
	{"bit(16)", "B'1000000000000001'", "bits:8001", "n 32769 | 0"},
	{"bit(65)", "~B'0'::bit(65)", "bits:01FFFFFFFFFFFFFFFF", "s 36893488147419103231 | 0"},
	{"varbit(8)", "B'0101'", "other:0101", "s 0101"},

	// Documents and identifiers.
	{"json", `'{"k":"값","n":1.10}'`, `json:{"k":"값","n":1.10}`, `s {"k":"값","n":1.10}`},
	{"jsonb", `'{"n":1.10}'`, `json:{"n": 1.10}`, `s {"n": 1.10}`},
	{"json", "'null'", "json:null", "s null"},
	{"jsonpath", "'$.a'", `other:$."a"`, `s $."a"`},
	{"xml", "'<a>1</a>'", "other:<a>1</a>", "s <a>1</a>"},
	{"uuid", "'550E8400-e29b-41d4-a716-446655440000'", "other:550e8400-e29b-41d4-a716-446655440000", "s 550e8400-e29b-41d4-a716-446655440000"},
	{"inet", "'10.0.0.1/8'", "other:10.0.0.1/8", "s 10.0.0.1/8"},
	{"cidr", "'10.0.0.0/8'", "other:10.0.0.0/8", "s 10.0.0.0/8"},
	{"macaddr", "'08:00:2b:01:02:03'", "other:08:00:2b:01:02:03", "s 08:00:2b:01:02:03"},
	{"macaddr8", "'08:00:2b:01:02:03:04:05'", "other:08:00:2b:01:02:03:04:05", "s 08:00:2b:01:02:03:04:05"},
	{"tsvector", "'a:1 b'", "other:'a':1 'b'", "s 'a':1 'b'"},
	{"tsquery", "'a & b'", "other:'a' & 'b'", "s 'a' & 'b'"},

	// Geometry.
	{"point", "'(1,2.5)'", "other:(1,2.5)", "s (1,2.5)"},
	{"line", "'{1,2,3}'", "other:{1,2,3}", "s {1,2,3}"},
	{"lseg", "'[(1,2),(3,4)]'", "other:[(1,2),(3,4)]", "s [(1,2),(3,4)]"},
	{"box", "'(3,4),(1,2)'", "other:(3,4),(1,2)", "s (3,4),(1,2)"},
	{"path", "'[(1,2),(3,4)]'", "other:[(1,2),(3,4)]", "s [(1,2),(3,4)]"},
	{"polygon", "'((1,2),(3,4))'", "other:((1,2),(3,4))", "s ((1,2),(3,4))"},
	{"circle", "'<(1,2),3.1>'", "other:<(1,2),3.1>", "s <(1,2),3.1>"},

	// Ranges.
	{"int4range", "'[1,5)'", "other:[1,5)", "s [1,5)"},
	{"int8range", "'empty'", "other:empty", "s empty"},
	{"numrange", "'(1.10,2]'", "other:(1.10,2]", "s (1.10,2]"},
	{"daterange", "'[2026-09-02,)'", "other:[2026-09-02,)", "s [2026-09-02,)"},
	{"tsrange", "'[2026-09-02 14:30,)'", `other:["2026-09-02 14:30:00",)`, `s ["2026-09-02 14:30:00",)`},
	{"tstzrange", "'[2026-09-02T05:30Z,)'", `other:["2026-09-02 14:30:00+09",)`, `s ["2026-09-02 14:30:00+09",)`},
	{"int4multirange", "'{[1,5)}'", "other:{[1,5)}", "s {[1,5)}"},
	{"int8multirange", "'{}'", "other:{}", "s {}"},
	{"nummultirange", "'{[1.5,2]}'", "other:{[1.5,2]}", "s {[1.5,2]}"},
	{"datemultirange", "'{[2026-09-02,)}'", "other:{[2026-09-02,)}", "s {[2026-09-02,)}"},
	{"tsmultirange", "'{}'", "other:{}", "s {}"},
	{"tstzmultirange", "'{}'", "other:{}", "s {}"},

	// The server's own.
	{"pg_lsn", "'16/B374D848'", "other:16/B374D848", "s 16/B374D848"},
	{"pg_snapshot", "'10:20:10'", "other:10:20:10", "s 10:20:10"},
	{"txid_snapshot", "'10:20:10'", "other:10:20:10", "s 10:20:10"},
	{"tid", "'(0,1)'", "other:(0,1)", "s (0,1)"},
	{"int2vector", "'1 2'", "other:1 2", "s 1 2"},
	{"oidvector", "'1 2'", "other:1 2", "s 1 2"},
	{"aclitem", "'=r/pg_monitor'", "other:=r/pg_monitor", "s =r/pg_monitor"},
	{"refcursor", "'c1'", "other:c1", "s c1"},
	{"regclass", "'pg_class'", "other:pg_class", "s pg_class"},
	{"regproc", "'now'", "other:now", "s now"},
	{"regprocedure", "'now()'", "other:now()", "s now()"},
	{"regoper", "'||/'", "other:||/", "s ||/"},
	{"regoperator", "'+(integer,integer)'", "other:+(integer,integer)", "s +(integer,integer)"},
	{"regtype", "'int4'", "other:integer", "s integer"},
	{"regrole", "'pg_monitor'", "other:pg_monitor", "s pg_monitor"},
	{"regnamespace", "'pg_catalog'", "other:pg_catalog", "s pg_catalog"},
	{"regcollation", `'"C"'`, `other:"C"`, `s "C"`},
	{"regconfig", "'simple'", "other:simple", "s simple"},
	{"regdictionary", "'simple'", "other:simple", "s simple"},
	{"", "NULL::gtsvector", "other", "-"},
	{"", "NULL::pg_node_tree", "other", "-"},
	{"", "NULL::pg_ndistinct", "other", "-"},
	{"", "NULL::pg_dependencies", "other", "-"},
	{"", "NULL::pg_mcv_list", "other", "-"},
	{"", "NULL::pg_brin_bloom_summary", "other", "-"},
	{"", "NULL::pg_brin_minmax_multi_summary", "other", "-"},
	{"", "'a'::cstring", "other:a", "s a"},
	{"", "'a'::unknown", "text:a", "s a"},
	{"", "pg_sleep(0)", "other:", "-"},

	// Arrays.
	{"text[]", "ARRAY['가','나,다',NULL]", `other:{가,"나,다",NULL}`, `s {가,"나,다",NULL}`},
	{"int4[]", "'{{1,2},{3,4}}'", "other:{{1,2},{3,4}}", "s {{1,2},{3,4}}"},
	{"numeric(9,2)[]", "'{1.1}'", "other:{1.10}", "s {1.10}"},
	{"float8[]", "'{0.30000000000000004}'", "other:{0.30000000000000004}", "s {0.30000000000000004}"},
	{"bool[]", "'{t,f}'", "other:{t,f}", "s {t,f}"},
	{"date[]", "'{2026-09-02}'", "other:{2026-09-02}", "s {2026-09-02}"},
	{"timestamptz[]", "'{2026-09-02T05:30:25Z}'", `other:{"2026-09-02 14:30:25+09"}`, `s {"2026-09-02 14:30:25+09"}`},
	{"interval[]", "'{1 day}'", `other:{"1 day"}`, `s {"1 day"}`},
	{"bytea[]", `ARRAY['\x00FF'::bytea]`, `other:{"\\x00ff"}`, `s {"\\x00ff"}`},
	{"json[]", "ARRAY['{}'::json]", "other:{\"{}\"}", "s {\"{}\"}"},
	{"mood[]", "'{ok}'", "other:{ok}", "s {ok}"},

	// Users' types.
	{"mood", "'so so'", "other:so so", "s so so"},
	{"pair", "ROW(1, '가,나')", `other:(1,"가,나")`, `s (1,"가,나")`},
	{"floatspan", "'[1.5,2.5]'", "other:[1.5,2.5]", "s [1.5,2.5]"},
	{"d_int", "5", "integer:5", "n 5 | 0"},
	{"d_money", "1.1", "decimal(2):1.10", "n 1.10 | 0.00"},
	{"d_money2", "1.1", "decimal(2):1.10", "n 1.10 | 0.00"},
	{"d_text", "'00123'", "text:00123", "s 00123"},
	{"d_char", "'01'", "text:01", "s 01"},
	{"d_bool", "true", "bool:t", "b 1"},
	{"d_date", "'2026-09-02'", "date:2026-09-02", "n 46267 | yyyy-mm-dd"},
	{"d_tz", "'2026-09-02T05:30:25Z'", "instant:2026-09-02 14:30:25+09", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},
	{"d_bytea", `'\x41'`, "binary:41", "s 41"},
	{"d_json", `'{"n":1.10}'`, `json:{"n": 1.10}`, `s {"n": 1.10}`},
	{"d_mood", "'ok'", "other:ok", "s ok"},
	{"d_array", "'{1}'", "other:{1}", "s {1}"},
	{"d_pair", "ROW(1, 'x')", "other:(1,x)", "s (1,x)"},
	{"information_schema.cardinal_number", "5", "integer:5", "n 5 | 0"},
	{"information_schema.yes_or_no", "'YES'", "text:YES", "s YES"},
	{"information_schema.character_data", "'c'", "text:c", "s c"},
	{"information_schema.sql_identifier", "'i'", "text:i", "s i"},
	{"information_schema.time_stamp", "'2026-09-02T05:30:25Z'", "instant:2026-09-02 14:30:25+09", "n 46267.60445601852 | yyyy-mm-dd hh:mm:ss"},

	// Extensions.
	{"citext", "'Aa'", "other:Aa", "s Aa"},
	{"hstore", "'k=>값'", `other:"k"=>"값"`, `s "k"=>"값"`},
	{"ltree", "'a.b'", "other:a.b", "s a.b"},
	{"cube", "'(1,2)'", "other:(1, 2)", "s (1, 2)"},

	// Expressions.
	{"", "1=1", "bool:t", "b 1"},
	{"", "k.id > 5", "bool:f", "b 0"},
	{"", "NULL", "text", "-"},
	{"", "5", "integer:5", "n 5 | 0"},
	{"", "1.50", "decimal:1.50", "n 1.50 | 0.00"},
	{"", "'00123'", "text:00123", "s 00123"},
	{"", `'a\'`, `text:a\`, `s a\`},
	{"", "(SELECT count(*) FROM kinds)", "integer:1", "n 1 | 0"},
	{"", "(SELECT sum(id) FROM kinds)", "integer:1", "n 1 | 0"},
	{"", "(SELECT sum(id::int8) FROM kinds)", "decimal:1", "n 1 | 0"},
	{"", "(SELECT avg(id) FROM kinds)", "decimal:1.00000000000000000000", "n 1.00000000000000000000 | 0.00000000000000000000"},
	{"", "(SELECT array_agg(id) FROM kinds)", "other:{1}", "s {1}"},
	{"", "(SELECT string_agg('a', ',') FROM kinds)", "text:a", "s a"},
	{"", "10 / 4", "integer:2", "n 2 | 0"},
	{"", "'가' || 5", "text:가5", "s 가5"},
	{"", "concat('가', 1.10, NULL)", "text:가1.10", "s 가1.10"},
	{"", "format('%s', 1)", "text:1", "s 1"},
	{"", "CASE WHEN k.id = 1 THEN 1 ELSE 2.50 END", "decimal:1", "n 1 | 0"},
	{"", "coalesce(NULL, date '2026-09-02')", "date:2026-09-02", "n 46267 | yyyy-mm-dd"},
	{"", "date '2026-09-01' + 1", "date:2026-09-02", "n 46267 | yyyy-mm-dd"},
	{"", "date '2026-09-02' - date '2026-09-01'", "integer:1", "n 1 | 0"},
	{"", "timestamp '2026-09-02 14:30:25' - timestamp '2026-09-01 14:30:25'", "other:1 day", "s 1 day"},
	{"", "timestamptz '2026-09-02T05:30:25Z' AT TIME ZONE 'UTC'", "datetime:2026-09-02 05:30:25", "n 46267.22945601852 | yyyy-mm-dd hh:mm:ss"},
	{"", "(timestamptz '2026-08-31T15:30:00Z')::date", "date:2026-09-01", "n 46266 | yyyy-mm-dd"},
	{"", "(timestamptz '2026-08-31T15:30:00Z')::text", "text:2026-09-01 00:30:00+09", "s 2026-09-01 00:30:00+09"},
	{"", "(date '2026-09-02')::text", "text:2026-09-02", "s 2026-09-02"},
	{"", "('1 mon 2 days'::interval)::text", "text:1 mon 2 days", "s 1 mon 2 days"},
	{"", `('\x00FF'::bytea)::text`, `text:\x00ff`, `s \x00ff`},
	{"", "0.30000000000000004::float8::text", "text:0.30000000000000004", "s 0.30000000000000004"},
	{"", "extract(year FROM date '2026-09-02')", "decimal:2026", "n 2026 | 0"},
	{"", "date_part('year', date '2026-09-02')", "float:2026", "n 2026"},
	{"", "to_char(timestamp '2026-09-02 14:30:25', 'YYYYMMDD')", "text:20260902", "s 20260902"},
	{"", "ROW(1, 'a', NULL)", "other:(1,a,)", "s (1,a,)"},
	{"", "json_build_object('k', '값')", `json:{"k" : "값"}`, `s {"k" : "값"}`},
	{"", `jsonb '{"a":1}' -> 'a'`, "json:1", "s 1"},
	{"", `jsonb '{"a":1}' ->> 'a'`, "text:1", "s 1"},
	{"", `xmlelement(name a, '\x00FF'::bytea)`, "other:<a>AP8=</a>", "s <a>AP8=</a>"},
	{"", "encode('A'::bytea, 'base64')", "text:QQ==", "s QQ=="},
	{"", "current_database() = current_catalog", "bool:t", "b 1"},
	{"", "(SELECT 1 UNION SELECT 2.5 ORDER BY 1 LIMIT 1)", "decimal:1", "n 1 | 0"},
}

var postgresTypeSetup = []string{
	"CREATE TYPE mood AS ENUM ('ok', 'so so')",
	"CREATE TYPE pair AS (a integer, b text)",
	"CREATE TYPE floatspan AS RANGE (subtype = float8)",
	"CREATE DOMAIN d_int AS int4 CHECK (VALUE > 0)",
	"CREATE DOMAIN d_money AS numeric(12,2)",
	"CREATE DOMAIN d_money2 AS d_money",
	"CREATE DOMAIN d_text AS text",
	"CREATE DOMAIN d_char AS char(5)",
	"CREATE DOMAIN d_bool AS bool",
	"CREATE DOMAIN d_date AS date",
	"CREATE DOMAIN d_tz AS timestamptz",
	"CREATE DOMAIN d_bytea AS bytea",
	"CREATE DOMAIN d_json AS jsonb",
	"CREATE DOMAIN d_mood AS mood",
	"CREATE DOMAIN d_array AS int4[]",
	"CREATE DOMAIN d_pair AS pair",
	"CREATE EXTENSION citext", "CREATE EXTENSION hstore", "CREATE EXTENSION ltree", "CREATE EXTENSION cube",
}

// postgresParameters are settings that a URL, a role or a database can carry. None
// may change a cell.
var postgresParameters = map[string]string{
	"timezone":                    "America/New_York",
	"datestyle":                   "SQL, DMY",
	"intervalstyle":               "iso_8601",
	"bytea_output":                "escape",
	"xmlbinary":                   "hex",
	"extra_float_digits":          "-15",
	"standard_conforming_strings": "off",
}

// TestPostgresTypes reads all types in all ways and with all settings.
func TestPostgresTypes(t *testing.T) {
	t.Parallel()
	e := onPostgres(t)
	e.exec(t, postgresTypeSetup...)
	e.exec(t, "SET timezone = 'UTC'")
	selected := typeTable(t, e, postgresTypes)
	checkTypes(t, e, postgresTypes, selected)

	options := ""
	for name, value := range postgresParameters {
		options += " -c " + name + "=" + strings.ReplaceAll(value, " ", `\ `)
	}
	for name, p := range map[string]string{
		"parameters": parameters(postgresParameters),
		"options":    parameters(map[string]string{"options": options}),
		"encoding":   "client_encoding=EUC_KR",
		"Encoding":   "Client_Encoding=EUC_KR",
		"simple":     "default_query_exec_mode=simple_protocol",
		"exec":       "default_query_exec_mode=exec&statement_cache_capacity=0",
	} {
		t.Run(name, func(t *testing.T) { checkTypes(t, e.withParameters(p), postgresTypes, selected) })
	}
	for _, scope := range []string{"DATABASE " + databaseOf(t, e), "ROLE CURRENT_USER IN DATABASE " + databaseOf(t, e)} {
		for name, value := range postgresParameters {
			e.exec(t, "ALTER "+scope+" SET "+name+" TO '"+value+"'")
		}
		e.exec(t, "ALTER "+scope+" SET client_encoding TO 'EUC_KR'")
		t.Run(scope, func(t *testing.T) { checkTypes(t, e, postgresTypes, selected) })
	}
}

func databaseOf(t *testing.T, e engine) (name string) {
	t.Helper()
	if err := e.db.QueryRowContext(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPostgresCatalog: no type of the server's catalog is missing above.
func TestPostgresCatalog(t *testing.T) {
	t.Parallel()
	e := onPostgres(t)
	rows, err := e.db.QueryContext(t.Context(), `SELECT t.typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
		WHERE n.nspname = 'pg_catalog' AND t.typtype IN ('b', 'r', 'm') AND t.typcategory <> 'A' OR t.typname IN ('int2vector', 'oidvector')`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		n++
		if !slices.ContainsFunc(postgresTypes, func(one typed) bool {
			base, _, _ := strings.Cut(one.declared, "(")
			return strings.Trim(base, `"`) == name || one.stored == "NULL::"+name
		}) {
			t.Errorf("the type %s is not in the table", name)
		}
	}
	if err := rows.Err(); err != nil || n < 60 {
		t.Errorf("%d types, %v", n, err)
	}
}
