package readers_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	excel "github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/local/readers"
)

// oddNames are names of sheets that would go wrong as file names, as references
// or as XML.
var oddNames = []string{"가나 다", "a&b<c>", `q'q"q`, "100%25|x", "점.셀 -> b", "~tab#1;", "😀-1"}

// foreignBook is a workbook of another writer: in its first sheet what haexcel
// does not write, or only in templates, then sheets with odd names, the last of
// them empty.
func foreignBook(t *testing.T) string {
	t.Helper()
	f := excel.NewFile()
	const sheet = "Sheet1"
	style := func(code string) int {
		id, err := f.NewStyle(&excel.Style{CustomNumFmt: &code})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	err := errors.Join(
		f.SetCellValue(sheet, "A1", "공유"),
		f.SetCellRichText(sheet, "B1", []excel.RichTextRun{{Text: "굵게 ", Font: &excel.Font{Bold: true}}, {Text: "보통"}}),
		f.SetCellValue(sheet, "C1", "링크"),
		f.SetCellHyperLink(sheet, "C1", "Sheet1!A5", "Location"),
		f.SetCellValue(sheet, "A4", "합친 칸"),
		f.MergeCell(sheet, "A4", "B4"),
		f.SetCellFormula(sheet, "C4", "1+1"),
		f.SetCellValue(sheet, "A5", 0.5),
		f.SetCellStyle(sheet, "A5", "A5", style("hh:mm")),
		f.SetCellValue(sheet, "B5", time.Date(2026, 9, 2, 14, 30, 25, 500_000_000, time.UTC)),
		f.SetCellStyle(sheet, "B5", "B5", style("yyyy/mm/dd hh:mm:ss.000")),
		f.SetCellValue(sheet, "C5", 0.25),
		f.SetCellStyle(sheet, "C5", "C5", style("0%")),
		f.SetSheetDimension(sheet, "A1:C5"),
	)
	for _, name := range oddNames {
		_, added := f.NewSheet(name)
		err = errors.Join(err, added)
		if name != oddNames[len(oddNames)-1] {
			err = errors.Join(err, f.SetCellValue(name, "B2", name), f.SetSheetDimension(name, "B2"))
		}
	}
	path := filepath.Join(t.TempDir(), "다른 책-1.xlsx")
	if err := errors.Join(err, f.SaveAs(path), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestForeignWorkbook(t *testing.T) {
	t.Parallel()
	path := foreignBook(t)
	withEach(t, func(t *testing.T, r readers.Reader) {
		got := shownRows(t, r, path)
		if r.Name() == "LibreOffice" {
			expectForeign(t, got, foreignDisplays)
			return
		}
		if len(got) < 4 || len(got[3].Cells) != 3 {
			t.Fatalf("the first sheet ends early: %v", got)
		}
		// Each says in words of its own what it takes a formula for.
		formula := &got[3].Cells[2]
		if formula.Content != readers.Strange || !strings.Contains(formula.Text, "1+1") && r.Name() != "structure" {
			t.Errorf("the formula is %s", formula)
		}
		*formula = readers.Cell{Content: readers.Strange}
		expectForeign(t, got, foreignCells)
	})
}

var foreignCells = [][]readers.Cell{
	{
		{Content: readers.Text, Text: "공유", Format: "General"},
		{Content: readers.Text, Text: "굵게 보통", Format: "General"},
		{Content: readers.Text, Text: "링크", Format: "General"},
	},
	{},
	{},
	{{Content: readers.Text, Text: "합친 칸", Format: "General"}, {}, {Content: readers.Strange}},
	{
		{Content: readers.Duration, Text: "12:00:00", Format: "hh:mm"},
		{Content: readers.Moment, Text: "2026-09-02 14:30:25.500", Format: "yyyy/mm/dd hh:mm:ss.000"},
		{Content: readers.Number, Text: "0.25", Format: "0%"},
	},
}

var foreignDisplays = [][]readers.Cell{
	{{Content: readers.Shown, Text: "공유"}, {Content: readers.Shown, Text: "굵게 보통"}, {Content: readers.Shown, Text: "링크"}},
	{},
	{},
	{{Content: readers.Shown, Text: "합친 칸"}, {Content: readers.Shown}, {Content: readers.Shown, Text: "2"}},
	{{Content: readers.Shown, Text: "12:00"}, {Content: readers.Shown, Text: "2026/09/02 14:30:25.500"}, {Content: readers.Shown, Text: "25%"}},
}

// expectForeign compares the first sheet with rows, and the others with their
// names, which stand in B2 of each but the last.
func expectForeign(t *testing.T, got []shownRow, first [][]readers.Cell) {
	t.Helper()
	var rows [][]readers.Cell
	var names []string
	for _, row := range got {
		switch {
		case row.Sheet == "Sheet1":
			rows = append(rows, row.Cells)
		case row.Row == 2:
			names = append(names, row.Sheet)
			if len(row.Cells) != 2 || row.Cells[1].Text != row.Sheet {
				t.Errorf("%q begins with %s", row.Sheet, row.Cells)
			}
		case len(row.Cells) > 0:
			t.Errorf("%q has %s in row %d", row.Sheet, row.Cells, row.Row)
		}
	}
	if difference := cmp.Diff(first, rows, cmpopts.EquateEmpty()); difference != "" {
		t.Errorf("-want +got:\n%s", difference)
	}
	if want := oddNames[:len(oddNames)-1]; !slices.Equal(names, want) {
		t.Errorf("the sheets are %q, want %q", names, want)
	}
}
