package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	yaml "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// yamlNode is a value of a YAML file with its line. Mappings keep their order;
// scalars keep their text as it is written, so that 01 stays 01.
type yamlNode struct {
	line int
	kind yamlKind

	text   string
	quoted bool // certainly a string, not a number or true
	block  bool // begins on the line after its own

	members []yamlMember
	items   []*yamlNode
}

type yamlMember struct {
	name  string
	line  int
	value *yamlNode
}

type yamlKind int

const (
	yamlNull yamlKind = iota
	yamlScalar
	yamlMapping
	yamlList
)

func (k yamlKind) String() string {
	return [...]string{"nothing", "a text", "a mapping", "a list"}[k]
}

// yamlError is a fault at a line.
type yamlError struct {
	line   int
	reason string
}

func (e *yamlError) Error() string { return e.reason }

// parseYAML reads a file of one document, a mapping.
func parseYAML(data []byte) (*yamlNode, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		if located, ok := errors.AsType[yaml.Error](err); ok && located.GetToken() != nil {
			return nil, &yamlError{line: located.GetToken().Position.Line, reason: located.GetMessage()}
		}
		return nil, &yamlError{line: 1, reason: "is no YAML"}
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) != 1 {
		return nil, &yamlError{line: 1, reason: fmt.Sprintf("a file holds one dataset, this one %d", len(bodies))}
	}
	root, err := convertYAML(bodies[0])
	if err != nil {
		return nil, err
	}
	if root.kind != yamlMapping {
		return nil, &yamlError{line: root.line, reason: "a dataset is a mapping, this is " + root.kind.String()}
	}
	return root, nil
}

func convertYAML(n ast.Node) (*yamlNode, error) {
	out := &yamlNode{line: n.GetToken().Position.Line, kind: yamlScalar}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = yamlNull
	case *ast.StringNode:
		out.text, out.quoted = n.Value, true
	case *ast.LiteralNode:
		out.text, out.quoted, out.block = n.Value.Value, true, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.text = n.GetToken().Value
	case *ast.SequenceNode:
		out.kind = yamlList
		for _, value := range n.Values {
			item, err := convertYAML(value)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
	case *ast.MappingNode:
		return out, out.addMembers(n.Values)
	case *ast.MappingValueNode:
		return out, out.addMembers([]*ast.MappingValueNode{n})
	default:
		return nil, &yamlError{line: out.line, reason: "anchors, aliases and tags are not allowed"}
	}
	return out, nil
}

func (n *yamlNode) addMembers(values []*ast.MappingValueNode) error {
	n.kind = yamlMapping
	for i, v := range values {
		token := v.Key.GetToken()
		if i == 0 {
			n.line = token.Position.Line
		}
		if _, ok := v.Key.(ast.ScalarNode); !ok {
			return &yamlError{line: token.Position.Line, reason: "a name must be a plain text"}
		}
		value, err := convertYAML(v.Value)
		if err != nil {
			return err
		}
		if n.member(token.Value) != nil {
			return &yamlError{line: token.Position.Line, reason: fmt.Sprintf("%q is there twice", token.Value)}
		}
		n.members = append(n.members, yamlMember{name: token.Value, line: token.Position.Line, value: value})
	}
	return nil
}

func (n *yamlNode) member(name string) *yamlNode {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// json gives the value as a request would have it: plain numbers and true as
// such where JSON writes them alike, all else as strings.
func (n *yamlNode) json() json.RawMessage {
	var b strings.Builder
	n.writeJSON(&b)
	return json.RawMessage(b.String())
}

func (n *yamlNode) writeJSON(b *strings.Builder) {
	quote := func(text string) {
		encoded, _ := json.Marshal(text) // a string always encodes
		b.Write(encoded)
	}
	switch n.kind {
	case yamlNull:
		b.WriteString("null")
	case yamlScalar:
		if !n.quoted && json.Valid([]byte(n.text)) {
			b.WriteString(n.text)
		} else {
			quote(n.text)
		}
	case yamlList:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b)
		}
		b.WriteByte(']')
	case yamlMapping:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(m.name)
			b.WriteByte(':')
			m.value.writeJSON(b)
		}
		b.WriteByte('}')
	}
}
