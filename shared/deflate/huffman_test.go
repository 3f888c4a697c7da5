package deflate

import (
	"math/rand/v2"
	"testing"
)

// The lengths of a code use up the code space and respect the limit; without the
// limit they are as short as Huffman's.
func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var h huffman
	for range 2000 {
		count := make([]uint32, 2+r.IntN(285))
		for i := range count {
			switch r.IntN(3) {
			case 0:
				count[i] = uint32(r.IntN(10))
			case 1:
				count[i] = 1 << r.IntN(24)
			}
		}
		limit := 9 + r.IntN(7)
		length := make([]uint8, len(count))
		h.lengths(length, count, limit)
		space, used := 0, 0
		for symbol, n := range length {
			if int(n) > limit || count[symbol] > 0 && n == 0 {
				t.Fatalf("limit %d: symbol %d of count %d has length %d", limit, symbol, count[symbol], n)
			}
			if n > 0 {
				used++
				space += 1 << (limit - int(n))
			}
		}
		if used < 2 || space != 1<<limit {
			t.Fatalf("limit %d: %d codes take %d of %d", limit, used, space, 1<<limit)
		}
	}
}

func TestLengthsAreOptimal(t *testing.T) {
	var h huffman
	length := make([]uint8, 6)
	h.lengths(length, []uint32{45, 13, 12, 16, 9, 5}, maxCodeBits)
	for symbol, want := range []uint8{1, 3, 3, 3, 4, 4} {
		if length[symbol] != want {
			t.Fatalf("lengths %v", length)
		}
	}
}

// The tables of RFC 1951, section 3.2.5, at some places.
func TestAlphabets(t *testing.T) {
	for n, want := range map[int]int{3: 257, 10: 264, 11: 265, 12: 265, 13: 266, 18: 268, 19: 269, 34: 272, 35: 273, 130: 280, 131: 281, 257: 284, 258: 285} {
		if got := firstLength + int(lengthCode[n]); got != want {
			t.Errorf("length %d has code %d, want %d", n, got, want)
		}
	}
	for dist, want := range map[uint32]uint32{1: 0, 2: 1, 4: 3, 5: 4, 6: 4, 7: 5, 8: 5, 9: 6, 13: 7, 256: 15, 257: 16, 385: 17, 16385: 28, 24576: 28, 24577: 29, 32768: 29} {
		if got := distCode(dist); got != want {
			t.Errorf("distance %d has code %d, want %d", dist, got, want)
		}
	}
}
