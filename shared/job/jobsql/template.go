package jobsql

import (
	"fmt"
	"regexp"
	"strings"
)

// template is one SQL text for all engines. It holds :named parameters and
// these pieces:
//
//	{now}            the database's clock in epoch milliseconds, one value within a statement
//	{same col :p}    col equals :p byte for byte, trailing blanks included
//	{share}          at the end of a SELECT: lock the rows against change until commit
//	{update}         at the end of a SELECT: lock the rows for this transaction
//	{int :p}         :p as an integer where the engine can't infer its type
//
// In SET, an expression never reads a column that is set to its left: MySQL
// would see the new value there, the others the old one.
type template struct {
	name string
	text string
}

// templates lists every statement of the package, so that a Store compiles them
// once and a test can check the texts.
var templates []*template

func define(name, text string) *template {
	t := &template{name: name, text: text}
	templates = append(templates, t)
	return t
}

// statement is a template in the words of one engine.
type statement struct {
	name   string
	text   string
	params []string // name of each argument, in the order the driver wants them
}

// params are the named arguments of one execution.
type params map[string]any

var (
	pieceToken     = regexp.MustCompile(`\{(\w+)(?: ([^{}]*))?\}`)
	parameterToken = regexp.MustCompile(`:([a-z_]+)`)
)

// compile puts the pieces in and turns named parameters into the engine's
// placeholders.
func (t *template) compile(d *Dialect) statement {
	text := pieceToken.ReplaceAllStringFunc(t.text, func(token string) string {
		match := pieceToken.FindStringSubmatch(token)
		name, rest := match[1], match[2]
		switch name {
		case "now":
			return d.now
		case "share":
			return d.share
		case "update":
			return d.update
		case "int":
			return fmt.Sprintf(d.integer, rest)
		case "same":
			column, parameter, _ := strings.Cut(rest, " ")
			return d.same(column, parameter)
		default:
			panic("jobsql: unknown piece " + token + " in " + t.name)
		}
	})

	st := statement{name: t.name}
	numbers := map[string]int{}
	st.text = parameterToken.ReplaceAllStringFunc(text, func(token string) string {
		name := token[1:]
		if !d.numbered {
			st.params = append(st.params, name)
			return "?"
		}
		n, known := numbers[name]
		if !known {
			st.params = append(st.params, name)
			n = len(st.params)
			numbers[name] = n
		}
		return fmt.Sprintf("$%d", n)
	})
	st.text = strings.TrimSpace(st.text)
	return st
}

// arguments orders the named values for the driver. A missing or surplus name
// is a defect of this package and panics in the first test that runs it.
func (st statement) arguments(p params) []any {
	args := make([]any, len(st.params))
	used := map[string]bool{}
	for i, name := range st.params {
		value, ok := p[name]
		if !ok {
			panic("jobsql: no value for :" + name + " in " + st.name)
		}
		args[i], used[name] = value, true
	}
	for name := range p {
		if !used[name] {
			panic("jobsql: :" + name + " is not in " + st.name)
		}
	}
	return args
}
