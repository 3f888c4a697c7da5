package deflate

import "encoding/binary"

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

// tables lays the codes ready: literals, lengths with their extra bits, distances
// without.
func (b *block) tables() (end uint64, endBits uint) {
	codes(b.code[:], b.literalLength[:])
	for ch := range b.literalTable {
		b.literalTable[ch] = uint32(b.code[ch]) | uint32(b.literalLength[ch])<<sizeShift
	}
	for n := minMatch; n <= maxMatch; n++ {
		c := lengthCode[n]
		size := b.literalLength[firstLength+int(c)]
		extra := uint32(n) - uint32(lengthBase[c])
		b.lengthTable[n] = uint32(b.code[firstLength+int(c)]) | extra<<size | uint32(size+lengthExtra[c])<<sizeShift
	}
	end, endBits = uint64(b.code[endOfBlock]), uint(b.literalLength[endOfBlock])
	codes(b.code[:], b.distLength[:])
	for c := range b.distTable {
		b.distTable[c] = uint32(b.code[c]) | uint32(b.distLength[c])<<sizeShift
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
			acc, held = push(acc, held, b.literalTable[src[0]])
			acc, held = push(acc, held, b.literalTable[src[1]])
			acc, held = push(acc, held, b.literalTable[src[2]])
			acc, held = push(acc, held, b.literalTable[src[3]])
			at, acc, held = spill(out, at, acc, held)
			src = src[4:]
		}
		if s.length == 0 { // the last one
			for _, ch := range src[:n] {
				acc, held = push(acc, held, b.literalTable[ch])
			}
			break
		}
		ones := &firstOnes[n]
		acc, held = push(acc, held, b.literalTable[src[0]]*ones[0])
		acc, held = push(acc, held, b.literalTable[src[1]]*ones[1])
		acc, held = push(acc, held, b.literalTable[src[2]]*ones[2])
		src = next
		// A length with its extra bits fits beside three codes.
		acc, held = push(acc, held, b.lengthTable[s.length])
		at, acc, held = spill(out, at, acc, held)
		acc, held = push(acc, held, b.distTable[s.code])
		acc |= uint64(s.dist+1-distBase[s.code]) << (held & 63)
		held += uint(distExtra[s.code])
		at, acc, held = spill(out, at, acc, held)
	}
	w.at, w.acc, w.held = at, acc, held
	w.add(end, endBits)
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
