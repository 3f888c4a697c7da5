package readers_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"

	excel "github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/local/readers"
)

// everyPartBook is a workbook of another library with every kind of part that has a
// schema here. What its roots say of markup compatibility is taken away, which the
// validator does not know.
func everyPartBook(t *testing.T) *zipped {
	t.Helper()
	f := excel.NewFile()
	sheet := "Sheet1"
	var pictures [3]bytes.Buffer
	picture := image.NewGray(image.Rect(0, 0, 2, 2))
	steps := []error{
		f.SetCellValue(sheet, "A1", "이름"), f.SetCellValue(sheet, "B1", "값"), f.SetCellValue(sheet, "A2", " 앞"), f.SetCellValue(sheet, "B2", 3),
		f.SetCellFormula(sheet, "C2", "B2*2"),
		f.AddTable(sheet, &excel.Table{Range: "A1:B2", Name: "t1"}),
		f.AddComment(sheet, excel.Comment{Cell: "A2", Author: "u", Text: "메모"}),
		f.AddChart(sheet, "F6", &excel.Chart{Type: excel.Col, Series: []excel.ChartSeries{{Name: "Sheet1!$B$1", Categories: "Sheet1!$A$2:$A$2", Values: "Sheet1!$B$2:$B$2"}}}),
		f.SetCellHyperLink(sheet, "A1", "https://example.com/?a=b&c", "External"),
		f.SetDocProps(&excel.DocProperties{Creator: "u", Title: "제목", Keywords: "k", Created: "2026-09-02T14:30:25Z", Modified: "2026-09-02T14:30:25Z"}),
		f.SetAppProps(&excel.AppProperties{Application: "x", Company: "c"}),
		f.SetCustomProps(excel.CustomProperty{Name: "n", Value: "v"}),
		png.Encode(&pictures[0], picture), jpeg.Encode(&pictures[1], picture, nil), gif.Encode(&pictures[2], picture, nil),
	}
	for i, extension := range []string{".png", ".jpeg", ".gif"} {
		steps = append(steps, f.AddPictureFromBytes(sheet, []string{"H1", "H4", "H8"}[i], &excel.Picture{Extension: extension, File: pictures[i].Bytes(), Format: &excel.GraphicOptions{}}))
	}
	var out bytes.Buffer
	steps = append(steps, f.Write(&out), f.Close())
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	z := unpackBook(t, out.Bytes())
	compatibility := regexp.MustCompile(` (mc:Ignorable|xr:uid)="[^"]*"`)
	for i := range z.contents {
		if strings.HasSuffix(z.names[i], ".xml") {
			z.contents[i] = compatibility.ReplaceAllString(z.contents[i], "")
		}
	}
	return z
}

// Every kind of part is validated by its own schema: a fault in each is found.
func TestSchemaKnowsKinds(t *testing.T) {
	t.Parallel()
	java := poi(t)
	validate(t, java, everyPartBook(t).write(t))
	for name, r := range map[string]replacement{
		"shared texts":    {"xl/sharedStrings.xml", `uniqueCount="`, `uniqueCount="-`, "sst/@uniqueCount", "unsignedInt"},
		"theme":           {"xl/theme/theme1.xml", `<a:srgbClr val="44546A">`, `<a:srgbClr val="44546">`, "theme/themeElements/clrScheme/dk2/srgbClr/@val", "hexBinary"},
		"table":           {"xl/tables/table1.xml", ` displayName="t1"`, ``, "table", "displayName"},
		"comments":        {"xl/comments1.xml", `authorId="0"`, ``, "comments/commentList/comment", "authorId"},
		"drawing":         {"xl/drawings/drawing1.xml", `<xdr:col>5</xdr:col>`, ``, "wsDr/", "col@"},
		"drawing's root":  {"xl/drawings/drawing1.xml", `<xdr:wsDr`, `<xdr:wsDr a="b"`, "wsDr/@a", "Attribute not allowed"},
		"picture of none": {"xl/drawings/drawing1.xml", `r:embed="rId2"`, `r:embed="rId99"`, "", "names the relationship rId99"},
		"chart":           {"xl/charts/chart1.xml", `<lang val="en-US">`, `<long/><lang val="en-US">`, "chartSpace/long", "long@"},
		"VML":             {"xl/drawings/vmlDrawing1.vml", `joinstyle="miter"`, `joinstyle="mitre"`, "xml/shapetype/stroke/@joinstyle", "mitre"},
		"VML's root":      {"xl/drawings/vmlDrawing1.vml", `<xml `, `<xml xmlns="urn:x" `, "", "the root of VML is {urn:x}xml"},
		"application":     {"docProps/app.xml", `<Application>`, `<Application a="b">`, "Properties/Application/@a", "Attribute not allowed"},
		"own properties":  {"docProps/custom.xml", ` pid="2"`, ``, "Properties/property", "pid"},
		"core properties": {"docProps/core.xml", `<keywords>`, `<keyword/><keywords>`, "", "keyword"},
		"moment":          {"docProps/core.xml", `2026-09-02T14:30:25Z`, `2026-09-02 14:30:25`, "", "2026-09-02 14:30:25"},
		"moment's type":   {"docProps/core.xml", ` xsi:type="dcterms:W3CDTF"`, ``, "", "abstract"},
		"property twice":  {"docProps/core.xml", `<dc:title>`, `<dc:creator>u</dc:creator><dc:title>`, "", "creator"},
		"PNG":             {"xl/media/image1.png", "IHDR", "XXXX", "", "reading PNG header"},
		"JPEG":            {"xl/media/image2.jpeg", "\xff\xd8", "xx", "", "it is no picture"},
		"GIF":             {"xl/media/image3.gif", "GIF8", "GIF7", "", "it is no picture"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damaged := everyPartBook(t)
			damaged.replace(t, r.part, r.old, r.new)
			findViolation(t, java, damaged, "/"+r.part, r.where, r.says)
		})
	}
}

// findViolation fails the test where no violation of a part, at a place that begins
// as given, says what it should.
func findViolation(t *testing.T, java *readers.Java, damaged *zipped, part, where, says string) {
	t.Helper()
	violations, err := java.Validate(t.Context(), damaged.write(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		if v.Part == part && strings.HasPrefix(v.Path, where) && strings.Contains(v.Message, says) {
			return
		}
	}
	t.Errorf("not found; found %v", violations)
}
