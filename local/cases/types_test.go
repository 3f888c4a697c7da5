package cases

import "testing"

// C3: bits are a number, bytes are hex, and the rest is the database's own text.
func TestCase_C3(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		if d.name == "postgres" {
			d.exec(t, "CREATE TYPE mood AS ENUM ('좋음', '나쁨')", "CREATE TYPE pair AS (n integer, t text)", "CREATE DOMAIN amount AS numeric(12,2)", "CREATE DOMAIN code AS text")
		}
		onlyPostgres := func(value, shown string) typed { return typed{"", value, "", text(shown), ""} }
		onlyMariaDB := func(value, shown string) typed { return typed{value, "", "", text(shown), ""} }
		dataset, row := d.kinds(t, []typed{
			{"BIT(1): b'1'", "bit(1): B'1'", "", whole("1"), ""},
			{"BIT(16): b'1000000000000001'", "bit(16): B'1000000000000001'", "", whole("32769"), ""},
			{"VARBINARY(9): x'00FF89'", `bytea: '\x00FF89'`, "BLOB: x'00FF89'", text("00FF89"), ""},
			{`JSON: '{"k":"값","n":1.10}'`, `json: '{"k":"값","n":1.10}'`, `JSON: '{"k":"값","n":1.10}'`, text(`{"k":"값","n":1.10}`), ""},
			onlyPostgres("text[]: ARRAY['가', '나,다', NULL]", `{가,"나,다",NULL}`),

			{"BIT(1): b'0'", "bit(1): B'0'", "", whole("0"), ""},
			{"BIT(8): 7", "bit(8): B'00000111'", "", whole("7"), ""},
			{"BIT(49): 562949953421311", "bit(49): 562949953421311::bit(49)", "", whole("562949953421311"), ""},
			{"BIT(50): 1125899906842623", "bit(50): 1125899906842623::bit(50)", "", text("1125899906842623"), ""},
			{"BIT(64): 18446744073709551615", "bit(64): (-1)::bigint::bit(64)", "", text("18446744073709551615"), ""},
			{"BIT(64): 1", "bit(64): 1::bigint::bit(64)", "", whole("1"), ""},
			onlyPostgres("bit(100): repeat('1', 100)::bit(100)", "1267650600228229401496703205375"),
			onlyPostgres("bit varying(8): B'0101'", "0101"),
			{"BIT(16): b'1000000000000001'", "bit(16): B'1000000000000001'", "", number("32769", "#,##0", "32,769"), ", excelFormat: krw"},
			{"BIT(1): b'1'", "bit(1): B'1'", "", text("예"), `, excelCodeMap: {"1": 예}`},
			{"BIT(1): NULL", "bit(1): NULL", "", none, ""},

			{"BLOB: ''", "bytea: ''", "BLOB: x''", none, ""},
			{"BLOB: NULL", "bytea: NULL", "BLOB: NULL", none, ""},
			{"BLOB: 'abc'", "bytea: 'abc'", "BLOB: CAST('abc' AS BLOB)", text("616263"), ""},
			{"LONGBLOB: '값'", "bytea: '값'::text::bytea", "TEXT: CAST('값' AS BLOB)", text("EAB092"), ""},
			{"BINARY(3): x'01'", `bytea: '\x010000'`, "BLOB: x'010000'", text("010000"), ""},
			{"VARCHAR(9) CHARACTER SET binary: x'B0A1'", `bytea: '\xB0A1'`, "BLOB: x'B0A1'", text("B0A1"), ""},
			{"VARBINARY(9): '123'", "bytea: '123'", "BLOB: x'313233'", text("313233"), ", excelFormat: krw"},
			{"VARBINARY(9): x'00FF89'", `bytea: '\x00FF89'`, "BLOB: x'00FF89'", text("이진"), ", excelCodeMap: {00FF89: 이진}"},
			onlyMariaDB("POINT: POINT(1, 2)", "000000000101000000000000000000F03F0000000000000040"),

			{`JSON: 'null'`, `json: 'null'`, `JSON: 'null'`, text("null"), ""},
			{`JSON: '""'`, `json: '""'`, `JSON: '""'`, text(`""`), ""},
			{`JSON: '[]'`, `jsonb: '[]'`, `JSON: '[]'`, text("[]"), ""},
			{`JSON: '12345678901234567890.10'`, `jsonb: '12345678901234567890.10'`, `TEXT: '12345678901234567890.10'`, text("12345678901234567890.10"), ""},
			{`JSON: '1e2'`, `json: '1e2'`, `TEXT: '1e2'`, text("1e2"), ""},
			{`JSON: '"\\uac12 \\n"'`, `json: '"\uac12 \n"'`, `JSON: '"\uac12 \n"'`, text(`"\uac12 \n"`), ""},
			{"JSON: '{\"a\" :  [1,\n2]}'", "json: '{\"a\" :  [1,\n2]}'", "JSON: '{\"a\" :  [1,\n2]}'", text("{\"a\" :  [1,\n2]}"), ""},
			onlyPostgres(`jsonb: '{"k":"값","n":1.10}'`, `{"k": "값", "n": 1.10}`),
			{"", `json: '1250000'`, "", number("1250000", "#,##0", "1,250,000"), ", excelFormat: krw"},
			{"JSON: 'true'", "json: 'true'", "JSON: 'true'", text("참"), `, excelCodeMap: {"true": 참}`},

			onlyPostgres("text[]: '{}'", "{}"),
			onlyPostgres("integer[]: ARRAY[1, NULL, 3]", "{1,NULL,3}"),
			onlyPostgres("integer[][]: ARRAY[[1, 2], [3, 4]]", "{{1,2},{3,4}}"),
			onlyPostgres(`text[]: ARRAY['a"b', 'c\d', '', 'NULL', ' ']`, `{"a\"b","c\\d","","NULL"," "}`),
			onlyPostgres("integer[]: '[0:1]={7,8}'", "[0:1]={7,8}"),
			onlyPostgres("numeric[]: ARRAY[1.10, 'NaN']", "{1.10,NaN}"),
			onlyPostgres("date[]: ARRAY['2026-09-02'::date]", "{2026-09-02}"),
			onlyPostgres("boolean[]: ARRAY[true, false]", "{t,f}"),
			onlyPostgres("mood: '좋음'", "좋음"),
			onlyPostgres("mood[]: ARRAY['좋음', '나쁨']::mood[]", "{좋음,나쁨}"),
			onlyPostgres("pair: ROW(1, '가 나')", `(1,"가 나")`),
			onlyPostgres("code: '00123'", "00123"),
			{"", "amount: 1.1", "", decimal("1.10"), ""},
			onlyPostgres("uuid: '550E8400-E29B-41D4-A716-446655440000'", "550e8400-e29b-41d4-a716-446655440000"),
			onlyPostgres("inet: '10.0.0.1/8'", "10.0.0.1/8"),
			onlyPostgres("macaddr: '08:00:2b:01:02:03'", "08:00:2b:01:02:03"),
			onlyPostgres("point: '(1,2)'", "(1,2)"),
			onlyPostgres("int4range: '[1,5)'", "[1,5)"),
			onlyPostgres("daterange: '[2026-09-01,2026-09-02]'", "[2026-09-01,2026-09-03)"),
			onlyPostgres("xml: '<a>값</a>'", "<a>값</a>"),
			onlyPostgres("tsvector: 'b a'", "'a' 'b'"),
			onlyPostgres("regclass: 'pg_class'", "pg_class"),
			onlyPostgres("pg_lsn: '16/B374D848'", "16/B374D848"),

			onlyMariaDB("UUID: '550E8400-E29B-41D4-A716-446655440000'", "550e8400-e29b-41d4-a716-446655440000"),
			onlyMariaDB("INET6: '::1'", "::1"),
			onlyMariaDB("INET4: '10.0.0.1'", "10.0.0.1"),
			onlyMariaDB("ENUM('a','1'): '1'", "1"),
			onlyMariaDB("ENUM('a','b'): 2", "b"),
			onlyMariaDB("SET('가','나','다'): '다,가'", "가,다"),
			onlyMariaDB("VARCHAR(9) CHARACTER SET euckr: '값'", "값"),
			onlyMariaDB("VARCHAR(9) CHARACTER SET utf16: '값😀'", "값😀"),
			onlyMariaDB("VARCHAR(9) CHARACTER SET latin1: 'é'", "é"),
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}

// A database in an encoding of its own gives the same characters.
func TestPostgresInEUCKR(t *testing.T) {
	t.Parallel()
	d := onPostgresEncoded(t, "EUC_KR")
	d.column(t, "text", "가나다 한글", "abc", " ㈜ ")
	f := everyPath(t, []string{d.items("")}, "items", nil, d)
	f.expect(t, column(text("가나다 한글"), text("abc"), text(" ㈜ ")))
}
