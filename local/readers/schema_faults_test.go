package readers_test

import (
	"bytes"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
)

const (
	typesPart    = "[Content_Types].xml"
	rootRels     = "_rels/.rels"
	bookPart     = "xl/workbook.xml"
	bookRels     = "xl/_rels/workbook.xml.rels"
	stylesPart   = "xl/styles.xml"
	sheetPart    = "xl/worksheets/sheet1.xml"
	relationNS   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	sheetRel     = `Type="` + relationNS + `/worksheet" Target="worksheets/sheet1.xml"`
	anotherSheet = `<Override PartName="/xl/worksheets/sheet9.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`
)

// faultyBook has something of everything that is damaged below.
func faultyBook() *poiBook {
	b := new(poiBook)
	b.column(cell.ColumnDef{Field: "a", Width: 120}, cell.Field{Kind: cell.Text}, each(cell.Text, " 앞", "b", "c", "d")...)
	b.column(cell.ColumnDef{Field: "n", Width: 80, ExcelFormat: "krw", CellStyle: cell.Style{BackgroundColor: "#FFFF00", TextAlign: "right"}},
		cell.Field{Kind: cell.Integer}, each(cell.Integer, "1250", "7")...)
	b.column(cell.ColumnDef{Field: "d", ExcelFormat: "ymd"}, cell.Field{Kind: cell.Date}, of(cell.Date, "2026-09-02"))
	b.column(cell.ColumnDef{Field: "f"}, cell.Field{Kind: cell.Bool}, of(cell.Bool, "1"))
	b.header = []cell.ColumnDef{{HeaderName: "무리", Children: b.header[:2]}, b.header[2], b.header[3]}
	b.options.MaxRows = 5
	return b
}

// A replacement is the damage done to one part, and what must be said of which.
type replacement struct {
	part, old, new string
	where, says    string
}

// Each fault in the contents of a part is found, and told with its part and its
// place.
func TestSchemaFindsFaults(t *testing.T) {
	t.Parallel()
	java := poi(t)
	good := faultyBook().bytes(t)
	validate(t, java, writeFile(t, good))
	for name, r := range map[string]replacement{
		"format without a height":      {sheetPart, ` defaultRowHeight="15"`, ``, "worksheet/sheetFormatPr", "Expected attribute: defaultRowHeight"},
		"filter before the cells":      {sheetPart, `<sheetData>`, `<autoFilter ref="A2:D5"/><sheetData>`, "worksheet/autoFilter", "sheetData"},
		"merges before the filter":     {sheetPart, `<autoFilter`, `<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells><autoFilter`, "worksheet/autoFilter", "autoFilter"},
		"widths behind the cells":      {sheetPart, `</sheetData>`, `</sheetData><cols><col min="1" max="1"/></cols>`, "worksheet/cols", "cols"},
		"two lists of cells":           {sheetPart, `</sheetData>`, `</sheetData><sheetData/>`, "worksheet/sheetData[2]", "sheetData"},
		"no cells":                     {sheetPart, `<sheetData>`, `<sheetDatum>`, "", "sheetDatum"},
		"unknown type of a cell":       {sheetPart, `t="b"`, `t="q"`, "worksheet/sheetData/row[3]/c[4]/@t", "'q'"},
		"unknown element in a cell":    {sheetPart, `<v>1250</v>`, `<v>1250</v><w/>`, "worksheet/sheetData/row[3]/c[2]", "w@"},
		"unknown attribute of a cell":  {sheetPart, `<c r="B3"`, `<c colour="red" r="B3"`, "worksheet/sheetData/row[3]/c[2]/@colour", "colour"},
		"attribute of a text":          {sheetPart, `<t xml:space="preserve">`, `<t xml:space="preserve" a="b">`, "worksheet/sheetData/row[3]/c/is/t/@a", "Attribute not allowed"},
		"blanks that go":               {sheetPart, `<t xml:space="preserve">`, `<t xml:space="default">`, "worksheet/sheetData/row[3]/c/is/t/@space", "space"},
		"preserved number":             {sheetPart, `<v>1250</v>`, `<v xml:space="preserve">1250</v>`, "worksheet/sheetData/row[3]/c[2]/v/@space", "space"},
		"style that is no number":      {sheetPart, `<c r="B3" s="`, `<c r="B3" s="-`, "worksheet/sheetData/row[3]/c[2]/@s", "unsignedInt"},
		"row that is no number":        {sheetPart, `<row r="3">`, `<row r="three">`, "worksheet/sheetData/row[3]/@r", "Invalid decimal value"},
		"text between rows":            {sheetPart, `</row>`, `</row>x`, "worksheet/sheetData", "cannot have text"},
		"count that is no number":      {sheetPart, `mergeCells count="3"`, `mergeCells count="many"`, "worksheet/mergeCells/@count", "Invalid decimal value"},
		"merge without a range":        {sheetPart, `<mergeCell ref="A1:B1"/>`, `<mergeCell/>`, "worksheet/mergeCells/mergeCell", "ref"},
		"no merge":                     {sheetPart, `<mergeCell ref`, `<mergedCell ref`, "worksheet/mergeCells", "mergeCell"},
		"width that is no number":      {sheetPart, `width="16.875"`, `width="16,875"`, "worksheet/cols/col/@width", "16,875"},
		"width of no column":           {sheetPart, ` max="1"`, ``, "worksheet/cols/col", "max"},
		"unknown pane":                 {sheetPart, `activePane="bottomLeft"`, `activePane="below"`, "worksheet/sheetViews/sheetView/pane/@activePane", "below"},
		"view of no window":            {sheetPart, ` workbookViewId="0"`, ``, "worksheet/sheetViews/sheetView", "workbookViewId"},
		"another namespace":            {sheetPart, `spreadsheetml/2006/main"`, `spreadsheetml/2007/main"`, "", "worksheet"},
		"strict namespace":             {sheetPart, `http://schemas.openxmlformats.org/spreadsheetml/2006/main`, `http://purl.oclc.org/ooxml/spreadsheetml/main`, "", "worksheet"},
		"no end":                       {sheetPart, `</worksheet>`, ``, "", "XML document structures must start and end"},
		"character that XML forbids":   {sheetPart, `<t>b<`, "<t>\x01<", "", "invalid XML character"},
		"bytes that are no characters": {sheetPart, `<t>b<`, "<t>\xff<", "", "Invalid byte"},
		"document type":                {sheetPart, `<worksheet`, `<!DOCTYPE worksheet []><worksheet`, "", "DOCTYPE is disallowed"},

		"format without a code":       {stylesPart, ` formatCode="yyyy/mm/dd"`, ``, "styleSheet/numFmts/numFmt", "formatCode"},
		"format id that is no number": {stylesPart, `numFmtId="164" f`, `numFmtId="x" f`, "styleSheet/numFmts/numFmt/@numFmtId", "Invalid decimal value"},
		"formats of cells first":      {stylesPart, `<fonts`, `<cellXfs count="1"><xf/></cellXfs><fonts`, "styleSheet/fonts", "fonts"},
		"fonts behind fills":          {stylesPart, `<fills`, `<fills count="0"/><fonts count="0"/><fills`, "styleSheet/fonts[2]", "fonts"},
		"unknown pattern":             {stylesPart, `patternType="solid"`, `patternType="full"`, "styleSheet/fills/fill[3]/patternFill/@patternType", "full"},
		"colour of a name":            {stylesPart, `rgb="FFFFFF00"`, `rgb="yellow"`, "styleSheet/fills/fill", "hexBinary"},
		"unknown line":                {stylesPart, `style="thin"`, `style="hair-thin"`, "styleSheet/borders/border", "hair-thin"},
		"unknown alignment":           {stylesPart, `horizontal="right"`, `horizontal="rightmost"`, "styleSheet/cellXfs/xf", "rightmost"},
		"size that is no number":      {stylesPart, `<sz val="11"/>`, `<sz val="11pt"/>`, "styleSheet/fonts/font/sz/@val", "11pt"},
		"size without a number":       {stylesPart, `<sz val="11"/>`, `<sz/>`, "styleSheet/fonts/font/sz", "val"},
		"yes for true":                {stylesPart, `applyBorder="1"`, `applyBorder="yes"`, "styleSheet/cellXfs/xf", "yes"},
		"style without a format":      {stylesPart, `<cellStyle name="Normal" xfId="0"`, `<cellStyle name="Normal"`, "styleSheet/cellStyles/cellStyle", "xfId"},
		"count of fonts":              {stylesPart, `<fonts count="`, `<fonts count="-`, "styleSheet/fonts/@count", "unsignedInt"},

		"sheet without an id":         {bookPart, ` sheetId="1"`, ``, "workbook/sheets/sheet", "sheetId"},
		"sheet without a name":        {bookPart, `<sheet name="Sheet1"`, `<sheet`, "workbook/sheets/sheet", "name"},
		"sheet without relationship":  {bookPart, ` r:id="rId1"`, ``, "workbook/sheets/sheet", "id@"},
		"names before sheets":         {bookPart, `<sheets>`, `<definedNames/><sheets>`, "workbook/definedNames", "definedName"},
		"no sheets":                   {bookPart, `<sheets>`, `<sheet>`, "", "sheet"},
		"unknown state":               {bookPart, `sheetId="1"`, `sheetId="1" state="gone"`, "workbook/sheets/sheet/@state", "gone"},
		"defined name without a name": {bookPart, ` name="_xlnm._FilterDatabase"`, ``, "workbook/definedNames/definedName", "name"},
		"relationship of nobody":      {bookPart, `r:id="rId1"`, `r:id="rId77"`, "", "names the relationship rId77"},

		"relationship without id":      {bookRels, `Id="rId1" `, ``, "Relationships/Relationship", "Id"},
		"relationship without target":  {bookRels, ` Target="styles.xml"`, ``, "Relationships/Relationship[3]", "Target"},
		"relationship's own attribute": {bookRels, `Id="rId1"`, `Id="rId1" Name="x"`, "Relationships/Relationship/@Name", "Name"},
		"unknown mode":                 {bookRels, `Id="rId1"`, `Id="rId1" TargetMode="Outside"`, "Relationships/Relationship/@TargetMode", "Outside"},
		"element of no relationship":   {bookRels, `<Relationship Id="rId1"`, `<Relation Id="rId1"`, "Relationships", "Relation@"},
		"two relationships of one id":  {bookRels, `Id="rId2"`, `Id="rId1"`, "Relationships/Relationship[2]/@Id", "Duplicate ID value 'rId1'"},
		"target that is not there":     {bookRels, `worksheets/sheet1.xml`, `worksheets/sheet7.xml`, "", "leads to /xl/worksheets/sheet7.xml, which is not there"},
		"target that is no URI":        {bookRels, `worksheets/sheet1.xml`, `worksheets/sheet 1.xml`, "", "no URI"},
		"target of another type":       {bookRels, sheetRel, `Type="` + relationNS + `/styles" Target="worksheets/sheet1.xml"`, "", "whose content type is"},
		"unknown relationship":         {bookRels, relationNS + `/worksheet`, relationNS + `/worksheets`, "", "whose content type is"},
		"target outside":               {bookRels, `Target="worksheets/sheet1.xml"`, `Target="https://example.com/" TargetMode="External"`, "", "leads out of the package"},
		"another book in the book":     {bookRels, sheetRel, `Type="` + relationNS + `/officeDocument" Target="workbook.xml"`, "", "1 relationships lead to a workbook"},
		"no book":                      {rootRels, `<Relationship `, `<!--`, "", ""},

		"unknown element of types":   {typesPart, `<Default Extension="xml"`, `<Standard Extension="xml"`, "", "Standard"},
		"type without a slash":       {typesPart, `"application/xml"`, `"xml"`, "", "xml"},
		"default without extension":  {typesPart, ` Extension="xml"`, ``, "", "Extension"},
		"extension with a dot":       {typesPart, `Extension="xml"`, `Extension=".xml"`, "", ".xml"},
		"two types of an extension":  {typesPart, `Extension="xml"`, `Extension="RELS"`, "", "the extension rels has two content types"},
		"two types of a part":        {typesPart, `PartName="/xl/styles.xml"`, `PartName="/xl/workbook.xml"`, "", "the part /xl/workbook.xml has two content types"},
		"type of a part not there":   {typesPart, `</Types>`, anotherSheet + `</Types>`, "", "there is no part /xl/worksheets/sheet9.xml"},
		"name that begins elsewhere": {typesPart, `PartName="/xl/styles.xml"`, `PartName="xl/styles.xml"`, "", "xl/styles.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damaged := unpackBook(t, good)
			damaged.replace(t, r.part, r.old, r.new)
			findViolation(t, java, damaged, "/"+r.part, r.where, r.says)
		})
	}
}

// Faults of the package itself are found: parts that are missing, too many or of
// no kind that is known.
func TestSchemaFindsFaultsOfPackages(t *testing.T) {
	t.Parallel()
	java := poi(t)
	good := faultyBook().bytes(t)
	for name, c := range map[string]struct {
		damage     func(t *testing.T, z *zipped)
		part, says string
	}{
		"two parts of a name":             {func(_ *testing.T, z *zipped) { z.add(stylesPart, "<x/>") }, "/" + stylesPart, "two parts of this name"},
		"names that differ in case alone": {func(_ *testing.T, z *zipped) { z.add("xl/Styles.XML", "<x/>") }, "/xl/Styles.XML", "two parts of this name"},
		"no content types":                {func(t *testing.T, z *zipped) { z.rename(t, typesPart, "") }, "/" + typesPart, "no content types"},
		"no relationships":                {func(t *testing.T, z *zipped) { z.rename(t, rootRels, "") }, "/" + bookPart, "no relationship leads to it"},
		"no styles":                       {func(t *testing.T, z *zipped) { z.rename(t, stylesPart, "") }, "/" + bookRels, "which is not there"},
		"no sheet":                        {func(t *testing.T, z *zipped) { z.rename(t, sheetPart, "") }, "/" + typesPart, "there is no part /xl/worksheets/sheet1.xml"},
		"part that nothing names":         {func(_ *testing.T, z *zipped) { z.add("xl/other.xml", "<x/>") }, "/xl/other.xml", "no relationship leads to it"},
		"part of no known kind":           {func(_ *testing.T, z *zipped) { z.add("xl/other.xml", "<x/>") }, "/xl/other.xml", "no schema for the content type application/xml"},
		"part of no type":                 {func(_ *testing.T, z *zipped) { z.add("xl/media/a.bin", "x") }, "/xl/media/a.bin", "no content type"},
		"name with a blank":               {func(_ *testing.T, z *zipped) { z.add("xl/a b.xml", "<x/>") }, "/xl/a b.xml", "not the name of a part"},
		"name of Hangul":                  {func(_ *testing.T, z *zipped) { z.add("xl/가.xml", "<x/>") }, "/xl/가.xml", "written as /xl/%EA%B0%80.xml"},
		"name that ends in a dot":         {func(_ *testing.T, z *zipped) { z.add("xl/a.", "x") }, "/xl/a.", "not the name of a part"},
		"another root": {func(t *testing.T, z *zipped) {
			z.rename(t, stylesPart, "")
			z.add(stylesPart, `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>`)
		}, "/" + stylesPart, "styleSheet"},
		"folder":            {func(_ *testing.T, z *zipped) { z.add("xl/media/", "") }, "/xl/media/", "not the name of a part"},
		"part below a part": {func(_ *testing.T, z *zipped) { z.add(stylesPart+"/a.xml", "<x/>") }, "/" + stylesPart + "/a.xml", "goes on from that of another part"},
		"relationships of nobody": {func(t *testing.T, z *zipped) {
			z.add("xl/_rels/other.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>`)
		}, "/xl/_rels/other.xml.rels", "no part /xl/other.xml"},
		"two books": {func(t *testing.T, z *zipped) {
			z.replace(t, rootRels, `</Relationships>`, `<Relationship Id="x" Type="`+relationNS+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
		}, "/" + rootRels, "2 relationships lead to a workbook"},
		"relationships as a part": {func(t *testing.T, z *zipped) {
			z.replace(t, rootRels, `</Relationships>`, `<Relationship Id="x" Type="`+relationNS+`/styles" Target="_rels/.rels"/></Relationships>`)
		}, "/" + rootRels, "whose content type is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damaged := unpackBook(t, good)
			c.damage(t, damaged)
			findViolation(t, java, damaged, c.part, "", c.says)
		})
	}
}

// A file that is no archive, or is not there, is an error rather than a violation.
func TestSchemaOfNoArchive(t *testing.T) {
	t.Parallel()
	java := poi(t)
	for name, path := range map[string]string{
		"text":    writeFile(t, []byte("no archive")),
		"half":    writeFile(t, bytes.Clone(faultyBook().bytes(t)[:2000])),
		"missing": t.TempDir() + "/none.xlsx",
	} {
		if violations, err := java.Validate(t.Context(), path); err == nil {
			t.Errorf("%s: violations %v and no error", name, violations)
		}
	}
}
