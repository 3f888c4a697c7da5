package xlsxtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// style is one of cellXfs with its parts looked up.
type style struct {
	numFmt, align, fill string
	bold, border        bool
}

var builtin = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 49: "@",
}

const maxStyles = 64000

func readStyles(content []byte) ([]style, error) {
	if content == nil {
		return nil, errors.New("no styles part")
	}
	var sheet struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Fonts []struct {
			Bold *struct{} `xml:"b"`
		} `xml:"fonts>font"`
		Fills []struct {
			Pattern struct {
				Type  string `xml:"patternType,attr"`
				Color struct {
					RGB string `xml:"rgb,attr"`
				} `xml:"fgColor"`
			} `xml:"patternFill"`
		} `xml:"fills>fill"`
		Borders []struct {
			Left struct {
				Style string `xml:"style,attr"`
			} `xml:"left"`
		} `xml:"borders>border"`
		XFs []struct {
			NumFmt int `xml:"numFmtId,attr"`
			Font   int `xml:"fontId,attr"`
			Fill   int `xml:"fillId,attr"`
			Border int `xml:"borderId,attr"`
			Align  struct {
				Horizontal string `xml:"horizontal,attr"`
			} `xml:"alignment"`
		} `xml:"cellXfs>xf"`
	}
	if err := xml.Unmarshal(content, &sheet); err != nil {
		return nil, err
	}
	if n := len(sheet.XFs); n == 0 || n > maxStyles {
		return nil, fmt.Errorf("%d cell formats", n)
	}
	custom := make(map[int]string)
	for _, f := range sheet.Formats {
		if _, twice := custom[f.ID]; twice || f.ID < 164 {
			return nil, fmt.Errorf("number format id %d", f.ID)
		}
		custom[f.ID] = f.Code
	}
	var out []style
	for i, x := range sheet.XFs {
		code, ok := builtin[x.NumFmt]
		if !ok {
			code, ok = custom[x.NumFmt]
		}
		if !ok || x.Font >= len(sheet.Fonts) || x.Fill >= len(sheet.Fills) || x.Border >= len(sheet.Borders) {
			return nil, fmt.Errorf("cell format %d names parts that are not there", i)
		}
		s := style{
			numFmt: code,
			align:  x.Align.Horizontal,
			bold:   sheet.Fonts[x.Font].Bold != nil,
			border: sheet.Borders[x.Border].Left.Style != "",
		}
		if fill := sheet.Fills[x.Fill].Pattern; fill.Type == "solid" {
			s.fill = strings.TrimPrefix(fill.Color.RGB, "FF")
		}
		out = append(out, s)
	}
	return out, nil
}
