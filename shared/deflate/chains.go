package deflate

import (
	"encoding/binary"
	"math/bits"
)

// chains find places that begin with the same four bytes, the nearest first.
type chains struct {
	head [1 << headBits]uint32 // by hash: the last place, plus one
	prev [maxWindow]uint32     // by place: the one before with the same hash, plus one
}

const (
	headBits = 14
	depth    = 16 // how many places are looked at
)

func (c *chains) reset() { clear(c.head[:]) }

// match is a piece of text that stands earlier too.
type match struct{ length, back, worth int }

// worth weighs a match: what its bytes would take by themselves against the bits
// of its distance, in halves of a bit.
func worth(length, back int) int { return 9*length - 2*bits.Len(uint(back)) }

func hash4(src []byte, at int) uint32 {
	return binary.LittleEndian.Uint32(src[at:]) * 0x9E3779B1 >> (32 - headBits)
}

// add notes a place.
func (c *chains) add(src []byte, at int) {
	h := hash4(src, at)
	c.prev[at%maxWindow] = c.head[h]
	c.head[h] = uint32(at + 1)
}

// last answers how far back the last place with these bytes is, 0 where there is
// none, and notes the new one. The chains are not kept by it.
func (c *chains) last(src []byte, at int) int {
	h := hash4(src, at)
	back := at + 1 - int(c.head[h])
	if c.head[h] == 0 || back > maxWindow {
		back = 0
	}
	c.head[h] = uint32(at + 1)
	return back
}

// find answers the match at a place that is worth most of those nearest, or one of
// no length.
func (c *chains) find(src []byte, at int) (best match) {
	text := src[at:]
	place := int(c.head[hash4(src, at)]) - 1
	for range depth {
		back := at - place
		if place < 0 || back > maxWindow || back <= 0 {
			break
		}
		if best.length == 0 || best.length < len(text) && text[best.length] == src[place+best.length] {
			if n := common(text, src[place:]); n >= minRun && worth(n, back) > best.worth {
				best = match{n, back, worth(n, back)}
			}
		}
		earlier := int(c.prev[place%maxWindow]) - 1
		if earlier >= place { // overwritten since
			break
		}
		place = earlier
	}
	return best
}
