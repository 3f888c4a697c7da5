package xlsx

// combineCRC gives the CRC-32 of two pieces of data, one behind the other, from
// the CRC of each and the length of the second: the first is carried over the
// second's length as if that were zeros. Carrying over one zero bit is linear in
// the bits of the CRC, so a matrix that is squared again and again does it in
// logarithmic time (as in zlib's crc32_combine).
func combineCRC(first, second uint32, secondLength int64) uint32 {
	if secondLength <= 0 {
		return first
	}
	var step, square crcMatrix
	step[0] = 0xEDB88320 // the polynomial of CRC-32 (IEEE), bits reversed
	for i := 1; i < 32; i++ {
		step[i] = 1 << (i - 1)
	}
	step.squareInto(&square) // two bits
	square.squareInto(&step) // four
	for n := secondLength; ; {
		step.squareInto(&square) // a byte, then four, sixteen…
		if n&1 != 0 {
			first = square.times(first)
		}
		if n >>= 1; n == 0 {
			break
		}
		square.squareInto(&step)
		if n&1 != 0 {
			first = step.times(first)
		}
		if n >>= 1; n == 0 {
			break
		}
	}
	return first ^ second
}

// crcMatrix is a 32×32 matrix over the field of two elements, by columns.
type crcMatrix [32]uint32

func (m *crcMatrix) times(v uint32) (sum uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 != 0 {
			sum ^= m[i]
		}
	}
	return sum
}

func (m *crcMatrix) squareInto(out *crcMatrix) {
	for i := range m {
		out[i] = m.times(m[i])
	}
}
