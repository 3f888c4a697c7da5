package deflate

import "encoding/binary"

// A code in a table: its bits, and their number above.
const (
	codeMask  = 1<<24 - 1
	sizeShift = 24
)

// push adds the code x to bits that are held; together they are fewer than 64.
func push(acc uint64, held uint, x uint32) (newAcc uint64, newHeld uint) {
	return acc | uint64(x&codeMask)<<(held&63), held + uint(x>>sizeShift)
}

// spill moves whole bytes out; fewer than 8 bits stay.
func spill(out []byte, at int, acc uint64, held uint) (newAt int, newAcc uint64, newHeld uint) {
	binary.LittleEndian.PutUint64(out[at:], acc)
	return at + int(held>>3), acc >> (held & 56), held & 7
}

// bitWriter appends bits, the first lowest.
type bitWriter struct {
	out  []byte // with room to spare
	at   int
	acc  uint64
	held uint // bits in acc, fewer than 8 between calls
}

// newBitWriter makes room for size bytes behind dst, 8 of them spare.
func newBitWriter(dst []byte, size int) bitWriter {
	n := len(dst)
	if cap(dst)-n < size {
		dst = append(make([]byte, 0, n+size), dst...)
	}
	return bitWriter{out: dst[:cap(dst)], at: n}
}

// add adds up to 32 bits.
func (w *bitWriter) add(v uint64, n uint) {
	w.acc |= v << w.held
	w.at, w.acc, w.held = spill(w.out, w.at, w.acc, w.held+n)
}

// bytes ends on a byte, padded with zeros.
func (w *bitWriter) bytes() []byte {
	if w.held > 0 {
		w.at++
	}
	return w.out[:w.at]
}
