package readers

import "strings"

// contentOf is what a number is by its format's code, read as ECMA-376 part 1,
// 18.8.31 has it: a date where a part of the calendar is shown, a duration where
// only parts of the clock are, else a number. Only the section for positive
// numbers counts.
func contentOf(code string) Content {
	if code == "General" {
		return Number
	}
	clock := false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			i = len(code)
		case '"':
			i += 1 + strings.IndexByte(code[i+1:]+`"`, '"')
		case '\\', '_', '*':
			i++ // the next character stands for itself
		case '[':
			end := i + strings.IndexByte(code[i:]+"]", ']')
			if elapsed(code[i+1 : end]) {
				return Duration
			}
			i = end
		case 'y', 'Y', 'd', 'D':
			return Moment
		case 'h', 'H', 's', 'S':
			clock = true
		}
	}
	switch {
	case clock:
		return Duration
	case strings.ContainsAny(code, "mM") && strings.Trim(code, "mM -/.") == "":
		return Moment // a month alone
	}
	return Number
}

// elapsed tells whether what stands in brackets is time that may be longer than
// its unit: h, hh, mm, s, …
func elapsed(inside string) bool {
	for _, unit := range "hms" {
		if inside != "" && strings.Trim(strings.ToLower(inside), string(unit)) == "" {
			return true
		}
	}
	return false
}
