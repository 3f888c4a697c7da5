package cell

import (
	"strings"
	"unicode/utf8"
)

// maxFormatCode is the longest number format code that Excel stores.
const maxFormatCode = 255

// formatCode is what a number format code turned out to be.
type formatCode struct {
	dates bool // shows dates or times
	// pattern writes a date as text the way the code would; nil where the code
	// holds more than plain parts of a date.
	pattern []datePart
	// calendar: a date is shown, which a time of day has none of. elapsed: hours,
	// minutes or seconds go on beyond a day. Both are of the first section, the one
	// for times.
	calendar, elapsed bool
	// words: text is not shown as it is, since a section says how.
	words bool
}

// datePart is one piece of a date pattern: a letter of ymdHMS with its length, or
// a literal.
type datePart struct {
	letter  byte // y m d, H hour, M minute, S second; 0: literal
	length  int
	literal string
}

// parseFormatCode reads an Excel number format code. It is strict: a code that
// Excel refuses makes it repair the workbook, while a code refused here costs a
// warning. A word that shows nothing of the number, such as 통화, is taken for a
// name that there is not, rather than hide every value behind it.
func parseFormatCode(code string) (f formatCode, ok bool) {
	if code == "" || len(code) > maxFormatCode || !utf8.ValidString(code) {
		return formatCode{}, false
	}
	p := formatParser{code: code}
	for n := 0; ; n++ {
		start := p.at
		if n == 4 || !p.section() || n == 0 && p.at > start && !p.showsValue() {
			return formatCode{}, false
		}
		f.dates = f.dates || p.dates
		f.words = f.words || (p.text || n == 3) && code[start:p.at] != "@"
		if n == 0 && p.dates {
			f.calendar, f.elapsed = p.showsCalendar(), p.elapsed
			if p.plainDate {
				f.pattern = p.pattern()
			}
		}
		if p.at == len(p.code) {
			return f, true
		}
		p.at++ // the semicolon
	}
}

// formatParser walks over one section at a time and notes what it holds.
type formatParser struct {
	code string
	at   int

	dates, numbers, text, general   bool
	condition                       bool
	point, exponent, fraction, fill bool
	plainDate, calendar, elapsed    bool
	parts                           []datePart
}

func (p *formatParser) section() bool {
	*p = formatParser{code: p.code, at: p.at, plainDate: true}
	for p.at < len(p.code) && p.code[p.at] != ';' {
		if !p.token() {
			return false
		}
	}
	kinds := 0
	for _, has := range []bool{p.dates, p.numbers, p.text, p.general} {
		if has {
			kinds++
		}
	}
	return kinds <= 1 && (!p.dates || !p.fraction && !p.exponent)
}

// showsValue reports whether a section shows anything of the value, or says for
// which values it is.
func (p *formatParser) showsValue() bool {
	return p.dates || p.numbers || p.text || p.general || p.condition
}

func (p *formatParser) token() bool {
	rest := p.code[p.at:]
	switch ch := rest[0]; {
	case ch == '"':
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 || !printable(rest[1:1+end]) {
			return false
		}
		return p.literal(rest[1:1+end], end+2)
	case ch == '\\' || ch == '_' || ch == '*' || ch == '!':
		_, size := utf8.DecodeRuneInString(rest[1:])
		if size == 0 || !printable(rest[1:1+size]) || (ch == '*' && p.fill) {
			return false
		}
		switch ch {
		case '_':
			return p.literal(" ", 1+size)
		case '*':
			p.fill, p.plainDate = true, false
		}
		return p.literal(rest[1:1+size], 1+size)
	case ch == '[':
		return p.bracket(rest)
	case ch == '@':
		p.text = true
		p.at++
		return true
	case ch == '.' && p.dates && len(rest) > 1 && rest[1] == '0':
		return p.subSecond(rest)
	case ch == '0' || ch == '#' || ch == '?' || ch == '.' || ch == ',' || ch == '%' || (ch >= '1' && ch <= '9'):
		return p.digit(ch)
	case ch >= utf8.RuneSelf:
		_, size := utf8.DecodeRuneInString(rest)
		if !printable(rest[:size]) {
			return false
		}
		return p.literal(rest[:size], size)
	case strings.IndexByte(" $-+/():^&'~{}<>=", ch) >= 0:
		if ch == '/' && p.numbers {
			if p.fraction {
				return false
			}
			p.fraction = true
		}
		return p.literal(rest[:1], 1)
	}
	return p.word(rest)
}

func (p *formatParser) literal(text string, size int) bool {
	p.parts = append(p.parts, datePart{literal: text})
	p.at += size
	return true
}

// digit takes a placeholder of a number. A comma or a point is a literal between
// the parts of a date. Other digits belong to the denominator of a fraction.
func (p *formatParser) digit(ch byte) bool {
	if (ch == '.' || ch == ',') && p.dates {
		return p.literal(string(ch), 1)
	}
	if ch >= '1' && ch <= '9' && !p.fraction {
		return false
	}
	if ch == '.' {
		if p.point || p.fraction {
			return false
		}
		p.point = true
	}
	p.numbers = true
	p.at++
	return true
}

// subSecond takes the fraction of a second: up to three zeros behind a point.
func (p *formatParser) subSecond(rest string) bool {
	n := 1
	for n < len(rest) && rest[n] == '0' {
		n++
	}
	p.plainDate = false
	p.at += n
	return n <= 4 && len(p.parts) > 0 && p.parts[len(p.parts)-1].letter == 's'
}

// word takes a run of letters that mean something.
func (p *formatParser) word(rest string) bool {
	lower := strings.ToLower(rest)
	switch {
	case strings.HasPrefix(lower, "general"):
		p.general = true
		p.at += len("general")
		return true
	case strings.HasPrefix(lower, "am/pm"):
		return p.dateWord(5)
	case strings.HasPrefix(lower, "a/p"):
		return p.dateWord(3)
	case lower[0] == 'e' && p.numbers:
		if p.exponent || len(rest) < 3 || (rest[1] != '+' && rest[1] != '-') || strings.IndexByte("0#?", rest[2]) < 0 {
			return false
		}
		p.exponent = true
		p.at += 2
		return true
	}
	run := 1
	for run < len(lower) && lower[run] == lower[0] {
		run++
	}
	switch limit := map[byte]int{'y': 4, 'm': 5, 'd': 4, 'h': 2, 's': 2}[lower[0]]; {
	case limit > 0 && run <= limit:
		p.dates = true
		p.parts = append(p.parts, datePart{letter: lower[0], length: run})
		p.at += run
		return true
	case lower[0] == 'a' && (run == 3 || run == 4), lower[0] == 'e' && run <= 2, lower[0] == 'g' && run <= 3:
		p.calendar = true
		return p.dateWord(run)
	}
	return false
}

func (p *formatParser) dateWord(size int) bool {
	p.dates, p.plainDate = true, false
	p.at += size
	return true
}

// bracket takes a colour, a condition, an elapsed time, a currency or locale, or
// a digit shape.
func (p *formatParser) bracket(rest string) bool {
	end := strings.IndexByte(rest, ']')
	if end < 2 {
		return false
	}
	inner := rest[1:end]
	lower := strings.ToLower(inner)
	p.at += end + 1
	switch lower {
	case "h", "hh", "m", "mm", "s", "ss":
		p.dates, p.plainDate, p.elapsed = true, false, true
		p.parts = append(p.parts, datePart{letter: lower[0], length: len(lower)})
		return true
	case "black", "blue", "cyan", "green", "magenta", "red", "white", "yellow",
		"dbnum1", "dbnum2", "dbnum3", "dbnum4":
		return true
	}
	switch {
	case inner[0] == '$':
		if !printable(inner) || strings.IndexByte(inner, '[') >= 0 {
			return false
		}
		if dash := strings.LastIndexByte(inner, '-'); dash > 1 || (dash < 0 && len(inner) > 1) {
			p.literal(strings.Split(inner[1:], "-")[0], 0)
		}
		return len(inner) > 1
	case strings.HasPrefix(lower, "color"):
		n := strings.TrimPrefix(lower, "color")
		return len(n) >= 1 && len(n) <= 2 && allDigits(n) && n >= "1" && (len(n) == 1 || n[0] != '0' && n <= "56")
	case inner[0] == '<' || inner[0] == '>' || inner[0] == '=':
		operand := strings.TrimLeft(inner, "<>=")
		switch inner[:len(inner)-len(operand)] {
		case "<", "<=", ">", ">=", "<>", "=":
			p.condition = true
			_, ok := parseNumber([]byte(operand))
			return ok
		}
	}
	return false
}

func allDigits[T string | []byte](s T) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// printable reports whether XML attributes and Excel keep the text as it is.
func printable(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return false
		}
	}
	return true
}

// told gives the parts of a section with the letters of datePart: an m next to
// hours or seconds is minutes.
func (p *formatParser) told() []datePart {
	var letters []int
	for i, part := range p.parts {
		if part.letter != 0 {
			letters = append(letters, i)
		}
	}
	out := append([]datePart(nil), p.parts...)
	for n, i := range letters {
		switch part := &out[i]; part.letter {
		case 'm':
			if (n > 0 && p.parts[letters[n-1]].letter == 'h') ||
				(n+1 < len(letters) && p.parts[letters[n+1]].letter == 's') {
				part.letter = 'M'
			}
		case 'h':
			part.letter = 'H'
		case 's':
			part.letter = 'S'
		}
	}
	return out
}

// showsCalendar reports whether a section shows a day, a month or a year. Minutes
// that stand alone in brackets are none.
func (p *formatParser) showsCalendar() bool {
	if p.calendar {
		return true
	}
	for _, part := range p.told() {
		if part.letter == 'y' || part.letter == 'd' || part.letter == 'm' && !p.elapsed {
			return true
		}
	}
	return false
}

// pattern turns the tokens of a section into a date pattern. Names of months and
// days have no pattern.
func (p *formatParser) pattern() []datePart {
	parts := p.told()
	for _, part := range parts {
		if part.length > 2 && part.letter != 'y' {
			return nil
		}
	}
	return parts
}

// appendPattern writes a date, real or not, by a pattern.
func appendPattern(dst []byte, pattern []datePart, m moment) []byte {
	for _, part := range pattern {
		switch part.letter {
		case 0:
			dst = append(dst, part.literal...)
		case 'y':
			if part.length <= 2 {
				dst = appendPadded(dst, m.year%100, 2)
			} else {
				dst = appendPadded(dst, m.year, 4)
			}
		case 'm':
			dst = appendPadded(dst, m.month, part.length)
		case 'd':
			dst = appendPadded(dst, m.day, part.length)
		case 'H':
			dst = appendPadded(dst, m.hour, part.length)
		case 'M':
			dst = appendPadded(dst, m.minute, part.length)
		case 'S':
			dst = appendPadded(dst, m.second, part.length)
		}
	}
	return dst
}

// appendPadded writes n ≥ 0 with leading zeros to at least width digits.
func appendPadded(dst []byte, n, width int) []byte {
	limit := 10
	for range width - 1 {
		if n < limit {
			dst = append(dst, '0')
		}
		limit *= 10
	}
	return appendInt(dst, n)
}
