package xlsx_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
	"github.com/haexcel/haexcel/shared/xlsx"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// oddTexts are the texts that are easily mishandled.
var oddTexts = []string{
	"", " ", "가", " a ", "\t탭", "\n첫줄\n", "a\r\nb", "a\rb\r", "\r\r\n\n\r", "\x00\x01\x0b\x1f\x7f\u0085", "\ufffe\uffff\ufffd",
	"x\xed\xa0\xbdy", "\xed\xa0\xbd\xed\xb8\x80", "\xb0\xa1", "\xe2\x82", "\xf8\x88\x80\x80\x80", "\xf4\x90\x80\x80", "\xc0\x80", "😀", "👨‍👩‍👧 가족", "𠮷野家", "e\u0301", "\u202eabc\u2028\u2029\ufeff",
	"_x0041_", "_x0041_x0042_", "_x005F_", "_x0041\x01", "_x0041\uffff", "__x0041_", "_X0041_", "_x004_", "_x00e9_", "_xD83D__xDE00_", "\r_x000D_\r",
	"=1+1", "+82", "-1", "@SUM(A1)", "\t=1", "]]>", "&<>\"'", "&amp;", "<![CDATA[", "<!--", "<?xml", "</t></is></c>",
	"매출/2026", "'quoted'", "History", "history", "HISTORY ", "Sheet1", "sheet2", "[a]:b*c?d\\e", "＇", "ＨＩＳＴＯＲＹ", "a\xff'",
	"0", "#,##0.00", `0"원"`, `"a_x0041_"0`, "_x0041_)0", "yyyy년 mm월", "[Red]0", "General", "GENERAL", "\\", "[", ";;;;", "0;;;@", `"`, "krw", "ymd ", "KRW", "0.0\x00",
}

// longTexts begin or end where a cell's room does.
var longTexts = []string{
	strings.Repeat("A", 32767), strings.Repeat("A", 32768), strings.Repeat("A", 32766) + "😀", strings.Repeat("가", 32768), strings.Repeat("&", 32768),
	strings.Repeat("\x01", 32768), strings.Repeat("_x0041_", 4682), strings.Repeat("\xff", 32768), strings.Repeat("\r\n", 32768), strings.Repeat(" ", 32768), strings.Repeat("A", 32760) + "_x0041_x",
}

// Any text, as a cell, a header, the header of a group, a label, a code that is
// looked up, the name of the sheet, a format and a part of one, gives a valid
// workbook and reads back as the rule says, also where the room of a cell ends in it.
func FuzzTextEverywhere(f *testing.F) {
	for i, text := range oddTexts {
		f.Add(text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, in string, end uint8) {
		judgeText(t, in)
		if end < 64 {
			judge(t, each(cell.Field{Kind: cell.Text}, cell.Text, []byte(strings.Repeat("A", cell.MaxText-int(end))+in), time.UTC, []string{""}), xlsx.Options{})
		}
	})
}

// The same for texts that are too long altogether.
func TestLongTextEverywhere(t *testing.T) {
	t.Parallel()
	for _, text := range longTexts {
		judgeText(t, text)
	}
}

// judgeText puts a text wherever one can be.
func judgeText(t *testing.T, in string) {
	t.Helper()
	var trials []trial
	for _, kind := range []cell.Kind{cell.Text, cell.JSON, cell.Other} {
		trials = append(trials, each(cell.Field{Kind: kind}, kind, []byte(in), time.UTC, []string{"", "0.00", "yyyy-mm-dd"})...)
	}
	one := []cell.Value{{Kind: cell.Integer, Bytes: []byte("1")}}
	trials = append(trials,
		trial{cell.ColumnDef{ExcelCodeMap: map[string]string{"1": in}}, cell.Field{Kind: cell.Integer}, time.UTC, one},
		trial{cell.ColumnDef{ExcelCodeMap: map[string]string{in: "있음"}}, cell.Field{Kind: cell.Text}, time.UTC, []cell.Value{text(in)}})
	judge(t, trials, xlsx.Options{})
	judgeHeaders(t, in)
	judgeFormat(t, in)
	judgeFormat(t, `0.0"`+in+`"`)
}

// judgeHeaders names two levels of headers and three sheets with a text.
func judgeHeaders(t *testing.T, in string) {
	t.Helper()
	b := &book{
		name:    in,
		header:  []cell.ColumnDef{{HeaderName: in, Children: []cell.ColumnDef{{HeaderName: "h" + in}, {Field: in}}}},
		fields:  []cell.Field{{Kind: cell.Text}, {Kind: cell.Text}},
		rows:    [][]cell.Value{{text("1"), text("")}, {text("2"), text(in)}, {text("3"), text(in)}},
		options: xlsx.Options{MaxRows: 3},
	}
	read := xlsxtest.Open(t, b.bytes(t))
	if len(read.Sheets) != 3 {
		t.Fatalf("%d sheets, want 3", len(read.Sheets))
	}
	for _, s := range read.Sheets {
		for address, want := range map[string]celltest.Want{"A1": celltest.Header(in), "A2": celltest.Header("h" + in), "B2": celltest.Header(in)} {
			if got := seenIn(s.At(address)); got.Text != want.Text || got.Type != want.Type {
				t.Fatalf("the header %s of %.80q is %.80q", address, in, got.Text)
			}
		}
	}
	judgeName(t, in, read.Sheets[0].Name)
}

// judgeName checks the name of a first sheet; that Excel takes it is checked where
// the workbook is read.
func judgeName(t *testing.T, asked, got string) {
	t.Helper()
	if got != xlsx.CleanSheetName(asked) {
		t.Fatalf("the sheet is called %q, not as CleanSheetName(%.80q) says", got, asked)
	}
	if again := xlsx.CleanSheetName(got); again != got {
		t.Fatalf("the clean name %q is cleaned to %q", got, again)
	}
	usual := func(r rune) bool {
		return r == ' ' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || '가' <= r && r <= '힣'
	}
	if strings.TrimSpace(asked) != "" && strings.TrimFunc(asked, usual) == "" && !strings.EqualFold(asked, "history") {
		want := []rune(asked)
		if got != string(want[:min(len(want), 31)]) {
			t.Fatalf("the sheet %q is called %q", asked, got)
		}
	}
	if n := len(utf16.Encode([]rune(got))); n < 1 || n > 31 {
		t.Fatalf("the name %q has %d units", got, n)
	}
}

// judgeFormat asks for a text as a number format. A code is used as it is; anything
// else, with a warning, not at all.
func judgeFormat(t *testing.T, code string) {
	t.Helper()
	leaf, f := cell.ColumnDef{Field: "x", ExcelFormat: code}, cell.Field{Kind: cell.Integer}
	c, warnings := cell.Compile(leaf, f, true, time.UTC)
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, xlsx.Sheet{Header: []cell.ColumnDef{leaf}, Columns: []*cell.Column{c}}, xlsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"45000", "0", "-45000", "1234567890123456"}
	for _, v := range values {
		if err := w.Write([]cell.Value{integer(v)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := xlsxtest.Open(t, out.Bytes()).Sheet(0)
	named := strings.TrimSpace(code) == "" || slices.Contains(celltest.Names, strings.TrimSpace(code))
	for i, v := range values {
		got := cellOf(s, i+2)
		switch {
		case len(warnings) > 0:
			if fault := seenIn(got).Fault(celltest.Rule(cell.ColumnDef{}, f, integer(v), time.UTC)); fault != "" {
				t.Fatalf("%s as %q, which is no format: %s", v, code, fault)
			}
		case !named && got.Type == "n" && !strings.EqualFold(got.NumFmt, code):
			t.Fatalf("%s as %q has the number format %q", v, code, got.NumFmt)
		case !named && got.Text != v:
			t.Fatalf("%s as %q is %q", v, code, got.Text)
		}
	}
}
