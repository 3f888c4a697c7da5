package xlsx

import (
	"encoding/binary"
	"math/bits"
)

// Text in XML. Characters that XML forbids are written as Excel's _xHHHH_, and so
// is the underscore of text that would be read as such an escape. Headers and
// cells both come through here.

const upperHex = "0123456789ABCDEF"

// appendText appends valid UTF-8 as the content of an element.
func appendText(dst, text []byte) []byte {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if flagSpecial(binary.LittleEndian.Uint64(text[i:])) != 0 {
			return appendSpecial(dst, text, i)
		}
	}
	if flagLast(text, i) != 0 {
		return appendSpecial(dst, text, i)
	}
	return append(dst, text...)
}

// appendSpecial is appendText for texts that have something special, at i or
// behind it.
func appendSpecial(dst, text []byte, i int) []byte {
	done := 0
	for ; i < len(text); i += 8 {
		var flags uint64
		if i+8 <= len(text) {
			flags = flagSpecial(binary.LittleEndian.Uint64(text[i:]))
		} else {
			flags = flagLast(text, i)
		}
		for ; flags != 0; flags &= flags - 1 {
			at := i + bits.TrailingZeros64(flags)/8
			if size := escaped(text[at:]); size > 0 {
				dst = append(dst, text[done:at]...)
				dst = appendEscape(dst, text[at:])
				done = at + size
			}
		}
	}
	return append(dst, text[done:]...)
}

const (
	each  = 0x0101010101010101 // a byte times this is a word full of it
	highs = 0x80 * each
)

// flagSpecial sets the highest bit of each byte that may need an escape: markup,
// control characters, the underscore that may begin one, and the first byte of
// U+FFFE, U+FFFF. At times it sets that of others behind them too.
//
// A byte less than 0x20 has that bit once 0x20 is taken off, as has one that was
// made zero (^) once one is. Bytes beyond ASCII have it anyway, all but 0xEF.
func flagSpecial(w uint64) uint64 {
	markup := (w ^ '&'*each - each) | ((w | 0x02*each) ^ '>'*each - each) // < is > without that bit
	escape := (w ^ '_'*each - each) & ((w^'x'*each-each)>>8 | 0x80<<56)
	return ((w-0x20*each|markup|escape)&^w | (w^0xEF*each-each)&w) & highs
}

// flagLast is flagSpecial for the last word of a text, which begins at i and is not
// full.
func flagLast(text []byte, i int) uint64 {
	n := len(text)
	if n < 8 {
		// Behind a short text stand zeros, which are no part of it.
		return flagSpecial(shortWord(text)) & (1<<(8*n) - 1)
	}
	// The word begins before i; what is there falls out.
	return flagSpecial(binary.LittleEndian.Uint64(text[n-8:])) >> (8 * (8 - n + i))
}

// shortWord is a text of less than eight bytes, the first one lowest, with zeros
// behind it.
func shortWord(text []byte) uint64 {
	n := len(text)
	switch {
	case n >= 4:
		// Both halves bring the bytes that they share.
		first, last := binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint32(text[n-4:])
		return uint64(first) | uint64(last)<<(8*n-32)
	case n > 0:
		return uint64(text[0]) | uint64(text[n/2])<<(n/2*8) | uint64(text[n-1])<<(8*n-8)
	}
	return 0
}

// escaped is the number of bytes at the start of text that are written as an
// escape, 0 where none is needed.
func escaped(text []byte) int {
	switch b := text[0]; {
	case b == '&' || b == '<' || b == '>':
		return 1
	case b == '\t' || b == '\n':
		return 0
	case b < 0x20 || b == '_' && looksEscaped(text):
		return 1
	case nonCharacter(text):
		return 3
	}
	return 0
}

// appendEscape appends the escape of the character at the start of text.
func appendEscape(dst, text []byte) []byte {
	switch b := text[0]; b {
	case '&':
		return append(dst, "&amp;"...)
	case '<':
		return append(dst, "&lt;"...)
	case '>':
		return append(dst, "&gt;"...)
	case 0xEF:
		dst = append(dst, "_xFFF"...)
		return append(dst, upperHex[text[2]&0xF], '_')
	default:
		dst = append(dst, "_x00"...)
		return append(dst, upperHex[b>>4], upperHex[b&0xF], '_')
	}
}

// looksEscaped reports whether the underscore at the start of text would be read
// as the start of an escape: xHHHH and another underscore follow, where the
// latter may come from the escape of the next character.
func looksEscaped(text []byte) bool {
	if len(text) < 7 || text[1] != 'x' {
		return false
	}
	for _, b := range text[2:6] {
		if !isHex(b) {
			return false
		}
	}
	switch next := text[6]; next {
	case '_':
		return true
	case '\t', '\n':
		return false
	default:
		return next < 0x20 || nonCharacter(text[6:])
	}
}

func isHex(b byte) bool {
	return b-'0' < 10 || b|0x20 >= 'a' && b|0x20 <= 'f'
}

// nonCharacter reports whether text begins with U+FFFE or U+FFFF.
func nonCharacter(text []byte) bool {
	return len(text) > 2 && text[0] == 0xEF && text[1] == 0xBF && text[2]|1 == 0xBF
}

// needsPreserve reports whether readers would trim the text.
func needsPreserve(text []byte) bool {
	return len(text) > 0 && (isBlank(text[0]) || isBlank(text[len(text)-1]))
}

func isBlank(b byte) bool {
	const blanks = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'
	return b <= ' ' && blanks>>b&1 != 0
}

// appendAttribute appends valid UTF-8 without control characters as the value of
// an attribute.
func appendAttribute(dst []byte, value string) []byte {
	for i := range len(value) {
		switch b := value[i]; b {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		default:
			dst = append(dst, b)
		}
	}
	return dst
}
