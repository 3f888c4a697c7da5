package cell

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
// dropped when it is read.
type Style struct {
	TextAlign       string `json:"textAlign,omitempty"`       // left, center, right
	FontWeight      string `json:"fontWeight,omitempty"`      // bold
	FontStyle       string `json:"fontStyle,omitempty"`       // italic
	Color           string `json:"color,omitempty"`           // #RRGGBB
	BackgroundColor string `json:"backgroundColor,omitempty"` // #RRGGBB
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
