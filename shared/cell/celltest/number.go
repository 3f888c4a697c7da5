package celltest

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// precise is the number of digits that a number cell keeps.
const precise = 15

var (
	// A plus and a point at the end are taken for what they are.
	integerForm = regexp.MustCompile(`^[+-]?\d+\.?$`)
	decimalForm = regexp.MustCompile(`^[+-]?\d+(\.\d*)?$`)
	// wonForm is the text that krw and pct take for a number.
	wonForm = regexp.MustCompile(`^[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?$`)
)

// exact reads a decimal number that may have an exponent.
func exact(s string) *big.Rat {
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a number: " + s)
	}
	return n
}

// canonical is a number without zeros before it; zero has no sign.
func canonical(s string) string {
	if !decimalForm.MatchString(s) {
		return s
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if strings.HasPrefix(s, "-") && strings.Trim(whole, "0.") != "" {
		return "-" + whole
	}
	return whole
}

// bits is the number that the bytes of a BIT column mean.
func bits(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

// integer is the cell of a whole number.
func (r reading) integer() Want {
	s := r.text()
	if r.v.Kind == cell.Integer && !integerForm.Match(r.v.Bytes) {
		return written(string(r.v.Bytes))
	}
	if len(digitsOf(s)) > precise {
		return written(s)
	}
	return r.number(exact(s), "0", s)
}

// number is a number cell, in the custom format if there is one.
func (r reading) number(n *big.Rat, code, shown string) Want {
	if r.code != "" {
		code, shown = r.code, ""
		// A number can be a day, if every program's calendar has it.
		days, hours := calendarParts(code)
		if (days || hours) && (n.Sign() < 0 || n.Cmp(big.NewRat(2958466, 1)) >= 0) || days && n.Cmp(big.NewRat(61, 1)) < 0 {
			return r.unfit()
		}
	}
	return Want{Type: cell.Number, Number: n, Format: code, Shown: shown}
}

// significant counts the digits that say something: zeros at the ends do not.
func significant(s string) int {
	return len(strings.TrimRight(strings.TrimLeft(digitsOf(s), "0"), "0"))
}

// digitsOf leaves the digits of a text.
func digitsOf(s string) string {
	var out strings.Builder
	for _, c := range s {
		if '0' <= c && c <= '9' {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// places is the number of digits behind the point.
func places(s string) int {
	if _, fraction, ok := strings.Cut(s, "."); ok {
		return len(fraction)
	}
	return 0
}

// lastPlace is where readers stop: LibreOffice shows a zero behind it.
const lastPlace = 20

// decimal is the cell of an exact number of a fixed scale.
func (r reading) decimal() Want {
	s := r.text()
	if !decimalForm.MatchString(s) {
		return r.unfit()
	}
	scale := r.scale
	if scale < 0 {
		scale = places(s)
	}
	// A custom format shows what it likes; others show every digit.
	if significant(s) > precise || r.code == "" && (places(s) > scale || trimmedPlaces(s) > lastPlace || scale > 30) {
		return r.unfit()
	}
	return r.number(exact(s), "0"+fractionCode(scale), exact(canonical(s)).FloatString(scale))
}

// trimmedPlaces are the places up to the last digit that is not zero.
func trimmedPlaces(s string) int {
	whole, fraction, _ := strings.Cut(s, ".")
	return places(whole + "." + strings.TrimRight(fraction, "0"))
}

// fractionCode is the part of a number format behind the point.
func fractionCode(scale int) string {
	if scale == 0 {
		return ""
	}
	return "." + strings.Repeat("0", scale)
}

// double reads the text of a double or float; beyond their range is infinity.
func (r reading) double() (v float64, bits int, ok bool) {
	bits = 64
	if r.v.Kind == cell.Float32 {
		bits = 32
	}
	v, err := strconv.ParseFloat(string(r.v.Bytes), bits)
	return v, bits, err == nil || math.IsInf(v, 0)
}

// doubleText is the text of a double: the shortest, and plain digits where people
// would write them.
func (r reading) doubleText() string {
	v, bits, ok := r.double()
	switch {
	case !ok:
		return string(r.v.Bytes)
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0:
		return "0"
	case math.Abs(v) >= 1e21 || math.Abs(v) < 1e-6:
		return strconv.FormatFloat(v, 'E', -1, bits)
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

// floating is the cell of a double: the shortest number that reads back equal.
func (r reading) floating() Want {
	v, bits, ok := r.double()
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return r.unfit()
	}
	return r.number(exact(strconv.FormatFloat(v, 'e', -1, bits)), "General", "")
}

// numeral is the value as digits that krw and pct can look at, with a point at
// most; ok is false where it is no number for them.
func (r reading) numeral() (s string, ok bool) {
	s = r.text()
	switch r.v.Kind {
	case cell.Integer, cell.Bits, cell.Decimal:
		return s, decimalForm.MatchString(s)
	case cell.Float, cell.Float32:
		v, bits, ok := r.double()
		return strconv.FormatFloat(v, 'f', -1, bits), ok && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	s = trim(s)
	return strings.TrimPrefix(strings.ReplaceAll(s, ",", ""), "+"), r.isText() && wonForm.MatchString(s)
}

// won is the cell of krw.
func (r reading) won() Want {
	s, ok := r.numeral()
	if !ok {
		return r.unfit()
	}
	whole, _, _ := strings.Cut(s, ".")
	whole = canonical(whole)
	if len(digitsOf(whole)) > precise {
		return written(commas(whole))
	}
	return Want{Type: cell.Number, Number: exact(whole), Format: "#,##0", Shown: commas(whole)}
}

// commas writes a whole number with a comma before each three digits.
func commas(n string) string {
	var out strings.Builder
	digits := strings.TrimPrefix(n, "-")
	if digits != n {
		out.WriteByte('-')
	}
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}

// percent is the cell of pct.
func (r reading) percent() Want {
	s, ok := r.numeral()
	if !ok {
		return r.unfit()
	}
	isDouble := r.v.Kind == cell.Float || r.v.Kind == cell.Float32
	if !isDouble && significant(s) > precise {
		return r.unfit()
	}
	n := exact(strings.TrimSuffix(s, "."))
	scale := min(places(s), 2)
	zero := "0" + fractionCode(scale)
	shown := n.FloatString(scale) + "%"
	if n.Sign() == 0 {
		shown = "-"
	}
	return Want{Type: cell.Number, Number: n, Format: zero + `"%";-` + zero + `"%";"-"`, Shown: shown}
}
