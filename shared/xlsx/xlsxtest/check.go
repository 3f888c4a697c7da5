package xlsxtest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Visit is shown a row, counted from 1, of the sheet of that name. The cells
// begin with column A and end with the row's last one; their texts stay, the
// slice is used again. An error ends the reading.
type Visit func(sheet string, row int, cells []Cell) error

// Check reads a workbook and answers the first fault that it finds, or the first
// error of visit, which may be nil. It visits the rows that are in the sheets,
// sheet by sheet in their order. The answer holds no rows: memory does not grow
// with them.
func Check(r io.ReaderAt, size int64, visit Visit) (*Book, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	p, err := openPackage(a)
	if err != nil {
		return nil, err
	}
	book := &Book{Names: make(map[string]string)}
	for _, f := range a.entries {
		book.Parts = append(book.Parts, f.Name)
	}
	name := p.find("", workbookRelation)
	if name == "" {
		return nil, errors.New("the package leads to no workbook")
	}
	if err := p.readBook(name, book, visit); err != nil {
		return nil, err
	}
	return book, p.readRest()
}

// readBook reads the workbook and what it leads to.
func (p *pack) readBook(name string, book *Book, visit Visit) error {
	workbook, err := p.readWorkbook(name)
	if err != nil {
		return err
	}
	stylesName := p.find(name, stylesRelation)
	if stylesName == "" {
		return errors.New("the workbook leads to no styles")
	}
	styles, err := p.readStyles(stylesName)
	if err != nil {
		return err
	}
	texts, err := p.readSharedTexts(p.find(name, textsRelation))
	if err != nil {
		return err
	}
	book.Styles = len(styles.cells)
	for i, s := range workbook.Sheets {
		r := &sheetReader{
			sheet: &Sheet{Name: s.Name, Widths: make(map[int]float64)}, styles: styles, texts: texts, visit: visit,
		}
		part := p.relations[name][s.Part]
		if part.kind == nil || part.kind.relation != sheetRelation {
			return fmt.Errorf("sheet %q has no part", s.Name)
		}
		err := p.read(part.part, func(in io.Reader) error {
			relations, err := r.read(in)
			if err != nil {
				return err
			}
			return p.checkUse(part.part, relations)
		})
		if err != nil {
			return fmt.Errorf("sheet %q: %w", s.Name, err)
		}
		if err := workbook.checkView(i, r); err != nil {
			return fmt.Errorf("sheet %q: %w", s.Name, err)
		}
		book.Sheets = append(book.Sheets, r.sheet)
	}
	return workbook.nameRanges(book)
}

// checkView wants a sheet's view to be one of the workbook's, and only the
// active tab to be selected: whoever edits one of several selected sheets edits
// all of them.
func (b *workbookPart) checkView(sheet int, r *sheetReader) error {
	switch {
	case r.views == 0:
		return nil
	case r.view.window >= len(b.Views):
		return fmt.Errorf("it belongs to view %d of %d", r.view.window, len(b.Views))
	case r.view.selected && b.Views[r.view.window].ActiveTab != sheet:
		return fmt.Errorf("its tab is selected, the active one is %d", b.Views[r.view.window].ActiveTab)
	}
	return nil
}

// filterName is what Excel calls the range of a sheet's auto-filter.
const filterName = "_xlnm._FilterDatabase"

// nameRanges keeps the defined names; that of an auto-filter has to be its range.
func (b *workbookPart) nameRanges(book *Book) error {
	for _, n := range b.Names {
		key := ""
		if n.Sheet != nil {
			key = strconv.Itoa(*n.Sheet)
		}
		book.Names[key+"/"+n.Name] = n.Range
		if n.Name != filterName {
			continue
		}
		if n.Sheet == nil {
			return fmt.Errorf("the name %s is of no sheet", filterName)
		}
		sheet := book.Sheets[*n.Sheet]
		name, cells := splitPlace(n.Range)
		if name != sheet.Name || strings.ReplaceAll(cells, "$", "") != strings.ReplaceAll(sheet.Filter, "$", "") {
			return fmt.Errorf("sheet %q filters %q, its defined name says %q", sheet.Name, sheet.Filter, n.Range)
		}
	}
	return nil
}

// readRest reads the parts that nothing else has read.
func (p *pack) readRest() error {
	for _, source := range slices.Sorted(maps.Keys(p.relations)) {
		for _, r := range p.relations[source] {
			read := p.readOther
			switch r.kind.relation {
			case workbookRelation, sheetRelation, stylesRelation, textsRelation:
				continue
			case coreRelation:
				read = p.readCore
			case extendedRelation:
				read = p.readExtended
			}
			if err := read(r.part, r.kind.root); err != nil {
				return err
			}
		}
	}
	return nil
}
