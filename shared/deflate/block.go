package deflate

import (
	"encoding/binary"
	"math/bits"
)

// The alphabets of RFC 1951: literals, the end of the block and lengths in one,
// distances in another.
const (
	endOfBlock   = 256
	firstLength  = 257
	literalCodes = 286
	distCodes    = 30
	lengthCodes  = 19 // of the alphabet that describes the two others

	minMatch  = 3
	maxMatch  = 258
	maxWindow = 32 << 10
	maxStored = 65535

	// A code in a table: its bits, and their number above.
	codeMask  = 1<<24 - 1
	sizeShift = 24
)

// lengthCode and distCode say which code a value belongs to, the base which value
// a code begins with, the extra how many bits tell the values of a code apart.
var (
	lengthCode  [maxMatch + 1]uint8
	lengthBase  [literalCodes - firstLength]uint16
	lengthExtra [literalCodes - firstLength]uint8
	distBase    [distCodes]uint16
	distExtra   [distCodes]uint8
)

func init() {
	base := minMatch
	for c := range lengthBase {
		extra := 0
		if c >= 8 {
			extra = c/4 - 1
		}
		if c == len(lengthBase)-1 { // the longest match has a code of its own
			base, extra = maxMatch, 0
		}
		lengthBase[c], lengthExtra[c] = uint16(base), uint8(extra)
		for n := base; n < base+1<<extra && n <= maxMatch; n++ {
			lengthCode[n] = uint8(c)
		}
		base += 1 << extra
	}
	base = 1
	for c := range distBase {
		extra := 0
		if c >= 4 {
			extra = c/2 - 1
		}
		distBase[c], distExtra[c] = uint16(base), uint8(extra)
		base += 1 << extra
	}
}

// distCode is computed: from 5 on a code stands for each half of a power of two.
func distCode(dist uint32) uint32 {
	d := dist - 1
	if d < 2 {
		return d
	}
	n := uint32(bits.Len32(d)) - 1
	return 2*n + d>>(n-1)&1
}

// sequence is a run of literals and the match behind it; the last of a block may
// have no match.
type sequence struct {
	literals uint32
	length   uint16 // 0: none
	dist     uint16 // less one
	code     uint8  // of the distance
}

// block is what is known of a block before it is written.
type block struct {
	sequences []sequence
	literal   [literalCodes]uint32 // how often each symbol occurs
	dist      [distCodes]uint32

	huffman       huffman
	literalLength [literalCodes]uint8
	distLength    [distCodes]uint8
	header        []lengthSymbol
	headerCount   [lengthCodes]uint32
	headerLength  [lengthCodes]uint8
	code          [literalCodes]uint16
	literalTable  [256]uint32 // bits and, from bit 24 on, their number
	lengthTable   [maxMatch + 1]uint32
	distTable     [distCodes]uint32
}

func (b *block) reset() {
	b.sequences = b.sequences[:0]
	clear(b.literal[:])
	clear(b.dist[:])
}

// add notes literals followed by a match of any length. text begins with the
// literals and goes on to the end of what is compressed.
func (b *block) add(text []byte, literals, length, dist int) {
	if length > maxMatch {
		b.addLong(text, literals, length, dist)
		return
	}
	n := literals
	for ; n >= 4; n -= 4 {
		b.literal[text[0]]++
		b.literal[text[1]]++
		b.literal[text[2]]++
		b.literal[text[3]]++
		text = text[4:]
	}
	// A match follows, so there are three bytes more. Processors guess wrong how
	// many of them are literals; the others are counted as nought.
	ones := &firstOnes[n]
	b.literal[text[0]] += ones[0]
	b.literal[text[1]] += ones[1]
	b.literal[text[2]] += ones[2]

	b.literal[firstLength+int(lengthCode[length])]++
	code := distCode(uint32(dist))
	b.dist[code]++
	b.sequences = append(b.sequences, sequence{uint32(literals), uint16(length), uint16(dist - 1), uint8(code)})
}

// addLong notes a match that has to be divided.
func (b *block) addLong(text []byte, literals, length, dist int) {
	for length > maxMatch {
		part := min(maxMatch, length-minMatch) // what is left must make a match
		b.add(text, literals, part, dist)
		text = text[literals+part:]
		literals = 0
		length -= part
	}
	b.add(text, literals, length, dist)
}

// end notes the last literals.
func (b *block) end(literals []byte) {
	for _, ch := range literals {
		b.literal[ch]++
	}
	b.literal[endOfBlock]++
	b.sequences = append(b.sequences, sequence{literals: uint32(len(literals))})
}

// firstOnes has n ones, then noughts.
var firstOnes = [4][4]uint32{{}, {1}, {1, 1}, {1, 1, 1}}

// lengthSymbol is a symbol of the alphabet that describes the code lengths.
type lengthSymbol struct {
	symbol uint8
	extra  uint8
}

// order is the one in which the lengths of that alphabet are written.
var order = [lengthCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// append writes the sequences of src as one block with codes of its own, then an
// empty stored block, which ends on a byte.
func (b *block) append(dst, src []byte) []byte {
	b.huffman.lengths(b.literalLength[:], b.literal[:], maxLiteralBits)
	b.huffman.lengths(b.distLength[:], b.dist[:], maxCodeBits)
	literals, dists := used(b.literalLength[:], firstLength), used(b.distLength[:], 1)
	b.describe(literals, dists)
	if size := b.bits() / 8; size > int64(len(src)) {
		return appendStored(dst, src)
	}
	w := newBitWriter(dst, int(b.bits()/8)+2*8)
	b.appendHeader(&w, literals, dists)
	b.appendBody(&w, src)
	w.add(0, 3) // not the last block, stored
	return append(w.bytes(), 0, 0, 0xFF, 0xFF)
}

func used(length []uint8, least int) int {
	n := len(length)
	for n > least && length[n-1] == 0 {
		n--
	}
	return n
}

// describe writes the code lengths as runs.
func (b *block) describe(literals, dists int) {
	b.header = b.header[:0]
	clear(b.headerCount[:])
	var all [literalCodes + distCodes]uint8
	n := copy(all[:], b.literalLength[:literals])
	n += copy(all[n:], b.distLength[:dists])
	for i := 0; i < n; {
		run := 1
		for i+run < n && all[i+run] == all[i] {
			run++
		}
		b.describeRun(all[i], run)
		i += run
	}
	b.huffman.lengths(b.headerLength[:], b.headerCount[:], maxLengthBits)
}

func (b *block) describeRun(length uint8, run int) {
	put := func(symbol uint8, extra int) {
		b.header = append(b.header, lengthSymbol{symbol, uint8(extra)})
		b.headerCount[symbol]++
	}
	if length != 0 {
		put(length, 0)
		run--
	}
	for run > 0 {
		switch {
		case length == 0 && run >= 11:
			n := min(run, 138)
			put(18, n-11)
			run -= n
		case length == 0 && run >= 3:
			put(17, run-3)
			run = 0
		case length != 0 && run >= 3:
			n := min(run, 6)
			put(16, n-3)
			run -= n
		default:
			put(length, 0)
			run--
		}
	}
}

var lengthSymbolExtra = [lengthCodes]uint8{16: 2, 17: 3, 18: 7}

// bits is the size of the block.
func (b *block) bits() int64 {
	n := int64(3 + 5 + 5 + 4 + 3*lengthCodes)
	for symbol, count := range b.headerCount {
		n += int64(count) * int64(b.headerLength[symbol]+lengthSymbolExtra[symbol])
	}
	for symbol, count := range b.literal {
		n += int64(count) * int64(b.literalLength[symbol])
	}
	for c, extra := range lengthExtra {
		n += int64(b.literal[firstLength+c]) * int64(extra)
	}
	for c, count := range b.dist {
		n += int64(count) * int64(b.distLength[c]+distExtra[c])
	}
	return n
}

func (b *block) appendHeader(w *bitWriter, literals, dists int) {
	described := lengthCodes
	for described > 4 && b.headerLength[order[described-1]] == 0 {
		described--
	}
	w.add(0b100, 3) // not the last block, codes of its own
	w.add(uint64(literals-firstLength), 5)
	w.add(uint64(dists-1), 5)
	w.add(uint64(described-4), 4)
	for _, symbol := range order[:described] {
		w.add(uint64(b.headerLength[symbol]), 3)
	}
	codes(b.code[:], b.headerLength[:])
	for _, s := range b.header {
		w.add(uint64(b.code[s.symbol]), uint(b.headerLength[s.symbol]))
		w.add(uint64(s.extra), uint(lengthSymbolExtra[s.symbol]))
	}
}

// tables lays the codes ready: literals, lengths with their extra bits, distances
// without.
func (b *block) tables() (end uint64, endBits uint) {
	codes(b.code[:], b.literalLength[:])
	for ch := range b.literalTable {
		b.literalTable[ch] = uint32(b.code[ch]) | uint32(b.literalLength[ch])<<24
	}
	for n := minMatch; n <= maxMatch; n++ {
		c := lengthCode[n]
		size := b.literalLength[firstLength+int(c)]
		extra := uint32(n) - uint32(lengthBase[c])
		b.lengthTable[n] = uint32(b.code[firstLength+int(c)]) | extra<<size | uint32(size+lengthExtra[c])<<24
	}
	end, endBits = uint64(b.code[endOfBlock]), uint(b.literalLength[endOfBlock])
	codes(b.code[:], b.distLength[:])
	for c := range b.distTable {
		b.distTable[c] = uint32(b.code[c]) | uint32(b.distLength[c])<<24
	}
	return end, endBits
}

func (b *block) appendBody(w *bitWriter, src []byte) {
	end, endBits := b.tables()
	// Copies of the writer's fields stay in registers.
	out, at, acc, held := w.out, w.at, w.acc, w.held
	for _, s := range b.sequences {
		n := int(s.literals)
		next := src[n+int(s.length):]
		for ; n >= 4; n -= 4 {
			// Four codes fit beside the 7 bits that may be left over.
			x, y, z, q := b.literalTable[src[0]], b.literalTable[src[1]], b.literalTable[src[2]], b.literalTable[src[3]]
			src = src[4:]
			acc |= uint64(x&codeMask) << (held & 63)
			held += uint(x >> sizeShift)
			acc |= uint64(y&codeMask) << (held & 63)
			held += uint(y >> sizeShift)
			acc |= uint64(z&codeMask) << (held & 63)
			held += uint(z >> sizeShift)
			acc |= uint64(q&codeMask) << (held & 63)
			held += uint(q >> sizeShift)
			binary.LittleEndian.PutUint64(out[at:], acc)
			at += int(held >> 3)
			acc >>= held & 56
			held &= 7
		}
		if s.length == 0 { // the last one
			for _, ch := range src[:n] {
				x := b.literalTable[ch]
				acc |= uint64(x&codeMask) << (held & 63)
				held += uint(x >> sizeShift)
			}
			break
		}
		ones := &firstOnes[n]
		x, y, z := b.literalTable[src[0]]*ones[0], b.literalTable[src[1]]*ones[1], b.literalTable[src[2]]*ones[2]
		acc |= uint64(x&codeMask) << (held & 63)
		held += uint(x >> sizeShift)
		acc |= uint64(y&codeMask) << (held & 63)
		held += uint(y >> sizeShift)
		acc |= uint64(z&codeMask) << (held & 63)
		held += uint(z >> sizeShift)
		src = next
		// A length with its extra bits fits beside three codes.
		x = b.lengthTable[s.length]
		acc |= uint64(x&codeMask) << (held & 63)
		held += uint(x >> sizeShift)
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(held >> 3)
		acc >>= held & 56
		held &= 7
		x = b.distTable[s.code]
		acc |= uint64(x&codeMask) << (held & 63)
		held += uint(x >> sizeShift)
		acc |= uint64(s.dist+1-distBase[s.code]) << (held & 63)
		held += uint(distExtra[s.code])
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(held >> 3)
		acc >>= held & 56
		held &= 7
	}
	w.at, w.acc, w.held = at, acc, held
	w.add(end, endBits)
}

// bitWriter appends bits, the first lowest.
type bitWriter struct {
	out  []byte // with room to spare
	at   int
	acc  uint64
	held uint // bits in acc; below 8 after flush
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
	w.held += n
	w.flush()
}

// flush moves whole bytes out.
func (w *bitWriter) flush() {
	binary.LittleEndian.PutUint64(w.out[w.at:], w.acc)
	w.at += int(w.held >> 3)
	w.acc >>= w.held &^ 7
	w.held &= 7
}

// bytes ends on a byte, padded with zeros.
func (w *bitWriter) bytes() []byte {
	if w.held > 0 {
		w.at++
	}
	return w.out[:w.at]
}

// appendStored writes src as it is.
func appendStored(dst, src []byte) []byte {
	for len(src) > 0 {
		n := min(len(src), maxStored)
		dst = append(dst, 0)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(n))
		dst = binary.LittleEndian.AppendUint16(dst, ^uint16(n))
		dst = append(dst, src[:n]...)
		src = src[n:]
	}
	return dst
}
