package xlsxtest

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A rule is what an attribute's value may be.
type rule struct {
	name     string
	relation bool // of the namespace of relationships
	kind     byte // one of ? # ~ = or 0 for any text
	limit    float64
	values   []string
}

const anyNumber = -1

// readRules reads the rules of an element; required has a bit for each of them.
func readRules(list string) (rules []rule, required uint64) {
	for i, word := range strings.Fields(list) {
		word, must := strings.CutSuffix(word, "!")
		if must {
			required |= 1 << i
		}
		r := rule{}
		word, r.relation = strings.CutPrefix(word, "r:")
		r.name = word
		if at := strings.IndexAny(word, "?#~="); at >= 0 {
			r.name, r.kind = word[:at], word[at]
			r.read(word[at+1:])
		}
		rules = append(rules, r)
	}
	return rules, required
}

// read reads what follows the kind.
func (r *rule) read(bound string) {
	switch {
	case r.kind == '=':
		r.values = strings.Split(bound, "|")
	case bound != "":
		limit, err := strconv.ParseFloat(bound, 64)
		if err != nil {
			panic(err)
		}
		r.limit = limit
	case r.kind == '#':
		r.limit = math.MaxUint32
	default:
		r.limit = anyNumber
	}
}

// holds tells whether a value is what the rule wants.
func (r *rule) holds(value []byte) bool {
	switch r.kind {
	case '?':
		switch string(value) {
		case "0", "1", "true", "false":
			return true
		}
		return false
	case '#':
		_, ok := parseNumber(string(value), int(r.limit))
		return ok
	case '~':
		n, ok := number(value)
		return ok && (r.limit == anyNumber || n >= 0 && n <= r.limit)
	case '=':
		return slices.Contains(r.values, string(value))
	}
	return true
}

// compatibilityNS is that of the attribute that names what readers may pass over.
const compatibilityNS = "http://schemas.openxmlformats.org/markup-compatibility/2006"

// noteIgnorable reads the root's list of prefixes that readers may pass over.
// Excel does not open a part that lists one which nothing declares.
func (w *walker) noteIgnorable() error {
	list, _ := w.attrIn(compatibilityNS, "Ignorable")
	for _, prefix := range strings.Fields(string(list)) {
		space := w.resolve([]byte(prefix))
		if space == "" {
			return fmt.Errorf("nothing declares the prefix %s, which may be passed over", prefix)
		}
		w.ignorable = append(w.ignorable, space)
	}
	return nil
}

// checkAttributes wants each attribute to be one of the element's, with a value
// of its type, and all those that have to be there.
func (w *walker) checkAttributes(e *element) error {
	var seen uint64
	for i := range w.attrs {
		a := &w.attrs[i]
		relation := false
		if len(a.prefix) > 0 {
			space := w.resolve(a.prefix)
			if relation = space == relationNS; !relation {
				if err := w.checkForeign(e, a, space); err != nil {
					return err
				}
				continue
			}
		}
		n := e.rule(a.local, relation)
		if n < 0 {
			return fmt.Errorf("<%s> has an attribute %s", e.name, a.local)
		}
		if !e.rules[n].holds(a.value) {
			return fmt.Errorf("<%s> has the %s %q", e.name, a.local, a.value)
		}
		seen |= 1 << n
	}
	if missing := e.required &^ seen; missing != 0 {
		return fmt.Errorf("<%s> has no %s", e.name, e.rules[bits.TrailingZeros64(missing)].name)
	}
	return nil
}

// checkForeign looks at an attribute of another namespace.
func (w *walker) checkForeign(e *element, a *attribute, space string) error {
	switch {
	case space == xmlNS && string(a.local) == "space":
		if value := string(a.value); value != "preserve" && value != "default" {
			return fmt.Errorf("<%s> has the xml:space %q", e.name, value)
		}
	case space == compatibilityNS && string(a.local) == "Ignorable" && len(w.frames) == 0:
	case !slices.Contains(w.ignorable, space):
		return fmt.Errorf("<%s> has an attribute %s:%s", e.name, a.prefix, a.local)
	}
	return nil
}

// rule is the place of an attribute among the element's rules, or -1.
func (e *element) rule(name []byte, relation bool) int {
	for i := range e.rules {
		if r := &e.rules[i]; r.relation == relation && r.name == string(name) {
			return i
		}
	}
	return -1
}
