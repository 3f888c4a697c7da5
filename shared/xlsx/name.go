package xlsx

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSheetName is counted in UTF-16 units.
const maxSheetName = 31

// What names of sheets must not hold, and must not begin or end with. Korean,
// Japanese and Chinese versions of Excel take the wide form of a character for the
// character, and that of their currency for the backslash on the same key.
const (
	forbiddenInNames = `\/?*:[]` + "＼／？＊：［］￥￦"
	quotesOfNames    = "'’＇"
)

// CleanSheetName makes a name that every version of Excel takes: at most 31 UTF-16
// units; the characters \ / ? * : [ ] and their wide forms, control characters and
// apostrophes at the ends become "_"; what programs would read as the escape of a
// character, such as _x0041_, begins with "-" instead; "History", which Excel keeps
// for itself, becomes "History_"; a blank name is "Sheet1".
func CleanSheetName(name string) string {
	if strings.TrimSpace(name) == "" {
		return "Sheet1"
	}
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(forbiddenInNames, r) || unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	name = cutUnits(name, maxSheetName)
	if strings.TrimSpace(name) == "" {
		return "Sheet1"
	}
	if r, size := utf8.DecodeRuneInString(name); strings.ContainsRune(quotesOfNames, r) {
		name = "_" + name[size:]
	}
	if r, size := utf8.DecodeLastRuneInString(name); strings.ContainsRune(quotesOfNames, r) {
		name = name[:len(name)-size] + "_"
	}
	name = breakEscapes(name)
	if sameName(name, "History") {
		name += "_"
	}
	return name
}

// sheetName is the name of the n-th sheet, from 1. The first has the clean name;
// Sheet1 goes on with Sheet2, any other name with its number behind it, after an
// underscore where the name ends in a digit or had to be cut for it. Later names
// differ in the number they end in.
func sheetName(first string, n int) string {
	if n == 1 {
		return first
	}
	number := strconv.Itoa(n)
	if first == "Sheet1" {
		return "Sheet" + number
	}
	base := cutUnits(first, maxSheetName-len(number)-1)
	if last, _ := utf8.DecodeLastRuneInString(base); unicode.IsDigit(last) || len(base) < len(first) {
		number = "_" + number
	}
	if name := breakEscapes(base + number); !sameName(name, first) {
		return name
	}
	return base + "~" + number[1:]
}

// breakEscapes writes "-" for the first character of what looks like the escape of
// another. The escape of the escape would not do: Excel and LibreOffice resolve it
// in the name, other programs do not, and they differ in the places where a
// workbook refers to the name.
func breakEscapes(name string) string {
	for i := range len(name) {
		if name[i] == '_' && looksEscaped([]byte(name[i:])) {
			name = name[:i] + "-" + name[i+1:]
		}
	}
	return name
}

// sameName tells whether names may be one to Excel, which looks neither at case
// nor, in some languages, at width.
func sameName(a, b string) bool {
	return strings.EqualFold(norm.NFKC.String(a), norm.NFKC.String(b))
}

// cutUnits cuts valid UTF-8 to a number of UTF-16 units, between characters.
func cutUnits(s string, limit int) string {
	units := 0
	for i, r := range s {
		units++
		if utf8.RuneLen(r) == 4 {
			units++
		}
		if units > limit {
			return s[:i]
		}
	}
	return s
}
