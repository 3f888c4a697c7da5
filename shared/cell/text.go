package cell

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// MaxText is the number of UTF-16 units that a cell holds.
const MaxText = 32767

// HeaderText applies the rules of text cells to a header and reports whether it
// had to be cut.
func HeaderText(s string) (text string, cut bool) {
	out, cut, _ := cleanText([]byte(s), nil)
	return string(out), cut
}

// cleanText makes text fit for a cell: each byte that is not UTF-8 becomes
// U+FFFD, CRLF becomes LF, and what goes beyond MaxText is cut between two
// characters. It answers b itself where nothing changes; otherwise the text
// stands in scratch, which is handed back grown.
func cleanText(b, scratch []byte) (text []byte, cut bool, grown []byte) {
	clean := utf8.Valid(b) && !hasCRLF(b)
	// No character has more UTF-16 units than bytes.
	if clean && len(b) <= MaxText {
		return b, false, scratch
	}
	if clean {
		n, whole := fitting(b)
		return b[:n], !whole, scratch
	}
	out := scratch[:0]
	for i := 0; i < len(b); {
		if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
			i++
			continue
		}
		if b[i] < utf8.RuneSelf {
			out = append(out, b[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		out = utf8.AppendRune(out, r)
		i += size
		// A huge broken value is not copied further than a cell can hold.
		if len(out) > 4*MaxText {
			break
		}
	}
	n, whole := fitting(out)
	return out[:n], !whole, out
}

// usualText reports whether a text needs no change in a cell: it is valid UTF-8
// without carriage returns and not too long.
func usualText(b []byte) bool {
	if len(b) > MaxText {
		return false
	}
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if notPlain(word(b[i:])) != 0 {
			return usualUTF8(b[i:])
		}
	}
	return notPlain(shortWord(b[i:])) == 0 || usualUTF8(b[i:])
}

// notPlain flags the first byte that is a carriage return or no ASCII, and perhaps
// more behind it.
func notPlain(w uint64) uint64 { return (w | ((w ^ '\r'*each) - each)) & highs }

// usualUTF8 is usualText for Korean, of whose characters most have three bytes.
func usualUTF8(b []byte) bool {
	i := 0
	for i+8 <= len(b) {
		w := word(b[i:])
		if w&(threeMask|threeMask<<24) == threeForm|threeForm<<24 && threeBytes(w) && threeBytes(w>>24) {
			i += 6
			continue
		}
		size := usualSize(w)
		if size == 0 {
			return valid(b[i:])
		}
		i += size
	}
	for w := shortWord(b[i:]); i < len(b); {
		size := usualSize(w)
		if size == 0 {
			return valid(b[i:])
		}
		i += size
		w >>= 8 * size
	}
	return true
}

// valid is usualUTF8 for any characters.
func valid(b []byte) bool { return bytes.IndexByte(b, '\r') < 0 && utf8.Valid(b) }

// usualSize is the size of the first character, if it has one byte or three, and
// else 0.
func usualSize(w uint64) int {
	switch {
	case w&threeMask == threeForm && threeBytes(w):
		return 3
	case w&0x80 == 0 && byte(w) != '\r':
		return 1
	}
	return 0
}

// A character of three bytes is 1110xxxx 10xxxxxx 10xxxxxx.
const (
	threeMask = 0xC0C0F0
	threeForm = 0x8080E0
)

// threeBytes reports whether three bytes of that form are a character: after 0xE0
// comes at least 0xA0, after 0xED less.
func threeBytes(w uint64) bool {
	w &= 0x200F
	return w != 0 && w != 0x200D
}

func hasCRLF(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 || i+1 == len(b) {
			return false
		}
		if b[i+1] == '\n' {
			return true
		}
		b = b[i+1:]
	}
}

// fitting is the number of bytes of valid UTF-8 that a cell holds, and whether
// that is all of them.
func fitting(b []byte) (n int, whole bool) {
	units := 0
	for n < len(b) {
		size, width := 1, 1
		if b[n] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(b[n:])
			if size == 4 {
				width = 2
			}
		}
		if units+width > MaxText {
			return n, false
		}
		units += width
		n += size
	}
	return n, true
}

// trim removes blanks and control characters at both ends, as Java's trim does,
// and Unicode's other white space.
func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	if len(b) == 0 || (b[0] < utf8.RuneSelf && b[len(b)-1] < utf8.RuneSelf) {
		return b
	}
	return bytes.TrimFunc(b, func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) })
}
