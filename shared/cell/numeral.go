package cell

import (
	"bytes"
	"math"
	"math/bits"
)

// Number literals that are what a cell needs already, told a word at a time.

// shortNumeral finds the point of a canonical number literal of at most 15 digits;
// it is len(b) where there is none. Not ok is every other text, and -0 in all its
// forms.
func shortNumeral(b []byte) (point int, ok bool) {
	sign := 0
	if len(b) > 0 && b[0] == '-' {
		sign = 1
	}
	digits := b[sign:]
	n := len(digits)
	if n == 0 || n > maxDigits+1 {
		return 0, false
	}
	var odd uint
	if n <= 8 {
		odd = gather(nonDigits(shortWord(digits))) & (1<<n - 1)
	} else {
		odd = gather(nonDigits(word(digits))) | gather(nonDigits(word(digits[n-8:])))<<(n-8)
	}
	point = n
	if odd != 0 {
		point = bits.TrailingZeros(odd)
		if odd&(odd-1) != 0 || digits[point] != '.' || point == 0 || point == n-1 {
			return 0, false
		}
	} else if n > maxDigits {
		return 0, false
	}
	if digits[0] == '0' && (point > 1 || sign > 0 && digits[n-1] == '0') {
		return 0, false
	}
	return sign + point, true
}

// longInteger reports whether a text is a canonical integer of 16 to 24 digits.
func longInteger(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	n := len(b)
	return n > maxDigits && n <= 24 && b[0] != '0' &&
		nonDigits(word(b))|nonDigits(word(b[8:]))|nonDigits(word(b[n-8:])) == 0
}

// shortestFloat reports whether a text is the shortest literal of the double or
// float that it names; no says nothing.
func shortestFloat(b []byte, bits int) bool {
	point, ok := shortNumeral(b)
	switch {
	case !ok:
		return bits == 64 && shortestDouble(b)
	case bits == 32 && len(b) > maxDigits32:
		return false
	}
	// No two such texts without a zero at the end mean the same number.
	return point == len(b) || b[len(b)-1] != '0'
}

const (
	mantissaBits    = 53 // of a double, with the one that is not stored
	maxBinaryPlaces = 59 // keeps the sums of shortestDouble below 2⁶³
)

// powers of ten, as far as a uint64 goes.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// shortestDouble is shortestFloat for texts of 16 or 17 digits, a point among them.
// It asks in whole numbers what strconv.AppendFloat would have to find out:
//
//   - no text with one digit less, and so none with fewer, reads back as the double;
//   - of the texts with as many digits none is nearer to it.
//
// The text is decimal / 10ᶠ and the double is mantissa / 2ᵖ. Parts of 1 / (10ᶠ × 2ᵖ)
// measure both: a step of the last digit is 2ᵖ of them, and what is nearer to the
// double than 10ᶠ / 2 reads back as it.
func shortestDouble(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	point := bytes.IndexByte(b, '.')
	places := len(b) - point - 1
	if len(b) > 19 || point < 1 || places < 1 || places > 17 || point > 1 && b[0] == '0' {
		return false
	}
	whole, okWhole := parseDigits(b[:point])
	fraction, okFraction := parseDigits(b[point+1:])
	last := int64(b[len(b)-1] - '0')
	if !okWhole || !okFraction || last == 0 {
		return false
	}
	scale := powers[places]
	decimal := whole*scale + fraction
	p := mantissaBits - 1 - exponent(float64(int64(decimal))/float64(int64(scale)))
	if p < 0 || p > maxBinaryPlaces {
		return false
	}
	high, low := bits.Mul64(decimal, 1<<p)
	mantissa, rest := bits.Div64(high, low, scale)
	// off is the text minus the double.
	half, off := int64(scale/2), int64(rest)
	if off > half {
		mantissa++
		off -= int64(scale)
	}
	// Powers of two have a closer neighbour below.
	if mantissa <= 1<<(mantissaBits-1) || mantissa >= 1<<mantissaBits || off == half {
		return false
	}
	step := int64(1) << p
	if 2*off >= step || -2*off >= step {
		return false
	}
	return last*step-off > half && (10-last)*step+off > half
}

// exponent is the power of two below f > 0, which is not tiny.
func exponent(f float64) int { return int(math.Float64bits(f)>>(mantissaBits-1)) - 1023 }

// parseDigits reads up to 19 digits.
func parseDigits(b []byte) (n uint64, ok bool) {
	for len(b) > 8 {
		values := word(b)
		if nonDigits(values) != 0 {
			return 0, false
		}
		n = n*1e8 + joinDigits(values^'0'*each)
		b = b[8:]
	}
	// The missing digits are zeros in front.
	free := 8 * (8 - len(b))
	values := shortWord(b) ^ '0'*each
	values <<= free
	if ((values&lows+(0x80-10)*each)|values)&highs != 0 {
		return 0, false
	}
	return n*powers[len(b)] + joinDigits(values), true
}
