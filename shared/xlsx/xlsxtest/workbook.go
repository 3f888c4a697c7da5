package xlsxtest

import (
	"errors"
	"fmt"
	"strings"
)

// workbookPart is the part that names the sheets.
type workbookPart struct {
	Properties struct {
		Since1904 string `xml:"date1904,attr"`
	} `xml:"workbookPr"`
	Views []struct {
		FirstSheet int `xml:"firstSheet,attr"`
		ActiveTab  int `xml:"activeTab,attr"`
	} `xml:"bookViews>workbookView"`
	Sheets []struct {
		Name  string `xml:"name,attr"`
		ID    int    `xml:"sheetId,attr"`
		State string `xml:"state,attr"`
		Part  string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
	} `xml:"sheets>sheet"`
	Names []struct {
		Name  string `xml:"name,attr"`
		Sheet *int   `xml:"localSheetId,attr"`
		Range string `xml:",chardata"`
	} `xml:"definedNames>definedName"`
}

// readWorkbook reads the workbook and checks what needs no sheet.
func (p *pack) readWorkbook(name string) (*workbookPart, error) {
	var b workbookPart
	if err := p.load(name, root{mainNS, "workbook"}, &b); err != nil {
		return nil, err
	}
	if b.Properties.Since1904 == "1" || b.Properties.Since1904 == "true" {
		return nil, fmt.Errorf("%s: it counts days from 1904 on", name)
	}
	if err := b.checkSheets(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := b.checkNames(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &b, nil
}

func (b *workbookPart) checkSheets() error {
	names, ids := make(map[string]bool), make(map[int]bool)
	visible := make(map[int]bool)
	for i := range b.Sheets {
		s := &b.Sheets[i]
		if err := checkEscapes(s.Name); err != nil {
			return fmt.Errorf("sheet name %q: %w", s.Name, err)
		}
		s.Name = Decode(s.Name)
		folded := foldName(s.Name)
		switch {
		case !sheetName(s.Name):
			return fmt.Errorf("sheet name %q", s.Name)
		case names[folded]:
			return fmt.Errorf("sheet name %q is there twice", s.Name)
		case ids[s.ID] || s.ID < 1:
			return fmt.Errorf("sheet id %d is out of bounds or there twice", s.ID)
		}
		names[folded], ids[s.ID] = true, true
		if s.State == "" || s.State == "visible" {
			visible[i] = true
		}
	}
	if len(visible) == 0 {
		return errors.New("no sheet is visible")
	}
	for _, v := range b.Views {
		if !visible[v.ActiveTab] || v.FirstSheet >= len(b.Sheets) {
			return fmt.Errorf("the active tab is %d, the first one %d", v.ActiveTab, v.FirstSheet)
		}
	}
	return nil
}

func (b *workbookPart) checkNames() error {
	seen := make(map[string]bool)
	for i := range b.Names {
		n := &b.Names[i]
		sheet := -1
		if n.Sheet != nil {
			if sheet = *n.Sheet; sheet >= len(b.Sheets) {
				return fmt.Errorf("the defined name %s is of sheet %d", n.Name, sheet)
			}
		}
		key := fmt.Sprint(sheet, foldName(n.Name))
		if !definedName(n.Name) || seen[key] {
			return fmt.Errorf("the defined name %q is wrong or there twice", n.Name)
		}
		seen[key] = true
		if err := checkEscapes(n.Range); err != nil {
			return fmt.Errorf("the defined name %s: %w", n.Name, err)
		}
		n.Range = Decode(n.Range)
		for _, place := range splitPlaces(n.Range) {
			if err := b.checkPlace(place); err != nil {
				return fmt.Errorf("the defined name %s: %w", n.Name, err)
			}
		}
	}
	return nil
}

// splitPlaces splits a list at commas that stand between no quotes.
func splitPlaces(list string) (places []string) {
	quoted, from := false, 0
	for i := range len(list) {
		switch list[i] {
		case '\'':
			quoted = !quoted
		case ',':
			if !quoted {
				places = append(places, list[from:i])
				from = i + 1
			}
		}
	}
	return append(places, list[from:])
}

// checkPlace wants an absolute range of a sheet that is there.
func (b *workbookPart) checkPlace(place string) error {
	sheet, cells := splitPlace(place)
	if !isAbsolute(cells) {
		return fmt.Errorf("the range %q", place)
	}
	for _, s := range b.Sheets {
		if foldName(s.Name) == foldName(sheet) {
			return nil
		}
	}
	return fmt.Errorf("there is no sheet %q", sheet)
}

// splitPlace splits a range behind the name of its sheet, which stands between
// apostrophes where it holds anything but letters, digits and underscores.
func splitPlace(place string) (sheet, cells string) {
	i := strings.LastIndexByte(place, '!')
	if i < 0 {
		return "", place
	}
	sheet, cells = place[:i], place[i+1:]
	if n := len(sheet); n >= 2 && sheet[0] == '\'' && sheet[n-1] == '\'' {
		parts := strings.Split(sheet[1:n-1], "''")
		for _, part := range parts {
			if strings.Contains(part, "'") {
				return "", cells
			}
		}
		return strings.Join(parts, "'"), cells
	}
	if !nameForm.MatchString(sheet) {
		return "", cells
	}
	return sheet, cells
}
