package xlsxtest

import (
	"fmt"
	"strings"
	"testing"
)

// Each fault that Excel would repair or refuse is found.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	faults := map[string][]struct{ old, replacement, says string }{
		typesName: {
			{"", "", "there is no [Content_Types].xml"},
			{`<Default Extension="rels"`, `<Default Extension="rel"`, "no type for"},
			{`<Override`, `<Default Extension="RELS" ContentType="a/b"/><Override`, "twice"},
			{`Extension="rels"`, `Extension=""`, "empty"},
			{`<Override PartName="/xl/styles.xml"`, `<Override PartName="/xl/other.xml"`, `"/xl/other.xml" is not there`},
			{`PartName="/xl/styles.xml"`, `PartName="xl/styles.xml"`, "is not there"},
			{`PartName="/xl/styles.xml"`, `PartName="/xl/workbook.xml"`, "twice"},
			{`spreadsheetml.styles+xml`, `spreadsheetml.theme+xml`, "xl/styles.xml is of the type"},
			{`spreadsheetml.sheet.main+xml`, `spreadsheetml.template.main+xml`, "xl/workbook.xml is of the type"},
			{`package.relationships+xml`, `package.relations+xml`, "_rels/.rels is of the type"},
			{`package/2006/content-types`, `package/2007/content-types`, "the root is"},
		},
		rootRels: {
			{"", "", "nothing leads to"},
			{`relationships/officeDocument"`, `relationships/document"`, "is not known here"},
			{`relationships/officeDocument"`, `relationships/worksheet"`, "is not known here"},
			{`Target="xl/workbook.xml"`, `Target="xl/book.xml"`, "there is no xl/book.xml"},
			{`Target="xl/workbook.xml"`, `Target="xl/workbook.xml" TargetMode="External"`, "the mode"},
			{`Id="rId2"`, `Id="rId1"`, `the id "rId1"`},
			{`Id="rId2"`, `Id=""`, `the id ""`},
			{`Target="docProps/core.xml"`, `Target="xl/workbook.xml"`, "another relationship leads to"},
			{`<Relationship Id="rId2"`, `<Relation Id="rId2"`, "<Relation> does not belong"},
		},
		coreName: {
			{"", "", "docProps/core.xml"},
			{"coreProperties ", "coreProps ", "the root is"},
			{"metadata/core-properties", "metadata/core", "the root is"},
		},
		"xl/media/image1.png":                 {{"", "\x89PNG", "no type for xl/media/image1.png"}},
		"xl/worksheets/_rels/sheet3.xml.rels": {{"", "x", "nothing leads to the part xl/worksheets/_rels/sheet3.xml.rels"}},
		"xl/worksheets/_rels/sheet1.xml.rels": {{"", "x", "XML"}},
		"docProps/_rels/core.xml.rels":        {{"", xmlDeclaration + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="b" Target="c"/></Relationships>`, "is not known here"}},
		bookRels: {
			{"", "", "nothing leads to the part"},
			{`<Relationship Id="rId3"`, `<Relationship Id="rId5" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/><Relationship Id="rId3"`, "is there twice"},
			{`Id="rId2"`, `Id="rId9"`, `no relationship "rId2"`},
			{`relationships/styles"`, `relationships/worksheet"`, "xl/styles.xml is of the type"},
		},
		bookName: {
			{`r:id="rId2"`, `r:id="rId1"`, `"rId`},
			{`r:id="rId2"`, `r:id="rId3"`, `"rId2" is used 0 times`},
			{` r:id="rId2"`, ``, `"rId2" is used 0 times`},
			{`name="둘"`, `name="a/b"`, "sheet name"},
			{`name="둘"`, `name=""`, "sheet name"},
			{`name="둘"`, `name="둘'"`, "sheet name"},
			{`name="둘"`, `name="hiSTORY"`, "sheet name"},
			{`name="둘"`, `name="a&#10;b"`, "sheet name"},
			{`name="둘"`, `name="` + strings.Repeat("가", 32) + `"`, "sheet name"},
			{`name="둘"`, `name="` + strings.Repeat("😀", 16) + `"`, "sheet name"},
			{`name="둘"`, `name="iT'S 1"`, "twice"},
			{`sheetId="7"`, `sheetId="1"`, "sheet id 1"},
			{`sheetId="7"`, `sheetId="0"`, "sheet id 0"},
			{`sheetId="7"`, `sheetId="7" state="gone"`, "sheet state"},
			{`sheetId="1"`, `sheetId="1" state="hidden"`, "the active tab"},
			{`<workbookView/>`, `<workbookView activeTab="2"/>`, "the active tab"},
			{`<workbookView/>`, `<workbookView activeTab="1"/>`, "its tab is selected"},
			{`<bookViews><workbookView/></bookViews>`, ``, "belongs to view 0 of 0"},
			{`localSheetId="1"`, `localSheetId="2"`, "is of sheet 2"},
			{`localSheetId="1"`, `localSheetId="-1"`, "is of sheet -1"},
			{`name="_xlnm.Print_Titles"`, `name="1a"`, "the defined name"},
			{`name="_xlnm.Print_Titles" localSheetId="1"`, `name="_xlnm._filterdatabase" localSheetId="0"`, "twice"},
			{`둘!$A$2`, `셋!$A$2`, `no sheet "셋"`},
			{`둘!$A$2`, `둘!A2`, "the range"},
			{`'It''s 1'!`, `'It's 1'!`, "no sheet"},
			{`'It''s 1'!`, `It's 1!`, "no sheet"},
			{`$A$2:$C$5`, `$A$2:$C$4`, "its defined name says"},
			{`name="_xlnm._FilterDatabase" localSheetId="0"`, `name="_xlnm._FilterDatabase"`, "of no sheet"},
			{`<sheets>`, `<calcPr/><sheets>`, "<calcPr> in <workbook> comes before <sheets>"},
			{`</workbook>`, `<bookViews/></workbook>`, "<bookViews> in <workbook> comes after <definedNames>"},
			{`<sheet name`, `<Sheet name`, "<Sheet>"},
			{`xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`, `xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main"`, "the root is"},
		},
		stylesName: {
			{`fontId="1"`, `fontId="2"`, "not there"},
			{`fillId="2"`, `fillId="3"`, "not there"},
			{`fillId="2" borderId="0"`, `fillId="2" borderId="1"`, "not there"},
			{`borderId="0" xfId="0"><`, `borderId="0" xfId="1"><`, "not there"},
			{`borderId="0" xfId="0"><`, `borderId="0" xfId="-1"><`, "not there"},
			{`numFmtId="164" fontId`, `numFmtId="166" fontId`, "not there"},
			{`numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>`, `numFmtId="0" fontId="5" fillId="0" borderId="0"/></cellStyleXfs>`, "not there"},
			{`numFmtId="165"`, `numFmtId="164"`, "number format id"},
			{`numFmtId="165"`, `numFmtId="163"`, "number format id"},
			{`formatCode="0.0"`, `formatCode=""`, "number format code"},
			{`formatCode="0.0"`, `formatCode="` + strings.Repeat("0", 256) + `"`, "number format code"},
			{`<numFmts count="2">`, `<numFmts count="3">`, "<numFmts> has 2 children and the count 3"},
			{`<fonts count="2">`, `<fonts count="1">`, "count"},
			{`<fills count="3">`, `<fills count="x">`, "count"},
			{`<cellXfs count="2">`, `<cellXfs count="1">`, "count"},
			{`patternType="none"`, `patternType="solid"`, "first two fills"},
			{`patternType="gray125"`, `patternType="gray0625"`, "first two fills"},
			{`patternType="solid"`, `patternType="full"`, "fill 2"},
			{`rgb="FFD9D9D9"`, `rgb="#D9D9D9"`, "fill 2"},
			{`<color rgb="FF000000"/><name`, `<color rgb="red"/><name`, "font 0"},
			{`<sz val="11"/>`, `<sz val="410"/>`, "font 0"},
			{`<name val="Calibri"/>`, `<name val="` + strings.Repeat("a", 32) + `"/>`, "font 0"},
			{`style="thin"`, `style="thinnest"`, "border 0"},
			{`<left style="thin"><color rgb="FF000000"/></left><right/>`, `<right/><left/>`, "<left> in <border> comes after <right>"},
			{`horizontal="center"`, `horizontal="middle"`, "alignment"},
			{`name="Normal" xfId="0"`, `name="Normal" xfId="1"`, "cell style"},
			{`count="1"><cellStyle name`, `count="2"><cellStyle name="normal" xfId="0"/><cellStyle name`, "cell style"},
			{`</cellXfs>`, `</cellXfs><fonts/>`, "<fonts> in <styleSheet> comes after <cellXfs>"},
			{`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>`, ``, "comes before <cellStyleXfs>"},
		},
		textsName: {
			{"", "", "xl/sharedStrings.xml"},
			{`uniqueCount="2"`, `uniqueCount="3"`, "the count 3"},
			{`<si><t>여럿</t></si>`, `<si/>`, "without text"},
			{`<t>여럿</t>`, `<t>여럿 </t>`, "not protected"},
			{`여럿`, strings.Repeat("가", 32768), "units"},
			{`<t>text</t></r>`, `</r>`, "<r> has no <t>"},
			{`<rPr><b/></rPr><t xml:space="preserve">rich </t>`, `<t>rich</t><rPr/>`, "<rPr> in <r> comes after <t>"},
		},
		sheetName1: {
			{`<dimension ref="A1:C5"/>`, ``, ""},
			{`ref="A1:C5"`, `ref="A1"`, ""},
			{`ref="A1:C5"`, `ref="A1:C4"`, "dimension"},
			{`ref="A1:C5"`, `ref="A1:D5"`, "dimension"},
			{`ref="A1:C5"`, `ref="5"`, "dimension"},
			{`workbookViewId="0"`, `workbookViewId="1"`, "belongs to view 1 of 1"},
			{` workbookViewId="0"`, ``, "workbook's view"},
			{`xSplit="1"`, `xSplit="0"`, "a pane has the xSplit"},
			{`ySplit="2"`, `ySplit="2.5"`, "a pane has the ySplit"},
			{`xSplit="1" ySplit="2"`, ``, "a pane of 0 rows and 0 columns"},
			{`topLeftCell="B3"`, `topLeftCell="B2"`, "a pane of 2 rows"},
			{`activePane="bottomRight"`, `activePane="bottomLeft"`, "a pane of 2 rows"},
			{`state="frozen"`, `state="cold"`, "a pane of 2 rows"},
			{`<selection pane="bottomLeft"/>`, `<selection pane="bottomRight"/>`, "a selection"},
			{`<selection pane="bottomLeft"/>`, `<selection pane="bottom"/>`, "a selection"},
			{`activeCell="C4"`, `activeCell="A1"`, "the selection"},
			{`sqref="B3 C4:C5"`, `sqref="B3 C5:C4"`, "the selection"},
			{`</sheetView>`, `</sheetView><sheetView workbookViewId="0"/>`, "2 views"},
			{`<col min="3" max="3"`, `<col min="2" max="3"`, "come after 2"},
			{`<col min="3" max="3"`, `<col min="3" max="16385"`, "widths"},
			{`<col min="1" max="2"`, `<col min="0" max="2"`, "widths"},
			{`width="12.5"`, `width="256"`, "the width"},
			{`width="12.5"`, `width="NaN"`, "the width"},
			{`style="1"`, `style="2"`, `style "2" of 2`},
			{`<row r="4">`, `<row r="2">`, "row"},
			{`<row r="4">`, `<row r="1048577">`, "row"},
			{`<row r="4">`, `<row r="+4">`, "row"},
			{`<row r="4">`, `<row r="">`, "row"},
			{`<row r="4"><c r="A4">`, `<row r="1048576"><c r="A1048576">`, "row"},
			{`ht="20"`, `ht="410"`, "height"},
			{`ht="20" s="1"`, `ht="20" s="2"`, "style"},
			{`r="C2"`, `r="A2"`, `cell "A2" in row 2 after column 1`},
			{`r="C2"`, `r="C3"`, `cell "C3" in row 2`},
			{`r="C2"`, `r="c2"`, "cell"},
			{`r="C2"`, `r="C02"`, "cell"},
			{`r="C2"`, `r="XFE2"`, "cell"},
			{`r="C2"`, `r="AAAAAAAAAAAAAAAA2"`, "cell"},
			{`r="C2"`, `r="2"`, "cell"},
			{`<c r="C2" t="s"><v>1</v></c>`, `<c r="XFD2"/><c/>`, "after column 16384"},
			{`<c r="A1" s="1"`, `<c r="A1" s="2"`, "style"},
			{`<c r="A1" s="1"`, `<c r="A1" s="x"`, "style"},
			{`-1.5E-3`, `NaN`, "number"},
			{`-1.5E-3`, `+5`, "number"},
			{`-1.5E-3`, `INF`, "number"},
			{`-1.5E-3`, `1e999`, "number"},
			{`-1.5E-3`, `0x10`, "number"},
			{`-1.5E-3`, `1,5`, "number"},
			{`-1.5E-3`, `1 `, "number"},
			{`-1.5E-3`, `.`, "number"},
			{`<v>-1.5E-3</v>`, `<v/>`, "number"},
			{`<c t="b"><v>1</v>`, `<c t="b"><v>true</v>`, "boolean"},
			{`<c t="b"><v>1</v>`, `<c t="b">`, "boolean"},
			{`#N/A`, `#OOPS!`, "error"},
			{`t="s"><v>1</v>`, `t="s"><v>2</v>`, "shared text"},
			{`t="s"><v>1</v>`, `t="s">`, "shared text"},
			{`t="inlineStr"`, `t="shared"`, "type"},
			{`t="inlineStr"`, `t="d"`, "type"},
			{`<is><t xml:space="preserve"> 가</t></is>`, ``, "does not fit the content"},
			{`<is><t xml:space="preserve"> 가</t></is>`, `<v>가</v>`, "does not fit the content"},
			{`t="b"><v>1</v>`, `t="b"><is><t>1</t></is>`, "does not fit the content"},
			{` xml:space="preserve"> 가`, `> 가`, "not protected"},
			{` xml:space="preserve"> 가`, `>가&#10;`, "not protected"},
			{` 가`, strings.Repeat("가", 32768), "units"},
			{` 가`, strings.Repeat("A", 32766) + "😀", "units"},
			{` 가`, "a\x01b", "XML"},
			{` 가`, "a&#1;b", "XML"},
			{` 가`, "a\uFFFFb", "XML"},
			{` 가`, "a\xED\xA0\xBDb", "XML"},
			{`<f>"a"&amp;"b"</f><v>ab</v>`, `<v>ab</v><f>1</f>`, "<f> in <c> comes after <v>"},
			{`<v>46267</v>`, `<v>46267</v><v>1</v>`, "<v> is in <c> twice"},
			{`<v>46267</v>`, `46267`, "stands in <c>"},
			{`<v>46267</v>`, `<w>46267</w>`, "<w> does not belong in <c>"},
			{`<v>46267</v>`, `<v><b/>46267</v>`, "<b> does not belong in <v>"},
			{`</row><row`, `</row>x<row`, "stands in <sheetData>"},
			{`</row><row`, `</row><c/><row`, "<c> does not belong in <sheetData>"},
			{`<sheetData>`, `<sheetData xmlns="urn:other">`, "<sheetData> of another namespace"},
			{`<cols>`, `<cols/><cols>`, "<cols> has no <col>"},
			{`<cols><col min="1" max="2" width="10"/><col min="3" max="3" width="12.5" style="1"/></cols><sheetData>`, `<sheetData>`, ""},
			{`<autoFilter ref="A2:C5"/>`, ``, "filters"},
			{`<autoFilter ref="A2:C5"/>`, `<autoFilter ref="A2:C1"/>`, "auto-filter"},
			{`<autoFilter ref="A2:C5"/>`, `<autoFilter/>`, "auto-filter"},
			{`<autoFilter ref="A2:C5"/>`, `<autoFilter ref="A2:C1048577"/>`, "auto-filter"},
			{`</sheetData><autoFilter ref="A2:C5"/>`, `</sheetData><pageMargins/><autoFilter ref="A2:C5"/>`, "<autoFilter> in <worksheet> comes after <pageMargins>"},
			{`ref="A1:B1"`, `ref="A1:A1"`, "merge"},
			{`ref="A1:B1"`, `ref="A1"`, "merge"},
			{`ref="A1:B1"`, `ref="B1:A1"`, "merge"},
			{`ref="A1:B1"`, `ref="A1:XFE1"`, "merge"},
			{`ref="A1:B1"`, `ref="A1:C1"`, "overlaps"},
			{`<mergeCells count="2">`, `<mergeCells count="3">`, "count"},
			{`<mergeCells count="2"><mergeCell ref="A1:B1"/><mergeCell ref="C1:C2"/></mergeCells>`, `<mergeCells count="0"/>`, "<mergeCells> has no <mergeCell>"},
			{`</worksheet>`, `<drawing xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1"/></worksheet>`, `no relationship "rId1"`},
			{`</worksheet>`, `</worksheet>` + "\n", "bytes after the root"},
			{`</worksheet>`, `</worksheet><worksheet/>`, "bytes after the root"},
			{`</worksheet>`, ``, "ends before its root"},
			{`</row>`, ``, "<row> does not belong in <row>"},
			{`</c>`, `</d>`, "ends no element"},
		},
		sheetName2: {
			{"", "", sheetName2},
			{`<sheetData/>`, ``, "<worksheet> has no <sheetData>"},
			{`<sheetData/>`, `<sheetViews><sheetView tabSelected="true" workbookViewId="0"/></sheetViews><sheetData/>`, "its tab is selected"},
		},
	}
	for part, list := range faults {
		for i, f := range list {
			t.Run(fmt.Sprintf("%s/%d", part, i), func(t *testing.T) {
				t.Parallel()
				changed := change{part, f.old, f.replacement}.apply(t, good)
				err := check(packed(t, changed))
				if f.says == "" {
					if err != nil {
						t.Errorf("%q for %q: %v", f.replacement, f.old, err)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), f.says) {
					t.Errorf("%.60q for %.60q: %.200v, want %q", f.replacement, f.old, err, f.says)
				}
			})
		}
	}
}

// The workbook that the faults are put into has none.
func TestGoodByHand(t *testing.T) {
	t.Parallel()
	book := Open(t, packed(t, good))
	s := book.Sheet(0)
	for reference, want := range map[string]Cell{
		"A1": {Type: "s", Raw: " 가", Text: " 가", Style: 1, NumFmt: "yyyy/mm/dd", Align: "center", Bold: true, Fill: "D9D9D9", Border: true, Preserved: true},
		"A2": {Type: "s", Raw: "여럿", Text: "여럿", NumFmt: "General", Border: true},
		"B2": {},
		"C2": {Type: "s", Raw: "rich text", Text: "rich text", NumFmt: "General", Border: true},
		"A3": {},
		"A4": {Type: "n", Raw: "-1.5E-3", Text: "-1.5E-3", NumFmt: "General", Border: true},
		"B4": {Type: "b", Raw: "1", Text: "1", NumFmt: "General", Border: true},
		"C4": {Type: "e", Raw: "#N/A", Text: "#N/A", NumFmt: "General", Border: true},
		"A5": {Type: "s", Raw: "ab", Text: "ab", NumFmt: "General", Border: true, Formula: true},
		"C5": {Type: "n", Raw: "46267", Text: "46267", NumFmt: "General", Border: true},
	} {
		if got := s.At(reference); got != want {
			t.Errorf("%s is %+v, want %+v", reference, got, want)
		}
	}
	if len(s.Rows()) != 5 || s.Frozen != 2 || s.Widths[2] != 10 || len(book.Sheet(1).Rows()) != 0 {
		t.Errorf("read as %+v", s)
	}
}
