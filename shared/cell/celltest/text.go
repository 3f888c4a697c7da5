package celltest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/haexcel/haexcel/shared/cell"
)

// longest is the number of UTF-16 units that a cell holds.
const longest = 32767

// written is the cell of a text. Nothing in it is no cell.
func written(s string) Want {
	s, cut := fit(tidy(s))
	if s == "" {
		return Want{}
	}
	return Want{Type: cell.String, Text: s, Shown: s, Cut: cut}
}

// tidy makes each byte that is not UTF-8 a U+FFFD and CRLF a line feed.
func tidy(s string) string {
	return strings.ReplaceAll(string([]rune(s)), "\r\n", "\n")
}

// fit cuts a text between characters to what a cell holds.
func fit(s string) (string, bool) {
	units := 0
	for i, r := range s {
		if units += utf16.RuneLen(r); units > longest {
			return s[:i], true
		}
	}
	return s, false
}

// hexadecimal shows bytes.
func hexadecimal(b []byte) string { return fmt.Sprintf("%X", b) }

// trim takes off what anyone calls blank: what Java's trim does, spaces and
// control characters, and the spaces of Unicode.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) })
}
