package cases

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// S3: a column's width is its pixels × 36 / 256, from 10 to 255 characters.
func TestCase_S3Widths(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{oneRow(t, d)}, nil, d)
	const none = 0 // no width of its own
	cases := []struct {
		members string
		want    float64
	}{
		{`"width": 120`, 16.875}, {`"width": 0`, none}, {`"width": -5`, none}, {``, none}, {`"width": 2000`, 255}, {`"width": 40`, 10},
		{`"width": "120"`, 16.875}, {`"width": " 120 "`, 16.875}, {`"width": ""`, none}, {`"width": "  "`, none}, {`"width": null`, none},
		{`"width": 120.5`, 120.5 * 36 / 256}, {`"width": 1.2e2`, 16.875}, {`"width": "1.2E2"`, 16.875}, {`"width": 0.001`, 10}, {`"width": -0.0`, none},
		{`"width": 71`, 10}, {`"width": 72`, 10.125}, {`"width": 1813`, 254.953125}, {`"width": 1814`, 255}, {`"width": 1e9`, 255}, {`"width": 1e300`, 255},
		{`"width": 9007199254740993`, 255}, {`"width": -1e300`, none}, {`"width": 1e-300`, 10},
		{`"minWidth": 120`, 16.875}, {`"minWidth": "2000"`, 255}, {`"minWidth": -1`, none},
		{`"width": 80, "minWidth": 120`, 11.25}, {`"width": 0, "minWidth": 120`, 16.875}, {`"width": -3, "minWidth": 40`, 10}, {`"width": null, "minWidth": 120`, 16.875},
		{`"maxWidth": 120, "flex": 1`, none},
	}
	var list []string
	want := map[int]float64{}
	for i, c := range cases {
		list = append(list, strings.TrimSuffix(`{"field": "a", `+c.members, ", ")+"}")
		if c.want > 0 {
			want[i+1] = c.want
		}
	}
	f := s.export(t, "row", `{"columns": [`+strings.Join(list, ",")+`]}`)
	if got := f.book(t).Sheet(0).Widths; !maps.Equal(got, want) {
		for i, c := range cases {
			if got[i+1] != want[i+1] {
				t.Errorf("{%s} is %v wide, want %v", c.members, got[i+1], c.want)
			}
		}
	}
	f = s.export(t, "row", `{"columns": [{"field": "a"}]}`)
	if xml := sheetXML(t, f.content); strings.Contains(xml, "<cols") {
		t.Errorf("there are widths in %.1000s", xml)
	}
	// What is no number is refused: nobody knows how wide "wide" is.
	for _, width := range []string{`"wide"`, `"NaN"`, `"Infinity"`, `"-Inf"`, `true`, `{}`, `[120]`, `1e400`, `"120px"`, `"1,200"`} {
		s.wantFault(t, "row", `{"columns": [{"field": "a", "width": `+width+`}]}`, "columns[0].width")
		s.wantFault(t, "row", `{"columns": [{"field": "a", "minWidth": `+width+`}]}`, "columns[0].minWidth")
	}
	s.wantFault(t, "row", `{"columns": [{"children": [{"field": "a", "width": "wide"}]}]}`, "columns[0].children[0].width")
}

// S3: the styles of a workbook are those of its columns, however many rows it has.
func TestCase_S3Styles(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		s := serve(t, []string{counting(t, d, "")}, nil, d)
		styled := []string{
			`{"textAlign": "right", "fontWeight": "bold", "color": "#0000FF", "backgroundColor": "#ffee00"}`,
			`{"textAlign": "center", "fontStyle": "italic"}`, `{"color": "#0000ff"}`, `{"backgroundColor": "#000000"}`,
			`{"textAlign": "left"}, "excelFormat": "krw"`,
		}
		few, many := s.export(t, "counting", inStyles(10, styled...)), s.export(t, "counting", inStyles(70_000, styled...))
		fewXML, manyXML := entry(t, few.content, "xl/styles.xml"), entry(t, many.content, "xl/styles.xml")
		if fewXML != manyXML {
			t.Errorf("10 rows have the styles\n%.2000s\n70,000 rows\n%.2000s", fewXML, manyXML)
		}
		small := few.book(t)
		// The default, the header's, and for each column that of texts and that of numbers.
		if n := strings.Count(manyXML, "<xf "); small.Styles > 12 || n > 14 {
			t.Errorf("%d styles in %d elements: %.2000s", small.Styles, n, manyXML)
		}
		large, err := xlsxtest.Check(bytes.NewReader(many.content), int64(len(many.content)), nil)
		if err != nil || large.Styles != small.Styles {
			t.Errorf("70,000 rows have %+v, %v", large, err)
		}
		for i, want := range []xlsxtest.Cell{
			{NumFmt: "0", Align: "right", Bold: true, Fill: "FFEE00"}, {NumFmt: "0", Align: "center"}, {NumFmt: "0", Align: "right"},
			{NumFmt: "0", Align: "right", Fill: "000000"}, {NumFmt: "#,##0", Align: "left"},
		} {
			got := small.Sheet(0).Rows()[10][i]
			want.Type, want.Raw, want.Text, want.Style = "n", "10", "10", got.Style
			if got != want {
				t.Errorf("in the style %s stands %+v, want %+v", styled[i], got, want)
			}
		}
		fonts := regexp.MustCompile(`<font>.*?</font>`).FindAllString(manyXML, -1)
		for _, want := range []string{`<b/>.*FF0000FF`, `<i/>`, `<font>(<sz[^>]*>)?<color rgb="FF0000FF"/>`} {
			if !slices.ContainsFunc(fonts, regexp.MustCompile(want).MatchString) {
				t.Errorf("no font is like %s: %s", want, fonts)
			}
		}
		// Columns of one style share it.
		same := slices.Repeat(styled[:1], 1000)
		if got := s.export(t, "counting", inStyles(3, same...)).book(t).Styles; got > 4 {
			t.Errorf("1,000 columns of one style have %d", got)
		}
	})
}

// inStyles asks for n rows of columns with such members cellStyle.
func inStyles(n int, styles ...string) string {
	var columns []string
	for _, style := range styles {
		columns = append(columns, `{"field": "no", "cellStyle": `+style+`}`)
	}
	return fmt.Sprintf(`{"params": {"n": %d}, "columns": [%s]}`, n, strings.Join(columns, ","))
}

// S3: what a style's member can't be is ignored.
func TestCase_S3StyleMembers(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{counting(t, d, "")}, nil, d)
	ignored := []string{
		`{}`, `null`,
		`{"textAlign": "justify", "fontWeight": 700, "fontStyle": "oblique", "color": "red", "backgroundColor": "rgb(1,2,3)"}`,
		`{"textAlign": "start", "fontWeight": "bolder", "color": "#00F", "backgroundColor": "#0000FF80"}`,
		`{"textAlign": null, "fontWeight": true, "color": ["#0000FF"], "backgroundColor": {}, "padding": "3px"}`,
		`{"color": "0000FF", "fontStyle": "italics"}`,
		`{"color": "#GG0000", "backgroundColor": "#ＦＦ0000"}`,
	}
	row := s.export(t, "counting", inStyles(1, ignored...)).book(t).Sheet(0).Rows()[1]
	for i, c := range row {
		if c.Bold || c.Fill != "" || c.Align != "right" || c.Style != row[0].Style {
			t.Errorf("%s gives %+v", ignored[i], c)
		}
	}
	row = s.export(t, "counting", inStyles(1, `{"textAlign": "LEFT", "fontWeight": " Bold "}`, `{"backgroundColor": "#AbCdEf"}`)).book(t).Sheet(0).Rows()[1]
	if !row[0].Bold || row[0].Align != "left" || row[1].Fill != "ABCDEF" {
		t.Errorf("letters of the other case give %+v", row)
	}
	s.wantFault(t, "counting", inStyles(1, `"bold"`), "columns[0].cellStyle")
	s.wantFault(t, "counting", inStyles(1, `[]`), "columns[0].cellStyle")
}

// S3: a sheet's name is cleaned to what Excel takes.
func TestCase_S3SheetNames(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	row := oneRow(t, d)
	s := serve(t, []string{row, strings.Replace(row, "name: row", "name: called\nsheetName: '매출: 9월'", 1)}, nil, d)
	for _, c := range []struct{ name, json, want string }{
		{"a slash", `"매출/2026"`, "매출_2026"},
		{"40 Hangul", `"` + strings.Repeat("가", 40) + `"`, strings.Repeat("가", 31)},
		{"every character that Excel forbids", `"a\\b/c?d*e:f[g]h"`, "a_b_c_d_e_f_g_h"},
		{"control characters", `"a\u0000b\u0001c\td\ne\u007ff"`, "a_b_c_d_e_f"},
		{"apostrophes around", `"'인용'"`, "_인용_"},
		{"an apostrophe inside", `"it's"`, "it's"},
		{"nothing but apostrophes", `"'''"`, "_'_"},
		{"an apostrophe where it is cut", `"` + strings.Repeat("a", 30) + `'b"`, strings.Repeat("a", 30) + "_"},
		{"31 units", `"` + strings.Repeat("a", 31) + `"`, strings.Repeat("a", 31)},
		{"an emoji as the last two of 31 units", `"` + strings.Repeat("a", 29) + `😀"`, strings.Repeat("a", 29) + "😀"},
		{"an emoji across the end", `"` + strings.Repeat("a", 30) + `😀"`, strings.Repeat("a", 30)},
		{"emoji alone", `"` + strings.Repeat("😀", 20) + `"`, strings.Repeat("😀", 15)},
		{"blank", `"   "`, "Sheet1"},
		{"empty", `""`, "Sheet1"},
		{"null", `null`, "Sheet1"},
		{"a number", `2026`, "2026"},
		{"a reserved name", `"History"`, "History_"},
		{"a reserved name in other letters", `"hISTORY"`, "hISTORY_"},
		{"a name that holds a reserved one", `"History 2026"`, "History 2026"},
		{"half a surrogate", `"a\ud800b"`, "a\uFFFDb"},
		{"a pair of surrogates", `"\ud83d\ude00"`, "😀"},
		{"characters for XML", `"<a> & \"b\""`, `<a> & "b"`},
		{"noncharacters", `"a\ufffeb\uffffc"`, "a_b_c"},
		{"decomposed Hangul stays", `"\u1106\u1162"`, "\u1106\u1162"},
		{"blanks at the ends", `" a "`, " a "},
		{"what looks like a reference", `"A1"`, "A1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := s.export(t, "row", `{"columns": [{"field": "a"}], "sheetName": `+c.json+`}`)
			b := f.book(t)
			if got := b.Sheet(0).Name; got != c.want {
				t.Errorf("the sheet is called %q, want %q", got, c.want)
			}
			quoted := "'" + strings.ReplaceAll(c.want, "'", "''") + "'!$A$1:$A$2"
			if got := b.Names["0/_xlnm._FilterDatabase"]; got != quoted {
				t.Errorf("the filter is at %q, want %q", got, quoted)
			}
			python := ""
			err := readers.Openpyxl(testservices.OpenpyxlPython(t), false).Read(t.Context(), saved(t, f.content), func(sheet string, _ int, _ []readers.Cell) error {
				python = sheet
				return nil
			})
			if err != nil || python != c.want {
				t.Errorf("openpyxl calls the sheet %q, %v, want %q", python, err, c.want)
			}
		})
	}
	for body, want := range map[string]string{`{}`: "매출_ 9월", `{"sheetName": ""}`: "매출_ 9월", `{"sheetName": "x"}`: "x"} {
		body = strings.TrimSuffix(body, "}")
		if body != "{" {
			body += ", "
		}
		if got := s.export(t, "called", body+`"columns": [{"field": "a"}]}`).book(t).Sheet(0).Name; got != want {
			t.Errorf("%s: the sheet is called %q, want %q", body, got, want)
		}
	}
	// Names are quoted in the workbook alone; the parts of a zip are called alike.
	f := s.export(t, "row", `{"columns": [{"field": "a"}], "sheetName": "매출/2026", "packaging": "zip"}`)
	if got := xlsxtest.Open(t, f.onlyPart(t)).Sheet(0).Name; got != "매출_2026" {
		t.Errorf("in a part the sheet is called %q", got)
	}
	s.wantFault(t, "row", `{"columns": [{"field": "a"}], "sheetName": ["a"]}`, "sheetName")
}
