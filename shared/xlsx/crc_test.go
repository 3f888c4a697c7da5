package xlsx

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

func TestCombineCRC(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, length := range []int{0, 1, 2, 3, 31, 32, 255, 256, 65_537, 1 << 20} {
		first, second := make([]byte, random.IntN(1000)), make([]byte, length)
		for i := range first {
			first[i] = byte(random.Uint32())
		}
		for i := range second {
			second[i] = byte(random.Uint32())
		}
		want := crc32.ChecksumIEEE(append(append([]byte(nil), first...), second...))
		if got := combineCRC(crc32.ChecksumIEEE(first), crc32.ChecksumIEEE(second), int64(length)); got != want {
			t.Errorf("%d and %d bytes: %08x, want %08x", len(first), length, got, want)
		}
	}
	// Zeros beyond 32 bits of length, in halves and as a whole.
	half := combineCRC(0xFFFFFFFF, 0, 1<<33)
	if a, b := combineCRC(half, 0, 1<<33), combineCRC(0xFFFFFFFF, 0, 1<<34); a != b {
		t.Errorf("%08x and %08x", a, b)
	}
}
