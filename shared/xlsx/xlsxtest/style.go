package xlsxtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of a workbook's styles.
const (
	maxStyles     = 64000
	maxFontName   = 31
	maxFontSize   = 409
	maxFormatCode = 255
	firstCustom   = 164 // ids of number formats that are the workbook's own
)

// style is one of cellXfs with its parts looked up.
type style struct {
	numFmt, align, fill string
	bold, border        bool
}

// builtin are the number formats that have the same code everywhere.
var builtin = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
	13: "# ??/??", 14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)",
	39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0",
	48: "##0.0E+0", 49: "@",
}

// What a style may say of alignments, lines and patterns.
var (
	alignments = []string{"", "general", "left", "center", "right", "fill", "justify", "centerContinuous", "distributed"}
	verticals  = []string{"", "top", "center", "bottom", "justify", "distributed"}
	lines      = []string{
		"", "none", "thin", "medium", "dashed", "dotted", "thick", "double", "hair", "mediumDashed", "dashDot",
		"mediumDashDot", "dashDotDot", "mediumDashDotDot", "slantDashDot",
	}
	patterns = []string{
		"", "none", "solid", "mediumGray", "darkGray", "lightGray", "darkHorizontal", "darkVertical", "darkDown", "darkUp",
		"darkGrid", "darkTrellis", "lightHorizontal", "lightVertical", "lightDown", "lightUp", "lightGrid", "lightTrellis",
		"gray125", "gray0625",
	}
)

var colourForm = regexp.MustCompile(`^([0-9A-Fa-f]{8})?$`)

// styleSheet is the part of the styles.
type styleSheet struct {
	Formats []struct {
		ID   int    `xml:"numFmtId,attr"`
		Code string `xml:"formatCode,attr"`
	} `xml:"numFmts>numFmt"`
	Fonts      []font       `xml:"fonts>font"`
	Fills      []fill       `xml:"fills>fill"`
	Borders    []border     `xml:"borders>border"`
	StyleXFs   []cellFormat `xml:"cellStyleXfs>xf"`
	XFs        []cellFormat `xml:"cellXfs>xf"`
	CellStyles []struct {
		Name string `xml:"name,attr"`
		XF   int    `xml:"xfId,attr"`
	} `xml:"cellStyles>cellStyle"`
}

type colour struct {
	RGB string `xml:"rgb,attr"`
}

type font struct {
	Bold *struct {
		Value string `xml:"val,attr"`
	} `xml:"b"`
	Size *struct {
		Value float64 `xml:"val,attr"`
	} `xml:"sz"`
	Name *struct {
		Value string `xml:"val,attr"`
	} `xml:"name"`
	Colour colour `xml:"color"`
}

type fill struct {
	Pattern struct {
		Type       string `xml:"patternType,attr"`
		Foreground colour `xml:"fgColor"`
		Background colour `xml:"bgColor"`
	} `xml:"patternFill"`
}

type line struct {
	Style  string `xml:"style,attr"`
	Colour colour `xml:"color"`
}

type border struct {
	Left     line `xml:"left"`
	Right    line `xml:"right"`
	Top      line `xml:"top"`
	Bottom   line `xml:"bottom"`
	Diagonal line `xml:"diagonal"`
}

type cellFormat struct {
	NumFmt int `xml:"numFmtId,attr"`
	Font   int `xml:"fontId,attr"`
	Fill   int `xml:"fillId,attr"`
	Border int `xml:"borderId,attr"`
	Style  int `xml:"xfId,attr"`
	Align  struct {
		Horizontal string `xml:"horizontal,attr"`
		Vertical   string `xml:"vertical,attr"`
	} `xml:"alignment"`
}

// readStyles reads the styles of a workbook's cells.
func (p *pack) readStyles(name string) ([]style, error) {
	var s styleSheet
	if err := p.load(name, root{mainNS, "styleSheet"}, &s); err != nil {
		return nil, err
	}
	out, err := s.check()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func (s *styleSheet) check() ([]style, error) {
	codes, err := s.formatCodes()
	if err != nil {
		return nil, err
	}
	for i, f := range s.Fonts {
		if !f.valid() {
			return nil, fmt.Errorf("font %d: %+v", i, f)
		}
	}
	for i, f := range s.Fills {
		p := f.Pattern
		if !slices.Contains(patterns, p.Type) || !p.Foreground.valid() || !p.Background.valid() {
			return nil, fmt.Errorf("fill %d: %+v", i, p)
		}
	}
	// Excel shows these two at their places, whatever stands there.
	if len(s.Fills) < 2 || s.Fills[0].Pattern.Type != "none" || s.Fills[1].Pattern.Type != "gray125" {
		return nil, fmt.Errorf("the first two fills are not none and gray125")
	}
	for i, b := range s.Borders {
		for _, l := range []line{b.Left, b.Right, b.Top, b.Bottom, b.Diagonal} {
			if !slices.Contains(lines, l.Style) || !l.Colour.valid() {
				return nil, fmt.Errorf("border %d: %+v", i, b)
			}
		}
	}
	if err := s.checkCellStyles(); err != nil {
		return nil, err
	}
	return s.cellStyles(codes)
}

// formatCodes are the codes of number formats by id.
func (s *styleSheet) formatCodes() (map[int]string, error) {
	codes := make(map[int]string)
	for id, code := range builtin {
		codes[id] = code
	}
	for _, f := range s.Formats {
		if _, twice := codes[f.ID]; twice || f.ID < firstCustom {
			return nil, fmt.Errorf("number format id %d", f.ID)
		}
		if f.Code == "" || units(f.Code) > maxFormatCode {
			return nil, fmt.Errorf("number format code %q", f.Code)
		}
		codes[f.ID] = f.Code
	}
	return codes, nil
}

func (c colour) valid() bool { return colourForm.MatchString(c.RGB) }

func (f font) valid() bool {
	return f.Colour.valid() &&
		(f.Size == nil || f.Size.Value >= 1 && f.Size.Value <= maxFontSize) &&
		(f.Name == nil || f.Name.Value != "" && units(f.Name.Value) <= maxFontName)
}

func (f font) bold() bool {
	return f.Bold != nil && f.Bold.Value != "0" && f.Bold.Value != "false"
}

func (s *styleSheet) checkCellStyles() error {
	seen := make(map[string]bool)
	for _, c := range s.CellStyles {
		if lower := strings.ToLower(c.Name); c.Name == "" || seen[lower] {
			return fmt.Errorf("cell style %q is there twice or has no name", c.Name)
		}
		seen[strings.ToLower(c.Name)] = true
		if c.XF < 0 || c.XF >= len(s.StyleXFs) {
			return fmt.Errorf("cell style %q names a part that is not there", c.Name)
		}
	}
	return nil
}

// cellStyles looks up what the cell formats consist of.
func (s *styleSheet) cellStyles(codes map[int]string) ([]style, error) {
	if n := len(s.XFs); n > maxStyles {
		return nil, fmt.Errorf("%d cell formats", n)
	}
	for i, x := range s.StyleXFs {
		if err := s.checkFormat(x, codes); err != nil {
			return nil, fmt.Errorf("format %d of cell styles: %w", i, err)
		}
	}
	var out []style
	for i, x := range s.XFs {
		if err := s.checkFormat(x, codes); err != nil {
			return nil, fmt.Errorf("cell format %d: %w", i, err)
		}
		look := style{
			numFmt: codes[x.NumFmt],
			align:  x.Align.Horizontal,
			bold:   s.Fonts[x.Font].bold(),
			border: s.Borders[x.Border].Left.Style != "",
		}
		if p := s.Fills[x.Fill].Pattern; p.Type == "solid" {
			look.fill = strings.TrimPrefix(p.Foreground.RGB, "FF")
		}
		out = append(out, look)
	}
	return out, nil
}

func (s *styleSheet) checkFormat(x cellFormat, codes map[int]string) error {
	_, known := codes[x.NumFmt]
	for _, index := range []struct{ n, of int }{
		{x.Font, len(s.Fonts)}, {x.Fill, len(s.Fills)}, {x.Border, len(s.Borders)}, {x.Style, len(s.StyleXFs)},
	} {
		known = known && index.n >= 0 && index.n < index.of
	}
	if !known {
		return fmt.Errorf("it names parts that are not there: %+v", x)
	}
	if !slices.Contains(alignments, x.Align.Horizontal) || !slices.Contains(verticals, x.Align.Vertical) {
		return fmt.Errorf("its alignment is %+v", x.Align)
	}
	return nil
}
