package xlsxtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// maxToken bounds what the scanner holds: the longest text of a cell takes a
// quarter of it when each character is an escaped reference.
const maxToken = 4 << 20

const xmlNS = "http://www.w3.org/XML/1998/namespace"

// A token is what the scanner has come upon.
type token int

const (
	startTag token = iota + 1
	endTag         // follows an empty element, too
	charData       // all text between two tags
	endOfPart
)

// scanner splits a part's XML into tokens. It takes a subset of XML 1.0 that
// Excel's own files keep to (UTF-8, declared; names in ASCII; no document type,
// comments, CDATA or instructions) and refuses all else, well-formed or not. It
// is many times faster than encoding/xml, which also lets some faults pass.
type scanner struct {
	in       io.Reader
	inErr    error // what ended the reading, io.EOF at the part's end
	buf      []byte
	pos, end int   // what was read and not yet looked at is buf[pos:end]
	before   int64 // bytes of the part before buf[0]

	begun, done bool // the declaration was read; the root has ended
	empty       bool // the last start tag was an empty element: its end comes next
	open        []openElement
	names       []byte // of the open elements, one behind the other
	bindings    []binding

	// The current token, valid until the next.
	space   string // namespace of the element
	local   []byte // its name without the prefix
	attrs   []attribute
	text    []byte // character data, references resolved
	scratch []byte
}

type openElement struct {
	name     int // where the name begins in names
	bindings int // how many there were outside
}

type binding struct{ prefix, space string }

type attribute struct {
	prefix, local, value []byte
}

func newScanner(in io.Reader) *scanner {
	return &scanner{in: in, buf: make([]byte, 64<<10)}
}

// attr is the value of an attribute without a prefix.
func (s *scanner) attr(name string) (value []byte, ok bool) {
	for i := range s.attrs {
		if a := &s.attrs[i]; len(a.prefix) == 0 && string(a.local) == name {
			return a.value, true
		}
	}
	return nil, false
}

// attrIn is the value of an attribute in a namespace.
func (s *scanner) attrIn(space, name string) (value []byte, ok bool) {
	for i := range s.attrs {
		if a := &s.attrs[i]; len(a.prefix) > 0 && string(a.local) == name && s.resolve(a.prefix) == space {
			return a.value, true
		}
	}
	return nil, false
}

// next reads the next token.
func (s *scanner) next() (token, error) {
	s.scratch, s.attrs, s.text = s.scratch[:0], s.attrs[:0], nil
	if !s.begun {
		if err := s.declaration(); err != nil {
			return 0, err
		}
		s.begun = true
	}
	if s.empty {
		s.empty = false
		return endTag, s.leave()
	}
	if s.pos == s.end && !s.more() {
		return s.finish()
	}
	if s.done {
		return 0, s.fault("there are bytes after the root element")
	}
	if s.buf[s.pos] != '<' {
		return s.characters()
	}
	return s.tag()
}

// more reads on. What was not looked at yet moves to the start of the buffer.
func (s *scanner) more() bool {
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end])
		s.before += int64(s.pos)
		s.pos, s.end = 0, s.end-s.pos
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= maxToken {
			s.inErr = s.fault("a text or tag is longer than any of Excel's")
			return false
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for s.inErr == nil {
		n, err := s.in.Read(s.buf[s.end:])
		s.end += n
		s.inErr = err
		if n > 0 {
			return true
		}
	}
	return false
}

// finish is the answer to an exhausted input.
func (s *scanner) finish() (token, error) {
	if errors.Is(s.inErr, io.EOF) && s.done {
		return endOfPart, nil
	}
	return 0, s.broken()
}

// broken is the error of a part that ends too early or can't be read.
func (s *scanner) broken() error {
	if errors.Is(s.inErr, io.EOF) {
		return s.fault("it ends before its root element does")
	}
	return s.inErr
}

func (s *scanner) fault(format string, args ...any) error {
	return fmt.Errorf("XML at byte %d: %s", s.before+int64(s.pos), fmt.Sprintf(format, args...))
}

var declarationForm = regexp.MustCompile(`^<\?xml version=["']1\.0["'] encoding=["']([\w.-]+)["']( standalone=["'](yes|no)["'])?\s*$`)

// declaration reads up to the root element's tag.
func (s *scanner) declaration() error {
	n, ok := s.until('>')
	if !ok && !errors.Is(s.inErr, io.EOF) {
		return s.inErr
	}
	if !ok || n == 0 || s.buf[s.pos+n-1] != '?' {
		return s.fault("it does not begin with an XML declaration")
	}
	found := declarationForm.FindSubmatch(s.buf[s.pos : s.pos+n-1])
	if found == nil || !strings.EqualFold(string(found[1]), "UTF-8") {
		return s.fault("the declaration is %q", s.buf[s.pos:s.pos+n+1])
	}
	s.pos += n + 1
	for s.pos < s.end || s.more() {
		if !blank(s.buf[s.pos]) {
			return nil
		}
		s.pos++
	}
	return s.broken()
}

// until is the distance to the next byte b.
func (s *scanner) until(b byte) (distance int, ok bool) {
	for {
		if i := bytes.IndexByte(s.buf[s.pos+distance:s.end], b); i >= 0 {
			return distance + i, true
		}
		distance = s.end - s.pos
		if !s.more() {
			return distance, false
		}
	}
}

// characters reads the text up to the next tag.
func (s *scanner) characters() (token, error) {
	if len(s.open) == 0 {
		return 0, s.fault("there is text outside of the root element")
	}
	n, ok := s.until('<')
	if !ok {
		return 0, s.broken()
	}
	text, err := s.decode(s.buf[s.pos:s.pos+n], false)
	s.text = text
	s.pos += n
	return charData, err
}

// tag reads a start or an end tag.
func (s *scanner) tag() (token, error) {
	n, err := s.tagLength()
	if err != nil {
		return 0, err
	}
	tag := s.buf[s.pos+1 : s.pos+n]
	kind := startTag
	switch {
	case len(tag) > 0 && (tag[0] == '!' || tag[0] == '?'):
		err = s.fault("<%c is none of Excel's", tag[0])
	case len(tag) > 0 && tag[0] == '/':
		kind, err = endTag, s.closeTag(tag[1:])
	default:
		err = s.openTag(tag)
	}
	s.pos += n + 1
	return kind, err
}

// tagLength is the distance to the tag's end; a > may stand between quotes.
func (s *scanner) tagLength() (int, error) {
	var quote byte
	for i := 1; ; {
		for _, c := range s.buf[s.pos+i : s.end] {
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '>':
				return i, nil
			case c == '"' || c == '\'':
				quote = c
			}
			i++
		}
		if !s.more() {
			return 0, s.broken()
		}
	}
}

func (s *scanner) closeTag(name []byte) error {
	for len(name) > 0 && blank(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	if len(s.open) == 0 || !bytes.Equal(name, s.names[s.open[len(s.open)-1].name:]) {
		return s.fault("</%s> ends no element that is open", name)
	}
	return s.leave()
}

// leave ends the innermost element and makes it the current one.
func (s *scanner) leave() error {
	last := s.open[len(s.open)-1]
	prefix, local, err := splitName(s.names[last.name:])
	s.space, s.local = s.resolve(prefix), local
	s.names = s.names[:last.name]
	s.bindings = s.bindings[:last.bindings]
	s.open = s.open[:len(s.open)-1]
	s.done = len(s.open) == 0
	return err
}
