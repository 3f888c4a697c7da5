package xlsxtest

import "strings"

// sequences are the children that elements of a part's own namespace may have, in
// the order that Excel wants (ECMA-376, Part 1, Annex A). A child may be there
// once; * stands for any number, + for at least one, ! for exactly one; after a
// leading ~ the order does not matter. An element without children here holds text
// or nothing; what is below an element that is not named here is not looked at.
var sequences = map[string]string{
	"workbook": "fileVersion fileSharing workbookPr workbookProtection bookViews sheets! functionGroups " +
		"externalReferences definedNames calcPr oleSize customWorkbookViews pivotCaches smartTagPr smartTagTypes " +
		"webPublishing fileRecoveryPr* webPublishObjects extLst",
	"fileVersion":  "",
	"workbookPr":   "",
	"bookViews":    "workbookView+ extLst",
	"workbookView": "extLst",
	"sheets":       "sheet+",
	"sheet":        "",
	"definedNames": "definedName+",
	"definedName":  "",
	"calcPr":       "",

	"worksheet": "sheetPr dimension sheetViews sheetFormatPr cols sheetData! sheetCalcPr sheetProtection " +
		"protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr " +
		"conditionalFormatting* dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks " +
		"colBreaks customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF drawingHF " +
		"picture oleObjects controls webPublishItems tableParts extLst",
	"sheetPr":               "tabColor outlinePr pageSetUpPr",
	"outlinePr":             "",
	"pageSetUpPr":           "",
	"dimension":             "",
	"sheetViews":            "sheetView+ extLst",
	"sheetView":             "pane selection* pivotSelection* extLst",
	"pane":                  "",
	"selection":             "",
	"sheetFormatPr":         "",
	"cols":                  "col+",
	"col":                   "",
	"sheetData":             "row*",
	"row":                   "c* extLst",
	"c":                     "f v is extLst",
	"f":                     "",
	"v":                     "",
	"is":                    "t r* rPh* phoneticPr",
	"r":                     "rPr t!",
	"rPr":                   "~ rFont charset family b i strike outline shadow condense extend color sz u vertAlign scheme",
	"rFont":                 "",
	"t":                     "",
	"autoFilter":            "filterColumn* sortState extLst",
	"mergeCells":            "mergeCell+",
	"mergeCell":             "",
	"rPh":                   "t!",
	"phoneticPr":            "",
	"conditionalFormatting": "cfRule+ extLst",
	"cfRule":                "formula* colorScale dataBar iconSet extLst",
	"formula":               "",
	"dataValidations":       "dataValidation+",
	"dataValidation":        "formula1 formula2",
	"formula1":              "",
	"formula2":              "",
	"hyperlinks":            "hyperlink+",
	"hyperlink":             "",
	"printOptions":          "",
	"pageMargins":           "",
	"pageSetup":             "",
	"headerFooter":          "oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter",
	"oddHeader":             "",
	"oddFooter":             "",
	"evenHeader":            "",
	"evenFooter":            "",
	"firstHeader":           "",
	"firstFooter":           "",
	"rowBreaks":             "brk*",
	"colBreaks":             "brk*",
	"brk":                   "",
	"ignoredErrors":         "ignoredError+ extLst",
	"ignoredError":          "",

	"sst": "si* extLst",
	"si":  "t r* rPh* phoneticPr",

	"styleSheet":   "numFmts fonts! fills! borders! cellStyleXfs! cellXfs! cellStyles dxfs tableStyles colors extLst",
	"numFmts":      "numFmt+",
	"numFmt":       "",
	"fonts":        "font+",
	"font":         "~ b i strike condense extend outline shadow u vertAlign sz color name family charset scheme",
	"b":            "",
	"i":            "",
	"strike":       "",
	"condense":     "",
	"extend":       "",
	"outline":      "",
	"shadow":       "",
	"u":            "",
	"vertAlign":    "",
	"sz":           "",
	"name":         "",
	"family":       "",
	"charset":      "",
	"scheme":       "",
	"fills":        "fill+",
	"fill":         "patternFill gradientFill",
	"patternFill":  "fgColor bgColor",
	"fgColor":      "",
	"bgColor":      "",
	"tabColor":     "",
	"color":        "",
	"borders":      "border+",
	"border":       "start end left right top bottom diagonal vertical horizontal",
	"start":        "color",
	"end":          "color",
	"left":         "color",
	"right":        "color",
	"top":          "color",
	"bottom":       "color",
	"diagonal":     "color",
	"vertical":     "color",
	"horizontal":   "color",
	"cellStyleXfs": "xf+",
	"cellXfs":      "xf+",
	"xf":           "alignment protection extLst",
	"alignment":    "",
	"protection":   "",
	"cellStyles":   "cellStyle+ extLst",
	"cellStyle":    "extLst",
	"dxfs":         "dxf*",
	"dxf":          "font numFmt fill alignment border protection extLst",
	"tableStyles":  "tableStyle*",

	"Types":         "Default* Override*",
	"Default":       "",
	"Override":      "",
	"Relationships": "Relationship*",
	"Relationship":  "",
}

// An element is one whose children are checked.
type element struct {
	name     string
	children []child
	anyOrder bool
	// counted tells that the attribute count is the number of children. That of
	// sst counts cells.
	counted bool
	// rules are those of its attributes; required has a bit for each that has to
	// be there.
	rules    []rule
	required uint64
}

type child struct {
	name     string
	element  *element // nil: what is in it is not looked at
	required bool
	many     bool
}

// elements are the sequences with their names looked up.
var elements = func() map[string]*element {
	all := make(map[string]*element)
	for name := range sequences {
		all[name] = &element{name: name, counted: name != "sst"}
	}
	for name, list := range attributes {
		all[name].rules, all[name].required = readRules(list)
	}
	for name, sequence := range sequences {
		sequence, all[name].anyOrder = strings.CutPrefix(sequence, "~ ")
		for _, word := range strings.Fields(sequence) {
			plain := strings.TrimRight(word, "*+!")
			mark := word[len(plain):]
			all[name].children = append(all[name].children, child{
				name:     plain,
				element:  all[plain],
				required: mark == "+" || mark == "!",
				many:     mark == "*" || mark == "+",
			})
		}
	}
	return all
}()
