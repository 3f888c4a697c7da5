package xlsx

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSheetName is counted in UTF-16 units.
const maxSheetName = 31

// CleanSheetName makes a name that Excel takes: at most 31 UTF-16 units; the
// characters \ / ? * : [ ], control characters and apostrophes at the ends become
// "_"; "History", which Excel keeps for itself, becomes "History_"; a blank name
// is "Sheet1".
func CleanSheetName(name string) string {
	if strings.TrimSpace(name) == "" {
		return "Sheet1"
	}
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`\/?*:[]`, r) || unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	name = cutUnits(name, maxSheetName)
	if strings.TrimSpace(name) == "" {
		return "Sheet1"
	}
	if name[0] == '\'' {
		name = "_" + name[1:]
	}
	if name[len(name)-1] == '\'' {
		name = name[:len(name)-1] + "_"
	}
	if strings.EqualFold(name, "History") {
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
	if last := base[len(base)-1]; last >= '0' && last <= '9' || len(base) < len(first) {
		number = "_" + number
	}
	if name := base + number; !strings.EqualFold(name, first) {
		return name
	}
	return base + "~" + number[1:]
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
