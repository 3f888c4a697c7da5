package xlsx_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

func TestLongText(t *testing.T) {
	b := texts(strings.Repeat("A", 32767), strings.Repeat("A", 32768), strings.Repeat("가", 32768),
		strings.Repeat("A", 32766)+"😀", strings.Repeat("&", 32767), strings.Repeat("\x01", 32767))
	s := b.open(t).Sheet(0)
	for i, want := range []string{strings.Repeat("A", 32767), strings.Repeat("A", 32767), strings.Repeat("가", 32767),
		strings.Repeat("A", 32766), strings.Repeat("&", 32767), strings.Repeat("\x01", 32767)} {
		if got := s.Rows()[i+1][0].Text; got != want {
			t.Errorf("row %d: %d bytes, want %d", i, len(got), len(want))
		}
	}
}

// rawAndText checks what stands in the XML and what it means.
func rawAndText(t *testing.T, rows [][3]string) {
	t.Helper()
	var in []string
	for _, r := range rows {
		in = append(in, r[0])
	}
	s := texts(in...).open(t).Sheet(0)
	for i, r := range rows {
		c := s.Rows()[i+1][0]
		if c.Raw != r[1] || c.Text != r[2] || c.Type != "s" {
			t.Errorf("%q: raw %q and text %q, want %q and %q", r[0], c.Raw, c.Text, r[1], r[2])
		}
	}
}

func TestForbiddenCharacters(t *testing.T) {
	rawAndText(t, [][3]string{
		{"a\x00b", "a_x0000_b", "a\x00b"},
		{"a\x01b", "a_x0001_b", "a\x01b"},
		{"a\x0bb", "a_x000B_b", "a\x0bb"},
		{"a\x1fb", "a_x001F_b", "a\x1fb"},
		{"a\x7fb", "a\x7fb", "a\x7fb"},
		{"a\tb", "a\tb", "a\tb"},
		{"a\ufffeb\uffffc\ufffdd", "a_xFFFE_b_xFFFF_c\ufffdd", "a\ufffeb\uffffc\ufffdd"},
		{"]]>&<\"'", "]]>&<\"'", "]]>&<\"'"},
	})
}

func TestBlanksAtTheEdges(t *testing.T) {
	protected := map[string]bool{"  앞": true, "뒤  ": true, "   ": true, "\n첫줄": true, "1줄\n2줄": false, "a\r\nb": false, "\t탭": true, "끝\n": true, "a  b": false}
	var in []string
	for text := range protected {
		in = append(in, text)
	}
	s := texts(in...).open(t).Sheet(0)
	for i, text := range in {
		c := s.Rows()[i+1][0]
		if want := strings.ReplaceAll(text, "\r\n", "\n"); c.Text != want {
			t.Errorf("%q became %q", text, c.Text)
		}
		if c.Preserved != protected[text] {
			t.Errorf("%q: protected %v", text, c.Preserved)
		}
	}
	rawAndText(t, [][3]string{{"a\rb\r", "a_x000D_b_x000D_", "a\rb\r"}})
}

func TestTextLikeAnEscape(t *testing.T) {
	rawAndText(t, [][3]string{
		{"a_x000D_b", "a_x005F_x000D_b", "a_x000D_b"},
		{"foo_x12345.txt", "foo_x12345.txt", "foo_x12345.txt"},
		{"_x005F_", "_x005F_x005F_", "_x005F_"},
		{"a_x00e9_b", "a_x005F_x00e9_b", "a_x00e9_b"},
		{"_x0041_x0042_", "_x005F_x0041_x005F_x0042_", "_x0041_x0042_"},
		{"_x0041\x01", "_x005F_x0041_x0001_", "_x0041\x01"}, // the next escape would end this one
		{"_x0041\uffff", "_x005F_x0041_xFFFF_", "_x0041\uffff"},
		{"_x0041\t", "_x0041\t", "_x0041\t"},
		{"_x00g1_ _x004_ _X0041_ _", "_x00g1_ _x004_ _X0041_ _", "_x00g1_ _x004_ _X0041_ _"},
		{"__x0041_", "__x005F_x0041_", "__x0041_"},
	})
}

func TestRareAndBrokenCharacters(t *testing.T) {
	rawAndText(t, [][3]string{
		{"😀", "😀", "😀"},
		{"👨‍👩‍👧 가족", "👨‍👩‍👧 가족", "👨‍👩‍👧 가족"},
		{"𠮷野家", "𠮷野家", "𠮷野家"},
		{"x\xed\xa0\xbdy", "x\uFFFD\uFFFD\uFFFDy", "x\uFFFD\uFFFD\uFFFDy"},
		{"\xb0\xa1", "\uFFFD\uFFFD", "\uFFFD\uFFFD"},
	})
}

func TestTextLikeAFormula(t *testing.T) {
	in := []string{"=1+1", "=cmd|' /C calc'!A0", "+82-10-0000-0000", "-1", "@SUM(A1)", "\t=1", "https://example.com/?a=1&b=2"}
	b := texts(in...)
	b.header = append(b.header, cell.ColumnDef{Field: "amount"})
	b.fields = append(b.fields, cell.Field{Kind: cell.Decimal, Scale: 2})
	for i := range b.rows {
		b.rows[i] = append(b.rows[i], cell.Value{Kind: cell.Decimal, Bytes: []byte("-5.00")})
	}
	s := b.open(t).Sheet(0)
	for i, want := range in {
		row := s.Rows()[i+1]
		if row[0].Type != "s" || row[0].Text != want || row[0].Formula {
			t.Errorf("%q became %+v", want, row[0])
		}
		if row[1].Type != "n" || row[1].Raw != "-5.00" || row[1].NumFmt != "0.00" {
			t.Errorf("number beside %q: %+v", want, row[1])
		}
	}
}

// Headers follow the rules of cells.
func TestHeaderText(t *testing.T) {
	b := texts("x")
	b.header = []cell.ColumnDef{{Field: "x", HeaderName: " =1\r\n_x0041_\x01" + strings.Repeat("A", 40000)}}
	var out strings.Builder
	w, err := newWriter(&out, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b.rows[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Truncated() != 1 {
		t.Errorf("%d texts cut", w.Truncated())
	}
	c := xlsxtest.Open(t, []byte(out.String())).Sheet(0).At("A1")
	if !strings.HasPrefix(c.Text, " =1\n_x0041_\x01AAA") || len(c.Text) != cell.MaxText || !c.Preserved || c.Formula {
		t.Errorf("header %.20q of %d", c.Text, len(c.Text))
	}
}

// Any text reads back as the rule says.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "가", "_x0041_x0042_", "_x0041\x01", "\x00\x1f", "\uffff\ufffe", "]]>", "\r\r\n", " a ", "\xed\xa0\xbd", "_x0041\uffff", "a\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		b := texts(in)
		b.header[0].HeaderName = "h" + in
		s := xlsxtest.Open(t, b.bytes(t)).Sheet(0)
		if got, want := s.At("A2").Text, rule(in); got != want {
			t.Fatalf("cell %q became %q", in, got)
		}
		if got, want := s.At("A1").Text, rule("h"+in); got != want {
			t.Fatalf("header %q became %q", in, got)
		}
	})
}

// rule is what becomes of a text, written in the plainest way.
func rule(in string) string {
	var out strings.Builder
	units := 0
	for i := 0; i < len(in); {
		r, size := utf8.DecodeRuneInString(in[i:])
		if r == '\r' && strings.HasPrefix(in[i+1:], "\n") {
			i++
			continue
		}
		i += size
		width := 1
		if r > 0xFFFF {
			width = 2
		}
		if units += width; units > cell.MaxText {
			break
		}
		out.WriteRune(r)
	}
	return out.String()
}
