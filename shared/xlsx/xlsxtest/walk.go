package xlsxtest

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// walker reads a part to its end and checks what holds for all parts: the root,
// the order of elements, counts, and that text stands only where it may.
type walker struct {
	*scanner
	root      root
	frames    []frame
	relations []string // ids of relationships that the part uses
	ignorable []string // namespaces that readers may pass over
}

// root is what a part's root element has to be.
type root struct{ space, name string }

// frame is an element that is open.
type frame struct {
	element *element // nil: not looked at
	next    int      // the child that may come next, by its place in the sequence
	again   bool     // that child was there already
	seen    uint64   // a bit for each child that was there, where their order does not matter
	count   int      // children so far
	counted int      // what the attribute count says, or -1
}

func newWalker(in io.Reader, r root) *walker {
	return &walker{scanner: newScanner(in), root: r}
}

// drain reads what is left of the part.
func (w *walker) drain() error {
	for {
		if kind, err := w.next(); err != nil || kind == endOfPart {
			return err
		}
	}
}

// next reads the next token and checks it.
func (w *walker) next() (token, error) {
	kind, err := w.scanner.next()
	if err != nil {
		return 0, err
	}
	switch kind {
	case startTag:
		err = w.enter()
	case endTag:
		err = w.exit()
	case charData:
		err = w.checkText()
	}
	return kind, err
}

// within tells whether an element of that name is around the current token, n
// elements out, 0 being the innermost one.
func (w *walker) within(n int, name string) bool {
	i := len(w.frames) - 1 - n
	return i >= 0 && w.frames[i].element != nil && w.frames[i].element.name == name
}

func (w *walker) enter() error {
	w.noteRelations()
	f := frame{counted: -1}
	if len(w.frames) == 0 {
		if w.space != w.root.space || string(w.local) != w.root.name {
			return fmt.Errorf("the root is <%s> of %q, not <%s> of %q", w.local, w.space, w.root.name, w.root.space)
		}
		if err := w.noteIgnorable(); err != nil {
			return err
		}
		f.element = elements[w.root.name]
	} else if parent := &w.frames[len(w.frames)-1]; parent.element != nil {
		inside, err := parent.admit(w.space == w.root.space, w.local)
		if err != nil {
			return err
		}
		f.element = inside
	}
	if f.element != nil {
		if err := w.checkAttributes(f.element); err != nil {
			return err
		}
		if count, ok := w.attr("count"); ok && f.element.counted {
			f.counted, _ = parseNumber(string(count), math.MaxUint32)
		}
	}
	w.frames = append(w.frames, f)
	return nil
}

func (w *walker) noteRelations() {
	for _, a := range w.attrs {
		if len(a.prefix) > 0 && w.resolve(a.prefix) == relationNS {
			w.relations = append(w.relations, string(a.value))
		}
	}
}

// admit finds the place of a child in the sequence. It has to be of the part's own
// namespace.
func (f *frame) admit(own bool, name []byte) (*element, error) {
	f.count++
	children := f.element.children
	if !own {
		return nil, fmt.Errorf("<%s> of another namespace in <%s>", name, f.element.name)
	}
	if f.element.anyOrder {
		return f.admitAnywhere(name)
	}
	for i := f.next; i < len(children); i++ {
		c := &children[i]
		if c.name != string(name) {
			if c.required && (i > f.next || !f.again) {
				return nil, fmt.Errorf("<%s> in <%s> comes before <%s>", name, f.element.name, c.name)
			}
			continue
		}
		if i == f.next && f.again && !c.many {
			return nil, fmt.Errorf("<%s> is in <%s> twice", name, f.element.name)
		}
		f.next, f.again = i, true
		return c.element, nil
	}
	for _, c := range children[:min(f.next, len(children))] {
		if c.name == string(name) {
			return nil, fmt.Errorf("<%s> in <%s> comes after <%s>", name, f.element.name, children[f.next].name)
		}
	}
	return nil, fmt.Errorf("<%s> does not belong in <%s>", name, f.element.name)
}

// admitAnywhere takes each child once, in any order.
func (f *frame) admitAnywhere(name []byte) (*element, error) {
	for i := range f.element.children {
		c := &f.element.children[i]
		if c.name != string(name) {
			continue
		}
		if f.seen&(1<<i) != 0 {
			return nil, fmt.Errorf("<%s> is in <%s> twice", name, f.element.name)
		}
		f.seen |= 1 << i
		return c.element, nil
	}
	return nil, fmt.Errorf("<%s> does not belong in <%s>", name, f.element.name)
}

func (w *walker) exit() error {
	f := &w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	if f.element == nil {
		return nil
	}
	if f.counted >= 0 && f.counted != f.count {
		return fmt.Errorf("<%s> has %d children and the count %d", f.element.name, f.count, f.counted)
	}
	for i := f.next; i < len(f.element.children); i++ {
		if c := &f.element.children[i]; c.required && (i > f.next || !f.again) {
			return fmt.Errorf("<%s> has no <%s>", f.element.name, c.name)
		}
	}
	return nil
}

// checkText refuses text between elements.
func (w *walker) checkText() error {
	f := &w.frames[len(w.frames)-1]
	if f.element == nil || len(f.element.children) == 0 {
		return nil
	}
	if text := bytes.TrimSpace(w.text); len(text) > 0 {
		return fmt.Errorf("the text %.20q stands in <%s>", text, f.element.name)
	}
	return nil
}
