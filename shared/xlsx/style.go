package xlsx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// maxStyles is the number of cell formats of a workbook.
const maxStyles = 64000

// maxFormats is the number of number formats that a workbook may have of its own:
// Excel calls it damaged and drops those behind the 205th, in some languages fewer.
const maxFormats = 200

// firstCustomFormat is the first number format id free for a workbook's own.
const firstCustomFormat = 164

// builtinFormats have ids of their own and look the same in every locale.
var builtinFormats = map[string]int{
	"general": 0, "0": 1, "0.00": 2, "#,##0": 3, "#,##0.00": 4, "0%": 9, "0.00%": 10, "@": 49,
}

// headerFill is the grey behind headers.
const headerFill = "D9D9D9"

// look is everything a cell's format consists of.
type look struct {
	format  string
	style   cell.Style
	header  bool
	numbers bool // right-aligned unless the style aligns
}

// styleTable gathers the looks of a workbook. Equal ones share an index.
type styleTable struct {
	looks   []look
	byLook  map[look]int
	fonts   registry
	fills   registry
	formats registry
	xfs     strings.Builder
}

// registry numbers distinct XML fragments in the order of their first use.
type registry struct {
	xml  []string
	byID map[string]int
}

func (r *registry) id(xml string) int {
	if n, ok := r.byID[xml]; ok {
		return n
	}
	if r.byID == nil {
		r.byID = make(map[string]int)
	}
	n := len(r.xml)
	r.byID[xml] = n
	r.xml = append(r.xml, xml)
	return n
}

func newStyleTable() *styleTable {
	t := &styleTable{byLook: make(map[look]int)}
	t.fills.id(`<fill><patternFill patternType="none"/></fill>`)
	t.fills.id(`<fill><patternFill patternType="gray125"/></fill>`)
	t.add(look{format: "General"})
	return t
}

// add gives the index of a look in cellXfs.
func (t *styleTable) add(l look) int {
	// Only numbers are aligned on their own, and only where nothing else aligns.
	l.numbers = l.numbers && l.style.TextAlign == ""
	if n, ok := t.byLook[l]; ok {
		return n
	}
	n := len(t.looks)
	t.looks = append(t.looks, l)
	t.byLook[l] = n
	t.writeXF(l)
	return n
}

// check tells why a workbook can't hold the styles.
func (t *styleTable) check() error {
	if n := len(t.looks); n > maxStyles {
		return &SheetError{fmt.Sprintf("%d cell formats, a workbook holds %d", n, maxStyles)}
	}
	if n := len(t.formats.xml); n > maxFormats {
		return &SheetError{fmt.Sprintf("%d number formats, a workbook holds %d of its own", n, maxFormats)}
	}
	return nil
}

func (t *styleTable) writeXF(l look) {
	fill, border, align := 0, 0, ""
	if l.style.BackgroundColor != "" {
		fill = t.fills.id(solidFill(l.style.BackgroundColor[1:]))
	}
	switch {
	case l.header:
		fill, border = t.fills.id(solidFill(headerFill)), 1
		align = `<alignment horizontal="center" vertical="center"/>`
	case l.style.TextAlign != "":
		align = `<alignment horizontal="` + l.style.TextAlign + `"/>`
	case l.numbers:
		align = `<alignment horizontal="right"/>`
	}
	numFmt := t.numFmt(l.format)
	font := t.fonts.id(fontXML(l))
	fmt.Fprintf(&t.xfs, `<xf numFmtId="%d" fontId="%d" fillId="%d" borderId="%d" xfId="0"`, numFmt, font, fill, border)
	for _, apply := range []struct {
		name string
		on   bool
	}{
		{"applyNumberFormat", numFmt != 0}, {"applyFont", font != 0}, {"applyFill", fill != 0},
		{"applyBorder", border != 0}, {"applyAlignment", align != ""},
	} {
		if apply.on {
			t.xfs.WriteString(" " + apply.name + `="1"`)
		}
	}
	if align == "" {
		t.xfs.WriteString("/>")
		return
	}
	t.xfs.WriteString(">" + align + "</xf>")
}

func (t *styleTable) numFmt(code string) int {
	if id, ok := builtinFormats[strings.ToLower(code)]; ok {
		return id
	}
	return firstCustomFormat + t.formats.id(string(appendAttribute(nil, escapeUnderscores(code))))
}

// escapeUnderscores escapes what Excel would read as the escape of a character: in
// _xdddd_) a blank as wide as an x stands before the day's name. Programs that
// don't resolve escapes in codes show the escape.
func escapeUnderscores(code string) string {
	var b strings.Builder
	for i := range len(code) {
		if code[i] == '_' && looksEscaped([]byte(code[i:])) {
			b.WriteString("_x005F")
		}
		b.WriteByte(code[i])
	}
	return b.String()
}

func solidFill(rgb string) string {
	return `<fill><patternFill patternType="solid"><fgColor rgb="FF` + rgb + `"/><bgColor indexed="64"/></patternFill></fill>`
}

func fontXML(l look) string {
	var b strings.Builder
	b.WriteString("<font>")
	if l.header || l.style.FontWeight != "" {
		b.WriteString("<b/>")
	}
	if l.style.FontStyle != "" {
		b.WriteString("<i/>")
	}
	b.WriteString(`<sz val="11"/>`)
	if l.style.Color != "" {
		b.WriteString(`<color rgb="FF` + l.style.Color[1:] + `"/>`)
	} else {
		b.WriteString(`<color rgb="FF000000"/>`)
	}
	b.WriteString(`<name val="Calibri"/><family val="2"/></font>`)
	return b.String()
}

// xml is the styles part.
func (t *styleTable) xml() []byte {
	var b strings.Builder
	b.WriteString(xmlHead + `<styleSheet xmlns="` + mainNS + `">`)
	if n := len(t.formats.xml); n > 0 {
		b.WriteString(`<numFmts count="` + strconv.Itoa(n) + `">`)
		for i, code := range t.formats.xml {
			fmt.Fprintf(&b, `<numFmt numFmtId="%d" formatCode="%s"/>`, firstCustomFormat+i, code)
		}
		b.WriteString(`</numFmts>`)
	}
	list := func(name string, items []string) {
		b.WriteString("<" + name + ` count="` + strconv.Itoa(len(items)) + `">`)
		for _, item := range items {
			b.WriteString(item)
		}
		b.WriteString("</" + name + ">")
	}
	list("fonts", t.fonts.xml)
	list("fills", t.fills.xml)
	list("borders", []string{
		`<border><left/><right/><top/><bottom/><diagonal/></border>`,
		`<border>` + thin("left") + thin("right") + thin("top") + thin("bottom") + `<diagonal/></border>`,
	})
	b.WriteString(`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>`)
	b.WriteString(`<cellXfs count="` + strconv.Itoa(len(t.looks)) + `">` + t.xfs.String() + `</cellXfs>`)
	b.WriteString(`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>`)
	b.WriteString(`<dxfs count="0"/><tableStyles count="0"/></styleSheet>`)
	return []byte(b.String())
}

func thin(side string) string {
	return "<" + side + ` style="thin"><color rgb="FF000000"/></` + side + ">"
}
