package xlsxtest

import (
	"bytes"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// Another library's workbooks pass, with and without its stream writer.
func TestExcelize(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	const sheet = "Sheet1"
	style, err := f.NewStyle(&excelize.Style{
		Font: &excelize.Font{Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"#FFCC00"}},
		Border: []excelize.Border{{Type: "left", Style: 1, Color: "#000000"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		f.SetCellValue(sheet, "A1", " 글"), f.SetCellValue(sheet, "B2", 5.5), f.SetCellValue(sheet, "C3", time.Now()),
		f.SetCellValue(sheet, "D4", true), f.SetCellFormula(sheet, "E5", "=1+1"), f.SetCellStyle(sheet, "A1", "B1", style),
		f.MergeCell(sheet, "A1", "B1"), f.AutoFilter(sheet, "A2:E5", nil), f.SetColWidth(sheet, "B", "D", 20),
		f.SetRowHeight(sheet, 2, 30), f.SetCellRichText(sheet, "F6", []excelize.RichTextRun{{Text: "rich "}, {Text: "text"}}),
		f.SetPanes(sheet, &excelize.Panes{
			Freeze: true, YSplit: 2, TopLeftCell: "A3", ActivePane: "bottomLeft",
			Selection: []excelize.Selection{{SQRef: "A3", ActiveCell: "A3", Pane: "bottomLeft"}},
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	furnish(t, f, sheet)
	if _, err := f.NewSheet("It's"); err != nil {
		t.Fatal(err)
	}
	w, err := f.NewStreamWriter("It's")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		w.SetColWidth(1, 3, 12), w.SetRow("A1", []any{"a", 1, -2.5, time.Now(), false, nil, "<&>"}),
		w.SetRow("B3", []any{excelize.Cell{StyleID: style, Value: "\n줄"}}), w.MergeCell("A1", "B1"), w.Flush(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	book := Open(t, out.Bytes())
	first, second := book.Sheet(0), book.Sheet(1)
	if c := first.At("A1"); c.Text != " 글" || !c.Bold || c.Fill != "FFCC00" || !c.Border || !c.Preserved {
		t.Errorf("A1 is %+v", c)
	}
	if c := first.At("F6"); c.Text != "rich text" {
		t.Errorf("F6 is %+v", c)
	}
	if first.Filter != "$A$2:$E$5" || first.Frozen != 2 || first.Widths[3] != 20 || len(first.Merges) != 1 {
		t.Errorf("read as %+v", first)
	}
	if c := second.At("B3"); c.Text != "\n줄" || !c.Bold {
		t.Errorf("B3 is %+v", c)
	}
	if c := second.At("C1"); c.Type != "n" || c.Raw != "-2.5" {
		t.Errorf("C1 is %+v", c)
	}
}

// furnish gives a sheet what it may have besides its cells.
func furnish(t *testing.T, f *excelize.File, sheet string) {
	t.Helper()
	look, err := f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "9A0511"}})
	if err != nil {
		t.Fatal(err)
	}
	format := `yyyy"년" m"월"`
	custom, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		t.Fatal(err)
	}
	input := excelize.NewDataValidation(true)
	input.SetSqref("B7:B9")
	orientation, zoom, margin, title := "landscape", 75.0, 0.5, "제목"
	for _, err := range []error{
		input.SetDropList([]string{"갑", "을"}), f.AddDataValidation(sheet, input),
		f.SetConditionalFormat(sheet, "A7:A9", []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: "<", Format: &look, Value: "0"}}),
		f.SetCellHyperLink(sheet, "A1", "Sheet1!C3", "Location", excelize.HyperlinkOpts{Display: &title}),
		f.SetHeaderFooter(sheet, &excelize.HeaderFooterOptions{OddHeader: "&C제목"}),
		f.SetPageLayout(sheet, &excelize.PageLayoutOptions{Orientation: &orientation}),
		f.SetPageMargins(sheet, &excelize.PageLayoutMarginsOptions{Left: &margin}),
		f.SetSheetView(sheet, 0, &excelize.ViewOptions{ZoomScale: &zoom}), f.InsertPageBreak(sheet, "A20"),
		f.SetColOutlineLevel(sheet, "H", 2), f.SetRowOutlineLevel(sheet, 4, 7), f.SetCellStyle(sheet, "G7", "G7", custom),
		f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: "Sheet1!$A:$A,Sheet1!$1:$1", Scope: sheet}),
		f.SetSheetProps(sheet, &excelize.SheetPropsOptions{TabColorRGB: &[]string{"FF0000"}[0]}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
