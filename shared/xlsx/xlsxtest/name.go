package xlsxtest

import (
	"regexp"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxSheetName is counted in UTF-16 units.
const maxSheetName = 31

// sheetName tells whether Excel takes a name for a sheet. Chinese, Japanese and
// Korean versions refuse the wide forms of characters with the characters.
func sheetName(name string) bool {
	const quotes = "'\u2019\uFF07"
	return name != "" && units(name) <= maxSheetName &&
		!strings.ContainsAny(name, `\/?*:[]`+"＼／？＊：［］￥￦") &&
		strings.IndexFunc(name, func(r rune) bool { return !allowed(r) || r < ' ' }) < 0 &&
		strings.Trim(name, quotes) == name && foldName(name) != "history"
}

// foldName makes names equal that Excel may take for one in any language: those
// that differ in case, width or by the dots of Turkish letters.
func foldName(name string) string {
	name = cases.Fold().String(norm.NFKC.String(name))
	return strings.NewReplacer("i\u0307", "i", "ı", "i").Replace(name)
}

var (
	nameForm = regexp.MustCompile(`^[\pL_\\][\pL\pN_.\\]{0,254}$`)
	// cellForm knows names that Excel would read as references to cells.
	cellForm = regexp.MustCompile(`(?i)^(r[0-9]*(c[0-9]*)?|c[0-9]*|true|false)$`)
)

// definedName tells whether Excel takes a name for a range.
func definedName(name string) bool {
	_, _, isCell := parseReference(strings.ToUpper(name))
	return nameForm.MatchString(name) && units(name) <= 255 && !isCell && !cellForm.MatchString(name)
}
