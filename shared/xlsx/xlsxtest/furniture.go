package xlsxtest

import (
	"fmt"
)

// What a sheet has besides its cells: links, rules for looks and input, texts for
// print.

// Limits of that, texts in UTF-16 units.
const (
	maxLinks    = 65530
	maxPlace    = 2084 // of a link
	maxHint     = 255
	maxTitle    = 32
	maxPageText = 255 // of a header or footer
)

// furniture reads an element whose attributes the walker has checked.
func (r *sheetReader) furniture(w *walker) error {
	switch string(w.local) {
	case "hyperlink":
		return r.link(w)
	case "cfRule":
		return r.rule(w)
	case "dataValidation":
		if err := checkTexts(w, maxTitle, "errorTitle", "promptTitle"); err != nil {
			return err
		}
		if err := checkTexts(w, maxHint, "error", "prompt"); err != nil {
			return err
		}
	}
	value, _ := w.attr("sqref")
	if err := checkRegions(string(value)); err != nil {
		return fmt.Errorf("<%s>: %w", w.local, err)
	}
	return nil
}

// link reads a link, which leads out of the workbook by a relationship or to a
// place in it.
func (r *sheetReader) link(w *walker) error {
	if r.links++; r.links > maxLinks {
		return fmt.Errorf("%d links", r.links)
	}
	ref, _ := w.attr("ref")
	_, ok := parseRange(string(ref))
	_, inside := w.attr("location")
	_, outside := w.attrIn(relationNS, "id")
	if !ok || !inside && !outside {
		return fmt.Errorf("a link at %q leads nowhere or is no range", ref)
	}
	if err := checkTexts(w, maxPlace, "location", "display"); err != nil {
		return err
	}
	return checkTexts(w, maxHint, "tooltip")
}

// rule reads a rule for looks.
func (r *sheetReader) rule(w *walker) error {
	if value, ok := w.attr("dxfId"); ok {
		if n, _ := parseNumber(string(value), maxParts); n >= r.styles.dxfs {
			return fmt.Errorf("a rule has the look %q of %d", value, r.styles.dxfs)
		}
	}
	if value, _ := w.attr("priority"); string(value) == "0" {
		return fmt.Errorf("a rule has the priority %q", value)
	}
	return nil
}

func checkTexts(w *walker, limit int, names ...string) error {
	for _, name := range names {
		value, _ := w.attr(name)
		text := string(value)
		if err := checkEscapes(text); err != nil {
			return fmt.Errorf("<%s> has the %s %.60q: %w", w.local, name, text, err)
		}
		if n := units(Decode(text)); n > limit {
			return fmt.Errorf("<%s> has the %s of %d units", w.local, name, n)
		}
	}
	return nil
}

// pageText looks at the text of a header or footer.
func pageText(text []byte) error {
	if n := units(string(text)); n > maxPageText {
		return fmt.Errorf("a header or footer of %d units", n)
	}
	return nil
}
