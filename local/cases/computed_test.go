package cases

import "testing"

// What a dataset's SQL computes has the type that its database says, which is often
// another one than that of the column it is computed of.
func TestComputedTextsAndDates(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20), born DATE)",
			"INSERT INTO people VALUES (7, '홍길동', '1990-02-28'), (8, NULL, '2000-02-29')")
		const of = "(SELECT "
		dataset, row := d.expressions([]typed{
			{"CONCAT(1, 2)", "concat(1, 2)", "1 || 2", text("12"), ""},
			{"CONCAT('값', 5)", "'값' || 5", "'값' || 5", text("값5"), ""},
			{"LPAD(7, 5, '0')", "lpad(7::text, 5, '0')", "printf('%05d', 7)", text("00007"), ""},
			{of + "GROUP_CONCAT(id ORDER BY id) FROM people)", of + "string_agg(id::text, ',' ORDER BY id) FROM people)", of + "group_concat(id) FROM people)", text("7,8"), ""},
			{of + "GROUP_CONCAT(name) FROM people)", of + "string_agg(name, ',') FROM people)", of + "group_concat(name) FROM people)", text("홍길동"), ""},
			{of + "COALESCE(name, '없음') FROM people WHERE id = 8)", of + "COALESCE(name, '없음') FROM people WHERE id = 8)", of + "COALESCE(name, '없음') FROM people WHERE id = 8)", text("없음"), ""},
			{of + "CASE WHEN id = 7 THEN '예' ELSE '아니오' END FROM people WHERE id = 7)", of + "CASE WHEN id = 7 THEN '예' ELSE '아니오' END FROM people WHERE id = 7)", of + "iif(id = 7, '예', '아니오') FROM people WHERE id = 7)", text("예"), ""},
			{"IFNULL(NULL, 5)", "COALESCE(NULL, 5)", "ifnull(NULL, 5)", whole("5"), ""},
			{"IFNULL(5, '-')", "", "", text("5"), ""}, // one of them is text, so both are
			{"HEX(255)", "upper(to_hex(255))", "printf('%X', 255)", text("FF"), ""},
			{"MD5('a')", "md5('a')", "lower(hex(x'0CC175B9C0F1B6A831C399E269772661'))", text("0cc175b9c0f1b6a831c399e269772661"), ""},
			{"FORMAT(1234.5, 2)", "to_char(1234.5, 'FM9,999.00')", "printf('%,.2f', 1234.5)", text("1,234.50"), ""},
			{"JSON_OBJECT('k', 1.10)", "", "", text(`{"k": 1.10}`), ""},
			{"", "jsonb_build_object('k', 1.10)", "", text(`{"k": 1.10}`), ""},
			{"", "json_build_object('k', '값')", "json_object('k', '값')", text(d.pick("", `{"k" : "값"}`, `{"k":"값"}`)), ""},
			{"JSON_VALUE('{\"k\": \"00123\"}', '$.k')", "'{\"k\": \"00123\"}'::json ->> 'k'", "json_extract('{\"k\": \"00123\"}', '$.k')", text("00123"), ""},
			{"CAST(5 AS CHAR)", "CAST(5 AS varchar)", "CAST(5 AS TEXT)", text("5"), ""},
			{"UNHEX('00FF')", "decode('00FF', 'hex')", "x'00FF'", text("00FF"), ""},
			{"'리터럴'", "'리터럴'", "'리터럴'", text("리터럴"), ""},
			{"''", "''", "''", none, ""},
			{"TRUE", "", "TRUE", whole("1"), ""},
			{"", "true AND NOT false", "", boolean(true), ""},
			{"", "5 IS NULL", "", boolean(false), ""},

			{of + "born FROM people WHERE id = 7)", of + "born FROM people WHERE id = 7)", of + "born FROM people WHERE id = 7)", day(t, "1990-02-28"), ""},
			{of + "MAX(born) FROM people)", of + "MAX(born) FROM people)", "", day(t, "2000-02-29"), ""},
			{of + "DATE_ADD(born, INTERVAL 1 DAY) FROM people WHERE id = 7)", of + "born + 1 FROM people WHERE id = 7)", "", day(t, "1990-03-01"), ""},
			{of + "TIMESTAMP(born) FROM people WHERE id = 7)", of + "born::timestamp FROM people WHERE id = 7)", "", moment(t, "1990-02-28 00:00:00"), ""},
			{"DATEDIFF('2026-09-02', '2026-09-01')", "'2026-09-02'::date - '2026-09-01'::date", "CAST(julianday('2026-09-02') - julianday('2026-09-01') AS INTEGER)", whole("1"), ""},
			// Of an expression SQLite does not say what its text is.
			{"", "", "date('2026-09-02')", text("2026-09-02"), ""},
			{"", "", of + "MAX(born) FROM people)", text("2000-02-29"), ""},
			{"", "", "julianday('2026-09-02 12:00')", double("2461286", "2461286"), ""},
			{"FROM_UNIXTIME(1788327025)", "to_timestamp(1788327025)", "", moment(t, "2026-09-02 14:30:25"), ""},
			{"", "date_trunc('day', to_timestamp(1788327025))", "", moment(t, "2026-09-02 00:00:00"), ""},
			{"", "to_timestamp(1788327025) AT TIME ZONE 'UTC'", "", moment(t, "2026-09-02 05:30:25"), ""},
			{"", "extract(year FROM '2026-09-02'::date)", "", whole("2026"), ""},
			{"", "date_part('year', '2026-09-02'::date)", "", double("2026", "2026"), ""},
			{"", "age('2026-09-02'::date, '2025-08-01'::date)", "", text("1 year 1 mon 1 day"), ""},
			{"", "array_agg(7)", "", text("{7}"), ""},
			{"", "(SELECT p FROM people p WHERE id = 7)", "", text("(7,홍길동,1990-02-28)"), ""},
			{"", "row_to_json(ROW(1, '값'))", "", text(`{"f1":1,"f2":"값"}`), ""},
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}
