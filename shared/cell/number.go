package cell

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
)

// The number of significant digits that a number cell keeps, as a double does, and
// that a float32 does.
const (
	maxDigits   = 15
	maxDigits32 = 6
)

// maxScale is the number of decimal places that a number format shows. Of them
// LibreOffice fills the first maxPlaces; a digit behind those would read 0.
const (
	maxScale  = 30
	maxPlaces = 20
)

// number is a decimal number taken apart. Its slices point into the text.
type number struct {
	negative bool
	whole    []byte // without leading zeros; empty for zero
	fraction []byte // as written, trailing zeros included
	plain    bool   // the text is a canonical number literal already
}

// parseNumber reads [+-]digits[.digits], the form of integers and decimals.
func parseNumber(b []byte) (n number, ok bool) {
	i := 0
	n.plain = true
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		n.negative = b[i] == '-'
		n.plain = n.negative
		i++
	}
	start := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == start {
		return number{}, false
	}
	n.whole = b[start:i]
	if i < len(b) {
		if b[i] != '.' {
			return number{}, false
		}
		i++
		start = i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		if i != len(b) {
			return number{}, false
		}
		n.fraction = b[start:i]
		n.plain = n.plain && len(n.fraction) > 0
	}
	if n.whole[0] == '0' {
		n.plain = n.plain && len(n.whole) == 1
		for len(n.whole) > 0 && n.whole[0] == '0' {
			n.whole = n.whole[1:]
		}
		if n.negative && n.zero() {
			n.negative, n.plain = false, false
		}
	}
	return n, true
}

func (n number) zero() bool {
	if len(n.whole) > 0 {
		return false
	}
	for _, d := range n.fraction {
		if d != '0' {
			return false
		}
	}
	return true
}

// significant counts the digits from the first to the last that is not zero.
func (n number) significant() int {
	whole, fraction := n.whole, n.fraction
	for len(fraction) > 0 && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	if len(fraction) == 0 {
		for len(whole) > 0 && whole[len(whole)-1] == '0' {
			whole = whole[:len(whole)-1]
		}
		return len(whole)
	}
	if len(whole) == 0 {
		for fraction[0] == '0' {
			fraction = fraction[1:]
		}
	}
	return len(whole) + len(fraction)
}

// maxWhole is the number of digits before the point that a double surely reaches.
const maxWhole = 308

// kept reports whether a double keeps every digit and has the number in its range.
func (n number) kept() bool { return n.significant() <= maxDigits && len(n.whole) <= maxWhole }

// exact reports whether a number cell keeps and shows every digit.
func (n number) exact() bool {
	for i := maxPlaces; i < len(n.fraction); i++ {
		if n.fraction[i] != '0' {
			return false
		}
	}
	return n.kept()
}

// append writes the number as a canonical literal with the fraction as it is.
func (n number) append(dst []byte) []byte {
	if n.negative {
		dst = append(dst, '-')
	}
	if len(n.whole) == 0 {
		dst = append(dst, '0')
	}
	dst = append(dst, n.whole...)
	if len(n.fraction) > 0 {
		dst = append(dst, '.')
		dst = append(dst, n.fraction...)
	}
	return dst
}

// parseTextNumber reads text that trimmed is
// [+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?, into scratch where it has commas.
func parseTextNumber(b, scratch []byte) (n number, ok bool, grown []byte) {
	b = trim(b)
	comma := false
	for _, ch := range b {
		if ch == ',' {
			comma = true
			break
		}
	}
	if !comma {
		n, ok = parseNumber(b)
		return n, ok, scratch
	}
	out := scratch[:0]
	i := 0
	if b[i] == '-' || b[i] == '+' {
		out = append(out, b[i])
		i++
	}
	run, groups := 0, 0
	for ; i < len(b) && b[i] != '.'; i++ {
		switch {
		case isDigit(b[i]):
			out = append(out, b[i])
			run++
		case b[i] != ',' || run == 0 || run > 3 || (groups > 0 && run != 3):
			return number{}, false, out
		default:
			groups++
			run = 0
		}
	}
	if groups == 0 || run != 3 {
		return number{}, false, out
	}
	out = append(out, b[i:]...)
	n, ok = parseNumber(out)
	return n, ok, out
}

func isDigit(ch byte) bool { return ch-'0' < 10 }

// float is a floating-point value made ready: its literal, or the word for what
// no literal expresses.
type float struct {
	text   []byte
	finite bool
}

// tiny reports whether plain digits are of a float that gets an exponent.
func tiny(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(b, []byte("-")), []byte("0.000000"))
}

// parseFloat reads the text of a float and gives the shortest literal that reads
// back equal: plain digits in the usual range, with an exponent outside it. ok is
// false for text that is no float.
func parseFloat(b []byte, bits int, scratch []byte) (f float, ok bool, grown []byte) {
	if shortestFloat(b, bits) && !tiny(b) {
		return float{text: b, finite: true}, true, scratch
	}
	v, err := strconv.ParseFloat(string(b), bits)
	if err != nil && !math.IsInf(v, 0) {
		return float{}, false, scratch
	}
	switch {
	case math.IsNaN(v):
		return float{text: []byte("NaN")}, true, scratch
	case math.IsInf(v, 1):
		return float{text: []byte("Infinity")}, true, scratch
	case math.IsInf(v, -1):
		return float{text: []byte("-Infinity")}, true, scratch
	case v == 0:
		scratch = append(scratch[:0], '0')
		return float{text: scratch, finite: true}, true, scratch
	}
	form := byte('f')
	if abs := math.Abs(v); abs < 1e-6 || abs >= 1e21 {
		form = 'E'
	}
	out := strconv.AppendFloat(scratch[:0], v, form, -1, bits)
	return float{text: out, finite: true}, true, out
}

// appendBits writes a big-endian bit string as a decimal number.
func appendBits(dst, b []byte) []byte {
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	if len(b) > 8 {
		return new(big.Int).SetBytes(b).Append(dst, 10)
	}
	var u uint64
	for _, ch := range b {
		u = u<<8 | uint64(ch)
	}
	return strconv.AppendUint(dst, u, 10)
}

// appendGrouped writes digits with a comma between thousands.
func appendGrouped(dst, digits []byte) []byte {
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d)
	}
	return dst
}

// appendPlainFloat writes a float's literal without its exponent.
func appendPlainFloat(dst, literal []byte) []byte {
	for _, ch := range literal {
		if ch == 'E' {
			v, _ := strconv.ParseFloat(string(literal), 64)
			return strconv.AppendFloat(dst, v, 'f', -1, 64)
		}
	}
	return append(dst, literal...)
}
