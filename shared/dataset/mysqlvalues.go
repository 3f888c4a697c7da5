package dataset

import (
	"fmt"
	"strings"
	"time"
)

// Values for MySQL, cast to their types: the driver sends most as text.

func mysqlMoment(text string) bound {
	return bound{before: "CAST(", after: " AS DATETIME(6))", value: text, form: momentForm}
}

func mysqlDate(text string) bound {
	return bound{before: "CAST(", after: " AS DATE)", value: text, form: dateForm}
}

func mysqlTime(text string) bound {
	return bound{before: "CAST(", after: " AS TIME(6))", value: text, form: timeForm}
}

// mysqlBinary takes the digits of bytes in hex.
func mysqlBinary(digits string) bound {
	return bound{before: "UNHEX(", after: ")", value: digits, form: hexForm}
}

// mysqlDecimal casts a decimal text to a DECIMAL that just holds it.
func mysqlDecimal(text string) bound {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return bound{
		before: "CAST(", value: text, form: decimalForm,
		after: fmt.Sprintf(" AS DECIMAL(%d,%d))", len(whole)+len(fraction), len(fraction)),
	}
}

// mysqlInstant takes seconds since 1970. The server makes a date-time of the
// session's zone of them, unless that would not tell which instant it is.
func mysqlInstant(number string, twice time.Duration) bound {
	b := mysqlDecimal(number)
	b.form, b.twice = instantForm, twice
	if twice == 0 {
		b.before, b.after = "FROM_UNIXTIME("+b.before, b.after+")"
	}
	return b
}
