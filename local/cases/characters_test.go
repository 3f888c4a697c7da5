package cases

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/haexcel/haexcel/local/readers"
)

const everywhereButPostgres = "mariadb sqlite" // PostgreSQL holds no NUL in its texts

// T2: a character that XML forbids is written as Excel's escape for it, and read
// back as what it was.
func TestCase_T2(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		all := []someText{
			{"a\x00b", escaped("a\x00b", "a_x0000_b"), everywhereButPostgres},
			{"a\x01b", escaped("a\x01b", "a_x0001_b"), ""},
			{"a\x0Bb", escaped("a\x0Bb", "a_x000B_b"), ""},
			{"a\x1Fb", escaped("a\x1Fb", "a_x001F_b"), ""},
			{"a\x7Fb", text("a\x7Fb"), ""},
			{"a\tb", text("a\tb"), ""},
			{"\x00", escaped("\x00", "_x0000_"), everywhereButPostgres},
			{"\x01", escaped("\x01", "_x0001_"), ""},
			{"\x01\x02 \x03", escaped("\x01\x02 \x03", "_x0001__x0002_ _x0003_"), ""},
			{"가\x08나", escaped("가\x08나", "가_x0008_나"), ""},
			{"12345678\x1b[0m", escaped("12345678\x1b[0m", "12345678_x001B_[0m"), ""},
			{"a\uFFFEb", escaped("a\uFFFEb", "a_xFFFE_b"), ""},
			{"a\uFFFFb", escaped("a\uFFFFb", "a_xFFFF_b"), ""},
			// XML allows the other characters, those that are none by Unicode too.
			{"\u0080\u0085\u009F", text("\u0080\u0085\u009F"), ""},
			{"\u2028\u2029", text("\u2028\u2029"), ""},
			{"\uFDD0\uFDEF", text("\uFDD0\uFDEF"), ""},
			{"\U0001FFFE\U0010FFFF", text("\U0001FFFE\U0010FFFF"), ""},
			{"\uE000\uF8FF\U000F0000", text("\uE000\uF8FF\U000F0000"), ""},
			{"\uFFFD", text("\uFFFD"), ""},
			{"a\u00ADb\u200Bc\u2060d", text("a\u00ADb\u200Bc\u2060d"), ""},
			{"\u202Eabc\u202C", text("\u202Eabc\u202C"), ""},
			{`<&>"'`, text(`<&>"'`), ""},
			{"]]>", text("]]>"), ""},
			{"&amp;&#x1;&lt;b&gt;", text("&amp;&#x1;&lt;b&gt;"), ""},
			{"<![CDATA[x]]>", text("<![CDATA[x]]>"), ""},
		}
		for c := rune(0x02); c < ' '; c++ {
			if s := fmt.Sprintf("x%cy", c); c != '\t' && c != '\n' && c != '\r' {
				all = append(all, someText{s, escaped(s, fmt.Sprintf("x_x%04X_y", c)), ""})
			}
		}
		d.both(t, all)
	})
}

// T3: blanks and line breaks at the edges survive.
func TestCase_T3(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		all := append(kept("  앞", "뒤  ", "   ", "\n첫줄", "1줄\n2줄", "\t탭"),
			someText{"a\r\nb", text("a\nb"), ""},
			someText{"\r\n", text("\n"), ""},
			someText{"\r\n\r\nx\r\n", text("\n\nx\n"), ""},
			someText{"\r", escaped("\r", "_x000D_"), ""},
			someText{"a\rb", escaped("a\rb", "a_x000D_b"), ""},
			someText{"a\r", escaped("a\r", "a_x000D_"), ""},
			someText{"\ra", escaped("\ra", "_x000D_a"), ""},
			someText{"a\r\r\nb", escaped("a\r\nb", "a_x000D_\nb").showing("a\nb"), ""},
			someText{"a\n\rb", escaped("a\n\rb", "a\n_x000D_b").showing("a\nb"), ""},
			someText{" \r ", escaped(" \r ", " _x000D_ "), ""},
			someText{" \x01 ", escaped(" \x01 ", " _x0001_ "), ""},
		)
		all = append(all, kept(
			" ", "\t", "\n", "\n\n\n", " \n ", "\t \t", "끝\n", "끝\t", "a  b", "a\t\tb", "a \n b",
			// Other white space than XML's.
			"\u00A0", "\u3000앞", "뒤\u3000", "\u2003x\u2003", "\u200B", "\u200Bx\u200B", "\uFEFF", "\uFEFF가", "가\uFEFF", "\u1680",
		)...)
		f := d.both(t, all)
		for i, must := range []string{"  앞", "뒤  ", "   ", "\n첫줄", "", "\t탭"} {
			place := fmt.Sprintf("A%d", i+2)
			if c := raw(t, f.content, place); must != "" && !strings.Contains(c, `<t xml:space="preserve">`+must+"</t>") {
				t.Errorf("%s is %s", place, c)
			}
		}
	})
}

// Nobody trims what a column without a format holds, whatever it is declared as.
func TestBlanksOfAllTypes(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		dataset, row := d.kinds(t, []typed{
			everywhereTyped("VARCHAR(20): ' x '", text(" x ")),
			everywhereTyped("VARCHAR(20): '  '", text("  ")),
			{"TEXT: ' x\n'", "text: ' x\n'", "TEXT: ' x\n'", text(" x\n"), ""},
			{"CHAR(5): ' x'", "char(5): ' x'", "CHAR(5): ' x'", text(" x"), ""},
			{"JSON: ' {} '", "json: ' {} '", "JSON: ' {} '", text(" {} "), ""},
			{"", "text[]: ARRAY[' ']", "", text(`{" "}`), ""},
			everywhereTyped("VARCHAR(40): ' x '", text(" x ")).with(`excelFormat: "@"`),
			everywhereTyped("VARCHAR(40): ' abc '", text(" abc ")).with("excelFormat: krw"),
			everywhereTyped("VARCHAR(40): ' abc '", text(" abc ")).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(40): ' abc '", text(" abc ")).with("excelFormat: tel"),
			everywhereTyped("VARCHAR(40): ' abc '", text(" abc ")).with("excelFormat: bizno"),
			everywhereTyped("VARCHAR(40): ' 01 '", text(" 접수 ")).with(`excelCodeMap: {"01": " 접수 "}`),
			everywhereTyped("VARCHAR(40): ' 02 '", text(" 02 ")).with(`excelCodeMap: {"01": 접수}`),
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
	})
}

// T4: text that reads like one of Excel's escapes stays that text.
func TestCase_T4(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		all := []someText{
			{"a_x000D_b", escaped("a_x000D_b", "a_x005F_x000D_b"), ""},
			{"foo_x12345.txt", text("foo_x12345.txt"), ""}, // five digits are no escape
			{"_x005F_", escaped("_x005F_", "_x005F_x005F_"), ""},
			{"a_x00e9_b", escaped("a_x00e9_b", "a_x005F_x00e9_b"), ""},
			{"_x0041__x0042_", escaped("_x0041__x0042_", "_x005F_x0041__x005F_x0042_"), ""},
			// The underscore in the middle ends one and begins the other.
			{"_x0041_x0042_", escaped("_x0041_x0042_", "_x005F_x0041_x005F_x0042_"), ""},
			{"__x0041_", escaped("__x0041_", "__x005F_x0041_"), ""},
			{"_x0041___", escaped("_x0041___", "_x005F_x0041___"), ""},
			{"_x005F_x0041_", escaped("_x005F_x0041_", "_x005F_x005F_x005F_x0041_"), ""},
			{"_x0000_", escaped("_x0000_", "_x005F_x0000_"), ""},
			{"_xFFFF_", escaped("_xFFFF_", "_x005F_xFFFF_"), ""},
			{"_xD83D__xDE00_", escaped("_xD83D__xDE00_", "_x005F_xD83D__x005F_xDE00_"), ""},
			{"가_xAC00_나", escaped("가_xAC00_나", "가_x005F_xAC00_나"), ""},
			{" _x0020_ ", escaped(" _x0020_ ", " _x005F_x0020_ "), ""},
			{"12345678_x0041_", escaped("12345678_x0041_", "12345678_x005F_x0041_"), ""},
			{"&_x0026_<", escaped("&_x0026_<", "&_x005F_x0026_<"), ""},
			// An escaped character brings the underscore that completes another.
			{"_x0041\x01", escaped("_x0041\x01", "_x005F_x0041_x0001_"), ""},
			{"\x01x0041_", escaped("\x01x0041_", "_x0001_x0041_"), ""},
			{"_x0041\uFFFE", escaped("_x0041\uFFFE", "_x005F_x0041_xFFFE_"), ""},
			{"_x0041\rb", escaped("_x0041\rb", "_x005F_x0041_x000D_b"), ""},
		}
		// Excel wants four digits; LibreOffice takes fewer for an escape.
		all = append(all,
			someText{"_x000_", text("_x000_").showing("\x00"), ""},
			someText{"snake_case_x1_y", text("snake_case_x1_y").showing("snake_case\x01y"), ""},
		)
		all = append(all, kept(
			"_X000D_", "_x00041_", "_x000g_", "_x0041", "x0041_", "_x_", "_", "__", "_x0041-", "_x00 41_",
			"_x0041\n", "_x0041\t_", "_x００41_", "_xyzw_", "_x-041_", "_x+041_", "_x0x41_",
		)...)
		f := d.both(t, all)
		for i, must := range []string{"a_x005F_x000D_b", "foo_x12345.txt", "_x005F_x005F_", "a_x005F_x00e9_b"} {
			place := fmt.Sprintf("A%d", i+2)
			if c := raw(t, f.content, place); !strings.Contains(c, "<t>"+must+"</t>") {
				t.Errorf("%s is %s", place, c)
			}
		}
	})
}

// T5: every character comes through, half of one does not.
func TestCase_T5(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		all := kept(
			"😀", "👨‍👩‍👧 가족", "𠮷野家",
			"🇰🇷", "👍🏽", "☎️", "1️⃣", "葛󠄀", // flags, skins, variation selectors
			"ᄒ\u1161ᆫ", "e\u0301", "é", "한", "ﾊﾝｶｸ", "ｱ", "Ａ", // neither composed nor decomposed
			"㈜", "㎡", "①", "ㅋㅋㅋ", "갂갃", "똠방각하", "펲시콜라", "뷁",
			"العربية", "עברית", "ไทย", "हिन्दी", "Ελληνικά", "ß", "ı", "ﬁ",
			"\U0001F600\U0010FFFD", "\U00010000", "\U000E0001",
			"z̴̡̢͓̦a̷l̶g̵o̸", "𝒳𝓎", "₩", "€", "½", "\u0378",
		)
		d.both(t, all)
	})
}

// Bytes that are no UTF-8 become U+FFFD, one by one; what is beside them is kept.
// SQLite takes any bytes for text, PostgreSQL does in a database without an
// encoding; MariaDB lets none in.
func TestCase_T5_BrokenBytes(t *testing.T) {
	t.Parallel()
	broken := []struct{ hex, text string }{
		{"78EDA0BD79", "x\uFFFD\uFFFD\uFFFDy"},          // half a surrogate
		{"B0A1", "\uFFFD\uFFFD"},                        // 가 in EUC-KR
		{"C8ABB1E6B5BF203132", "\u022B\uFFFD\u6D7F 12"}, // 홍길동 in EUC-KR: by chance some of it reads as UTF-8
		{"FF", "\uFFFD"},
		{"61FEFF62", "a\uFFFD\uFFFDb"},
		{"C0AF", "\uFFFD\uFFFD"},                  // too long a form of /
		{"E08080", "\uFFFD\uFFFD\uFFFD"},          // too long a form of NUL
		{"F0808080", strings.Repeat("\uFFFD", 4)}, // too
		{"F4908080", strings.Repeat("\uFFFD", 4)}, // beyond the last character
		{"EAB0", "\uFFFD\uFFFD"},                  // 가 without its last byte
		{"EAB080EAB0", "가\uFFFD\uFFFD"},           // at the end of a text
		{"F09F98", "\uFFFD\uFFFD\uFFFD"},          // 😀 without its last byte
		{"80EAB080", "\uFFFD가"},                   // a byte that continues nothing
		{"20FF20", " \uFFFD "},
		{"FF0D0A", "\uFFFD\n"},
		{"EDA0BDEDB880", strings.Repeat("\uFFFD", 6)}, // 😀 as CESU-8
		{"EFBFBD", "\uFFFD"},                          // U+FFFD itself
		{"5F783030343180", "_x0041\uFFFD"},
	}
	check := func(t *testing.T, d database, stored func(hex string) string) {
		var rows [][]want
		d.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, v TEXT)")
		for i, b := range broken {
			d.exec(t, fmt.Sprintf("INSERT INTO items VALUES (%d, %s)", i+1, stored(b.hex)))
			rows = append(rows, []want{text(b.text)})
		}
		f := everyPath(t, []string{d.items("")}, "items", nil, d)
		f.expect(t, rows)
		if !utf8.ValidString(sheetXML(t, f.content)) {
			t.Error("the sheet is no UTF-8")
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		check(t, onSQLite(t), func(hex string) string { return "CAST(x'" + hex + "' AS TEXT)" })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		check(t, onPostgresEncoded(t, "SQL_ASCII"), func(hex string) string {
			escapes := ""
			for ; hex != ""; hex = hex[2:] {
				escapes += `\x` + hex[:2]
			}
			return "E'" + escapes + "'"
		})
	})
}

// A request's own texts may be broken, too: JSON can name half a character.
func TestBrokenBytesInARequest(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	d.exec(t, "CREATE TABLE one (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO one VALUES (1)")
	s := serve(t, []string{"name: one\nsource: sqlite\nkey: id\nselect: {id: o.id}\nfrom: one o\n"}, nil, d)
	// Bytes that are no UTF-8 are no JSON.
	a := s.do(t, http.MethodPost, "one", "{\"columns\":[{\"field\":\"id\",\"headerName\":\"x\xED\xA0\xBDy\"}]}")
	if a.code != http.StatusBadRequest {
		t.Errorf("broken bytes: %d %s", a.code, a.body)
	}
	f := s.export(t, "one", `{"columns":[{"field":"id","headerName":"a\ud83d","excelCodeMap":{"1":"\ude00\ud83d"}}]}`)
	sheet := f.book(t).Sheet(0)
	for place, must := range map[string]string{"A1": "a\uFFFD", "A2": "\uFFFD\uFFFD"} {
		if got := sheet.At(place).Text; got != must {
			t.Errorf("%s is %+q, want %+q", place, got, must)
		}
	}
	for _, row := range read(t, openpyxl(t), f.content) {
		for _, c := range row {
			if c.Content != readers.Text {
				t.Errorf("openpyxl reads %v", c)
			}
		}
	}
}
