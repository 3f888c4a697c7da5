package cases

import (
	"strings"
	"testing"
)

// N1: identifiers keep their zeros, long integers every digit.
func TestCase_N1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t,
			"CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, code VARCHAR(40), n BIGINT)",
			`INSERT INTO items VALUES (1, '00123', 123456789012345), (2, '06236', 1234567890123456),
				(3, '110234567890123456', 9007199254740993), (4, '1e5', 9223372036854775807),
				(5, '-0', -9223372036854775808), (6, '+5', 999999999999999), (7, '1.10', -999999999999999),
				(8, ' 5 ', 1000000000000000), (9, '1,234', -1000000000000000), (10, '0x1F', 0),
				(11, '١٢٣', -1), (12, 'TRUE', NULL), (13, 'NaN', 1), (14, '2026-09-02', 2), (15, '12%', 3)`)
		f := everyPath(t, []string{`
name: items
source: ` + d.name + `
key: id
select: {id: i.id, code: i.code, n: i.n}
from: items i
columns: [{field: code}, {field: n}]
`}, "items", nil, d)
		rows := [][]want{
			{text("00123"), whole("123456789012345")},
			{text("06236"), text("1234567890123456")},
			{text("110234567890123456"), text("9007199254740993")},
			{text("1e5"), text("9223372036854775807")},
			{text("-0"), text("-9223372036854775808")},
			{text("+5"), whole("999999999999999")},
			{text("1.10"), whole("-999999999999999")},
			{text(" 5 "), text("1000000000000000")},
			{text("1,234"), text("-1000000000000000")},
			{text("0x1F"), whole("0")},
			{text("١٢٣"), whole("-1")},
			{text("TRUE"), none},
			{text("NaN"), whole("1")},
			{text("2026-09-02"), whole("2")},
			{text("12%"), whole("3")},
		}
		f.expect(t, rows)
		sheet := f.book(t).Sheet(0).Rows()
		for i := range rows {
			if code, n := at(sheet, i+1, 0), at(sheet, i+1, 1); code.Align == "right" || n.Type == "s" && n.Align != "right" {
				t.Errorf("row %d: the text %s is aligned %q, the number %s %q", i+1, code.Text, code.Align, n.Text, n.Align)
			}
		}
	})
}

// What the databases call integers, in each of their types.
func TestIntegerTypes(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, []typed{
			{"TINYINT UNSIGNED: 255", "smallint: 255", "TINYINT: 255", whole("255"), ""},
			{"TINYINT(1): 1", "", "TINYINT(1): 1", whole("1"), ""},
			{"TINYINT(1): -128", "", "", whole("-128"), ""},
			{"SMALLINT UNSIGNED: 65535", "integer: 65535", "SMALLINT: 65535", whole("65535"), ""},
			{"MEDIUMINT: -8388608", "", "", whole("-8388608"), ""},
			{"INT UNSIGNED: 4294967295", "oid: 4294967295", "INT: 4294967295", whole("4294967295"), ""},
			{"INT(6) ZEROFILL: 42", "", "", whole("42"), ""},
			{"YEAR: 2026", "", "", whole("2026"), ""},
			{"BIGINT UNSIGNED: 18446744073709551615", "numeric(20,0): 18446744073709551615", "", text("18446744073709551615"), ""},
			{"BIGINT UNSIGNED: 999999999999999", "bigint: 999999999999999", "BIGINT: 999999999999999", whole("999999999999999"), ""},
			{"DECIMAL(38,0): 99999999999999999999999999999999999999", "numeric(38,0): 99999999999999999999999999999999999999", "",
				text("99999999999999999999999999999999999999"), ""},
			{"DECIMAL(20,0): 123456789012345", "numeric(20,0): 123456789012345", "DECIMAL(20,0): 123456789012345", whole("123456789012345"), ""},
			{"CHAR(5): '00007'", "char(5): '00007'", "CHAR(5): '00007'", text("00007"), ""},
			everywhereTyped("CHAR(5): '07'", text("07")), // without the blanks that fill it up
			{"ENUM('01','02'): '02'", "", "", text("02"), ""},
			{"SET('1','2'): '1,2'", "", "", text("1,2"), ""},
			{"LONGTEXT: '9'", "text: '9'", "TEXT: '9'", text("9"), ""},
			{"", "name: '10'", "", text("10"), ""},
			{"", `"char": '7'`, "", text("7"), ""},
			{"", "money: 1234.5", "", text("$1,234.50"), ""},
			// SQLite makes a number of a text of digits in a column for numbers, and
			// keeps other texts.
			{"", "", "INTEGER: '00123'", whole("123"), ""},
			{"", "", "INTEGER: 'n/a'", text("n/a"), ""},
			{"", "", "DATETIME: 1756790000", whole("1756790000"), ""},
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}

// N2: there is no cell for NaN and the infinities, and no sign before zero.
func TestCase_N2(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		zero, general := number("0", "General", "0"), "General"
		dataset, row := d.kinds(t, []typed{
			{"", "double precision: 'NaN'", "", text("NaN"), ""},
			{"", "double precision: 'Infinity'", "REAL: 9e999", text("Infinity"), ""},
			{"", "double precision: '-Infinity'", "REAL: -9e999", text("-Infinity"), ""},
			{"", "numeric: 'NaN'", "", text("NaN"), ""},
			{"", "numeric: 'Infinity'", "", text("Infinity"), ""},
			{"", "numeric: '-Infinity'", "", text("-Infinity"), ""},
			{"", "numeric(12,2): 'NaN'", "", text("NaN"), ""},
			{"", "real: 'NaN'", "", text("NaN"), ""},
			{"", "real: '-Infinity'", "", text("-Infinity"), ""},
			{"DOUBLE: -0e0", "double precision: '-0'", "REAL: -0.0", zero, ""},
			{"FLOAT: -0e0", "real: '-0'", "FLOAT: -0.0", zero, ""},
			{"", "double precision: 'NaN'", "", text("NaN"), ", excelFormat: krw"},
			{"", "double precision: 'Infinity'", "REAL: 9e999", text("Infinity"), ", excelFormat: pct"},
			{"", "numeric: 'NaN'", "", text("NaN"), `, excelFormat: "#,##0.00"`},
			{"", "double precision: '-Infinity'", "REAL: -9e999", text("-Infinity"), `, excelFormat: "0.0"`},
			{"", "double precision: 'Infinity'", "REAL: 9e999", text("Infinity"), ", excelFormat: ymd"},
			{"", "double precision: 'NaN'", "", text("없음"), ", excelCodeMap: {NaN: 없음}"},
			{"", "double precision: '-Infinity'", "REAL: -9e999", text("끝"), ", excelCodeMap: {-Infinity: 끝}"},
			{"DOUBLE: -0e0", "double precision: '-0'", "REAL: -0.0", text("영"), `, excelCodeMap: {"0": 영}`},
			{"DOUBLE: -0e0", "double precision: '-0'", "REAL: -0.0", number("0", "#,##0", "0"), ", excelFormat: krw"},
			{"DOUBLE: -0.4e0", "double precision: '-0.4'", "REAL: -0.4", number("0", "#,##0", "0"), ", excelFormat: krw"},
			{"DOUBLE: 1.7976931348623157e308", "double precision: 1.7976931348623157e308", "REAL: 1.7976931348623157e308",
				number("1.7976931348623157E+308", general, "1.7976931348623157E+308"), ""},
			{"DOUBLE: -2.2250738585072014e-308", "double precision: -2.2250738585072014e-308", "REAL: -2.2250738585072014e-308",
				number("-2.2250738585072014E-308", general, "-2.2250738585072E-308"), ""},
			{"FLOAT: 3.4028235e38", "real: 3.4028235e38", "", number("3.4028235E+38", general, "3.4028235E+038"), ""},
			{"FLOAT: 1e-45", "real: 1e-45", "", number("1E-45", general, "1E-45"), ""},
			{"TEXT: 'NaN'", "text: 'NaN'", "TEXT: 'NaN'", text("NaN"), ", excelFormat: krw"},
			{"TEXT: '-0'", "text: '-0'", "TEXT: '-0'", number("0", "#,##0", "0"), ", excelFormat: krw"},
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
		for _, never := range []string{">NaN</v>", "Inf</v>", ">-0</v>", "nan</v>"} {
			if strings.Contains(sheetXML(t, f.content), never) {
				t.Errorf("the sheet has %s", never)
			}
		}
	})
}
