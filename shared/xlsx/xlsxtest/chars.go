package xlsxtest

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// How the scanner looks at the bytes of texts and values.
const (
	plain     = iota
	special   // is or may be read as something else
	suspect   // fine in some places only
	multibyte // begins or continues a character
	forbidden
)

var classes = func() (c [256]byte) {
	for b := range 256 {
		switch {
		case b >= utf8.RuneSelf:
			c[b] = multibyte
		case b == '&' || b == '\t' || b == '\n' || b == '\r':
			c[b] = special
		case b == '<' || b == '>':
			c[b] = suspect
		case b < ' ':
			c[b] = forbidden
		}
	}
	return c
}()

// decode checks the characters of a text or of an attribute's value, resolves
// its references and normalises its line ends and, in a value, its blanks.
func (s *scanner) decode(raw []byte, value bool) ([]byte, error) {
	rewrite := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; classes[c] {
		case plain:
		case special:
			rewrite = rewrite || value || c == '&' || c == '\r'
		case suspect:
			if c == '<' || !value && bytes.HasSuffix(raw[:i], []byte("]]")) {
				return nil, s.fault("a bare %c", c)
			}
		case multibyte:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n == 1 {
				return nil, s.fault("the byte %#02x is not UTF-8", c)
			}
			if !allowed(r) {
				return nil, s.fault("the character %U", r)
			}
			i += n - 1
		default:
			return nil, s.fault("the character %U", c)
		}
	}
	if !rewrite {
		return raw, nil
	}
	return s.rewrite(raw, value)
}

func (s *scanner) rewrite(raw []byte, value bool) ([]byte, error) {
	start := len(s.scratch)
	out := s.scratch
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '\r' {
			if i+1 < len(raw) && raw[i+1] == '\n' {
				continue
			}
			c = '\n'
		}
		switch {
		case c == '&':
			n := bytes.IndexByte(raw[i:], ';')
			r, ok := reference(raw[i+1 : max(i+1, i+n)])
			if n < 0 || !ok {
				return nil, s.fault("the reference %.12q", raw[i:])
			}
			out = utf8.AppendRune(out, r)
			i += n
		case value && (c == '\n' || c == '\t'):
			out = append(out, ' ')
		default:
			out = append(out, c)
		}
	}
	s.scratch = out
	return out[start:], nil
}

// reference is the character that stands between & and ;.
func reference(name []byte) (rune, bool) {
	switch string(name) {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	base := 10
	digits, ok := bytes.CutPrefix(name, []byte("#"))
	if !ok {
		return 0, false
	}
	if hex, is := bytes.CutPrefix(digits, []byte("x")); is {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	return rune(n), err == nil && n <= utf8.MaxRune && allowed(rune(n))
}

// allowed are the characters of XML 1.0.
func allowed(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return true
	case r < ' ' || r >= 0xD800 && r <= 0xDFFF || r == 0xFFFE || r == 0xFFFF:
		return false
	}
	return r <= utf8.MaxRune
}
