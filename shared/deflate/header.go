package deflate

// The start of a block: the lengths of its codes, as runs, in an alphabet of their
// own.

// lengthSymbol is a symbol of the alphabet that describes the code lengths.
type lengthSymbol struct {
	symbol uint8
	extra  uint8
}

// order is the one in which the lengths of that alphabet are written.
var order = [lengthCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

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
