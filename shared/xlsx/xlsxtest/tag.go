package xlsxtest

import (
	"bytes"
	"fmt"
	"strings"
)

// How the scanner reads what stands in a start tag: names, attributes and the
// namespaces that they declare.

func (s *scanner) openTag(tag []byte) error {
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		tag, s.empty = tag[:n-1], true
	}
	name, rest := cutName(tag)
	prefix, local, err := splitName(name)
	if err != nil {
		return s.fault("%v", err)
	}
	s.open = append(s.open, openElement{len(s.names), len(s.bindings)})
	s.names = append(s.names, name...)
	if err := s.attributes(rest); err != nil {
		return err
	}
	s.local, s.space = local, s.resolve(prefix)
	if len(prefix) > 0 && s.space == "" {
		return s.fault("nothing declares the prefix of <%s>", name)
	}
	for i := range s.attrs {
		if a := &s.attrs[i]; len(a.prefix) > 0 && s.resolve(a.prefix) == "" {
			return s.fault("nothing declares the prefix of the attribute %s:%s", a.prefix, a.local)
		}
	}
	return nil
}

// attributes reads those of a tag; declarations of namespaces are kept apart.
func (s *scanner) attributes(rest []byte) error {
	for {
		trimmed := skipBlanks(rest)
		if len(trimmed) == 0 {
			return nil
		}
		if len(trimmed) == len(rest) {
			return s.fault("no blank before %.20q", rest)
		}
		name, after := cutName(trimmed)
		prefix, local, err := splitName(name)
		if err != nil {
			return s.fault("%v", err)
		}
		raw, after, ok := cutValue(after)
		if !ok {
			return s.fault("the attribute %s has no value between quotes", name)
		}
		value, err := s.decode(raw, true)
		if err != nil {
			return err
		}
		if err := s.addAttribute(attribute{prefix, local, value}); err != nil {
			return err
		}
		rest = after
	}
}

func (s *scanner) addAttribute(a attribute) error {
	switch {
	case len(a.prefix) == 0 && string(a.local) == "xmlns":
		return s.bind("", string(a.value))
	case string(a.prefix) == "xmlns":
		if len(a.value) == 0 {
			return s.fault("the prefix %s stands for nothing", a.local)
		}
		return s.bind(string(a.local), string(a.value))
	}
	for _, other := range s.attrs {
		if bytes.Equal(other.local, a.local) && bytes.Equal(other.prefix, a.prefix) {
			return s.fault("the attribute %s is there twice", a.local)
		}
	}
	s.attrs = append(s.attrs, a)
	return nil
}

func (s *scanner) bind(prefix, space string) error {
	if strings.HasPrefix(prefix, "xml") {
		return s.fault("the prefix %s is XML's own", prefix)
	}
	for _, b := range s.bindings[s.open[len(s.open)-1].bindings:] {
		if b.prefix == prefix {
			return s.fault("a namespace is declared twice for the prefix %q", prefix)
		}
	}
	s.bindings = append(s.bindings, binding{prefix, space})
	return nil
}

// resolve is the namespace that a prefix stands for, "" for none.
func (s *scanner) resolve(prefix []byte) string {
	for i := len(s.bindings) - 1; i >= 0; i-- {
		if s.bindings[i].prefix == string(prefix) {
			return s.bindings[i].space
		}
	}
	if string(prefix) == "xml" {
		return xmlNS
	}
	return ""
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipBlanks(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	return b
}

// cutName splits off a name with its prefix.
func cutName(b []byte) (name, rest []byte) {
	for i, c := range b {
		if blank(c) || c == '=' || c == '/' {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// cutValue splits off the value behind an attribute's name.
func cutValue(b []byte) (value, rest []byte, ok bool) {
	b = skipBlanks(b)
	if len(b) == 0 || b[0] != '=' {
		return nil, nil, false
	}
	b = skipBlanks(b[1:])
	if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
		return nil, nil, false
	}
	n := bytes.IndexByte(b[1:], b[0])
	if n < 0 {
		return nil, nil, false
	}
	return b[1 : 1+n], b[n+2:], true
}

// splitName splits a name at its colon.
func splitName(name []byte) (prefix, local []byte, err error) {
	local = name
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		prefix, local = name[:i], name[i+1:]
		if !plainName(prefix) {
			return nil, nil, fmt.Errorf("the name %q", name)
		}
	}
	if !plainName(local) {
		return nil, nil, fmt.Errorf("the name %q", name)
	}
	return prefix, local, nil
}

func plainName(name []byte) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return false
		}
	}
	return len(name) > 0
}
