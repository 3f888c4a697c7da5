package xlsxtest

import (
	"fmt"
	"strings"
	"testing"
)

// What most readers pass over and Excel does not: attributes, limits, names,
// escapes, number format codes.
func TestHabitsAreWanted(t *testing.T) {
	t.Parallel()
	const firstFormat = `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`
	findFaults(t, map[string][]fault{
		typesName: {{`Extension="rels"`, `Extension="rels" Kind="1"`, "<Default> has an attribute Kind"}},
		rootRels: {
			{`Id="rId2"`, `Id="2"`, `the id "2"`},
			{`Id="rId2"`, `Id="` + strings.Repeat("r", 256) + `"`, "the id"},
			{`Target="docProps/core.xml"`, `Target="docProps/core.xml" TargetMode="Inside"`, "has the TargetMode"},
		},
		coreName: {
			{`2026-09-02T05:30:25Z`, `2026-09-02 05:30:25`, "<created> is"},
			{` xsi:type="dcterms:W3CDTF"`, ``, "<created> is"},
			{`<dc:creator>`, `<dc:creator/><dc:creator>`, "<creator> is there twice"},
			{`하엑셀`, strings.Repeat("하", 256), "<creator> has 256 units"},
		},
		appName: {
			{`<vt:i4>2</vt:i4>`, `<vt:i4>1</vt:i4>`, "2 titles, where the headings speak of 1"},
			{`<vt:lpstr>둘</vt:lpstr>`, ``, "a list has 1 items and the size 2"},
			{`size="2" baseType="variant"`, `size="3" baseType="variant"`, "a list has 2 items and the size 3"},
			{`size="2"`, `size="two"`, "two"},
		},
		bookName: {
			{`name="둘"`, `name="_x0041_"`, "needs no escape"},
			{`name="둘"`, `name="_x005F_a"`, "needs no escape"},
			{`name="둘"`, `name="a：b"`, "sheet name"},
			{`name="둘"`, `name="100￦"`, "sheet name"},
			{`name="둘"`, `name="둘’"`, "sheet name"},
			{`name="둘"`, `name="＇둘"`, "sheet name"},
			{`name="둘"`, `name="_x0007_"`, "sheet name"},
			{`name="둘"`, `name="Ｈistory"`, "sheet name"},
			{`name="둘"`, `name="ＩT'S １"`, "twice"},
			{`name="둘"`, `name="ıt's 1"`, "twice"},
			{`name="둘"`, `name="İt's 1"`, "twice"},
			{`sheetId="7"`, `sheetId="65535"`, "has the sheetId"},
			{`sheetId="7"`, `sheetId="7" uid="1"`, "<sheet> has an attribute uid"},
			{`<bookViews><workbookView/></bookViews><sheets><sheet name="It's 1" sheetId="1" r:id="rId1"/><sheet name="둘"`, `<sheets><sheet name="It's 1" sheetId="1" state="hidden" r:id="rId1"/><sheet state="veryHidden" name="둘"`, "no sheet is visible"},
			{`<workbookView/>`, `<workbookView firstSheet="2"/>`, "the first one 2"},
			{`<workbookView/>`, `<workbookView activeTab="-1"/>`, "has the activeTab"},
			{`<workbookView/>`, `<workbookView tabRatio="1001"/>`, "has the tabRatio"},
			{`<bookViews>`, `<workbookPr date1904="true"/><bookViews>`, "from 1904 on"},
			{`<bookViews>`, `<workbookPr date1904="0"/><bookViews>`, ""},
			{`<bookViews>`, `<workbookPr date1904="no"/><bookViews>`, "has the date1904"},
			{`name="표"`, `name="a1"`, "the defined name"},
			{`name="표"`, `name="XFD1048576"`, "the defined name"},
			{`name="표"`, `name="XFE1"`, ""},
			{`name="표"`, `name="r1c1"`, "the defined name"},
			{`name="표"`, `name="C"`, "the defined name"},
			{`name="표"`, `name="True"`, "the defined name"},
			{`name="표"`, `name="표 1"`, "the defined name"},
			{`name="표"`, `name="` + strings.Repeat("a", 256) + `"`, "the defined name"},
			{`name="표"`, `name="표" hidden="yes"`, "has the hidden"},
			{`$A:$B`, `$B:$A`, "the range"},
			{`$A:$B`, `$A:$XFE`, "the range"},
			{`$A:$B`, `A:B`, "the range"},
			{`$1:$2`, `$0:$2`, "the range"},
			{`$1:$2`, `$1:$1048577`, "the range"},
			{`'!$A:$B`, `_x0041_'!$A:$B`, "needs no escape"},
		},
		stylesName: {
			{`<numFmts count="2">`, `<numFmts>` + manyFormats(200), "202 number formats"},
			{`<numFmts count="2">`, `<numFmts>` + manyFormats(198), ""},
			{`<fonts count="2">`, `<fonts>` + strings.Repeat("<font/>", 65490), "65492 fonts"},
			{`<cellXfs count="2">`, `<cellXfs>` + strings.Repeat(firstFormat, 63999), "64001 cell formats"},
			{firstFormat, strings.Replace(firstFormat, "0", "164", 1), "the first cell formats"},
			{`count="1"><cellStyle name`, `count="2"><cellStyle name="b" xfId="0"/><cellStyle name`, "another's"},
			{`<cellStyle name="Normal"`, `<cellStyle name="` + strings.Repeat("n", 256) + `"`, "too short or long"},
			{`builtinId="0"`, `builtinId="54"`, "has the builtinId"},
			{`numFmtId="164" fontId`, `applyFont="yes" numFmtId="164" fontId`, "has the applyFont"},
			{`horizontal="center"`, `horizontal="center" indent="256"`, "has the indent"},
			{`horizontal="center"`, `horizontal="center" readingOrder="3"`, "has the readingOrder"},
			{`horizontal="center"`, `horizontal="center" wrap="1"`, "has an attribute wrap"},
			{`<color rgb="FF000000"/></left>`, `<color indexed="256"/></left>`, "has the indexed"},
			{`<fgColor rgb="FFD9D9D9"/>`, `<bgColor/><fgColor/>`, "<fgColor> in <patternFill> comes after <bgColor>"},
			{`<sz val="11"/>`, `<sz val="11"/><sz val="11"/>`, "<sz> is in <font> twice"},
			{`<sz val="11"/>`, `<sz val="11"/><size/>`, "<size> does not belong in <font>"},
			{`<b/><sz val="11"/>`, `<b val="on"/><sz val="11"/>`, "has the val"},
			{`<b/><sz val="11"/>`, `<scheme val="minor"/><u/><family val="2"/><sz val="11"/><charset val="129"/><b val="0"/>`, ""},
			{`<b/><sz val="11"/>`, `<family val="6"/>`, "has the val"},
			{`<dxf><font><b/></font>`, `<dxf><border/>`, "<fill> in <dxf> comes after <border>"},
			{`<dxfs count="1">`, `<dxfs count="2">`, "count"},
		},
		textsName: {
			{`<rPr><b/></rPr>`, `<rPr><name val="a"/></rPr>`, "<name> does not belong in <rPr>"},
			{`<rPr><b/></rPr>`, `<rPr><rFont val="a"/><b/><sz val="9"/></rPr>`, ""},
			{`여럿`, `_x0041_`, "needs no escape"},
			{`여럿`, `_xD83D__xDE00_`, "half of a character"},
			{`여럿`, `_x005F_x0041_`, ""},
		},
		sheetName1: {
			{` 가`, `_x000A_`, "needs no escape"},
			{` 가`, `_x0009_`, "needs no escape"},
			{` 가`, `_x005F_x00e_`, "needs no escape"},
			{` 가`, `_x000D__x0007__xFFFE_`, ""},
			{` 가`, `_x005F_x0041_x005F_x0042_`, ""},
			{`<c s="1"/>`, `<c s="1"><v>-1</v></c>`, "-1 is no date"},
			{`<c s="1"/>`, `<c s="1"><v>2958466</v></c>`, "is no date"},
			{`<c s="1"/>`, `<c s="1"><v>2958465.99</v></c>`, ""},
			{`-1.5E-3`, `123456789012345678`, "number"},
			{`-1.5E-3`, `1.23456789012345678E-7`, "number"},
			{`-1.5E-3`, `123456789012345670000`, ""},
			{`-1.5E-3`, `0.00000000000000000012345678901234567E+3`, ""},
			{`<row r="4">`, `<row r="4" hidden="yes">`, "has the hidden"},
			{`<row r="4">`, `<row r="4" spans="1:3 5:5">`, ""},
			{`<row r="4">`, `<row r="4" spans="1-3">`, "spans"},
			{`<row r="4">`, `<row r="4" spans="0:3">`, "spans"},
			{`<row r="4">`, `<row r="4" spans="1:16385">`, "spans"},
			{`<row r="4">`, `<row r="4" outlineLevel="8">`, "has the outlineLevel"},
			{`<row r="4">`, `<row r="4" ht="NaN">`, "has the ht"},
			{`<row r="4">`, `<row r="4" height="9">`, "<row> has an attribute height"},
			{`<row r="4">`, `<row r="4" xmlns:q="urn:q" q:a="1">`, "has an attribute q:a"},
			{`<c r="A4">`, `<c r="A4" cm="1">`, "<c> has an attribute cm"},
			{`xml:space="preserve"> 가`, `xml:space="keep">가`, "has the xml:space"},
			{`max="3" width="12.5"`, `max="3" width="12.5" bestFit="t"`, "has the bestFit"},
			{`<mergeCell ref="A1:B1"/>`, `<mergeCell/>`, "<mergeCell> has no ref"},
		},
		sheetName2: {
			{`mc:Ignorable="x14ac"`, `mc:Ignorable="x14ac x15"`, "nothing declares the prefix x15"},
			{` mc:Ignorable="x14ac"`, ``, "has an attribute x14ac:dyDescent"},
			{`<sheetData/>`, `<sheetData mc:Ignorable="x14ac"/>`, "<sheetData> has an attribute mc:Ignorable"},
			{`<sheetPr codeName="둘">`, `<sheetPr code="둘">`, "<sheetPr> has an attribute code"},
			{`<tabColor rgb="FFFF0000"/><outlinePr summaryBelow="0"/>`, `<outlinePr/><tabColor/>`, "<tabColor> in <sheetPr> comes after <outlinePr>"},
			{`topLeftCell="B2"`, `topLeftCell="2B"`, "begins at"},
			{`zoomScale="80"`, `zoomScale="401"`, "has the zoomScale"},
			{`defaultRowHeight="16.5" `, ``, "has no defaultRowHeight"},
			{`sqref="A1:A9 C1"`, `sqref=""`, "no range"},
			{`sqref="A1:A9 C1"`, `sqref="A1:A9 C0"`, `the range "C0"`},
			{`type="cellIs"`, `type="cell"`, "has the type"},
			{`dxfId="0"`, `dxfId="1"`, `the look "1" of 1`},
			{`priority="1"`, `priority="0"`, "the priority"},
			{`<formula>0</formula>`, `<formula1>0</formula1>`, "<formula1> does not belong in <cfRule>"},
			{`<dataValidations count="1">`, `<dataValidations count="2">`, "count"},
			{`errorTitle="제목"`, `errorTitle="` + strings.Repeat("제", 33) + `"`, "the errorTitle of 33 units"},
			{`error="문"`, `error="` + strings.Repeat("문", 256) + `"`, "the error of 256 units"},
			{`error="문"`, `error="_x0041_"`, "needs no escape"},
			{`sqref="B1"`, `sqref="B1,B2"`, "the range"},
			{`ref="C1"`, `ref="C"`, "a link"},
			{` location="둘!A1"`, ``, "leads nowhere"},
			{`display="위"`, `display="` + strings.Repeat("위", 2085) + `"`, "the display of 2085 units"},
			{`<hyperlinks>`, `<hyperlinks>` + strings.Repeat(`<hyperlink ref="A1" location="A1"/>`, 65530), "65531 links"},
			{`<printOptions horizontalCentered="1"/>`, `<pageMargins left="0" right="0" top="0" bottom="0" header="0" footer="0"/><printOptions/>`, "<printOptions> in <worksheet> comes after <pageMargins>"},
			{`left="0.7"`, `left="50"`, "has the left"},
			{`footer="0.3"`, ``, "has no footer"},
			{`orientation="landscape"`, `orientation="lying"`, "has the orientation"},
			{`&amp;C제목`, strings.Repeat("제", 256), "a header or footer of 256 units"},
			{`<oddHeader>&amp;C제목</oddHeader>`, `<oddFooter/><oddHeader/>`, "<oddHeader> in <headerFooter> comes after <oddFooter>"},
			{`<brk id="20"`, `<brk id="1048577"`, "has the id"},
			{`<rowBreaks count="1"`, `<rowBreaks count="2"`, "count"},
			{`sqref="A1:C9"`, `sqref="A1:"`, "the range"},
		},
	})
}

// manyFormats are number formats beyond those of the good workbook.
func manyFormats(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<numFmt numFmtId="%d" formatCode="0&quot;%d&quot;"/>`, firstCustom+2+i, i)
	}
	return b.String()
}

// Names are taken for what their escapes stand for.
func TestNamesAreDecoded(t *testing.T) {
	t.Parallel()
	parts := change{bookName, `name="It's 1"`, `name="a_x005F_x0041_"`}.apply(t, good)
	parts = change{bookName, `'It''s 1'!$A$2`, `'a_x005F_x0041_'!$A$2`}.apply(t, parts)
	parts = change{bookName, `'It''s 1'!$A:$B`, `a_x005F_x0041_!$A:$B`}.apply(t, parts)
	if got := Open(t, packed(t, parts)).Sheet(0).Name; got != "a_x0041_" {
		t.Errorf("the sheet is called %q", got)
	}
}

func TestFormatCodes(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		code  string
		dates bool
	}{
		{`General`, false}, {`0.00`, false}, {`#,##0"원"`, false}, {`[Red]-0;[>=100]0;0;@`, false}, {`[$₩-412]#,##0`, false},
		{`0.0E+00`, false}, {`# ?/16`, false}, {`_(* #,##0_);\d`, false}, {`General"일"`, false}, {`[Color56]0`, false}, {`0"]` + `["`, false},
		{`yyyy-mm-dd`, true}, {`yyyy"년" m"월"`, true}, {`[h]:mm`, true}, {`[hh]:mm:ss.000`, true}, {`h:mm AM/PM`, true}, {`A/P`, true},
		{`0;[mm]`, true}, {`[$-412]aaaa`, true}, {`ge.m.d`, true}, {`[DBNum1]yyyy`, true},
	} {
		if dates, err := checkFormatCode(f.code); err != nil || dates != f.dates {
			t.Errorf("%q: %t, %v", f.code, dates, err)
		}
	}
	for code, says := range map[string]string{
		``:                       "0 units",
		strings.Repeat("가", 256): "256 units",
		"0\t":                    "control character",
		`0"원`:                    "quotation mark",
		`0\`:                     `ends with \`,
		`0_`:                     "ends with _",
		`0*`:                     "ends with *",
		`[Red`:                   "the bracket",
		`[]0`:                    "the bracket",
		`[$]0`:                   "the bracket",
		`[Rouge]0`:               "the bracket",
		`[Color57]0`:             "the bracket",
		`[>x]0`:                  "the bracket",
		`0]`:                     "a bracket too many",
		`won`:                    "the letters",
		`0;0;0;@;0`:              "5 sections",
		`x`:                      "the letters",
	} {
		_, err := checkFormatCode(code)
		wantFault(t, err, says)
	}
}
