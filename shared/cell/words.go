package cell

import "encoding/binary"

// Texts eight bytes at a time. A word holds them in their order, the first one
// lowest. Flags are the highest bit of each byte that has a property.

const (
	each   = 0x0101010101010101 // a byte times this is a word full of it
	each32 = 0x01010101         // the same for half a word
	highs  = 0x80 * each
	lows   = 0x7F * each
)

// word is the first eight bytes of b.
func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// shortWord is b, at most eight bytes, with zeros behind it.
func shortWord(b []byte) uint64 {
	n := len(b)
	switch {
	case n >= 8:
		return word(b)
	case n >= 4:
		// Both halves bring the bytes that they share.
		first, last := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[n-4:])
		return uint64(first) | uint64(last)<<(8*n-32)
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<(n/2*8) | uint64(b[n-1])<<(8*n-8)
	}
	return 0
}

// nonDigits flags the bytes that are no digits.
func nonDigits(w uint64) uint64 {
	w ^= '0' * each
	return (w&lows + (0x80-10)*each | w) & highs
}

// gather moves the flags of a word to its lowest eight bits, the first byte's
// lowest.
func gather(flags uint64) uint { return uint(flags >> 7 * 0x0102040810204080 >> 56) }

// pairs turns digits, given as their values, into two-digit numbers: each byte
// becomes the number that its digit and the next one name.
func pairs(values uint64) uint64 { return values*10 + values>>8 }

// joinDigits is the number that eight digits name, given as their values.
func joinDigits(values uint64) uint64 {
	values = pairs(values)
	const every4 = 0x000000FF_000000FF
	return (values&every4*(100+1000000<<32) + values>>16&every4*(1+10000<<32)) >> 32
}

// splitDigits is the reverse of joinDigits. It splits off four digits of eight, two
// of each four and one of each two: high parts stay, what they leave moves up, and
// one multiplication does both.
func splitDigits(n uint64) uint64 {
	n = n<<32 - n/10000*(10000<<32-1)
	n = n<<16 - n*10486>>20&0x0000007F_0000007F*(100<<16-1) // 10486 / 2²⁰ is 1/100
	return n<<8 - n*103>>10&0x000F000F_000F000F*(10<<8-1)   // 103 / 2¹⁰ is 1/10
}

// smallText holds the texts that a column writes a word at a time, with what the
// last word writes behind them.
type smallText [24]byte
