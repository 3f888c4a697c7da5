package dataset

import (
	"fmt"
	"regexp"
	"strings"
)

// piece is a part of a statement: fixed text or a parameter.
type piece struct {
	text   string
	name   string // parameter or claim; "" for text
	caller bool   // the name is a claim of the caller
	test   bool   // IS follows: its type cannot be told from its place
}

// isTest finds the IS of :name IS NULL.
var isTest = regexp.MustCompile(`^(?i:\s+IS\s)`)

// scanError is a fault in a statement, with the number of line ends before it.
type scanError struct {
	line   int
	reason string
}

func (e *scanError) Error() string { return e.reason }

// scanner takes a statement apart into text and parameters. It knows where its
// database would not look for parameters either: in texts, quoted names and
// comments.
type scanner struct {
	dialect *dialect
	sql     string
	pos     int
	start   int   // of the text not yet taken over
	open    []int // places of the brackets not yet closed
	pieces  []piece
}

// scan finds the :params of a statement or of a part of one. A closing
// semicolon is dropped; a second statement is refused, and so are the
// placeholders of the driver, which would steal the values. Brackets must pair:
// a condition that closes more than it opens would end the ones beside it.
func scan(d *dialect, sql string) ([]piece, error) {
	s := scanner{dialect: d, sql: sql}
	for s.pos < len(sql) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	if n := len(s.open); n > 0 {
		return nil, s.fail(s.open[n-1], "a ( is not closed")
	}
	s.flush(len(sql))
	if len(s.pieces) == 0 {
		return nil, &scanError{reason: "is empty"}
	}
	return s.pieces, nil
}

func (s *scanner) fail(at int, format string, args ...any) error {
	return &scanError{line: strings.Count(s.sql[:at], "\n"), reason: fmt.Sprintf(format, args...)}
}

func (s *scanner) flush(end int) {
	if s.start < end {
		s.pieces = append(s.pieces, piece{text: s.sql[s.start:end]})
	}
}

// step takes one token.
func (s *scanner) step() error {
	c, d, rest := s.sql[s.pos], s.dialect, s.sql[s.pos:]
	switch {
	case c == '\'':
		return s.quoted('\'', d.backslash || s.escapeString())
	case c == '"':
		return s.quoted('"', d.backslash)
	case c == '`' && d.backtick:
		return s.quoted('`', false)
	case c == '[' && d.bracket:
		return s.until("]", "a name in [ ]")
	case strings.HasPrefix(rest, "--") && s.dashes(), c == '#' && d.hash:
		return s.line()
	case strings.HasPrefix(rest, "/*"):
		return s.comment()
	case c == '$' && d.dollar && !s.afterWord():
		return s.dollar()
	case c == '(':
		s.open = append(s.open, s.pos)
	case c == ')' && len(s.open) == 0:
		return s.fail(s.pos, "a ) closes nothing")
	case c == ')':
		s.open = s.open[:len(s.open)-1]
	case c == ';':
		return s.semicolon()
	case c == ':':
		return s.colon()
	case strings.IndexByte(d.foreign, c) >= 0 && (c == '?' || !s.afterWord()):
		return s.fail(s.pos, "%q is a placeholder of the driver; write :name", string(c))
	}
	s.pos++
	return nil
}

// afterWord reports whether the character before belongs to a word.
func (s *scanner) afterWord() bool { return s.pos > 0 && wordByte(s.sql[s.pos-1]) }

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// escapeString reports whether the quote opens PostgreSQL's E'…'.
func (s *scanner) escapeString() bool {
	return s.pos > 0 && (s.sql[s.pos-1] == 'E' || s.sql[s.pos-1] == 'e') && (s.pos == 1 || !wordByte(s.sql[s.pos-2]))
}

// quoted passes a quoted text or name. A doubled quote reads as an end and a
// new start, which comes to the same.
func (s *scanner) quoted(quote byte, backslash bool) error {
	for i := s.pos + 1; i < len(s.sql); i++ {
		switch {
		case s.sql[i] == '\\' && backslash:
			i++
		case s.sql[i] == quote:
			s.pos = i + 1
			return nil
		}
	}
	return s.fail(s.pos, "a %c is not closed", quote)
}

func (s *scanner) until(end, what string) error {
	i := strings.Index(s.sql[s.pos:], end)
	if i < 0 {
		return s.fail(s.pos, "%s is not closed", what)
	}
	s.pos += i + len(end)
	return nil
}

func (s *scanner) dashes() bool {
	return !s.dialect.dashBlank || s.pos+2 == len(s.sql) || s.sql[s.pos+2] <= ' '
}

func (s *scanner) line() error {
	if i := strings.IndexByte(s.sql[s.pos:], '\n'); i >= 0 {
		s.pos += i
	} else {
		s.pos = len(s.sql)
	}
	return nil
}

func (s *scanner) comment() error {
	depth := 0
	for i := s.pos; i+1 < len(s.sql); i++ {
		switch s.sql[i : i+2] {
		case "/*":
			if depth == 0 || s.dialect.nested {
				depth++
				i++
			}
		case "*/":
			depth--
			i++
			if depth == 0 {
				s.pos = i + 1
				return nil
			}
		}
	}
	return s.fail(s.pos, "a comment is not closed")
}

// dollar passes PostgreSQL's $tag$…$tag$ and refuses $1.
func (s *scanner) dollar() error {
	end := s.pos + 1
	for end < len(s.sql) && wordByte(s.sql[end]) {
		end++
	}
	if next := s.sql[s.pos+1 : end]; next != "" && next[0] >= '0' && next[0] <= '9' {
		return s.fail(s.pos, "%q is a placeholder of the driver; write :name", "$"+next)
	}
	if end == len(s.sql) || s.sql[end] != '$' {
		s.pos = end
		return nil
	}
	tag, opened := s.sql[s.pos:end+1], s.pos
	i := strings.Index(s.sql[end+1:], tag)
	if i < 0 {
		return s.fail(opened, "a %s is not closed", tag)
	}
	s.pos = end + 1 + i + len(tag)
	return nil
}

// semicolon ends the statement: only blanks and comments may follow.
func (s *scanner) semicolon() error {
	s.flush(s.pos)
	at := s.pos
	s.pos++
	for s.pos < len(s.sql) {
		rest := s.sql[s.pos:]
		switch c := rest[0]; {
		case c <= ' ' || c == ';':
			s.pos++
		case strings.HasPrefix(rest, "--") && s.dashes(), c == '#' && s.dialect.hash:
			_ = s.line()
		case strings.HasPrefix(rest, "/*"):
			if err := s.comment(); err != nil {
				return err
			}
		default:
			return s.fail(at, "holds more than one statement")
		}
	}
	s.start = s.pos
	return nil
}

// colon passes ::casts and := and takes a :param.
func (s *scanner) colon() error {
	rest := s.sql[s.pos+1:]
	if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=") {
		s.pos += 2
		return nil
	}
	n := 0
	for n < len(rest) && wordByte(rest[n]) && rest[n] < 0x80 {
		n++
	}
	name := rest[:n]
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		s.pos++
		return nil
	}
	p := piece{name: name}
	if name == "caller" && n < len(rest) && rest[n] == '.' {
		m := n + 1
		for m < len(rest) && (wordByte(rest[m]) && rest[m] < 0x80) {
			m++
		}
		if m == n+1 {
			return s.fail(s.pos, "after :caller. the name of a claim is missing")
		}
		p, n = piece{name: rest[n+1 : m], caller: true}, m
	}
	p.test = isTest.MatchString(rest[n:])
	s.flush(s.pos)
	s.pieces = append(s.pieces, p)
	s.pos += 1 + n
	s.start = s.pos
	return nil
}
