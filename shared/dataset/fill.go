package dataset

import (
	"fmt"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

// fill writes pieces with the query's values bound. An absent parameter is
// NULL; a list becomes one placeholder for each of its values.
func (s *statement) fill(pieces []piece, params []Param, q Query) error {
	for _, p := range pieces {
		switch {
		case p.name == "":
			s.write(p.text)
		case p.caller:
			claim, ok := q.Caller[p.name]
			if !ok || claim == "" {
				return fault.New(fault.Forbidden, fmt.Sprintf("The dataset needs the claim %q, which the caller lacks.", p.name))
			}
			value := Value{Type: StringParam, Items: []string{claim}}
			s.add("caller."+p.name, value, p.test, q.Zone)
		default:
			value, ok := q.Params[p.name]
			if !ok {
				value = Value{Type: paramType(params, p.name)}
			}
			s.add(p.name, value, p.test, q.Zone)
		}
	}
	return nil
}

func paramType(params []Param, name string) ParamType {
	for _, p := range params {
		if p.Name == name {
			return p.Type
		}
	}
	return StringParam
}

// add binds a value once for each of its items. Where placeholders can be used
// again, the next use of the name is the same expression; a test for NULL has
// its own, as it has a type of its own.
func (s *statement) add(name string, v Value, test bool, zone *time.Location) {
	if test {
		name += " IS"
	}
	if slot, ok := s.slots[name]; ok {
		s.write(slot)
		return
	}
	begin := s.text.Len()
	items, null := v.Items, false
	if len(items) == 0 {
		items, null = []string{""}, true
	}
	for i, item := range items {
		if i > 0 {
			s.write(", ")
		}
		b := s.dialect.bind(v.Type, item, null, zone)
		if test && b.oid == 0 {
			b.oid = s.dialect.textOID
		}
		s.bind(b)
	}
	if s.dialect.numbered {
		s.slots[name] = s.text.String()[begin:]
	}
}

// bind writes a value's placeholder.
func (s *statement) bind(b bound) {
	s.values = append(s.values, b)
	s.write(b.before)
	if s.dialect.numbered {
		fmt.Fprintf(&s.text, "$%d", len(s.values))
	} else {
		s.write("?")
	}
	s.write(b.after)
}

// isoTime writes a canonical date-time with a blank instead of the T, as the
// databases print it.
func isoTime(value string, zone *time.Location) string {
	return strings.Replace(wallClock(value, zone), "T", " ", 1)
}
