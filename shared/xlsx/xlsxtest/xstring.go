package xlsxtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Texts that programs read as ST_Xstring: those of cells, the names of sheets,
// the codes of number formats. _xHHHH_ stands in them for a character.

var (
	escape     = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)
	escapeBody = regexp.MustCompile(`^x[0-9A-Fa-f]{4}_`)
)

// Decode resolves the escapes of text as Excel does.
func Decode(raw string) string {
	if !strings.Contains(raw, "_x") {
		return raw
	}
	return escape.ReplaceAllStringFunc(raw, func(s string) string {
		n := escaped(s)
		if !utf8.ValidRune(n) {
			return "\uFFFD" // half of a pair
		}
		return string(n)
	})
}

// escaped is the character that an escape stands for.
func escaped(s string) rune {
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// checkEscapes wants escapes only of what XML can't hold, of the carriage return
// and of the underscore that begins what would be read as an escape: Excel repairs
// needless ones of underscores, and any other is text that nobody escaped.
func checkEscapes(raw string) error {
	if !strings.Contains(raw, "_x") {
		return nil
	}
	for _, at := range escape.FindAllStringIndex(raw, -1) {
		switch n := escaped(raw[at[0]:at[1]]); {
		case n == '_' && escapeBody.MatchString(raw[at[1]:]), n == '\r':
		case n >= 0xD800 && n <= 0xDFFF:
			return fmt.Errorf("%s is half of a character", raw[at[0]:at[1]])
		case allowed(n):
			return fmt.Errorf("%s stands for a character that needs no escape", raw[at[0]:at[1]])
		}
	}
	return nil
}
