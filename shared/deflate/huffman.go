package deflate

import (
	"math/bits"
	"slices"
)

// The longest codes. Deflate allows maxCodeBits; literals and lengths have less,
// so that four codes fit into a word, which costs next to nothing. The alphabet
// that describes the others has maxLengthBits.
const (
	maxCodeBits    = 15
	maxLiteralBits = 12
	maxLengthBits  = 7
)

// leaf is a symbol that occurs: its count and, in the low bits, itself, so that
// leaves are sorted as numbers.
type leaf uint64

const symbolBits = 9

func (l leaf) count() uint32 { return uint32(l >> symbolBits) }

func (l leaf) symbol() int { return int(l & (1<<symbolBits - 1)) }

// huffman turns counts into codes. Its fields are memory that is used again.
type huffman struct {
	leaves []leaf
	weight []uint32 // of leaves, then of inner nodes
	parent []uint16
	depth  []uint8
}

// lengths fills length with the number of bits of each symbol's code, at most
// limit; 0 for a symbol that does not occur. Together the codes use up the whole
// code space. At least two symbols get a code, since not every reader takes a
// block with fewer.
func (h *huffman) lengths(length []uint8, count []uint32, limit int) {
	clear(length)
	h.leaves = h.leaves[:0]
	for symbol, n := range count {
		if n > 0 {
			h.leaves = append(h.leaves, leaf(n)<<symbolBits|leaf(symbol))
		}
	}
	for symbol := 0; len(h.leaves) < 2; symbol++ {
		if count[symbol] == 0 {
			h.leaves = append(h.leaves, 1<<symbolBits|leaf(symbol))
		}
	}
	slices.Sort(h.leaves)
	perLength := h.perLength(limit)
	// The rarest symbols get the longest codes.
	at := 0
	for bits := limit; bits > 0; bits-- {
		for range perLength[bits] {
			length[h.leaves[at].symbol()] = uint8(bits)
			at++
		}
	}
}

// perLength says how many symbols have a code of each length: by Huffman's
// algorithm on sorted leaves, where the inner nodes come up in order too, and
// then shortened to the limit.
func (h *huffman) perLength(limit int) (n [64]int) {
	leaves := len(h.leaves)
	nodes := 2*leaves - 1
	h.weight = slices.Grow(h.weight[:0], nodes)[:nodes]
	h.parent = slices.Grow(h.parent[:0], nodes)[:nodes]
	h.depth = slices.Grow(h.depth[:0], nodes)[:nodes]
	for i, l := range h.leaves {
		h.weight[i] = l.count()
	}
	nextLeaf, nextInner := 0, leaves
	for inner := leaves; inner < nodes; inner++ {
		var sum uint32
		for range 2 {
			child := nextInner
			if nextInner == inner || nextLeaf < leaves && h.weight[nextLeaf] <= h.weight[nextInner] {
				child = nextLeaf
				nextLeaf++
			} else {
				nextInner++
			}
			h.parent[child] = uint16(inner)
			sum += h.weight[child]
		}
		h.weight[inner] = sum
	}
	h.depth[nodes-1] = 0
	for i := nodes - 2; i >= 0; i-- {
		h.depth[i] = h.depth[h.parent[i]] + 1
		if i < leaves {
			n[min(int(h.depth[i]), limit)]++
		}
	}
	// Codes cut to the limit take more than there is: in units of the longest
	// code, each step gives up a shorter one for two of the next length, one of
	// which a code of the limit moves to.
	over := -(1 << limit)
	for length := 1; length <= limit; length++ {
		over += n[length] << (limit - length)
	}
	for ; over > 0; over-- {
		length := limit - 1
		for n[length] == 0 {
			length--
		}
		n[length]--
		n[length+1] += 2
		n[limit]--
	}
	return n
}

// codes fills code with the codes that the lengths imply, in the order of bits
// that the stream has: the first bit lowest.
func codes(code []uint16, length []uint8) {
	var count [maxCodeBits + 1]uint16
	for _, n := range length {
		count[n]++
	}
	count[0] = 0
	var next [maxCodeBits + 2]uint16
	for n := 1; n <= maxCodeBits; n++ {
		next[n+1] = (next[n] + count[n]) << 1
	}
	for symbol, n := range length {
		if n == 0 {
			continue
		}
		code[symbol] = bits.Reverse16(next[n]) >> (16 - n)
		next[n]++
	}
}
