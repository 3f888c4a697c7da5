package xlsx

import (
	"encoding/binary"
	"math/bits"

	"github.com/haexcel/haexcel/shared/deflate"
)

// textCache remembers the last texts of a column as they were encoded. Columns of
// a few texts (states, names of towns) are copied from it; where texts hardly
// repeat it stands aside.
type textCache struct {
	entries []knownText // nil until the first text
	few     bool        // rows in this segment: not worth the memory
	asked   int
	hits    int
	rest    int // segments to stand aside
}

// knownText is a text and its cell from the attributes on.
type knownText struct {
	text, xml  []byte
	start, end int // of the value in xml
}

const (
	cacheEntries = 64
	cacheBits    = 6
	maxKnown     = 64  // bytes of a text
	maxKnownXML  = 512 // bytes of a cell
	trial        = 128 // texts after which the hits must be worth it
	restSegments = 15
)

// begin starts another segment.
func (c *textCache) begin(rows int) {
	c.few = rows < trial
	if c.rest > 0 {
		c.rest--
	}
	c.asked, c.hits = 0, 0
}

// entry is the place of a text in the cache; nil where it has none.
func (c *textCache) entry(text []byte) *knownText {
	if c.few || c.rest > 0 || len(text) == 0 || len(text) > maxKnown {
		return nil
	}
	if c.asked++; c.asked == trial && c.hits < trial/4 {
		c.rest = restSegments
		return nil
	}
	if c.entries == nil {
		c.entries = make([]knownText, cacheEntries)
	}
	return &c.entries[hashText(text)]
}

func hashText(text []byte) uint64 {
	var first, last uint64
	if n := len(text); n >= 8 {
		first, last = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[n-8:])
	} else {
		for _, ch := range text {
			first = first<<8 | uint64(ch)
		}
	}
	h := (first ^ bits.RotateLeft64(last, 23) ^ uint64(len(text))) * 0x9E3779B97F4A7C15
	return h >> (64 - cacheBits)
}

func (k *knownText) holds(text []byte) bool { return string(k.text) == string(text) }

// keep remembers a cell whose XML from the attributes on begins at base.
func (k *knownText) keep(text, xml []byte, value deflate.Span, base int) {
	if len(xml) > maxKnownXML {
		return
	}
	k.text = append(k.text[:0], text...)
	k.xml = append(k.xml[:0], xml...)
	k.start, k.end = int(value.Start)-base, int(value.End)-base
}
