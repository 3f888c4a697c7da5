package xlsxtest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Number format codes: Excel drops one that it can't read, and all formats of the
// workbook with it.

const (
	maxFormatCode = 255 // UTF-16 units
	maxSections   = 4
	firstCustom   = 164 // ids of formats that are the workbook's own
	// maxFormats is how many it may have of those: Excel drops what comes behind the
	// 205th, in some languages behind an earlier one.
	maxFormats = 200
)

// builtin are the number formats that have the same code everywhere.
var builtin = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
	13: "# ??/??", 14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)",
	39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0",
	48: "##0.0E+0", 49: "@",
}

// numberFormat is a code, and whether it shows dates or times.
type numberFormat struct {
	code  string
	dates bool
}

var (
	// bracketForm knows colours, conditions, elapsed times, locales with currencies,
	// and the shapes of digits.
	bracketForm = regexp.MustCompile(`(?i)^\[(black|blue|cyan|green|magenta|red|white|yellow|color([1-9]|[1-4][0-9]|5[0-6])|` +
		`(<|<=|>|>=|<>|=)-?[0-9.]+(e[+-]?[0-9]+)?|h+|m+|s+|\$[^\[\]]+|dbnum[1-4])\]`)
	elapsedForm = regexp.MustCompile(`(?i)^\[(h+|m+|s+)\]`)
	// wordForm knows what letters mean outside of quotes.
	wordForm = regexp.MustCompile(`(?i)^(general|am/pm|a/p|y{1,4}|m{1,5}|d{1,4}|h{1,2}|s{1,2}|a{3,4}|e[+-]|e{1,2}|g{1,3}|b{1,4}|r{1,2})`)
)

// checkFormatCode reads a number format code, whose escapes are resolved, and tells
// whether it shows dates or times.
func checkFormatCode(code string) (dates bool, err error) {
	if n := units(code); n == 0 || n > maxFormatCode {
		return false, fmt.Errorf("it has %d units", n)
	}
	if strings.ContainsFunc(code, func(r rune) bool { return r < ' ' }) {
		return false, fmt.Errorf("it holds a control character")
	}
	sections := 1
	for rest := code; rest != ""; {
		size, date, err := formatToken(rest)
		if err != nil {
			return false, err
		}
		if rest[0] == ';' {
			sections++
		}
		dates = dates || date
		rest = rest[size:]
	}
	if sections > maxSections {
		return false, fmt.Errorf("it has %d sections", sections)
	}
	return dates, nil
}

// formatToken is the length of what a code begins with.
func formatToken(code string) (size int, date bool, err error) {
	switch c := code[0]; {
	case c == '"':
		end := strings.IndexByte(code[1:], '"')
		if end < 0 {
			return 0, false, fmt.Errorf("it has a quotation mark without another")
		}
		return end + 2, false, nil
	case c == '\\' || c == '_' || c == '*' || c == '!':
		_, size := utf8.DecodeRuneInString(code[1:])
		if size == 0 {
			return 0, false, fmt.Errorf("it ends with %c", c)
		}
		return 1 + size, false, nil
	case c == '[':
		bracket := bracketForm.FindString(code)
		if bracket == "" {
			return 0, false, fmt.Errorf("the bracket %.20q", code)
		}
		return len(bracket), elapsedForm.MatchString(code), nil
	case c == ']':
		return 0, false, fmt.Errorf("it has a bracket too many")
	case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
		word := strings.ToLower(wordForm.FindString(code))
		if word == "" {
			return 0, false, fmt.Errorf("the letters %.20q", code)
		}
		return len(word), word != "general" && word != "e+" && word != "e-", nil
	}
	_, size = utf8.DecodeRuneInString(code)
	return size, false, nil
}

// formats are the number formats of a workbook by their ids.
func (s *styleSheet) formats() (map[int]numberFormat, error) {
	all := make(map[int]numberFormat)
	for id, code := range builtin {
		dates, err := checkFormatCode(code)
		if err != nil {
			return nil, err
		}
		all[id] = numberFormat{code, dates}
	}
	if n := len(s.Formats); n > maxFormats {
		return nil, fmt.Errorf("%d number formats of its own", n)
	}
	for _, f := range s.Formats {
		if _, twice := all[f.ID]; twice || f.ID < firstCustom {
			return nil, fmt.Errorf("number format id %d", f.ID)
		}
		if err := checkEscapes(f.Code); err != nil {
			return nil, fmt.Errorf("number format code %q: %w", f.Code, err)
		}
		code := Decode(f.Code)
		dates, err := checkFormatCode(code)
		if err != nil {
			return nil, fmt.Errorf("number format code %q: %w", code, err)
		}
		all[f.ID] = numberFormat{code, dates}
	}
	return all, nil
}
