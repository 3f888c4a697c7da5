package xlsxtest

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// The parts of the good workbook.
const (
	typesName  = "[Content_Types].xml"
	rootRels   = "_rels/.rels"
	coreName   = "docProps/core.xml"
	appName    = "docProps/app.xml"
	bookName   = "xl/workbook.xml"
	bookRels   = "xl/_rels/workbook.xml.rels"
	stylesName = "xl/styles.xml"
	textsName  = "xl/sharedStrings.xml"
	sheetName1 = "xl/worksheets/sheet1.xml"
	sheetName2 = "xl/worksheets/sheet2.xml"
)

// good is a workbook written by hand in which there is one of everything that
// Check looks at.
var good = []partText{
	{rootRels, xmlDeclaration + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>` +
		`<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties" Target="docProps/app.xml"/>` +
		`</Relationships>`},
	{coreName, xmlDeclaration + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:creator>하엑셀</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">2026-09-02T05:30:25Z</dcterms:created></cp:coreProperties>`},
	{appName, xmlDeclaration + `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"` +
		` xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><Application>haexcel</Application>` +
		`<HeadingPairs><vt:vector size="2" baseType="variant"><vt:variant><vt:lpstr>시트</vt:lpstr></vt:variant><vt:variant><vt:i4>2</vt:i4></vt:variant></vt:vector></HeadingPairs>` +
		`<TitlesOfParts><vt:vector size="2" baseType="lpstr"><vt:lpstr>It's 1</vt:lpstr><vt:lpstr>둘</vt:lpstr></vt:vector></TitlesOfParts></Properties>`},
	{typesName, xmlDeclaration + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>` +
		`<Override PartName="/docProps/app.xml" ContentType="application/vnd.openxmlformats-officedocument.extended-properties+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` +
		`<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`</Types>`},
	{bookRels, xmlDeclaration + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/sheet2.xml"/>` +
		`<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>` +
		`<Relationship Id="rId4" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/>` +
		`</Relationships>`},
	{bookName, xmlDeclaration + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<bookViews><workbookView/></bookViews>` +
		`<sheets><sheet name="It's 1" sheetId="1" r:id="rId1"/><sheet name="둘" sheetId="7" r:id="rId2"/></sheets>` +
		`<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'It''s 1'!$A$2:$C$5</definedName>` +
		`<definedName name="_xlnm.Print_Titles" localSheetId="1">둘!$A$1:$B$1,둘!$A$2</definedName>` +
		`<definedName name="표">'It''s 1'!$A:$B,둘!$1:$2</definedName></definedNames></workbook>`},
	{stylesName, xmlDeclaration + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy/mm/dd"/><numFmt numFmtId="165" formatCode="0.0"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><color rgb="FF000000"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
		`<fill><patternFill patternType="solid"><fgColor rgb="FFD9D9D9"/></patternFill></fill></fills>` +
		`<borders count="1"><border><left style="thin"><color rgb="FF000000"/></left><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="164" fontId="1" fillId="2" borderId="0" xfId="0"><alignment horizontal="center"/></xf></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>` +
		`<dxfs count="1"><dxf><font><b/></font><fill><patternFill><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs></styleSheet>`},
	{textsName, xmlDeclaration + `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="1" uniqueCount="2">` +
		`<si><t>여럿</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">rich </t></r><r><t>text</t></r><rPh sb="0" eb="1"><t>읽기</t></rPh></si></sst>`},
	{sheetName1, xmlDeclaration + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<dimension ref="A1:C5"/><sheetViews><sheetView tabSelected="1" workbookViewId="0">` +
		`<pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/>` +
		`<selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="C4" sqref="B3 C4:C5"/></sheetView></sheetViews>` +
		`<cols><col min="1" max="2" width="10"/><col min="3" max="3" width="12.5" style="1"/></cols>` +
		`<sheetData><row r="1"><c r="A1" s="1" t="inlineStr"><is><t xml:space="preserve"> 가</t></is></c></row>` +
		`<row r="2" ht="20" s="1"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c></row>` +
		`<row r="4"><c r="A4"><v>-1.5E-3</v></c><c t="b"><v>1</v></c><c r="C4" t="e"><v>#N/A</v></c></row>` +
		`<row><c t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c s="1"/><c t="n"><v>46267</v></c></row></sheetData>` +
		`<autoFilter ref="A2:C5"/><mergeCells count="2"><mergeCell ref="A1:B1"/><mergeCell ref="C1:C2"/></mergeCells></worksheet>`},
	{sheetName2, xmlDeclaration + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"` +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac"` +
		` xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac">` +
		`<sheetPr codeName="둘"><tabColor rgb="FFFF0000"/><outlinePr summaryBelow="0"/><pageSetUpPr fitToPage="1"/></sheetPr>` +
		`<sheetViews><sheetView topLeftCell="B2" zoomScale="80" workbookViewId="0"/></sheetViews>` +
		`<sheetFormatPr defaultRowHeight="16.5" x14ac:dyDescent="0.3"/><sheetData/>` +
		`<conditionalFormatting sqref="A1:A9 C1"><cfRule type="cellIs" dxfId="0" priority="1" operator="lessThan"><formula>0</formula></cfRule></conditionalFormatting>` +
		`<dataValidations count="1"><dataValidation type="list" allowBlank="1" errorTitle="제목" error="문" sqref="B1"><formula1>"a,b"</formula1></dataValidation></dataValidations>` +
		`<hyperlinks><hyperlink ref="C1" location="둘!A1" display="위"/></hyperlinks><printOptions horizontalCentered="1"/>` +
		`<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>` +
		`<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/><headerFooter><oddHeader>&amp;C제목</oddHeader></headerFooter>` +
		`<rowBreaks count="1" manualBreakCount="1"><brk id="20" max="16383" man="1"/></rowBreaks>` +
		`<ignoredErrors><ignoredError sqref="A1:C9" numberStoredAsText="1"/></ignoredErrors></worksheet>`},
}
