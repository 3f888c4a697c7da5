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
			s.add("caller."+p.name, value, q.Zone)
		default:
			value, ok := q.Params[p.name]
			if !ok {
				value = Value{Type: paramType(params, p.name)}
			}
			s.add(p.name, value, q.Zone)
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

func (s *statement) add(name string, v Value, zone *time.Location) {
	if slot, ok := s.slots[name]; ok {
		s.write(slot)
		return
	}
	begin := s.text.Len()
	if len(v.Items) == 0 {
		s.bind(s.dialect.bind(v.Type, "", true, zone))
	}
	for i, item := range v.Items {
		if i > 0 {
			s.write(", ")
		}
		s.bind(s.dialect.bind(v.Type, item, false, zone))
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

// after writes the condition that the key follows last: for (a, b) it is
// a >= x AND (a > x OR (a = x AND b > y)), whose first part, though implied,
// lets every database start at the right place of the index.
func (s *statement) after(key []string, last []bound) {
	if len(key) > 1 {
		s.compare(key[0], ">=", last[0])
		s.write(" AND (")
	}
	for i := range key {
		if i > 0 {
			s.write(" OR (")
			for j := range i {
				s.compare(key[j], "=", last[j])
				s.write(" AND ")
			}
		}
		s.compare(key[i], ">", last[i])
		if i > 0 {
			s.write(")")
		}
	}
	if len(key) > 1 {
		s.write(")")
	}
}

func (s *statement) compare(expression, operator string, value bound) {
	s.write("(" + expression + "\n) " + operator + " ")
	s.bind(value)
}

// isoTime writes a canonical date-time with a blank instead of the T, as the
// databases print it.
func isoTime(value string, zone *time.Location) string {
	return strings.Replace(wallClock(value, zone), "T", " ", 1)
}
