package xlsxtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of a workbook's styles.
const (
	maxStyles    = 64000
	maxFonts     = 65491
	maxParts     = 65430 // fills, borders, named styles
	maxFontName  = 31
	maxStyleName = 255
)

// style is one of cellXfs with its parts looked up.
type style struct {
	numFmt, align, fill string
	bold, border, dates bool
}

// styleTable is what sheets refer to.
type styleTable struct {
	cells []style
	dxfs  int
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
	Differences []struct{} `xml:"dxfs>dxf"`
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
func (p *pack) readStyles(name string) (*styleTable, error) {
	var s styleSheet
	if err := p.load(name, root{mainNS, "styleSheet"}, &s); err != nil {
		return nil, err
	}
	cells, err := s.check()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &styleTable{cells, len(s.Differences)}, nil
}

func (s *styleSheet) check() ([]style, error) {
	formats, err := s.formats()
	if err != nil {
		return nil, err
	}
	if len(s.Fonts) > maxFonts || len(s.Fills) > maxParts || len(s.Borders) > maxParts || len(s.CellStyles) > maxParts {
		return nil, fmt.Errorf("%d fonts, %d fills, %d borders, %d named styles", len(s.Fonts), len(s.Fills), len(s.Borders), len(s.CellStyles))
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
	return s.cellStyles(formats)
}

func (c colour) valid() bool { return colourForm.MatchString(c.RGB) }

func (f font) valid() bool {
	return f.Colour.valid() &&
		(f.Size == nil || f.Size.Value >= 1) &&
		(f.Name == nil || f.Name.Value != "" && units(f.Name.Value) <= maxFontName)
}

func (f font) bold() bool {
	return f.Bold != nil && f.Bold.Value != "0" && f.Bold.Value != "false"
}

func (s *styleSheet) checkCellStyles() error {
	names, formats := make(map[string]bool), make(map[int]bool)
	for _, c := range s.CellStyles {
		name := foldName(c.Name)
		if name == "" || names[name] || units(c.Name) > maxStyleName {
			return fmt.Errorf("cell style %q is there twice or its name is too short or long", c.Name)
		}
		if c.XF >= len(s.StyleXFs) || formats[c.XF] {
			return fmt.Errorf("cell style %q names a part that is not there or another's", c.Name)
		}
		names[name], formats[c.XF] = true, true
	}
	return nil
}

// cellStyles looks up what the cell formats consist of.
func (s *styleSheet) cellStyles(formats map[int]numberFormat) ([]style, error) {
	if n := len(s.XFs); n > maxStyles {
		return nil, fmt.Errorf("%d cell formats", n)
	}
	// Excel takes the first of them for the default, whatever it says.
	if s.XFs[0].NumFmt != 0 || s.StyleXFs[0].NumFmt != 0 {
		return nil, fmt.Errorf("the first cell formats have the number formats %d and %d", s.StyleXFs[0].NumFmt, s.XFs[0].NumFmt)
	}
	for i, x := range s.StyleXFs {
		if err := s.checkFormat(x, formats); err != nil {
			return nil, fmt.Errorf("format %d of cell styles: %w", i, err)
		}
	}
	var out []style
	for i, x := range s.XFs {
		if err := s.checkFormat(x, formats); err != nil {
			return nil, fmt.Errorf("cell format %d: %w", i, err)
		}
		look := style{
			numFmt: formats[x.NumFmt].code,
			dates:  formats[x.NumFmt].dates,
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

func (s *styleSheet) checkFormat(x cellFormat, formats map[int]numberFormat) error {
	_, known := formats[x.NumFmt]
	for _, index := range []struct{ n, of int }{
		{x.Font, len(s.Fonts)}, {x.Fill, len(s.Fills)}, {x.Border, len(s.Borders)}, {x.Style, len(s.StyleXFs)},
	} {
		known = known && index.n < index.of
	}
	if !known {
		return fmt.Errorf("it names parts that are not there: %+v", x)
	}
	if !slices.Contains(alignments, x.Align.Horizontal) || !slices.Contains(verticals, x.Align.Vertical) {
		return fmt.Errorf("its alignment is %+v", x.Align)
	}
	return nil
}
