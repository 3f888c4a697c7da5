package export

import (
	"mime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var seoul = time.FixedZone("Asia/Seoul", 9*60*60)

// at is 2026-09-02 14:30:25 in Seoul.
var at = time.Date(2026, 9, 2, 5, 30, 25, 0, time.UTC)

func TestFileName(t *testing.T) {
	const stamp = "_20260902143025.xlsx"
	for _, c := range []struct{ name, in, want string }{
		{"plain", "2026_Q3_Orders", "2026_Q3_Orders" + stamp},
		{"Korean", "매출 현황", "매출 현황" + stamp},
		{"NFD becomes NFC", "매출", "매출" + stamp},
		{"separators", "../../etc/passwd", ".._.._etc_passwd" + stamp},
		{"folder", "보고서/1월", "보고서_1월" + stamp},
		{"backslash", `a\b`, "a_b" + stamp},
		{"header injection", "a\r\nSet-Cookie: x=1", "aSet-Cookie: x=1" + stamp},
		{"bidi override", "a\u202egpj.exe", "agpj.exe" + stamp},
		{"zero width joiner stays", "👨\u200d👩", "👨\u200d👩" + stamp},
		{"blank", "   ", "export" + stamp},
		{"empty", "", "export" + stamp},
		{"only controls", "\x01\x02", "export" + stamp},
		{"device", "CON", "_CON" + stamp},
		{"device with extension", "nul.txt", "_nul.txt" + stamp},
		{"numbered device", "com1", "_com1" + stamp},
		{"superscript device", "LPT²", "_LPT²" + stamp},
		{"no device", "CONSOLE", "CONSOLE" + stamp},
		{"no device either", "COM10", "COM10" + stamp},
		{"quote stays", `a"b;c%`, `a"b;c%` + stamp},
		{"broken UTF-8", "x\xed\xa0y", "x\uFFFDy" + stamp},
		{"marks meet their letters where something between is removed", "e\u200e\u0301 \u1106\u0001\u1162", "\u00e9 \ub9e4" + stamp},
		{"composition is canonical only", "\uff21\ufb01\u2460", "\uff21\ufb01\u2460" + stamp},
		{"nothing but joiners", "\u200b\u200d\u00ad", "export" + stamp},
		{"wide blanks", "\u3000\u00a0", "export" + stamp},
		{"blanks at the ends", " a b\u3000", "a b" + stamp},
		{"only dots", "...", "..." + stamp},
		{"leading and trailing dots", ".a.", ".a." + stamp},
		{"an extension", "a.xlsx", "a.xlsx" + stamp},
		{"device with blanks", "aux  .tar.gz", "_aux  .tar.gz" + stamp},
		{"device behind controls", "\u202eCO\x00N", "_CON" + stamp},
		{"full-width letters are no device", "ＣＯＮ", "ＣＯＮ" + stamp},
		{"reserved characters stay", `<>:"|?*`, `<>:"|?*` + stamp},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FileName(c.in, at, seoul, "xlsx"); got != c.want {
				t.Errorf("FileName(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestPartName(t *testing.T) {
	for _, c := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"folder", "보고서/1월 매출", 12, "보고서_1월 매출_part12.xlsx"},
		{"NFD becomes NFC", "\u1106\u1162\u110e\u116e\u11af", 1, "매출_part1.xlsx"},
		{"reserved characters", `a<b>c:d"e|f?g*h`, 3, "a_b_c_d_e_f_g_h_part3.xlsx"},
		{"nothing else", "?", 1, "__part1.xlsx"},
		{"a letter with a stroke is no reserved character", "a<\u0338b", 1, "a≮b_part1.xlsx"},
		{"device", "CON", 1, "_CON_part1.xlsx"},
		{"device with extension", "con.x", 1, "_con.x_part1.xlsx"},
		{"blank", " ", 1, "export_part1.xlsx"},
		{"way up", "..", 1, ".._part1.xlsx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := PartName(c.in, c.n); got != c.want {
				t.Errorf("PartName(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// A name that is too long ends with a whole character, however many code points
// that has, and has room for no more.
func TestNamesFitFileSystems(t *testing.T) {
	const (
		family = "👨\u200d👩\u200d👧"    // 18 bytes
		flag   = "🇰🇷"                 // 8 bytes
		jamo   = "\u1100\u1100\u119e" // an old syllable without a code point of its own, 9 bytes
		thumb  = "👍🏽"                 // 8 bytes
	)
	for name, c := range map[string]struct {
		base string
		unit string
	}{
		"Korean":   {strings.Repeat("가", 300), "가"},
		"ASCII":    {strings.Repeat("a", 300), "a"},
		"emoji":    {strings.Repeat("😀", 100), "😀"},
		"families": {strings.Repeat(family, 20), family},
		"flags":    {strings.Repeat(flag, 60), flag},
		"jamo":     {strings.Repeat(jamo, 60), jamo},
		"accents":  {strings.Repeat("q\u0323\u0301", 90), "q\u0323\u0301"},
		"skin":     {strings.Repeat(thumb, 60), thumb},
		"shifted":  {"x" + strings.Repeat(family, 20), family},
		"composed": {strings.Repeat("e\u0301", 200), "é"},
	} {
		t.Run(name, func(t *testing.T) {
			for suffix, got := range map[string]string{"_20260902143025.zip": FileName(c.base, at, seoul, "zip"), "_part12345.xlsx": PartName(c.base, 12345)} {
				stem, ok := strings.CutSuffix(got, suffix)
				if !ok || len(got) > 255 || len(got)+len(c.unit) <= 255 || !utf8.ValidString(got) {
					t.Errorf("name has %d bytes, valid UTF-8 %v: %q", len(got), utf8.ValidString(got), got)
				}
				if left := strings.ReplaceAll(stem, c.unit, ""); left != "" && left != "x" {
					t.Errorf("cut inside a character: %q of %q is left", left, got)
				}
			}
		})
	}
	giant := strings.Repeat("👩\u200d", 100) // one character
	if got := FileName(giant, at, seoul, "xlsx"); len(got) > 255 || len(got) < 252 || !utf8.ValidString(got) {
		t.Errorf("a single character is cut to %d bytes: %q", len(got), got)
	}
	if got := FileName(strings.Repeat("a", 233)+"  가", at, seoul, "xlsx"); got != strings.Repeat("a", 233)+"_20260902143025.xlsx" {
		t.Errorf("blanks before the cut stay: %q", got)
	}
}

func TestContentDisposition(t *testing.T) {
	for name, want := range map[string]string{
		"매출 현황.xlsx": `attachment; filename="__ __.xlsx"; filename*=UTF-8''%EB%A7%A4%EC%B6%9C%20%ED%98%84%ED%99%A9.xlsx`,
		// Some clients decode %41, and take \" for the end, in filename too.
		`a%41"b\c.zip`: `attachment; filename="a_41_b_c.zip"; filename*=UTF-8''a%2541%22b%5Cc.zip`,
	} {
		if got := ContentDisposition(name); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, name := range []string{`a"b.xlsx`, "a;b=c.xlsx", "100%.xlsx", `back\slash`, "매출 (최종)+1.zip", "'quoted'*"} {
		got := ContentDisposition(name)
		if strings.ContainsFunc(got, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			t.Errorf("%q: not printable ASCII: %q", name, got)
		}
		_, params, err := mime.ParseMediaType(got)
		if err != nil || params["filename"] != name {
			t.Errorf("%q reads back as %q (%v)", name, params["filename"], err)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "매출", "a/b", "con", "\xff", "\u202e", strings.Repeat("é", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, base string) {
		name := FileName(base, at, seoul, "xlsx")
		if len(name) > 255 || !utf8.ValidString(name) || !norm.NFC.IsNormalString(name) || strings.ContainsAny(name, "/\\\r\n\x00") || strings.HasPrefix(name, "_2026") {
			t.Fatalf("FileName(%q) = %q", base, name)
		}
		if again := FileName(norm.NFD.String(base), at, seoul, "xlsx"); utf8.ValidString(base) && again != name {
			t.Fatalf("FileName(%q) = %q, decomposed before it is %q", base, name, again)
		}
		if part := PartName(base, 7); len(part) > 255 || !utf8.ValidString(part) || strings.ContainsAny(part, `/\<>:"|?*`) || strings.HasPrefix(part, "_part") {
			t.Fatalf("PartName(%q) = %q", base, part)
		}
		_, params, err := mime.ParseMediaType(ContentDisposition(name))
		if err != nil || params["filename"] != name {
			t.Fatalf("%q reads back as %q (%v)", name, params["filename"], err)
		}
	})
}

func TestTypes(t *testing.T) {
	if ContentType("exports/a/1/file.zip") != "application/zip" || ContentType("exports/a/1/file.xlsx") != XLSXType {
		t.Error("content types")
	}
}
