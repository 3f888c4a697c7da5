package xlsxtest

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// sample is a good workbook of two header rows and two data rows.
func sample(t *testing.T) []byte {
	t.Helper()
	header := []cell.ColumnDef{
		{HeaderName: "무리", Children: []cell.ColumnDef{{Field: "a", Width: 100}, {Field: "b"}}},
		{Field: "c", ExcelFormat: "krw"},
	}
	s := xlsx.Sheet{Name: "글", Header: header}
	for _, leaf := range cell.Leaves(header) {
		kind := cell.Text
		if leaf.Field == "c" {
			kind = cell.Integer
		}
		c, _ := cell.Compile(leaf, cell.Field{Kind: kind}, true, nil)
		s.Columns = append(s.Columns, c)
	}
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, s, xlsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		row := []cell.Value{
			{Kind: cell.Text, Bytes: []byte(" blank")}, {Kind: cell.Text, Bytes: []byte("x_x0041_")}, {Kind: cell.Integer, Bytes: []byte("5")},
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rewritten copies an archive, changing one part; a new text of "" drops the part.
func rewritten(t *testing.T, data []byte, part, old, replacement string) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == part {
			if old == "" {
				continue
			}
			if !strings.Contains(string(content), old) {
				t.Fatalf("%s has no %q", part, old)
			}
			content = []byte(strings.Replace(string(content), old, replacement, 1))
		}
		to, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGoodWorkbook(t *testing.T) {
	s := Open(t, sample(t)).Sheet(0)
	if s.Name != "글" || len(s.Rows()) != 4 || s.Frozen != 2 || s.Filter != "A2:C4" || s.Widths[1] == 0 {
		t.Errorf("read as %+v", s)
	}
	if c := s.At("A3"); c.Text != " blank" || !c.Preserved || c.Type != "s" {
		t.Errorf("A3 is %+v", c)
	}
	if c := s.At("B3"); c.Text != "x_x0041_" || c.Raw != "x_x005F_x0041_" {
		t.Errorf("B3 is %+v", c)
	}
	if c := s.At("C4"); c.Type != "n" || c.Raw != "5" || c.NumFmt != "#,##0" {
		t.Errorf("C4 is %+v", c)
	}
	if c := s.At("Z9"); c != (Cell{}) {
		t.Errorf("Z9 is %+v", c)
	}
}

// Each fault that Excel would repair or refuse is found.
func TestFaultsAreFound(t *testing.T) {
	const sheet, book = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
	data := sample(t)
	for _, f := range []struct{ part, old, replacement, says string }{
		{sheet, "<v>5</v>", "<v>NaN</v>", "number"},
		{sheet, "<v>5</v>", "<v>+5</v>", "number"},
		{sheet, "<v>5</v>", "<v>1e999</v>", "number"},
		{sheet, ` xml:space="preserve"`, "", "not protected"},
		{sheet, " blank", strings.Repeat("가", 32768), "units"},
		{sheet, " blank", "a\x01b", "XML"},
		{sheet, "</row>", "", "XML"},
		{sheet, `r="A3"`, `r="C3"`, "cell"},
		{sheet, `r="A3"`, `r="A4"`, "cell"},
		{sheet, `<row r="4">`, `<row r="3">`, "row"},
		{sheet, `<row r="4">`, `<row r="1048577">`, "row"},
		{sheet, `ref="A1:B1"`, `ref="A1:A1"`, "merge"},
		{sheet, `ref="A1:B1"`, `ref="A1:C1"`, "merge"},
		{sheet, `width="14.0625"`, `width="256"`, "widths"},
		{sheet, `width="14.0625"`, `width="NaN"`, "widths"},
		{sheet, `s="1"`, `s="99"`, "style"},
		{sheet, `t="inlineStr"`, `t="shared"`, "type"},
		{book, `name="글"`, `name="a/b"`, "sheet name"},
		{book, `name="글"`, `name="History"`, "sheet name"},
		{book, `name="글"`, `name="` + strings.Repeat("가", 32) + `"`, "sheet name"},
		{book, `<sheets>`, `<sheets><sheet name="글" sheetId="9" r:id="rId1"/>`, "twice"},
		{book, `r:id="rId1"`, `r:id="rId9"`, "no part"},
		{"xl/styles.xml", `fontId="1"`, `fontId="7"`, "parts"},
		{"xl/styles.xml", "", "", "styles"},
		{"[Content_Types].xml", "", "", "Content_Types"},
		{"xl/styles.xml", "<fonts", "<fonts&", "XML"},
	} {
		broken := rewritten(t, data, f.part, f.old, f.replacement)
		_, err := Check(bytes.NewReader(broken), int64(len(broken)))
		if err == nil || !strings.Contains(err.Error(), f.says) {
			t.Errorf("%q for %.40q in %s: %v", f.replacement, f.old, f.part, err)
		}
	}
	flipped := bytes.Clone(data)
	flipped[bytes.Index(flipped, []byte("sheet1.xml"))+60] ^= 0xFF
	if _, err := Check(bytes.NewReader(flipped), int64(len(flipped))); err == nil {
		t.Error("a broken byte is not found")
	}
}

func TestMoment(t *testing.T) {
	got, err := Moment("46267.60445601852")
	if want := time.Date(2026, 9, 2, 14, 30, 25, 0, time.UTC); err != nil || !got.Equal(want) {
		t.Errorf("%v, %v", got, err)
	}
}
