package dataset

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// text reads a scalar that says something.
func (l *loader) text(n *yamlNode, what string) string {
	if n.kind != yamlScalar || strings.TrimSpace(n.text) == "" {
		l.fail(n.line, "%s must be a text, this is %s", what, describe(n))
		return ""
	}
	if strings.ContainsRune(n.text, 0) {
		l.fail(n.line, "%s must not contain the character U+0000", what)
		return ""
	}
	return n.text
}

func describe(n *yamlNode) string {
	if n.kind == yamlScalar {
		return "blank"
	}
	return n.kind.String()
}

// texts reads a list of texts, or a single one.
func (l *loader) texts(n *yamlNode, what string) []string {
	if n.kind == yamlScalar {
		n = &yamlNode{line: n.line, kind: yamlList, items: []*yamlNode{n}}
	}
	if n.kind != yamlList || len(n.items) == 0 {
		l.fail(n.line, "%s must be a text or a list of texts", what)
		return nil
	}
	var out []string
	for _, item := range n.items {
		text := l.text(item, what)
		if slices.Contains(out, text) && text != "" {
			l.fail(item.line, "%s names %q twice", what, text)
		}
		out = append(out, text)
	}
	return out
}

// off reads a switch; it is about switching off what is on otherwise.
func (l *loader) off(n *yamlNode, what string) bool {
	switch n.text {
	case "off", "false":
		return true
	case "on", "true":
		return false
	}
	l.fail(n.line, "%s must be on or off", what)
	return false
}

func (l *loader) name(n *yamlNode) {
	l.nameLine = n.line
	name := l.text(n, "name")
	if name == "" {
		return
	}
	if reason := checkName(name); reason != "" {
		l.fail(n.line, "the name %q is not allowed: %s", name, reason)
		return
	}
	l.set.info.Name = name
}

func (l *loader) maxRows(n *yamlNode) {
	v, err := strconv.ParseInt(n.text, 10, 64)
	if n.kind != yamlScalar || err != nil || v < 0 {
		l.fail(n.line, "maxRows must be a whole number")
		return
	}
	l.set.info.MaxRows = v
}

var paramMembers = []string{"type", "required", "default", "enum"}

func (l *loader) params(n *yamlNode) {
	if n.kind != yamlMapping {
		l.fail(n.line, "params must be a mapping of names")
		return
	}
	for _, m := range n.members {
		if p, ok := l.param(m); ok {
			l.set.info.Params = append(l.set.info.Params, p)
		}
	}
}

func (l *loader) param(m yamlMember) (Param, bool) {
	p := Param{Name: m.name}
	if m.value.kind != yamlMapping {
		l.fail(m.line, "the parameter %q must be a mapping, such as {type: string}", m.name)
		return p, false
	}
	l.known(m.value, "a parameter", paramMembers)
	declared := m.value.member("type")
	if declared == nil {
		l.fail(m.line, "the parameter %q has no type", m.name)
		return p, false
	}
	p.Type, p.List = paramTypeOf(declared)
	if reason := p.check(); reason != "" {
		l.fail(declared.line, "the parameter %q: %s", m.name, reason)
		return p, false
	}
	if n := m.value.member("required"); n != nil {
		if n.kind != yamlScalar || n.text != "true" && n.text != "false" {
			l.fail(n.line, "required must be true or false")
		}
		p.Required = n.text == "true"
	}
	if n := m.value.member("enum"); n != nil {
		for i, text := range l.texts(n, "enum") {
			value, reason := canonical(p.Type, text)
			if reason != "" {
				l.fail(n.line, "the enum value %d of %q %s", i+1, m.name, reason)
				continue
			}
			p.Enum = append(p.Enum, value)
		}
	}
	if n := m.value.member("default"); n != nil {
		l.defaultOf(&p, n)
	}
	return p, true
}

// paramTypeOf reads string and [string].
func paramTypeOf(n *yamlNode) (t ParamType, list bool) {
	if n.kind == yamlList && len(n.items) == 1 {
		return ParamType(n.items[0].text), true
	}
	if inner, ok := strings.CutPrefix(n.text, "["); ok && strings.HasSuffix(inner, "]") {
		return ParamType(strings.TrimSpace(strings.TrimSuffix(inner, "]"))), true
	}
	return ParamType(n.text), false
}

// defaultOf reads a default the way that a request's value is read.
func (l *loader) defaultOf(p *Param, n *yamlNode) {
	raw := n.json()
	if n.kind == yamlScalar && p.Type == StringParam {
		raw, _ = json.Marshal(n.text) // 01 is a text here
	}
	values, _, fields := Normalise([]Param{*p}, RawParams{p.Name: raw})
	for _, reason := range fields {
		l.fail(n.line, "the default of %q %s", p.Name, reason)
	}
	if v, ok := values[p.Name]; ok {
		p.Default = &v
	} else if len(fields) == 0 {
		l.fail(n.line, "the default of %q is empty", p.Name)
	}
}

// statement reads SQL and checks its parameters.
func (l *loader) statement(n *yamlNode, what string) []piece {
	text := l.text(n, what)
	if text == "" || l.set.source == nil {
		return nil
	}
	pieces, err := scan(l.set.source.dialect, strings.TrimSpace(text))
	if err != nil {
		line := n.line
		if located, ok := errors.AsType[*scanError](err); ok && n.block {
			line += 1 + located.line
		}
		l.fail(line, "%s %v", what, err)
		return nil
	}
	for _, p := range pieces {
		switch {
		case p.caller && !slices.Contains(l.set.info.Caller, p.name):
			l.set.info.Caller = append(l.set.info.Caller, p.name)
		case !p.caller && p.name != "" && !l.declared(p.name):
			l.fail(n.line, "%s uses the parameter %q, which params does not declare", what, p.name)
		}
	}
	return pieces
}

func (l *loader) declared(name string) bool {
	return slices.ContainsFunc(l.set.info.Params, func(p Param) bool { return p.Name == name })
}

func (l *loader) fields(n *yamlNode) {
	if n.kind != yamlMapping || len(n.members) == 0 {
		l.fail(n.line, "select must be a mapping of fields to SQL expressions")
		return
	}
	for _, m := range n.members {
		if strings.TrimSpace(m.name) == "" {
			l.fail(m.line, "a field has no name")
			continue
		}
		l.set.fields = append(l.set.fields, selected{name: m.name, pieces: l.statement(m.value, "the field "+m.name)})
	}
}

func (l *loader) where(n *yamlNode) {
	if n.kind != yamlList {
		l.fail(n.line, "where must be a list of {sql: …, when: …}")
		return
	}
	for _, item := range n.items {
		sql := item.member("sql")
		if item.kind != yamlMapping || sql == nil {
			l.fail(item.line, "a condition must be {sql: …} or {sql: …, when: …}")
			continue
		}
		l.known(item, "a condition", []string{"sql", "when"})
		c := condition{pieces: l.statement(sql, "the condition")}
		if when := item.member("when"); when != nil {
			c.when = l.texts(when, "when")
			for _, name := range c.when {
				if name != "" && !l.declared(name) {
					l.fail(when.line, "when names the parameter %q, which params does not declare", name)
				}
			}
		}
		l.set.where = append(l.set.where, c)
	}
}

func (l *loader) key(n *yamlNode) {
	for _, name := range l.texts(n, "key") {
		if name != "" && l.set.source != nil && l.ordered(n, "key", name) {
			l.set.key = append(l.set.key, name)
		}
	}
}

// ordered reports whether rows can be in the order of a field.
func (l *loader) ordered(n *yamlNode, what, name string) bool {
	i := slices.IndexFunc(l.set.fields, func(f selected) bool { return f.name == name })
	switch {
	case i < 0:
		l.fail(n.line, "the %s field %q is not in select", what, name)
		return false
	case slices.ContainsFunc(l.set.fields[i].pieces, func(p piece) bool { return p.name != "" }):
		l.fail(n.line, "the %s field %q depends on a parameter", what, name)
		return false
	}
	return len(l.set.fields[i].pieces) > 0 // else its own fault has been told
}

func (l *loader) sort(n *yamlNode) {
	l.set.info.Sort = l.texts(n, "sort")
	for _, name := range l.set.info.Sort {
		if name != "" && l.set.source != nil && len(l.set.fields) > 0 {
			l.ordered(n, "sort", name)
		}
	}
}

func (l *loader) columns(n *yamlNode) {
	defs, faults := cell.ParseColumns(n.json())
	for path, reason := range faults {
		l.fail(lineOf(n, path), "%s: %s", path, reason)
	}
	if len(faults) > 0 {
		return
	}
	if len(defs) == 0 {
		l.fail(n.line, "columns is empty")
	}
	l.set.info.Columns = defs
	for _, leaf := range cell.Leaves(defs) {
		switch {
		case leaf.Field == "":
			l.fail(n.line, "the column %q has no field", leaf.HeaderName)
		case len(l.set.fields) > 0 && l.set.index(leaf.Field) < 0:
			l.fail(n.line, "the column field %q is not in select", leaf.Field)
		}
	}
}

var pathStep = regexp.MustCompile(`\[(\d+)\]|\.?([^.\[\]]+)`)

// lineOf follows a path such as columns[2].width as far as it leads.
func lineOf(n *yamlNode, path string) int {
	for i, step := range pathStep.FindAllStringSubmatch(path, -1) {
		if i == 0 && step[2] == "columns" {
			continue
		}
		next := n.member(step[2])
		if step[1] != "" {
			if at, err := strconv.Atoi(step[1]); err == nil && at < len(n.items) {
				next = n.items[at]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return n.line
}
