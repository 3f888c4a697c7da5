package dataset

import (
	"fmt"
	"slices"

	"github.com/haexcel/haexcel/shared/fault"
)

// term is one field of the order in which rows are read.
type term struct {
	field      string
	expression string // free of parameters: the files' check sees to it
	desc       bool
	key        bool // never NULL
	nullable   bool // NULL in some rows, as far as is known
}

// order is that of a query: the wished fields, then the rest of the key. The
// first word on a field counts; what comes behind the whole key decides nothing.
func (d *SQL) order(q Query) ([]term, error) {
	if len(d.key) == 0 {
		if len(q.Sort) > 0 || q.After != "" || q.UpTo != "" {
			return nil, d.without("it can be neither sorted nor read in parts")
		}
		return nil, nil
	}
	var out []term
	left := len(d.key)
	add := func(field string, desc bool) {
		if left == 0 || slices.ContainsFunc(out, func(t term) bool { return t.field == field }) {
			return
		}
		t := term{field: field, desc: desc, key: slices.Contains(d.key, field)}
		t.expression = d.fields[d.index(field)].pieces[0].text
		t.nullable = !t.key
		if t.key {
			left--
		}
		out = append(out, t)
	}
	for _, s := range q.Sort {
		if !slices.Contains(d.info.Sort, s.Field) {
			return nil, fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: it is not sorted by the field %q.", d.info.Name, s.Field))
		}
		add(s.Field, s.Desc)
	}
	for _, name := range d.key {
		add(name, false)
	}
	return out, nil
}

func (d *SQL) without(consequence string) error {
	return fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: it has no key, so that %s.", d.info.Name, consequence))
}

// reversed is the order from the other end.
func reversed(order []term) []term {
	out := slices.Clone(order)
	for i := range out {
		out[i].desc = !out[i].desc
	}
	return out
}

// follows writes the condition that a row comes behind a place, or with it also
// that it is there: for (a, b) it is a >= x AND (a > x OR (a = x AND b > y)), whose
// first part, though implied, lets every database start at the right place of the
// index. Instants that look like others are compared as numbers, which no index
// helps with: there that part begins before both.
func (s *statement) follows(order []term, place []bound, with bool) {
	part := len(order) > 1 || place[0].twice != 0
	if part {
		s.begin(order[0], place[0])
		s.write("(")
	}
	last := len(order) - 1
	for i, t := range order {
		if i > 0 {
			s.write(" OR (")
			for j := range i {
				s.same(order[j], place[j])
				s.write(" AND ")
			}
		}
		if i == last && with {
			s.notBefore(t, place[i])
		} else {
			s.beyond(t, place[i])
		}
		if i > 0 {
			s.write(")")
		}
	}
	if part {
		s.write(")")
	}
}

// begin writes the implied condition with the AND behind it, unless it would say
// nothing.
func (s *statement) begin(t term, v bound) {
	if v.twice != 0 {
		var ok bool
		if v, ok = s.dialect.aside(v, t.desc); !ok {
			return
		}
	}
	if v.null && !t.desc {
		return
	}
	s.notBefore(t, v)
	s.write(" AND ")
}

// beyond writes that a term has a value behind v. NULL is before all values.
func (s *statement) beyond(t term, v bound) {
	switch {
	case v.null && t.desc:
		s.write("1 = 0")
	case v.null:
		s.test(t, "IS NOT NULL")
	case t.desc:
		s.orNull(t, "<", v)
	default:
		s.compare(t, ">", v)
	}
}

// notBefore writes that a term has v or a value behind it.
func (s *statement) notBefore(t term, v bound) {
	switch {
	case v.null && t.desc:
		s.test(t, "IS NULL")
	case v.null:
		s.write("1 = 1")
	case t.desc:
		s.orNull(t, "<=", v)
	default:
		s.compare(t, ">=", v)
	}
}

func (s *statement) same(t term, v bound) {
	if v.null {
		s.test(t, "IS NULL")
		return
	}
	s.compare(t, "=", v)
}

// orNull compares in a descending order, which has NULL at its end.
func (s *statement) orNull(t term, operator string, v bound) {
	if !t.nullable {
		s.compare(t, operator, v)
		return
	}
	s.write("(")
	s.compare(t, operator, v)
	s.write(" OR ")
	s.test(t, "IS NULL")
	s.write(")")
}

func (s *statement) test(t term, predicate string) {
	s.write("(" + t.expression + "\n) " + predicate)
}

func (s *statement) compare(t term, operator string, v bound) {
	if v.twice != 0 {
		s.write(s.dialect.epoch)
	}
	s.write("(" + t.expression + "\n) " + operator + " ")
	s.bind(v)
}
