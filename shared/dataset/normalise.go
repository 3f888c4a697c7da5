package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxListItems bounds a list parameter, so that a statement stays within every
// database's number of bound values.
const MaxListItems = 10_000

// Normalise reads the request's parameters by their declarations. Equal values
// get equal texts, whatever way they were written in.
//
// null, "" and [] count as absent, as do such items of a list; an absent
// parameter takes its default. ignored names the undeclared ones, sorted.
// fields (path → reason) is nil when everything was right.
func Normalise(params []Param, raw RawParams) (values Values, ignored []string, fields map[string]string) {
	values = Values{}
	declared := map[string]bool{}
	for _, p := range params {
		declared[p.Name] = true
		n := normaliser{param: p}
		items := n.read(raw[p.Name])
		switch {
		case n.fields != nil:
		case len(items) > 0:
			values[p.Name] = Value{Type: p.Type, List: p.List, Items: items}
		case p.Default != nil:
			values[p.Name] = *p.Default
		case p.Required:
			n.fault("", "is required")
		}
		for path, reason := range n.fields {
			if fields == nil {
				fields = map[string]string{}
			}
			fields[path] = reason
		}
	}
	for name := range raw {
		if !declared[name] {
			ignored = append(ignored, name)
		}
	}
	slices.Sort(ignored)
	return values, ignored, fields
}

// normaliser reads one parameter.
type normaliser struct {
	param  Param
	fields map[string]string
}

func (n *normaliser) fault(index, reason string) {
	if n.fields == nil {
		n.fields = map[string]string{}
	}
	n.fields["params."+n.param.Name+index] = reason
}

// read returns the canonical items; none means absent.
func (n *normaliser) read(raw json.RawMessage) []string {
	raw = bytes.TrimSpace(raw)
	if !n.param.List {
		return n.item("", raw)
	}
	if absent(raw) {
		return nil
	}
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		n.fault("", "must be a list")
		return nil
	}
	if len(list) > MaxListItems {
		n.fault("", fmt.Sprintf("has more than %d values", MaxListItems))
		return nil
	}
	var items []string
	for i, r := range list {
		items = append(items, n.item(fmt.Sprintf("[%d]", i), bytes.TrimSpace(r))...)
	}
	return items
}

// item returns no or one canonical text.
func (n *normaliser) item(index string, raw json.RawMessage) []string {
	text, reason := scalar(raw)
	if reason != "" {
		n.fault(index, reason)
		return nil
	}
	if n.param.Type != StringParam {
		text = strings.TrimSpace(text)
	}
	if text == "" {
		return nil
	}
	value, reason := canonical(n.param.Type, text)
	if reason == "" && n.param.Enum != nil && !slices.Contains(n.param.Enum, value) {
		reason = "must be one of " + strings.Join(n.param.Enum, ", ")
	}
	if reason != "" {
		n.fault(index, reason)
		return nil
	}
	return []string{value}
}

func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == `""`
}

// scalar returns the text of a JSON scalar, numbers digit for digit as they
// came, "" for what counts as absent.
func scalar(raw json.RawMessage) (text, reason string) {
	if absent(raw) {
		return "", ""
	}
	switch raw[0] {
	case '{':
		return "", "must not be an object"
	case '[':
		return "", "must not be a list"
	case '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", "is malformed"
		}
		return text, ""
	}
	return string(raw), ""
}

// check returns what is wrong with a declaration, "" when nothing is.
func (p Param) check() string {
	switch {
	case !parameterName.MatchString(p.Name):
		return "a parameter's name has letters, digits and _, and starts with no digit"
	case p.Name == "caller":
		return "the name caller stands for the caller's identity"
	}
	switch p.Type {
	case StringParam, IntegerParam, DecimalParam, BooleanParam, DateParam, DateTimeParam:
	default:
		return fmt.Sprintf("unknown type %q; the types are string, integer, decimal, boolean, date, datetime and lists of them", p.Type)
	}
	for _, e := range p.Enum {
		if value, reason := canonical(p.Type, e); reason != "" || value != e || e == "" {
			return fmt.Sprintf("the enum value %q is no canonical %s", e, p.Type)
		}
	}
	if p.Default == nil {
		return ""
	}
	if p.Default.Type != p.Type || p.Default.List != p.List || len(p.Default.Items) == 0 || !p.List && len(p.Default.Items) != 1 {
		return "the default is of another type"
	}
	for _, item := range p.Default.Items {
		if value, reason := canonical(p.Type, item); reason != "" || value != item {
			return fmt.Sprintf("the default %q is no canonical %s", item, p.Type)
		}
		if p.Enum != nil && !slices.Contains(p.Enum, item) {
			return fmt.Sprintf("the default %q is not in the enum", item)
		}
	}
	return ""
}
