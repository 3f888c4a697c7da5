// Package deflate compresses sheets as raw deflate blocks (RFC 1951), faster than
// a general compressor and smaller than one of that speed.
//
// The text of a sheet is mostly markup that stands in the row above as well, in
// the same column. A general compressor finds that out byte by byte, through a
// hash table; this one is told where the values are, and compares each cell with
// the one above it. Only text is looked up in tables.
//
// Guarantees: the places are hints, and whatever they are, any reader of deflate
// gets back the same bytes. Output ends on a byte without ending the stream and
// does not refer to anything before it, so outputs join to one stream, which Final
// ends. The same input gives the same output.
//
// What it costs, of its own time, for rows of ten mixed columns: about a third each
// for comparing cells with those above (and noting what is found), for writing the
// codes, and for text, of which each place is looked up once. All three are paid
// for each match: two for a cell, since the number of the row interrupts its
// markup, and some for each text.
//
// Known limits: a cell further from the one above than the window of deflate
// (32 KiB) is not compared with it; there a general compressor does better.
package deflate

import (
	"encoding/binary"
	"math/bits"
)

// Final ends a stream of joined outputs: an empty last block.
var Final = []byte{0x03, 0x00}

// Span is the place of a cell's value, [Start, End), in the text of its rows.
type Span struct{ Start, End uint32 }

// Compressor compresses one piece of text at a time. It is used by one goroutine.
// The zero value is ready.
type Compressor struct {
	// Thorough looks longer for matches: smaller output in more time.
	Thorough bool

	block  block
	values [1 << tableBits]uint32 // texts by their first bytes: the last place, plus one
	chains chains
	src    []byte
	done   int // everything before it is in a sequence
}

const (
	tableBits = 12
	// minRun is the shortest match that is looked for. Shorter ones exist, but
	// digits take fewer bits than they.
	minRun = 4
	// hashed is how much is read at once to look a place up.
	hashed = 8
	// longValue is the length from which on a value that begins with a digit is
	// treated as text.
	longValue = 24
)

// Append compresses src behind dst. spans are the cells of rows that have columns
// cells each, in order.
func (c *Compressor) Append(dst, src []byte, spans []Span, columns int) []byte {
	c.block.reset()
	clear(c.values[:])
	c.chains.reset()
	c.src, c.done = src, 0
	at := 0
	for k, s := range spans {
		start, end := int(s.Start), int(s.End)
		if end <= at || start > end || end > len(src) {
			continue // a match covers it already
		}
		back := 0
		if k >= columns {
			back = start - int(spans[k-columns].Start)
		}
		switch {
		case back <= 0 || back > maxWindow || at < back:
			at = c.text(at, end)
		case end-start >= minRun && (src[start] > '9' || end-start >= longValue):
			at = c.along(at, start, start, back)
			if at == start && !c.Thorough {
				at = c.value(at, back)
			}
			at = c.text(at, end)
		default:
			at = max(c.along(at, start, len(src), back), end)
		}
	}
	c.block.end(src[c.done:])
	return c.block.append(dst, src)
}

// along covers [at, end) with what stands back before. The last match may go on to
// limit.
func (c *Compressor) along(at, end, limit, back int) int {
	src := c.src[:limit]
	for at < end {
		n := common(src[at:], src[at-back:])
		if n >= minRun {
			c.match(at, n, back)
		}
		if at += n; at == limit {
			break
		}
		if c.Thorough {
			if n := c.instead(at, end); n > 0 {
				at += n
				continue
			}
		}
		at++ // this one differs
	}
	return at
}

// instead is asked where the row above differs, mostly in the number of the row:
// cells before in this row have the same number and perhaps what follows. It
// answers the length of such a match, if it makes up for the end of the markup.
func (c *Compressor) instead(at, end int) int {
	if at+hashed > len(c.src) {
		return 0
	}
	m := c.chains.find(c.src, at)
	c.chains.add(c.src, at)
	if m.length == 0 || m.worth < worth(end-at-3, 1) {
		return 0
	}
	c.match(at, m.length, m.back)
	return m.length
}

// value looks for a text as a whole: in the row above and where a text was seen
// that begins like it.
func (c *Compressor) value(at, back int) int {
	if at+hashed > len(c.src) {
		return at
	}
	n := common(c.src[at:], c.src[at-back:])
	entry := &c.values[binary.LittleEndian.Uint64(c.src[at:])*0x9E3779B97F4A7C15>>(64-tableBits)]
	if earlier := at + 1 - int(*entry); *entry > 0 && earlier <= maxWindow {
		if m := common(c.src[at:], c.src[at-earlier:]); m > n {
			n, back = m, earlier
		}
	}
	*entry = uint32(at + 1)
	if n < minRun {
		return at
	}
	c.match(at, n, back)
	return at + n
}

// text covers [at, end) with what was seen anywhere before. The last match may go
// on behind end.
func (c *Compressor) text(at, end int) int {
	if c.Thorough {
		return c.thoroughly(at, end)
	}
	src := c.src
	last := min(end-minRun, len(src)-hashed)
	for at <= last {
		back := c.chains.last(src, at)
		if back == 0 {
			at++
			continue
		}
		n := common(src[at:], src[at-back:])
		if n < minRun {
			at++
			continue
		}
		c.match(at, n, back)
		for i := at + 1; i < min(at+n, last+1); i++ {
			c.chains.last(src, i)
		}
		at += n
	}
	return max(at, end)
}

// thoroughly is text with a longer search.
func (c *Compressor) thoroughly(at, end int) int {
	last := min(end-1, len(c.src)-hashed) // the last bytes and the markup behind may match
	for at <= last {
		m := c.chains.find(c.src, at)
		c.chains.add(c.src, at)
		// A match that begins one later may be worth more than this and a literal.
		for m.length > 0 && at < last {
			next := c.chains.find(c.src, at+1)
			if next.worth <= m.worth+worth(1, 1) {
				break
			}
			at++
			m = next
			c.chains.add(c.src, at)
		}
		if m.length == 0 {
			at++
			continue
		}
		c.match(at, m.length, m.back)
		for i := at + 1; i < min(at+m.length, last+1); i++ {
			c.chains.add(c.src, i)
		}
		at += m.length
	}
	return max(at, end)
}

// match notes that n bytes from at on stand back before as well.
func (c *Compressor) match(at, n, back int) {
	c.block.add(c.src[c.done:], at-c.done, n, back)
	c.done = at + n
}

// common is the number of bytes that a and b, which is longer, begin with alike.
func common(a, b []byte) (n int) {
	for len(a)-n >= 8 && len(b)-n >= 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
