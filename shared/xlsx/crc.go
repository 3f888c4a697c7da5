package xlsx

// crcPolynomial is the one of CRC-32 (IEEE), bits reversed: x⁰ is the highest bit.
const crcPolynomial = 0xEDB88320

// combineCRC gives the CRC-32 of two pieces of data, one behind the other, from
// the CRC of each and the length of the second. A CRC is a polynomial's remainder,
// and the second piece moves the first up by its length: first · x^(8·length) (as
// in zlib's crc32_combine).
func combineCRC(first, second uint32, secondLength int64) uint32 {
	power := uint32(1 << 31) // x⁰
	for i := 3; secondLength > 0; i++ {
		if secondLength&1 != 0 {
			power = timesCRC(powersOfX[i%len(powersOfX)], power)
		}
		secondLength >>= 1
	}
	return timesCRC(power, first) ^ second
}

// powersOfX holds x^(2ⁱ); x^(2³²) is x again.
var powersOfX = func() (t [32]uint32) {
	t[0] = 1 << 30
	for i := 1; i < len(t); i++ {
		t[i] = timesCRC(t[i-1], t[i-1])
	}
	return t
}()

// timesCRC multiplies two polynomials, modulo that of the CRC.
func timesCRC(a, b uint32) (product uint32) {
	for bit := uint32(1 << 31); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		b = b>>1 ^ -(b&1)&crcPolynomial
	}
	return product
}
