package cell

import (
	"slices"
	"strings"
)

// ColumnDef is a column (a leaf) or a group of columns as the request and the
// dataset files name it.
type ColumnDef struct {
	Field        string            `json:"field,omitempty"`
	HeaderName   string            `json:"headerName,omitempty"`
	Width        float64           `json:"width,omitempty"`    // pixels; ≤ 0 counts as absent
	MinWidth     float64           `json:"minWidth,omitempty"` // pixels, used when Width is absent
	ExcelFormat  string            `json:"excelFormat,omitempty"`
	CellStyle    Style             `json:"cellStyle,omitzero"`
	ExcelCodeMap map[string]string `json:"excelCodeMap,omitempty"`
	Children     []ColumnDef       `json:"children,omitempty"` // empty: a leaf
}

// Style is the part of cellStyle that is honoured; values outside these are
// dropped when it is read (Clean).
type Style struct {
	TextAlign       string `json:"textAlign,omitempty"`       // left, center, right
	FontWeight      string `json:"fontWeight,omitempty"`      // bold
	FontStyle       string `json:"fontStyle,omitempty"`       // italic
	Color           string `json:"color,omitempty"`           // #RRGGBB
	BackgroundColor string `json:"backgroundColor,omitempty"` // #RRGGBB
}

// Clean drops the values that are not honoured. Words may be in any case, as the
// Java library takes them; colours come out in upper case.
func (s Style) Clean() Style {
	s.TextAlign = cleanWord(s.TextAlign, "left", "center", "right")
	s.FontWeight = cleanWord(s.FontWeight, "bold")
	s.FontStyle = cleanWord(s.FontStyle, "italic")
	s.Color, s.BackgroundColor = cleanColor(s.Color), cleanColor(s.BackgroundColor)
	return s
}

// cleanWord keeps a word that is one of those known.
func cleanWord(s string, known ...string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if slices.Contains(known, s) {
		return s
	}
	return ""
}

// cleanColor keeps #RRGGBB.
func cleanColor(s string) string {
	if len(s) != 7 || s[0] != '#' {
		return ""
	}
	for _, ch := range []byte(s[1:]) {
		if !isDigit(ch) && (ch|0x20 < 'a' || ch|0x20 > 'f') {
			return ""
		}
	}
	return strings.ToUpper(s)
}

// Limits of a header.
const (
	MaxLeaves = 16384
	MaxDepth  = 16
)

// Leaf reports whether the definition is a column rather than a group.
func (d ColumnDef) Leaf() bool { return len(d.Children) == 0 }

// Leaves returns the columns of a header tree, left to right.
func Leaves(defs []ColumnDef) []ColumnDef {
	var out []ColumnDef
	for _, d := range defs {
		if d.Leaf() {
			out = append(out, d)
			continue
		}
		out = append(out, Leaves(d.Children)...)
	}
	return out
}
