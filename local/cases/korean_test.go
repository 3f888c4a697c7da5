package cases

import (
	"fmt"
	"strings"
	"testing"
)

// Constructors of values, each in the type that a database has for it.

func inText(s string, w want) typed {
	return everywhereTyped("VARCHAR(80): '"+strings.ReplaceAll(s, "'", "''")+"'", w)
}

func inBigint(n string, w want) typed { return everywhereTyped("BIGINT: "+n, w) }

// inDecimal is an exact decimal; SQLite has those of up to 15 digits.
func inDecimal(precision, scale int, literal string, w want) typed {
	declared := fmt.Sprintf("DECIMAL(%d,%d): %s", precision, scale, literal)
	if precision > 15 {
		return typed{declared, declared, "", w, ""}
	}
	return everywhereTyped(declared, w)
}

// inDouble is a double. MariaDB has no literal for negative zero, but a text is one.
func inDouble(literal string, w want) typed {
	return typed{"DOUBLE: '" + literal + "'", "double precision: '" + literal + "'", "REAL: CAST('" + literal + "' AS REAL)", w, ""}
}

// under gives all values a format.
func under(format string, values []typed) []typed {
	for i, v := range values {
		values[i] = v.with("excelFormat: " + format)
	}
	return values
}

// won is an amount, shown with commas.
func won(literal, shown string) want { return number(literal, "#,##0", shown) }

// K1: amounts are numbers that can be summed, as far as a number cell keeps them.
func TestCase_K1Won(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, under("krw", []typed{
			inBigint("1250000", won("1250000", "1,250,000")),
			inBigint("-1234", won("-1234", "-1,234")),
			inBigint("0", won("0", "0")),
			inDecimal(12, 1, "1234.9", won("1234", "1,234")),
			inDecimal(12, 1, "-1234.9", won("-1234", "-1,234")),
			inDecimal(12, 1, "-0.4", won("0", "0")),
			inText("abc", text("abc")),
			inText("1,234", won("1234", "1,234")),
			everywhereTyped("BIGINT: NULL", none),
			inBigint("1234567890123456789", text("1,234,567,890,123,456,789")),

			inBigint("999", won("999", "999")),
			inBigint("999999999999999", won("999999999999999", "999,999,999,999,999")),
			inBigint("-999999999999999", won("-999999999999999", "-999,999,999,999,999")),
			inBigint("1000000000000000", text("1,000,000,000,000,000")),
			inBigint("-9223372036854775808", text("-9,223,372,036,854,775,808")),
			{"BIGINT UNSIGNED: 18446744073709551615", "", "", text("18,446,744,073,709,551,615"), ""},
			inDecimal(12, 2, "1250000.00", won("1250000", "1,250,000")),
			inDecimal(12, 2, "0.99", won("0", "0")),
			inDecimal(12, 2, "-0.99", won("0", "0")),
			inDecimal(30, 10, "12345678901234567890.9999999999", text("12,345,678,901,234,567,890")),
			inDecimal(30, 10, "-12345678901234567890.5", text("-12,345,678,901,234,567,890")),
			inDecimal(30, 10, "123456789012345.9999999999", won("123456789012345", "123,456,789,012,345")),
			inDecimal(65, 0, strings.Repeat("9", 60), text(strings.Repeat("999,", 19)+"999")),
			inDouble("1234.9", won("1234", "1,234")),
			inDouble("-0.4", won("0", "0")),
			inDouble("-0.0", won("0", "0")),
			inDouble("0.9999999999999999", won("0", "0")),
			inDouble("2999999.9999999995", won("2999999", "2,999,999")),
			inDouble("1e6", won("1000000", "1,000,000")),
			inDouble("1e15", text("1,000,000,000,000,000")),
			inDouble("1e21", text("1,000,000,000,000,000,000,000")),
			inDouble("-1.5e300", text("-1,500,"+strings.Repeat("000,", 98)+"000")),
			inDouble("1e-9", won("0", "0")),
			{"", "double precision: 'NaN'", "", text("NaN"), ""},
			{"", "double precision: '-Infinity'", "", text("-Infinity"), ""},
			{"", "numeric: 'NaN'", "", text("NaN"), ""},
			{"", "numeric: 1234.5678901234567890123", "", won("1234", "1,234"), ""},
			{"FLOAT: 1234.5", "real: 1234.5", "", won("1234", "1,234"), ""},

			inText(" 1250000 ", won("1250000", "1,250,000")),
			inText("+1250000", won("1250000", "1,250,000")),
			inText("-1,234.9", won("-1234", "-1,234")),
			inText("-0", won("0", "0")),
			inText("-0.4", won("0", "0")),
			inText("0012", won("12", "12")),
			inText("0,012", won("12", "12")),
			inText("5.", won("5", "5")),
			inText("\u00a01234\u3000", won("1234", "1,234")),
			inText("1234567890123456789", text("1,234,567,890,123,456,789")),
			inText("-1,234,567,890,123,456.5", text("-1,234,567,890,123,456")),
			inText("000000000000000000123", won("123", "123")),
			inText("1234,56", text("1234,56")),
			inText("1,23", text("1,23")),
			inText("12,3456", text("12,3456")),
			inText(",123", text(",123")),
			inText("1,,234", text("1,,234")),
			inText("1,234,", text("1,234,")),
			inText("1.234,5", text("1.234,5")),
			inText("1,234.5,6", text("1,234.5,6")),
			inText(".5", text(".5")),
			inText("+", text("+")),
			inText("--1", text("--1")),
			inText("1-", text("1-")),
			inText("1e5", text("1e5")),
			inText("0x10", text("0x10")),
			inText("NaN", text("NaN")),
			inText("1 234", text("1 234")),
			inText("(1,234)", text("(1,234)")),
			inText("₩1,234", text("₩1,234")),
			inText("1,234원", text("1,234원")),
			inText("１２３４", text("１２３４")),
			inText("1，234", text("1，234")),
			inText("", none),
			inText("  ", text("  ")),
			everywhereTyped("DATE: '2026-09-02'", text("2026-09-02")),
			{"TIME: '14:30:25'", "time: '14:30:25'", "", text("14:30:25"), ""},
			{"TINYINT(1): 1", "", "", won("1", "1"), ""},
			{"", "boolean: true", "BOOLEAN: 1", text("true"), ""},
			{"BIT(8): b'11111111'", "", "", won("255", "255"), ""},
		}))
		everyPath(t, []string{dataset}, "kinds", nil, d).expect(t, row)
	})
}

// Percent formats have no decimals, one or two.
var percents = []string{`0"%";-0"%";"-"`, `0.0"%";-0.0"%";"-"`, `0.00"%";-0.00"%";"-"`}

func percent(literal string, places int, shown string) want {
	return number(literal, percents[places], shown)
}

// K1: a percentage is the number itself, and zero a dash.
func TestCase_K1Percent(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, under("pct", []typed{
			inBigint("15", percent("15", 0, "15%")),
			inBigint("0", percent("0", 0, "-")),
			everywhereTyped("BIGINT: NULL", none),
			inDecimal(5, 1, "0.4", percent("0.4", 1, "0.4%")),
			inDecimal(6, 3, "0.004", percent("0.004", 2, "0.00%")),

			inBigint("-3", percent("-3", 0, "-3%")),
			inBigint("100", percent("100", 0, "100%")),
			inBigint("123456789012345", percent("123456789012345", 0, "123456789012345%")),
			inBigint("1234567890123456", text("1234567890123456")),
			inDecimal(6, 2, "12.50", percent("12.50", 2, "12.50%")),
			inDecimal(6, 2, "15.00", percent("15.00", 2, "15.00%")),
			inDecimal(6, 2, "0.00", percent("0.00", 2, "-")),
			inDecimal(6, 2, "-0.00", percent("0.00", 2, "-")),
			inDecimal(6, 1, "-7.5", percent("-7.5", 1, "-7.5%")),
			// What a format leaves out is rounded by the program that shows it.
			inDecimal(6, 3, "12.345", percent("12.345", 2, "12.35%")),
			inDecimal(6, 3, "12.344", percent("12.344", 2, "12.34%")),
			inDecimal(6, 3, "99.999", percent("99.999", 2, "100.00%")),
			inDecimal(6, 3, "-12.345", percent("-12.345", 2, "-12.35%")),
			inDecimal(20, 4, "1234567890123456.7890", text("1234567890123456.7890")),
			inDecimal(30, 20, "0.00000000000000000001", percent("0.00000000000000000001", 2, "0.00%")),
			inDouble("15", percent("15", 0, "15%")),
			inDouble("0.4", percent("0.4", 1, "0.4%")),
			inDouble("-0.0", percent("0", 0, "-")),
			inDouble("0.30000000000000004", percent("0.30000000000000004", 2, "0.30%")),
			inDouble("33.333333333333336", percent("33.333333333333336", 2, "33.33%")),
			inDouble("1e-7", percent("1E-07", 2, "0.00%")),
			{"", "double precision: 'Infinity'", "", text("Infinity"), ""},
			{"FLOAT: 0.1", "real: 0.1", "", percent("0.1", 1, "0.1%"), ""},

			inText("15", percent("15", 0, "15%")),
			inText(" 12.5 ", percent("12.5", 1, "12.5%")),
			inText("+7", percent("7", 0, "7%")),
			inText("1,234.5", percent("1234.5", 1, "1234.5%")),
			inText("-1,234", percent("-1234", 0, "-1234%")),
			inText("0", percent("0", 0, "-")),
			inText("-0", percent("0", 0, "-")),
			inText("0.0", percent("0.0", 1, "-")),
			inText("007", percent("7", 0, "7%")),
			inText("5.", percent("5", 0, "5%")),
			inText("15%", text("15%")),
			inText("abc", text("abc")),
			inText(".5", text(".5")),
			inText("1e1", text("1e1")),
			inText("12,34", text("12,34")),
			inText("１５", text("１５")),
			inText("1234567890123456", text("1234567890123456")),
			inText("", none),
			everywhereTyped("DATE: '2026-09-02'", text("2026-09-02")),
			{"", "boolean: false", "BOOLEAN: 0", text("false"), ""},
		}))
		everyPath(t, []string{dataset}, "kinds", nil, d).expect(t, row)
	})
}

// K1: a business registration number has ten digits; nobody makes up the eleventh
// or a zero that was lost.
func TestCase_K1BusinessNumber(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		const good = "123-45-67890"
		dataset, row := d.kinds(t, under("bizno", []typed{
			inText("1234567890", text(good)),
			inText("123-45-67890", text(good)),
			inText("123456789", text("123456789")),

			inText("123-4567890", text(good)),
			inText("123 45 67890", text(good)),
			inText("123.45.67890", text(good)),
			inText(" 1234567890 ", text(good)),
			inText("0123456789", text("012-34-56789")),
			inText("0000000000", text("000-00-00000")),
			inText("12345678901", text("12345678901")),
			inText("1234567890123", text("1234567890123")),
			inText("123-45-6789", text("123-45-6789")),
			inText("123-45-6789O", text("123-45-6789O")),
			inText("+1234567890", text("+1234567890")),
			inText("123/45/67890", text("123/45/67890")),
			inText("１２３４５６７８９０", text("１２３４５６７８９０")),
			inText("1,234,567,890", text("1,234,567,890")),
			inText("", none),
			inText("----------", text("----------")),
			everywhereTyped("CHAR(12): '1234567890'", text(good)),
			inBigint("1234567890", text(good)),
			inBigint("123456789", text("123456789")), // a zero in front was lost
			inBigint("-1234567890", text("-1234567890")),
			everywhereTyped("BIGINT: NULL", none),
			inDecimal(10, 0, "1234567890", text(good)),
			inDecimal(12, 2, "1234567890.00", text("1234567890.00")),
			inDecimal(11, 1, "123456789.0", text("123456789.0")),
			inDouble("1234567890", text(good)),
			inDouble("1.23456789e9", text(good)),
			inDouble("123456789.5", text("123456789.5")),
			everywhereTyped("DATE: '2026-09-02'", text("2026-09-02")),
		}))
		everyPath(t, []string{dataset}, "kinds", nil, d).expect(t, row)
	})
}

// telephones are numbers as people type them, and as they are shown.
var telephones = []struct{ in, shown string }{
	{"021234567", "02-123-4567"}, {"0212345678", "02-1234-5678"}, {"0311234567", "031-123-4567"}, {"03112345678", "031-1234-5678"},
	{"15881234", "1588-1234"}, {"02)123-4567", "02-123-4567"}, {"+82-2-123-4567", "+82-2-123-4567"}, {"02-123-4567 (내선 3)", "02-123-4567 (내선 3)"},
	{"01012345678", "010-1234-5678"}, {"0111234567", "011-123-4567"}, {"821012345678", "821012345678"},

	{"010-1234-5678", "010-1234-5678"}, {"010-12345678", "010-1234-5678"}, {"010.1234.5678", "010-1234-5678"}, {"010 1234 5678", "010-1234-5678"},
	{"(02) 1234-5678", "02-1234-5678"}, {" 01012345678 ", "010-1234-5678"}, {"02-0000-0000", "02-0000-0000"},
	{"0161234567", "016-123-4567"}, {"01712345678", "017-1234-5678"}, {"0181234567", "018-123-4567"}, {"0191234567", "019-123-4567"},
	{"0121234567", "0121234567"}, {"01312345678", "01312345678"}, {"0101234567", "0101234567"}, {"010123456789", "010123456789"},
	{"07012345678", "070-1234-5678"}, {"0701234567", "0701234567"}, {"0721234567", "0721234567"},
	{"0801234567", "080-123-4567"}, {"08012345678", "080-1234-5678"}, {"0811234567", "0811234567"}, {"0901234567", "0901234567"},
	{"050512345678", "0505-1234-5678"}, {"05051234567", "0505-123-4567"}, {"0505-123-4567", "0505-123-4567"}, {"0505123456", "0505123456"},
	{"050212345678", "0502-1234-5678"}, {"050712345678", "0507-1234-5678"}, {"030312345678", "0303-1234-5678"}, {"03031234567", "0303-123-4567"},
	{"0303123456", "0303123456"}, {"0331234567", "033-123-4567"}, {"0441234567", "044-123-4567"}, {"0511234567", "051-123-4567"},
	{"0641234567", "064-123-4567"}, {"06412345678", "064-1234-5678"}, {"0602001234", "060-200-1234"},
	{"1588-1234", "1588-1234"}, {"1588 1234", "1588-1234"}, {"16001234", "1600-1234"}, {"16611234", "1661-1234"}, {"18991234", "1899-1234"},
	{"17001234", "17001234"}, {"19001234", "19001234"}, {"1588123", "1588123"}, {"158812345", "158812345"}, {"15881234567", "15881234567"},
	{"0212345", "0212345"}, {"02123456", "02123456"}, {"02123456789", "02123456789"}, {"0101234567890", "0101234567890"}, {"031123456", "031123456"},
	{"112", "112"}, {"1", "1"}, {"0", "0"}, {"00000000", "00000000"}, {"1234567", "1234567"}, {"12345678", "12345678"},
	{"+821012345678", "+821012345678"}, {"+82 10-1234-5678", "+82 10-1234-5678"}, {"0082-2-123-4567", "0082-2-123-4567"}, {"82-2-123-4567", "82-2-123-4567"},
	{"010_1234_5678", "010_1234_5678"}, {"010/1234/5678", "010/1234/5678"}, {"010-1234-5678 / 02-123-4567", "010-1234-5678 / 02-123-4567"},
	{"01012345678,01087654321", "01012345678,01087654321"}, {"02-123-4567~8", "02-123-4567~8"}, {"010-1234-567X", "010-1234-567X"}, {"tel 021234567", "tel 021234567"},
	{"０１０１２３４５６７８", "０１０１２３４５６７８"}, {"010–1234–5678", "010–1234–5678"}, {"없음", "없음"}, {"-", "-"}, {"010****5678", "010****5678"},
}

// K3: a number of a known plan gets its hyphens, any other is left alone.
func TestCase_K3(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(80))")
		var rows [][]want
		for i, n := range telephones {
			d.insert(t, "people", []any{i, n.in})
			rows = append(rows, []want{text(n.shown), text(n.shown)})
		}
		people := "name: people\nsource: " + d.name + "\nkey: id\nselect: {id: p.id, v: p.v}\nfrom: people p\ncolumns: [{field: v, excelFormat: tel}, {field: v, excelFormat: phone}]\n"
		everyPath(t, []string{people}, "people", nil, d).expect(t, rows)

		// Numbers have lost what stood in front of them; their signs and points are
		// no separators.
		dataset, row := d.kinds(t, under("tel", []typed{
			inBigint("1012345678", text("1012345678")),
			inBigint("212345678", text("212345678")),
			inBigint("15881234", text("1588-1234")),
			inBigint("-15881234", text("-15881234")),
			inBigint("821012345678", text("821012345678")),
			everywhereTyped("BIGINT: NULL", none),
			inDecimal(8, 0, "15881234", text("1588-1234")),
			inDecimal(12, 1, "1588123.4", text("1588123.4")),
			inDouble("15881234", text("1588-1234")),
			everywhereTyped("CHAR(14): '01012345678'", text("010-1234-5678")),
			everywhereTyped("DATE: '2026-09-02'", text("2026-09-02")),
			{"VARBINARY(11): '01012345678'", "bytea: '01012345678'", "BLOB: x'3031'", text(d.pick("3031303132333435363738", "3031303132333435363738", "3031")), ""},
			{"", "boolean: true", "BOOLEAN: 1", text("true"), ""},
		}))
		everyPath(t, []string{dataset}, "kinds", nil, d).expect(t, row)
	})
}
