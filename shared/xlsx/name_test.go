package xlsx

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

func TestCleanSheetName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                             "Sheet1",
		" \t\n ":                       "Sheet1",
		strings.Repeat(" ", 31) + "x":  "Sheet1",
		"매출/2026":                      "매출_2026",
		strings.Repeat("가", 40):        strings.Repeat("가", 31),
		strings.Repeat("A", 30) + "😀":  strings.Repeat("A", 30),
		strings.Repeat("A", 29) + "😀":  strings.Repeat("A", 29) + "😀",
		`a\b?c*d:e[f]`:                 "a_b_c_d_e_f_",
		"＼／？＊：［］￥￦":                    "_________",
		"₩100 ¥":                       "₩100 ¥",
		"'인용'":                         "_인용_",
		"’인용＇":                         "_인용_",
		"'":                            "_",
		"it's ’n’ it":                  "it's ’n’ it",
		"History":                      "History_",
		"hISTORY":                      "hISTORY_",
		"Ｈｉｓｔｏｒｙ":                      "Ｈｉｓｔｏｒｙ_",
		"Histories":                    "Histories",
		"a\x00b\nc\u0085d":             "a_b_c_d",
		"a\xffb\xed\xa0\xbdc":          "a\uFFFDb\uFFFDc",
		"\uFFFEx\uFFFF":                "_x_",
		strings.Repeat("A", 30) + "'B": strings.Repeat("A", 30) + "_",
		"a_x0041_b":                    "a-x0041_b",
		"_x005F_x0041_":                "-x005F-x0041_",
		"_x0041_x0042_x":               "-x0041-x0042_x",
		"_xabcd":                       "_xabcd",
		"_xabcd'":                      "-xabcd_",
		"/xABCD/":                      "-xABCD_",
		"foo_x12345_":                  "foo_x12345_",
		"_X0041_":                      "_X0041_",
		"=1+1":                         "=1+1",
		" a ":                          " a ",
		"<&>\"":                        "<&>\"",
	} {
		if got := CleanSheetName(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestSheetName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A", 29)
	for _, c := range []struct {
		first string
		n     int
		want  string
	}{
		{"Sheet1", 1, "Sheet1"},
		{"Sheet1", 2, "Sheet2"},
		{"Sheet1", 65534, "Sheet65534"},
		{"sheet1", 2, "sheet1_2"},
		{"매출", 2, "매출2"},
		{"매출2026", 2, "매출2026_2"},
		{"매출２", 2, "매출２_2"},
		{"매출٣", 3, "매출٣_3"},
		{"a'b", 2, "a'b2"},
		{long + "AA", 2, long + "_2"},
		{long + "AA", 10, long[1:] + "_10"},
		{long + "😀", 2, long + "_2"},
		{long[1:] + "😀A", 2, long[1:] + "_2"},
		{long + "_2", 2, long + "~2"},
		{long + "＿２", 2, long + "~2"},
		{long + "_2", 3, long + "_3"},
		{long[:23] + "_x0041" + "zz", 2, long[:23] + "-x0041_2"},
		{"a_x0041", 2, "a-x0041_2"},
		{"a_x0041", 12, "a-x0041_12"},
		{"History_", 2, "History_2"},
		{"Histor", 2, "Histor2"},
	} {
		if CleanSheetName(c.first) != c.first {
			t.Errorf("%q is no clean name", c.first)
		}
		if got := sheetName(c.first, c.n); got != c.want {
			t.Errorf("sheet %d of %q is called %q, want %q", c.n, c.first, got, c.want)
		}
	}
}

// Whatever is asked for, each sheet gets a name that Excel takes, and no two the
// same one.
func FuzzCleanSheetName(f *testing.F) {
	for _, seed := range []string{
		"", "History", "'", "a/b", "😀", "A2", "_x0041_", strings.Repeat("'", 40), strings.Repeat("a", 29) + "_2",
		strings.Repeat("가", 24) + "_x0041zz", "\u200b", "İ", "ǅ１", "\xff", "a\u0300_", strings.Repeat("😀", 16),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, asked string) {
		first := CleanSheetName(asked)
		if again := CleanSheetName(first); again != first {
			t.Errorf("%q is cleaned to %q", first, again)
		}
		seen := make(map[string]int)
		for _, n := range []int{1, 2, 3, 9, 10, 11, 12, 21, 22, 99, 100, 65534} {
			name := sheetName(first, n)
			if reason := refused(name); reason != "" {
				t.Errorf("sheet %d of %q is called %q: %s", n, asked, name, reason)
			}
			folded := cases.Fold().String(norm.NFKC.String(name))
			if other, twice := seen[folded]; twice {
				t.Errorf("sheets %d and %d of %q are called %q", other, n, asked, name)
			}
			seen[folded] = n
		}
	})
}

// refused tells why Excel takes no sheet of a name, in other words than
// CleanSheetName.
func refused(name string) string {
	runes := []rune(name)
	const quotes = "'\u2019\uff07"
	switch {
	case !utf8.ValidString(name):
		return "not UTF-8"
	case strings.Trim(name, " \u00a0\u3000") == "":
		return "blank"
	case len(utf16.Encode(runes)) > 31:
		return "too long"
	case strings.ContainsAny(name, "\\/?*:[]\uff3c\uff0f\uff1f\uff0a\uff1a\uff3b\uff3d\uffe5\uffe6"):
		return "forbidden characters"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Cc, r) || r == 0xfffe || r == 0xffff }):
		return "control characters"
	case strings.ContainsRune(quotes, runes[0]) || strings.ContainsRune(quotes, runes[len(runes)-1]):
		return "apostrophes at the ends"
	case strings.EqualFold(name, "history"):
		return "reserved"
	case xlsxtest.Decode(name) != name:
		return "an escape"
	}
	return ""
}
