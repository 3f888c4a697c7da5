// Package deflate compresses sheets as raw deflate blocks (RFC 1951), faster than
// a general compressor and smaller than one of that speed.
//
// The text of a sheet is mostly markup that stands in the row above as well, in
// the same column. A general compressor finds that out byte by byte, through a
// hash table; this one is told where the values are, and compares each cell with
// the one above it. Only values are looked up in tables: texts at each place,
// numbers as a whole and where they repeat.
//
// Guarantees: the places are hints, and whatever they are, any reader of deflate
// gets back the same bytes. Output ends on a byte without ending the stream and
// does not refer to anything before it, so outputs join to one stream, which Final
// ends. The same input gives the same output.
//
// What it costs, of its own time, for rows of ten mixed columns: about a third each
// for comparing cells with those above (and noting what is found), for writing the
// codes, and for text, of which each place is looked up once (or, thoroughly, up to
// sixteen times). All three are paid for each match: two for a cell, since the
// number of the row interrupts its markup, and some for each text.
//
// Known limits: a cell further from the one above than the window of deflate
// (32 KiB) is not compared with it; there a general compressor does better.
package deflate

import (
	"encoding/binary"
	"math/bits"
	"slices"
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
	values [1 << tableBits]uint32 // by their first bytes: the last place, plus one
	chains chains
	above  []column
	src    []byte
	done   int // everything before it is in a sequence
}

// column is what is known of a column from the rows above.
type column struct {
	// Where the last value began, and the last that is not empty; plus one.
	last, full int
	// How often a number was looked up, and how often it was there as a whole.
	asked, found int
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
	// minNumber is the shortest number that is looked up, trial the number of
	// times after which a column's numbers must have been found a few times.
	minNumber = 5
	trial     = 32
)

// Append compresses src behind dst. spans are the cells of rows that have columns
// cells each, in order.
func (c *Compressor) Append(dst, src []byte, spans []Span, columns int) []byte {
	c.block.reset()
	clear(c.values[:])
	c.chains.reset()
	c.src, c.done = src, 0
	c.above = slices.Grow(c.above[:0], columns)[:columns]
	clear(c.above)
	at, next := 0, 0
	for _, s := range spans {
		start, end := int(s.Start), int(s.End)
		up := &c.above[next]
		if next++; next == columns {
			next = 0
		}
		if start > end || end > len(src) {
			continue
		}
		above := up.last
		up.last = start + 1
		if start < end {
			above, up.full = up.full, start+1
		}
		back := start + 1 - above
		switch {
		case end <= at: // a match covers it already
		case above == 0 || back <= 0 || back > maxWindow || at < back:
			at = c.text(at, end)
		case end-start >= minRun && (src[start] > '9' || end-start >= longValue):
			at = c.along(at, start, start, back)
			if at == start && !c.Thorough {
				at = c.value(at, back)
			}
			at = c.text(at, end)
		default:
			at = c.number(at, start, end, back, up)
		}
	}
	c.block.end(src[c.done:])
	return c.block.append(dst, src)
}

// number covers a cell with a number: as a whole, if the number was seen, else as
// far as the row above goes, and by its digits.
func (c *Compressor) number(at, start, end, back int, up *column) int {
	earlier := 0
	if end-start >= minNumber && (up.asked < trial || up.found >= trial/8) {
		earlier = c.seen(start, end, back)
		up.asked++
	}
	if earlier > 0 {
		up.found++
	}
	if c.Thorough && up.found*5 > up.asked { // numbers repeat here
		return c.text(c.along(at, start, start, back), end)
	}
	if earlier == 0 {
		return max(c.along(at, start, len(c.src), back), end)
	}
	if at = c.along(at, start, start, back); at > start {
		return max(at, end)
	}
	n := common(c.src[at:], c.src[at-earlier:])
	c.match(at, n, earlier)
	return at + n
}

// seen tells how far back a number stands as a whole, 0 where the table does not
// know it, or it stands in the row above.
func (c *Compressor) seen(start, end, back int) int {
	if start+hashed > len(c.src) {
		return 0
	}
	first := binary.LittleEndian.Uint64(c.src[start:])
	earlier := c.place(first, start)
	if earlier == 0 || binary.LittleEndian.Uint64(c.src[start-earlier:]) != first ||
		binary.LittleEndian.Uint64(c.src[start-back:]) == first ||
		common(c.src[start:end], c.src[start-earlier:]) < end-start {
		return 0
	}
	return earlier
}

// place tells how far back a value with these first bytes began, 0 where it did
// not or too far, and notes the new one.
func (c *Compressor) place(first uint64, at int) int {
	entry := &c.values[first*0x9E3779B97F4A7C15>>(64-tableBits)]
	earlier := at + 1 - int(*entry)
	if *entry == 0 || earlier > maxWindow {
		earlier = 0
	}
	*entry = uint32(at + 1)
	return earlier
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
	if earlier := c.place(binary.LittleEndian.Uint64(c.src[at:]), at); earlier > 0 {
		if m := common(c.src[at:], c.src[at-earlier:]); m > n {
			n, back = m, earlier
		}
	}
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
