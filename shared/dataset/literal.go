package dataset

import (
	"regexp"
	"strings"
	"time"
)

// Limits of a number: those of DECIMAL on MySQL, the tightest of the databases.
const (
	maxDigits = 65
	maxScale  = 30
)

var number = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$`)

// canonical brings one value's text into its type's canonical form. The reason
// is "" when that worked; blank text has been taken for absent before.
func canonical(t ParamType, text string) (value, reason string) {
	switch t {
	case StringParam:
		if strings.ContainsRune(text, 0) {
			return "", "must not contain the character U+0000"
		}
		return text, ""
	case IntegerParam:
		return canonicalInteger(text)
	case DecimalParam:
		return canonicalDecimal(text)
	case BooleanParam:
		switch strings.ToLower(text) {
		case "true", "1":
			return "true", ""
		case "false", "0":
			return "false", ""
		}
		return "", "must be true or false"
	case DateParam:
		return canonicalDate(text)
	case DateTimeParam:
		return canonicalDateTime(text)
	}
	return "", "has an unknown type"
}

// splitNumber takes a number apart without ever going through a float: its
// value is ±digits × 10^-scale, digits without zeros at either end ("" is 0).
func splitNumber(text string) (negative bool, digits string, scale int, ok bool) {
	m := number.FindStringSubmatch(text)
	if m == nil || m[2]+m[3] == "" {
		return false, "", 0, false
	}
	exponent := 0
	if m[4] != "" {
		for _, c := range strings.TrimLeft(m[4], "+-") {
			exponent = exponent*10 + int(c-'0')
		}
		if m[4][0] == '-' {
			exponent = -exponent
		}
	}
	scale = len(m[3]) - exponent
	digits = strings.TrimLeft(m[2]+m[3], "0")
	trimmed := strings.TrimRight(digits, "0")
	scale -= len(digits) - len(trimmed)
	if trimmed == "" {
		return false, "", 0, true
	}
	return m[1] == "-", trimmed, scale, true
}

func canonicalInteger(text string) (value, reason string) {
	negative, digits, scale, ok := splitNumber(text)
	if !ok || scale > 0 {
		return "", "must be an integer"
	}
	if len(digits)-scale > maxDigits {
		return "", "has too many digits"
	}
	return signed(negative, digits+strings.Repeat("0", -scale)), ""
}

func canonicalDecimal(text string) (value, reason string) {
	negative, digits, scale, ok := splitNumber(text)
	if !ok {
		return "", "must be a number"
	}
	if scale > maxScale || max(len(digits), len(digits)-scale) > maxDigits {
		return "", "has too many digits"
	}
	if scale <= 0 {
		return signed(negative, digits+strings.Repeat("0", -scale)), ""
	}
	if lead := scale + 1 - len(digits); lead > 0 {
		digits = strings.Repeat("0", lead) + digits
	}
	point := len(digits) - scale
	return signed(negative, digits[:point]+"."+digits[point:]), ""
}

func signed(negative bool, digits string) string {
	switch {
	case digits == "":
		return "0"
	case negative:
		return "-" + digits
	}
	return digits
}

const (
	dateLayout     = "2006-01-02"
	dateTimeLayout = "2006-01-02T15:04:05"
)

func canonicalDate(text string) (value, reason string) {
	for _, layout := range []string{"20060102", dateLayout} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1 {
			return t.Format(dateLayout), ""
		}
	}
	return "", "must be a real date, yyyyMMdd or yyyy-MM-dd"
}

// dateTime is a date with an optional time, fraction and zone.
var dateTime = regexp.MustCompile(
	`^(\d{8}|\d{4}-\d\d-\d\d)(?:[T ]?(\d{6}|\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)?)?$`)

// canonicalDateTime reads wall-clock date-times, and instants (with Z or an
// offset), which end with Z in UTC. Fractions are cut to microseconds, the
// finest that all databases hold.
func canonicalDateTime(text string) (value, reason string) {
	const malformed = "must be a real date-time, yyyyMMddHHmmss or yyyy-MM-ddTHH:mm:ss"
	m := dateTime.FindStringSubmatch(text)
	if m == nil {
		return "", malformed
	}
	plain := strings.NewReplacer("-", "", ":", "").Replace(m[1] + m[2])
	t, err := time.Parse("20060102150405", (plain + "000000")[:14])
	if err != nil || t.Year() < 1 {
		return "", malformed
	}
	fraction := strings.TrimRight(m[3][:min(len(m[3]), 6)], "0")
	if fraction != "" {
		fraction = "." + fraction
	}
	zone := ""
	if offset := strings.ReplaceAll(m[4], ":", ""); offset != "" {
		zone = "Z"
		if offset != "Z" && offset != "z" {
			at, err := time.Parse("-0700", offset)
			if err != nil {
				return "", malformed
			}
			_, seconds := at.Zone()
			t = t.Add(-time.Duration(seconds) * time.Second)
			if t.Year() < 1 || t.Year() > 9999 {
				return "", malformed
			}
		}
	}
	return t.Format(dateTimeLayout) + fraction + zone, ""
}

// wallClock turns a canonical date-time into the zone's wall clock, without a
// zone in its text.
func wallClock(value string, zone *time.Location) string {
	if !strings.HasSuffix(value, "Z") {
		return value
	}
	t, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return value
	}
	return t.In(zone).Format("2006-01-02T15:04:05.999999")
}
