package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// curl downloads a job's file. It answers the status line, the header lines as
// they came, and the body.
func (s *site) curl(t testing.TB, address string, options ...string) (status string, lines []string, content []byte) {
	t.Helper()
	folder := t.TempDir()
	head, body := filepath.Join(folder, "head"), filepath.Join(folder, "body")
	options = append([]string{"-sS", "-H", "X-User-Id: kim", "-D", head, "-o", body}, append(options, address)...)
	if out, err := exec.CommandContext(t.Context(), testservices.Program(t, "curl"), options...).CombinedOutput(); err != nil {
		t.Fatalf("curl: %v: %s", err, out)
	}
	text, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimRight(string(text), "\r\n"), "\r\n")
	content, err = os.ReadFile(body)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return lines[0], lines[1:], content
}

// headerLines are the values of a header, one for each line that has it.
func headerLines(lines []string, name string) (values []string) {
	for _, line := range lines {
		if key, value, _ := strings.Cut(line, ":"); strings.EqualFold(key, name) {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// onlyLine is a header that must be there once.
func onlyLine(t testing.TB, lines []string, name string) string {
	t.Helper()
	values := headerLines(lines, name)
	if len(values) != 1 {
		t.Fatalf("%d lines of %s in %q", len(values), name, lines)
	}
	return values[0]
}

// fallback is a name in ASCII, for clients that know no other.
func fallback(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
}

// wantDisposition checks a header by its text and as Go reads it.
func wantDisposition(t testing.TB, header, name string) {
	t.Helper()
	if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("the header is not of printable ASCII: %q", header)
	}
	if want := `attachment; filename="` + fallback(name) + `"; filename*=UTF-8''`; !strings.HasPrefix(header, want) {
		t.Errorf("the header is %q, want %q and the name", header, want)
	}
	if kind, params, err := mime.ParseMediaType(header); err != nil || kind != "attachment" || len(params) != 1 || params["filename"] != name {
		t.Errorf("Go reads %q as %q, %v, want the name %q", header, params, err, name)
	}
}

// wantPython checks that Python finds the same names in the headers.
func wantPython(t testing.TB, names map[string]string) {
	t.Helper()
	var headers []string
	for header := range names {
		headers = append(headers, header)
	}
	in, err := json.Marshal(headers)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), testservices.Program(t, "python3"), filepath.Join("testdata", "dispositions.py"))
	cmd.Stdin = bytes.NewReader(in)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	for i, found := range decoded[[][3]string](t, out) {
		name := names[headers[i]]
		if found != [3]string{"attachment", fallback(name), name} {
			t.Errorf("Python reads %q as %q, want the name %q", headers[i], found, name)
		}
	}
}

// stamped checks a name's end: the moment of completion in the report zone.
func stamped(t testing.TB, name, extension string) (base string) {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	const form = "_20060102150405"
	stem, ok := strings.CutSuffix(name, extension)
	if !ok || len(stem) < len(form) {
		t.Fatalf("the name %q does not end in a moment and %s", name, extension)
	}
	base, end := stem[:len(stem)-len(form)], stem[len(stem)-len(form):]
	at, err := time.ParseInLocation(form, end, zone)
	if since := time.Since(at); err != nil || since < -time.Second || since > 2*patience {
		t.Errorf("the name %q tells the moment %v, %v", name, at, err)
	}
	return base
}

// served exports under a file name, given in JSON, and checks every place where
// the name is told. It answers the name without its moment and the header.
func (s *site) served(t testing.TB, fileName string) (base, header string) {
	t.Helper()
	f := s.export(t, "row", `{"columns": [{"field": "a"}], "fileName": `+fileName+`}`)
	base = stamped(t, f.FileName, ".xlsx")
	address := s.base + f.JobID + "/file"
	status, lines, content := s.curl(t, address)
	header = onlyLine(t, lines, "Content-Disposition")
	if !strings.Contains(status, " 200") || !bytes.Equal(content, f.content) || len(headerLines(lines, "Set-Cookie")) > 0 {
		t.Errorf("the download: %s %q", status, lines)
	}
	wantDisposition(t, header, f.FileName)
	if _, lines, _ := s.curl(t, address, "-I"); onlyLine(t, lines, "Content-Disposition") != header {
		t.Errorf("HEAD answers %q", lines)
	}
	info := decoded[struct {
		FileName string `json:"fileName"`
		Bytes    int    `json:"bytes"`
	}](t, s.do(t, http.MethodGet, f.JobID+"/file?redirect=false", "").body)
	if info.FileName != f.FileName || info.Bytes != len(f.content) {
		t.Errorf("the link's description is %+v, want the name %q", info, f.FileName)
	}
	return base, header
}

// nfd and nfc are the two spellings of 매출: as a Mac writes it and as the rest does.
const (
	nfd = "\u1106\u1162\u110e\u116e\u11af"
	nfc = "\ub9e4\ucd9c"
)

// H1: a name from a Mac is composed, wherever it is told; cells are not.
func TestCase_H1(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	d.exec(t, "CREATE TABLE words (v TEXT)")
	d.insert(t, "words", []any{nfd})
	s := serve(t, []string{oneRow(t, d), "name: words\nsource: sqlite\nsql: SELECT v FROM words\ncolumns: [{field: v}]\n"}, nil, d)
	python := map[string]string{}
	for _, c := range []struct{ name, in, want string }{
		{"decomposed Hangul", nfd, nfc},
		{"composed Hangul", nfc, nfc},
		{"with and without final consonants", "\u1112\u1161\u11ab\u1100\u1173\u11af 보고", "한글 보고"},
		{"Latin", "Cafe\u0301 u\u0308ber", "Café über"},
		{"several marks in another order", "e\u0301\u0323", "\u1eb9\u0301"},
		{"Japanese", "か\u3099き\u309a", "がき\u309a"},
		{"jamo that do not compose", "\u1106\u1106", "\u1106\u1106"},
		{"compatibility jamo are letters of their own", "ㅁㅐ", "ㅁㅐ"},
		{"half a syllable and another", "\u1106\u1162ㅁ", "매ㅁ"},
		{"compatibility characters stay", "ﬁ ① ２０２６ ㈜", "ﬁ ① ２０２６ ㈜"},
		{"a removed character between the parts", "\u1106\u200e\u1162", "매"},
		{"singletons", "\u212b\u2126", "ÅΩ"},
		{"Vietnamese", "Tie\u0302\u0301ng Vie\u0323\u0302t", "Tiếng Việt"},
		{"marks without a letter", "a \u0301b", "a \u0301b"},
		{"a long name, composed", strings.Repeat("\u1fa7", 70), strings.Repeat("\u1fa7", 70)},
		{"a long name, four code points for each letter", strings.Repeat("\u03c9\u0314\u0342\u0345", 70), strings.Repeat("\u1fa7", 70)},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, header := s.served(t, jsonText(t, c.in))
			if base != c.want {
				t.Errorf("%+q is served as %+q, want %+q", c.in, base, c.want)
			}
			python[header] = decodedName(t, header)
			f := s.export(t, "row", `{"columns": [{"field": "a"}], "packaging": "zip", "fileName": `+jsonText(t, c.in)+`}`)
			if p := f.parts(t); len(p) != 1 || p[0].Name != c.want+"_part1.xlsx" {
				t.Errorf("%+q: the part is called %+q", c.in, p[0].Name)
			}
		})
	}
	wantPython(t, python)
	_, header := s.served(t, jsonText(t, nfd))
	if !strings.Contains(header, "''%EB%A7%A4%EC%B6%9C_20") || strings.Contains(header, "%E1%84%86") {
		t.Errorf("the header is %q", header)
	}
	f := s.export(t, "words", `{"fileName": `+jsonText(t, nfd)+`, "sheetName": `+jsonText(t, nfd)+`}`)
	if got := f.book(t).Sheet(0).At("A2").Text; got != nfd {
		t.Errorf("the cell holds %+q, want it as it was", got)
	}
}

// decodedName is the name in a header.
func decodedName(t testing.TB, header string) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		t.Fatal(err)
	}
	return params["filename"]
}

// H2: whatever a file is called, there is one header line with one name, which is
// no path and no other header.
func TestCase_H2(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{oneRow(t, d)}, nil, d)
	python := map[string]string{}
	const family = "👨\u200d👩\u200d👧"
	for _, c := range []struct{ name, json, want string }{
		{"a quote", `"a\"b"`, `a"b`},
		{"a header of its own", `"a\r\nSet-Cookie: x=1"`, "aSet-Cookie: x=1"},
		{"a body of its own", `"a\r\n\r\n<script>alert(1)</script>"`, "a<script>alert(1)<_script>"},
		{"line breaks of other kinds", `"a\u2028b\u2029c\u0085d\u000be\u000cf"`, "abcdef"},
		{"a way up", `"../../etc/passwd"`, ".._.._etc_passwd"},
		{"a way up on Windows", `"..\\..\\Windows\\win.ini"`, `.._.._Windows_win.ini`},
		{"a folder", `"보고서/1월"`, "보고서_1월"},
		{"a drive", `"C:\\temp\\a"`, "C:_temp_a"},
		{"a parameter", `"a;b=c"`, "a;b=c"},
		{"a parameter of this header", `"a\"; filename=\"b.exe"`, `a"; filename="b.exe`},
		{"the extended parameter", `"a; filename*=UTF-8''b.exe"`, "a; filename*=UTF-8''b.exe"},
		{"a percent sign", `"100%"`, "100%"},
		{"an escape", `"%2e%2e%2f"`, "%2e%2e%2f"},
		{"empty", `""`, "export"},
		{"blank", `"   "`, "export"},
		{"blanks of other kinds", `"\u00a0\u3000\u2003\t"`, "export"},
		{"nothing that shows", `"\u200b\u200d\u2060\u00ad"`, "export"},
		{"absent", `null`, "export"},
		{"a number", `2026`, "2026"},
		{"a number with many digits", `12345678901234567890.50`, "12345678901234567890.50"},
		{"a boolean", `true`, "true"},
		{"Korean", `"매출 현황"`, "매출 현황"},
		{"blanks at the ends", `" \u3000 매출 "`, "매출"},
		{"NUL", `"a\u0000b"`, "ab"},
		{"controls", `"\u0001a\u001fb\u007fc\u0080\u009f"`, "abc"},
		{"half a surrogate", `"a\ud800b"`, "a\uFFFDb"},
		{"the halves in the wrong order", `"\ude00\ud83d"`, "\uFFFD\uFFFD"},
		{"a pair of surrogates", `"\ud83d\ude00"`, "😀"},
		{"a name that reads backwards", `"invoice\u202excod.exe"`, "invoicexcod.exe"},
		{"all marks of direction", `"a\u061cb\u200ec\u200fd\u202ae\u202bf\u202cg\u202dh\u2066i\u2067j\u2068k\u2069l"`, "abcdefghijkl"},
		{"right to left letters stay", `"שלום"`, "שלום"},
		{"a byte order mark", `"\ufeffa\ufeffb"`, "ab"},
		{"joined emoji", `"` + family + `"`, family},
		{"a device", `"CON"`, "_CON"},
		{"a device in small letters", `"nul"`, "_nul"},
		{"a device with an extension", `"aux.txt"`, "_aux.txt"},
		{"a device with a blank and an extension", `"prn .x"`, "_prn .x"},
		{"a numbered device", `"COM9"`, "_COM9"},
		{"a device with a raised number", `"lpt¹"`, "_lpt¹"},
		{"the console", `"CONIN$"`, "_CONIN$"},
		{"no device", `"COM10"`, "COM10"},
		{"no device either", `"console"`, "console"},
		{"an extension", `"a.xlsx"`, "a.xlsx"},
		{"only dots", `"..."`, "..."},
		{"one dot", `"."`, "."},
		{"a hidden file", `".htaccess"`, ".htaccess"},
		{"dots and blanks at the end", `"a. . "`, "a. ."},
		{"what Windows reserves", `"<>:\"|?*"`, `<>:"|?*`},
		{"what XML reserves", `"a&b<c>'d'"`, "a&b<c>'d'"},
		{"an encoded word", `"=?UTF-8?B?YQ==?="`, "=?UTF-8?B?YQ==?="},
		{"a plus, a hash and a tilde", `"a+b#c~d^e"`, "a+b#c~d^e"},
		{"an apostrophe", `"UTF-8''a"`, "UTF-8''a"},
		{"a backslash at the end", `"a\\"`, "a_"},
		{"300 letters", `"` + strings.Repeat("a", 300) + `"`, strings.Repeat("a", 235)},
		{"300 Hangul", `"` + strings.Repeat("가", 300) + `"`, strings.Repeat("가", 78)},
		{"300 decomposed Hangul", `"` + strings.Repeat("\u1100\u1161", 300) + `"`, strings.Repeat("가", 78)},
		{"300 emoji", `"` + strings.Repeat("😀", 300) + `"`, strings.Repeat("😀", 58)},
		{"families that are cut", `"` + strings.Repeat(family, 40) + `"`, strings.Repeat(family, 13)},
		{"flags that are cut", `"x` + strings.Repeat("🇰🇷", 40) + `"`, "x" + strings.Repeat("🇰🇷", 29)},
		{"accents that are cut", `"` + strings.Repeat("q\u0301", 100) + `"`, strings.Repeat("q\u0301", 78)},
		{"composed where it grows", `"` + strings.Repeat("\u0958", 60) + `"`, strings.Repeat("\u0915\u093c", 39)},
		{"longer than a name by what is removed", `"` + strings.Repeat(`\u0001`, 250) + `abcdefgh"`, "abcdef"},
		{"255 bytes", `"` + strings.Repeat("a", 232) + `가"`, strings.Repeat("a", 232) + "가"},
		{"256 bytes", `"` + strings.Repeat("a", 233) + `가"`, strings.Repeat("a", 233)},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, header := s.served(t, c.json)
			if base != c.want {
				t.Errorf("%s is served as %+q, want %+q", c.json, base, c.want)
			}
			python[header] = decodedName(t, header)
		})
	}
	wantPython(t, python)
	_, header := s.served(t, `"매출 현황"`)
	if !strings.HasPrefix(header, `attachment; filename="__ ___20`) || !strings.Contains(header, "; filename*=UTF-8''%EB%A7%A4%EC%B6%9C%20%ED%98%84%ED%99%A9_20") {
		t.Errorf("the header is %q", header)
	}
	if _, header = s.served(t, `"100%"`); !strings.Contains(header, "UTF-8''100%25_20") {
		t.Errorf("the header is %q", header)
	}
	for _, name := range []string{`["a"]`, `{"a": 1}`} {
		s.wantFault(t, "row", fmt.Sprintf(`{"columns": [{"field": "a"}], "fileName": %s}`, name), "fileName")
	}
}
