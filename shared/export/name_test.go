package export

import (
	"mime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
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
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FileName(c.in, at, seoul, "xlsx"); got != c.want {
				t.Errorf("FileName(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestNamesFitFileSystems(t *testing.T) {
	for _, base := range []string{strings.Repeat("가", 300), strings.Repeat("a", 300), strings.Repeat("😀", 100)} {
		for _, got := range []string{FileName(base, at, seoul, "zip"), PartName(base, 12345)} {
			if len(got) > 255 || len(got) < 250 || !utf8.ValidString(got) {
				t.Errorf("name has %d bytes, valid UTF-8 %v: %q", len(got), utf8.ValidString(got), got)
			}
		}
	}
	if got := PartName("보고서/1월 매출", 12); got != "보고서_1월 매출_part12.xlsx" {
		t.Errorf("PartName = %q", got)
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
		if len(name) > 255 || !utf8.ValidString(name) || strings.ContainsAny(name, "/\\\r\n\x00") || strings.HasPrefix(name, "_2026") {
			t.Fatalf("FileName(%q) = %q", base, name)
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
