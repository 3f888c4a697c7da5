package cases

import (
	"strconv"
	"strings"
	"testing"
)

// decimal is a number with its decimal places.
func decimal(literal string) want {
	places := 0
	if _, fraction, ok := strings.Cut(literal, "."); ok {
		places = len(fraction)
	}
	format := "0"
	if places > 0 {
		format += "." + strings.Repeat("0", places)
	}
	return number(literal, format, literal)
}

// double is a number as short as it can be; a person sees fewer digits.
func double(literal, shown string) want { return number(literal, "General", shown) }

// N3: decimals keep every digit and their scale, doubles read back equal.
func TestCase_N3(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, []typed{
			// SQLite keeps a DECIMAL as a double: what it has lost is lost.
			{"DECIMAL(20,4): 1234567890123456.7890", "numeric(20,4): 1234567890123456.7890", "", text("1234567890123456.7890"), ""},
			everywhereTyped("DECIMAL(12,2): 0.10", decimal("0.10")),
			everywhereTyped("DECIMAL(12,2): 1.10", decimal("1.10")),
			everywhereTyped("DECIMAL(12,2): -0.00", decimal("0.00")),
			everywhereTyped("DECIMAL(15,2): 1234567890123.45", decimal("1234567890123.45")),
			{"DOUBLE: 33.333333333333336", "double precision: 33.333333333333336", "DOUBLE: 33.333333333333336",
				double("33.333333333333336", "33.3333333333333"), ""},
			{"DOUBLE: 0.30000000000000004", "double precision: 0.30000000000000004", "DOUBLE: 0.30000000000000004",
				double("0.30000000000000004", "0.3"), ""},

			everywhereTyped("DECIMAL(12,2): -0.01", decimal("-0.01")),
			everywhereTyped("DECIMAL(12,2): 1000000000.00", decimal("1000000000.00")),
			everywhereTyped("DECIMAL(5,0): 0", decimal("0")),
			{"DECIMAL(5,0): -7", "numeric(5,0): -7", "DECIMAL(5,0): -7", decimal("-7"), ""},
			{"DECIMAL(18,3): 999999999999999.000", "numeric(18,3): 999999999999999.000", "", decimal("999999999999999.000"), ""},
			{"DECIMAL(18,3): 999999999999999.001", "numeric(18,3): 999999999999999.001", "", text("999999999999999.001"), ""},
			{"DECIMAL(18,3): -999999999999999.001", "numeric(18,3): -999999999999999.001", "", text("-999999999999999.001"), ""},
			{"DECIMAL(16,2): 99999999999999.99", "numeric(16,2): 99999999999999.99", "", text("99999999999999.99"), ""},
			{"DECIMAL(17,16): 0.1234567890123456", "numeric(17,16): 0.1234567890123456", "", text("0.1234567890123456"), ""},
			{"DECIMAL(17,16): 0.1234567890123450", "numeric(17,16): 0.1234567890123450", "", decimal("0.1234567890123450"), ""},
			{"DECIMAL(30,20): 0.00000000000000000001", "numeric(30,20): 0.00000000000000000001", "", decimal("0.00000000000000000001"), ""},
			// No program shows a digit so far behind the point.
			{"DECIMAL(30,25): 0.0000000000000000000000001", "numeric(30,25): 0.0000000000000000000000001", "", text("0.0000000000000000000000001"), ""},
			{"DECIMAL(65,30): 1.1", "numeric(65,30): 1.1", "", decimal("1.100000000000000000000000000000"), ""},
			{"DECIMAL(65,30): 0", "numeric(65,30): 0", "", decimal("0.000000000000000000000000000000"), ""},
			{"DECIMAL(65,30): -12345678901234567890123456789012345.123456789012345678901234567890",
				"numeric(65,30): -12345678901234567890123456789012345.123456789012345678901234567890", "",
				text("-12345678901234567890123456789012345.123456789012345678901234567890"), ""},
			// Excel's formats end at 30 places.
			{"DECIMAL(65,38): 1.5", "numeric(65,38): 1.5", "", text("1.5" + strings.Repeat("0", 37)), ""},
			{"DECIMAL(20,0): 10000000000000000000", "numeric(20,0): 10000000000000000000", "", decimal("10000000000000000000"), ""},
			{"DECIMAL(10,2) UNSIGNED: 1.1", "", "", decimal("1.10"), ""},
			{"DECIMAL(10,2) ZEROFILL: 1.1", "", "", decimal("1.10"), ""},
			{"", "numeric: 1.10", "", decimal("1.10"), ""},
			{"", "numeric: 1.100", "", decimal("1.100"), ""},
			{"", "numeric: 100", "", decimal("100"), ""},
			{"", "numeric: 1e20", "", decimal("100000000000000000000"), ""},
			{"", "numeric: 1e-9", "", decimal("0.000000001"), ""},
			{"", "numeric: 1e-31", "", text("0.0000000000000000000000000000001"), ""},
			{"", "numeric: -0.0", "", decimal("0.0"), ""},
			{"", "numeric: 1234567890.1234567890", "", text("1234567890.1234567890"), ""},
			{"", "numeric: 1e400", "", text("1" + strings.Repeat("0", 400)), ""},
			{"", "numeric(5,-2): 12345", "", decimal("12300"), ""},
			{"", "numeric(3,5): 0.00123", "", decimal("0.00123"), ""},

			{"FLOAT: 0.1", "real: 0.1", "", double("0.1", "0.1"), ""},
			{"FLOAT: 16777216", "real: 16777216", "", double("16777216", "16777216"), ""},
			{"FLOAT: 0.33333334", "real: 0.33333334", "", double("0.33333334", "0.33333334"), ""},
			{"DOUBLE: 0.1", "double precision: 0.1", "REAL: 0.1", double("0.1", "0.1"), ""},
			{"DOUBLE: 2000000", "double precision: 2000000", "REAL: 2000000", double("2000000", "2000000"), ""},
			{"DOUBLE: 1e15", "double precision: 1e15", "REAL: 1e15", double("1000000000000000", "1000000000000000"), ""},
			{"DOUBLE: 123456789012345680000", "double precision: 123456789012345680000", "REAL: 123456789012345680000",
				double("123456789012345680000", "1.23456789012346E+020"), ""},
			{"DOUBLE: 9007199254740993", "double precision: 9007199254740993", "REAL: 9007199254740993e0",
				double("9007199254740992", "9.00719925474099E+015"), ""},
			{"DOUBLE: 1e21", "double precision: 1e21", "REAL: 1e21", double("1E+21", "1E+021"), ""},
			{"DOUBLE: 1e-7", "double precision: 1e-7", "REAL: 1e-7", double("1E-07", "0.0000001"), ""},
			{"DOUBLE: 123456.789e0", "double precision: 123456.789", "REAL: 123456.789", double("123456.789", "123456.789"), ""},
			{"DOUBLE: -1.005e0", "double precision: -1.005", "REAL: -1.005", double("-1.005", "-1.005"), ""},
			{"DOUBLE(12,2): 1250.505", "", "", double("1250.51", "1250.51"), ""},
			// What is no decimal of the declared scale stays the double it is.
			{"", "", "DECIMAL(12,2): 0.125", double("0.125", "0.125"), ""},
			{"", "", "DECIMAL(12,2): 'n/a'", text("n/a"), ""},
			{"", "", "DECIMAL(12,2): 7", decimal("7.00"), ""},
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
		for _, must := range []string{"<v>33.333333333333336</v>", "<v>0.30000000000000004</v>"} {
			if !strings.Contains(sheetXML(t, f.content), must) {
				t.Errorf("the sheet has no %s", must)
			}
		}
		for i, c := range f.book(t).Sheet(0).Rows()[1] {
			if c.Type != "n" {
				continue
			}
			read, err := strconv.ParseFloat(c.Raw, 64)
			must, _ := strconv.ParseFloat(row[0][i].text, 64)
			if err != nil || read != must {
				t.Errorf("column %d: %s reads back as %v, want %v", i+1, c.Raw, read, must)
			}
		}
	})
}

// Numbers that the databases compute have types of their own.
func TestComputedNumbers(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE sales (n INTEGER, price DECIMAL(12,2))", "INSERT INTO sales VALUES (1, 10.10), (2, 20.20)")
		const of = "(SELECT "
		dataset, row := d.expressions([]typed{
			{of + "COUNT(*) FROM sales)", of + "COUNT(*) FROM sales)", of + "COUNT(*) FROM sales)", whole("2"), ""},
			{of + "SUM(n) FROM sales)", of + "SUM(n) FROM sales)", of + "SUM(n) FROM sales)", whole("3"), ""},
			{of + "SUM(price) FROM sales)", of + "SUM(price) FROM sales)", "", decimal("30.30"), ""},
			{of + "AVG(n) FROM sales)", "", "", decimal("1.5000"), ""},
			{"", of + "AVG(n) FROM sales)", "", decimal("1.5000000000000000"), ""},
			{"", "", of + "AVG(n) FROM sales)", double("1.5", "1.5"), ""},
			{of + "MAX(price) FROM sales)", of + "MAX(price) FROM sales)", "", decimal("20.20"), ""},
			{"1 / 3", "", "", decimal("0.3333"), ""},
			{"", "1 / 3", "1 / 3", whole("0"), ""},
			{"1e0 / 3", "1::double precision / 3", "1.0 / 3", double("0.3333333333333333", "0.333333333333333"), ""},
			{"", "1::numeric / 3", "", text("0.33333333333333333333"), ""},
			{"ROUND(1.005, 2)", "ROUND(1.005, 2)", "", decimal("1.01"), ""},
			{"7 DIV 2", "7 / 2", "7 / 2", whole("3"), ""},
			{"CAST('12.5' AS DECIMAL(6,2))", "CAST('12.5' AS numeric(6,2))", "", decimal("12.50"), ""},
			{"CAST('00123' AS CHAR)", "CAST('00123' AS text)", "CAST('00123' AS TEXT)", text("00123"), ""},
			{"CAST('00123' AS UNSIGNED)", "CAST('00123' AS integer)", "CAST('00123' AS INTEGER)", whole("123"), ""},
			{"18446744073709551615", "18446744073709551615", "", text("18446744073709551615"), ""},
			{"9223372036854775807 + 0.0", "", "", text("9223372036854775807.0"), ""},
			// A condition has a type of its own in one database alone.
			{"1 = 1", "", "1 = 1", whole("1"), ""},
			{"1 > 2", "", "1 > 2", whole("0"), ""},
			{"NOT TRUE", "", "NOT TRUE", whole("0"), ""},
			{"", "1 = 1", "", boolean(true), ""},
			{"", "1 > 2", "", boolean(false), ""},
			{"NULL", "NULL", "NULL", none, ""},
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}
