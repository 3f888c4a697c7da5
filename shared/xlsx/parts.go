package xlsx

import (
	"fmt"
	"strings"
)

// The parts around the sheets. They are written last, since the number of sheets
// is known only then; the relationships of the package come first, by which
// programs tell a workbook from any other zip.

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relNS     = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageNS = "http://schemas.openxmlformats.org/package/2006/"
	typePart  = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

const packageRelations = xmlHead + `<Relationships xmlns="` + packageNS + `relationships">` +
	`<Relationship Id="rId1" Type="` + relNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`

func sheetPath(n int) string { return fmt.Sprintf("worksheets/sheet%d.xml", n) }

// finishedSheet is what the workbook says of a sheet.
type finishedSheet struct {
	name   string
	filter string // absolute range of the auto-filter
}

func contentTypes(sheets int) []byte {
	var b strings.Builder
	b.WriteString(xmlHead + `<Types xmlns="` + packageNS + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + typePart + `sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + typePart + `styles+xml"/>`)
	for n := range sheets {
		b.WriteString(`<Override PartName="/xl/` + sheetPath(n+1) + `" ContentType="` + typePart + `worksheet+xml"/>`)
	}
	b.WriteString(`</Types>`)
	return []byte(b.String())
}

func workbookRelations(sheets int) []byte {
	var b strings.Builder
	b.WriteString(xmlHead + `<Relationships xmlns="` + packageNS + `relationships">`)
	for n := range sheets {
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/worksheet" Target="%s"/>`, n+1, relNS, sheetPath(n+1))
	}
	fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, sheets+1, relNS)
	return []byte(b.String())
}

// workbook names the sheets and, as Excel does, the range of each auto-filter.
func workbook(sheets []finishedSheet) []byte {
	b := []byte(xmlHead + `<workbook xmlns="` + mainNS + `" xmlns:r="` + relNS + `"><bookViews><workbookView/></bookViews><sheets>`)
	for i, s := range sheets {
		b = append(b, `<sheet name="`...)
		b = appendAttribute(b, s.name)
		b = fmt.Appendf(b, `" sheetId="%d" r:id="rId%d"/>`, i+1, i+1)
	}
	b = append(b, `</sheets><definedNames>`...)
	for i, s := range sheets {
		b = fmt.Appendf(b, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">`, i)
		quoted := "'" + strings.ReplaceAll(s.name, "'", "''") + "'!" + s.filter
		b = appendAttribute(b, quoted)
		b = append(b, `</definedName>`...)
	}
	return append(b, `</definedNames></workbook>`...)
}
