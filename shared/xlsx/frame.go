package xlsx

import (
	"strconv"

	"github.com/haexcel/haexcel/shared/cell"
)

// frame is the markup around the cells of one column, made beforehand. A cell is
// open, the row's number where references are written, and one of the others with
// its value inside.
type frame struct {
	open    markup
	empty   markup // empty: such a cell is left out
	boolean markup
	// By the index of the column's number format.
	number, text, preserved []markup
}

// markup is a short piece of XML in memory of one size, so that it is copied by a
// few instructions: the bytes behind its length are overwritten by what follows.
type markup struct {
	xml  [markupBytes]byte
	size int
}

// markupBytes holds the longest piece: the attributes of text that is preserved,
// with a style of five digits.
const markupBytes = 64

func newMarkup(xml string) markup {
	m := markup{size: len(xml)}
	if copy(m.xml[:], xml) < len(xml) {
		panic("xlsx: a piece of markup is longer than " + strconv.Itoa(markupBytes) + " bytes: " + xml)
	}
	return m
}

var (
	endNumber = newMarkup(`</v></c>`)
	endText   = newMarkup(`</t></is></c>`)
)

func newFrame(column int, c *cell.Column, styles *styleTable, references bool) frame {
	f := frame{open: newMarkup("<c")}
	quote := ""
	if references {
		f.open = newMarkup(`<c r="` + columnName(column))
		quote = `"`
	}
	for i, format := range c.Formats() {
		attributes := quote
		if n := styles.add(look{format: format, style: c.Style(), numbers: c.Numeric(i)}); n != 0 {
			attributes += ` s="` + strconv.Itoa(n) + `"`
		}
		if i == 0 {
			f.boolean = newMarkup(attributes + ` t="b"><v>`)
			// Without references each cell stands for its place. A background is
			// seen in empty cells too.
			if !references || c.Style().BackgroundColor != "" {
				f.empty = newMarkup(attributes + `/>`)
			}
		}
		f.number = append(f.number, newMarkup(attributes+`><v>`))
		f.text = append(f.text, newMarkup(attributes+` t="inlineStr"><is><t>`))
		f.preserved = append(f.preserved, newMarkup(attributes+` t="inlineStr"><is><t xml:space="preserve">`))
	}
	return f
}

// copy writes the markup into out, which must have room for markupBytes from n
// on, and answers where it ends.
func (m *markup) copy(out []byte, n int) int {
	*(*[markupBytes]byte)(out[n:]) = m.xml
	return n + m.size
}
