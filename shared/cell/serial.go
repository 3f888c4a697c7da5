package cell

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// Serial numbers of days: 1899-12-30 is 0, so 1970-01-01 is 25569. Before day 61
// (1900-03-01) spreadsheets disagree, since Excel knows a 1900-02-29.
const (
	epochSerial = 25569
	minSerial   = 61
	maxSerial   = 2958465 // 9999-12-31
	daySeconds  = 86400
)

// nearEpoch is the stretch around 1970-01-01, in days, where LibreOffice cuts a
// time of day instead of rounding it: it counts days from there, and takes small
// numbers for exact.
const nearEpoch = 1001

// serial makes the cell of a day and a time of day as one number: the shortest text
// of the double nearest to it, which programs that round to the shown second show
// right. Near 1970 it is the double not below it.
func (c *Column) serial(day, second int, format int32) Cell {
	switch {
	case second == 0 && day > 9999 && day <= 99999:
		putDay(&c.small, day)
		return Cell{Type: Number, Text: c.small[:5], Format: format}
	case second != 0 && day >= firstUsualDay && day <= lastUsualDay:
		n := putSerial(&c.small, day, second)
		return Cell{Type: Number, Text: c.small[:n], Format: format}
	}
	c.buf = appendSerial(c.buf[:0], day, second)
	return Cell{Type: Number, Text: c.buf, Format: format}
}

// appendSerial writes the number of any day and second.
func appendSerial(dst []byte, day, second int) []byte {
	dst = strconv.AppendInt(dst, int64(day), 10)
	if second == 0 {
		return dst
	}
	whole := float64(day)
	serial := whole + float64(second)/daySeconds
	if off := day - epochSerial; off > -nearEpoch && off < nearEpoch && (serial-whole)*daySeconds < float64(second) {
		serial = math.Nextafter(serial, math.MaxFloat64)
	}
	binaryPlaces := mantissaBits - 1 - exponent(serial)
	mantissa := math.Float64bits(serial)&(1<<(mantissaBits-1)-1) | 1<<(mantissaBits-1)
	ticks := mantissa & (1<<binaryPlaces - 1)
	places := binaryPlaces * 1233 >> 12 // times log₁₀ 2
	return appendFraction(dst, shortFraction(ticks, binaryPlaces, places), places+1)
}

// appendFraction writes decimal places, up to 24, without the zeros at their end.
func appendFraction(dst []byte, fraction uint64, places int) []byte {
	low, middle, high := splitDigits(fraction%1e8), splitDigits(fraction/1e8%1e8), splitDigits(fraction/1e16)
	var digits [24]byte
	binary.LittleEndian.PutUint64(digits[:], high|'0'*each)
	binary.LittleEndian.PutUint64(digits[8:], middle|'0'*each)
	binary.LittleEndian.PutUint64(digits[16:], low|'0'*each)
	end := len(digits)
	for end > 0 && digits[end-1] == '0' {
		end--
	}
	dst = append(dst, '.')
	return append(dst, digits[len(digits)-places:end]...)
}

// shortFraction gives the decimal places, one more than the given number, of the
// shortest text of a double. The double has binaryPlaces binary places, ticks of
// which are behind its point. places is the most at which decimal places are no
// finer than ticks.
//
// A text reads back as the double if it is less than half a tick away. At most one
// number of that many decimal places is so near; zeros at its end make it shorter.
// Where there is none, one place more is finer than ticks, and the nearest such
// number is taken.
func shortFraction(ticks uint64, binaryPlaces, places int) uint64 {
	// All is counted in parts of 10⁻ᵖˡᵃᶜᵉˢ × 2⁻ˢʰⁱᶠᵗ. A tick has an odd number of
	// them, so nothing is just half a tick away.
	tick, shift := fives[places], (binaryPlaces-places)&63
	half := uint64(1) << (shift - 1)
	high, low := bits.Mul64(ticks, tick)
	low, carry := bits.Add64(low, half, 0)
	near := (high+carry)<<(64-shift) | low>>shift
	off := int64(low&(half<<1-1)) - int64(half) // how far the double is beyond it
	if uint64(off)+tick/2 < tick {
		return near * 10
	}
	return near*10 + uint64((off*10+int64(half))>>shift)
}

// fives are powers of five.
var fives = func() (p [28]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 5
	}
	return p
}()

// The days from 1989-09-17 to 2079-06-06: their serial numbers have five digits and
// dayPlaces binary places.
const (
	firstUsualDay = 1 << 15
	lastUsualDay  = 1<<16 - 1
	dayPlaces     = 37
)

// dayFraction is shortFraction for one of those days and 11 decimal places. It
// needs no doubles, and its sums fit 64 bits.
func dayFraction(second uint64) uint64 {
	// 86400 is 675 × 2⁷, and half a tick over never happens.
	ticks := (second<<(dayPlaces-7+1) + 675) / (2 * 675)
	const tick = 5 * 5 * 5 * 5 * 5 * 5 * 5 * 5 * 5 * 5 * 5
	const shift, half = dayPlaces - 11, 1 << (dayPlaces - 11 - 1)
	parts := ticks*tick + half
	near := parts >> shift
	off := int64(parts&(2*half-1)) - half
	// Whichever it is, the processor cannot guess it: both are computed.
	more := (off*10 + half) >> shift
	if uint64(off)+tick/2 < tick {
		more = 0
	}
	return near*10 + uint64(more)
}

// putDay writes a day of five digits.
func putDay(out *smallText, day int) {
	binary.LittleEndian.PutUint64(out[:], splitDigits(uint64(day))>>24|'0'*each)
}

// putSerial writes what appendSerial does for one of those days and a time, and
// answers the length.
func putSerial(out *smallText, day, second int) int {
	fraction := dayFraction(uint64(second))
	first8 := splitDigits(fraction / 10000)
	mixed := splitDigits(uint64(day)%10000*10000 + fraction%10000)
	last4 := uint32(mixed >> 32)
	out[0] = '0' + byte(uint64(day)/10000)
	binary.LittleEndian.PutUint32(out[1:], uint32(mixed)|'0'*each32)
	out[5] = '.'
	binary.LittleEndian.PutUint64(out[6:], first8|'0'*each)
	binary.LittleEndian.PutUint32(out[14:], last4|'0'*each32)
	// The last digits are the highest bytes: their zeros are cut off.
	if last4 != 0 {
		return 18 - bits.LeadingZeros32(last4)/8
	}
	return 14 - bits.LeadingZeros64(first8)/8
}
