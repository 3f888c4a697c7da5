package xlsxtest

import (
	"errors"
	"fmt"
	"io"
)

// maxText is the length of a cell's text in UTF-16 units.
const maxText = 32767

// richText gathers the text of an element is or si, with or without runs.
type richText struct {
	text      []byte
	inT       bool
	found     bool
	preserved bool // the blanks of the last piece are protected
	start     int  // of the piece
}

// reset begins anew, in the same memory.
func (r *richText) reset() { *r = richText{text: r.text[:0]} }

// take looks at one token inside of the element. Phonetic runs are no part of
// the text.
func (r *richText) take(w *walker, kind token) error {
	switch kind {
	case startTag:
		if string(w.local) == "t" && (w.within(1, "is") || w.within(1, "si") || w.within(1, "r")) {
			space, _ := w.attrIn(xmlNS, "space")
			r.inT, r.found, r.preserved, r.start = true, true, string(space) == "preserve", len(r.text)
		}
	case charData:
		if r.inT {
			r.text = append(r.text, w.text...)
		}
	case endTag:
		if !r.inT {
			return nil
		}
		r.inT = false
		if piece := r.text[r.start:]; len(piece) > 0 && !r.preserved && (blank(piece[0]) || blank(piece[len(piece)-1])) {
			return fmt.Errorf("the blanks of %q are not protected", piece)
		}
	}
	return nil
}

// decodeText resolves the escapes of a cell's text, and refuses wrong ones and what
// is longer than such a text may be.
func decodeText(raw string) (string, error) {
	if err := checkEscapes(raw); err != nil {
		return "", err
	}
	text := Decode(raw)
	if len(text) > maxText {
		if n := units(text); n > maxText {
			return "", fmt.Errorf("text of %d units", n)
		}
	}
	return text, nil
}

// units is the length of a text in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// sharedText is a text of the table that cells refer to.
type sharedText struct {
	raw       string
	preserved bool
}

// readTexts reads the table of shared texts.
func readTexts(in io.Reader) (texts []sharedText, relations []string, err error) {
	w := newWalker(in, root{mainNS, "sst"})
	unique := -1
	var t richText
	for {
		kind, err := w.next()
		switch {
		case err != nil:
			return nil, nil, err
		case kind == endOfPart:
			if unique >= 0 && unique != len(texts) {
				return nil, nil, fmt.Errorf("%d texts and the count %d", len(texts), unique)
			}
			return texts, w.relations, nil
		case kind == startTag && len(w.frames) == 1:
			if value, ok := w.attr("uniqueCount"); ok {
				if unique, ok = parseNumber(string(value), maxRows*maxColumns); !ok {
					return nil, nil, fmt.Errorf("the count %q", value)
				}
			}
		case kind == startTag && w.within(0, "si"):
			t.reset()
		case kind == endTag && string(w.local) == "si" && w.space == mainNS && len(w.frames) == 1:
			text := string(t.text)
			if !t.found {
				return nil, nil, errors.New("a shared text without text")
			}
			if _, err := decodeText(text); err != nil {
				return nil, nil, err
			}
			texts = append(texts, sharedText{text, t.preserved})
		default:
			if err := t.take(w, kind); err != nil {
				return nil, nil, err
			}
		}
	}
}

// readSharedTexts reads the table of texts that cells refer to, if there is one.
func (p *pack) readSharedTexts(name string) (texts []sharedText, err error) {
	if name == "" {
		return nil, nil
	}
	err = p.read(name, func(in io.Reader) error {
		var relations []string
		if texts, relations, err = readTexts(in); err != nil {
			return err
		}
		return p.checkUse(name, relations)
	})
	return texts, err
}
