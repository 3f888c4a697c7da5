package xlsxtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// scanned are the tokens of a part, one a line.
func scanned(in io.Reader) (lines []string, err error) {
	s := newScanner(in)
	for {
		kind, err := s.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case startTag:
			line := fmt.Sprintf("<%s %s", s.space, s.local)
			for _, a := range s.attrs {
				space := ""
				if len(a.prefix) > 0 {
					space = s.resolve(a.prefix)
				}
				line += fmt.Sprintf(" %s %s=%q", space, a.local, blanks.Replace(string(a.value)))
			}
			lines = append(lines, line)
		case endTag:
			lines = append(lines, fmt.Sprintf("/%s %s", s.space, s.local))
		case charData:
			lines = append(lines, fmt.Sprintf("%q", s.text))
		default:
			return lines, nil
		}
	}
}

// blanks makes values comparable: encoding/xml does not normalise them.
var blanks = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// decoded are the tokens that encoding/xml finds.
func decoded(in io.Reader) (lines []string, err error) {
	d := xml.NewDecoder(in)
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			line := fmt.Sprintf("<%s %s", t.Name.Space, t.Name.Local)
			for _, a := range t.Attr {
				if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
					continue
				}
				line += fmt.Sprintf(" %s %s=%q", a.Name.Space, a.Name.Local, blanks.Replace(a.Value))
			}
			lines = append(lines, line)
		case xml.EndElement:
			depth--
			lines = append(lines, fmt.Sprintf("/%s %s", t.Name.Space, t.Name.Local))
		case xml.CharData:
			if depth > 0 {
				lines = append(lines, fmt.Sprintf("%q", t))
			}
		}
	}
}

var goodXML = []string{
	`<a/>`,
	"\r\n<a />",
	`<a b="1" c='"'>x</a  >`,
	`<a b=" 1 > 2 ">]] ></a>`,
	"<a>\t\r\n\r가😀&#xAC00;&#44032;&amp;&lt;&gt;&quot;&apos;</a>",
	"<a b='\t\r\n&#10;가&lt;'><b/>x<b></b>\n</a>",
	`<x:a xmlns:x="u" xmlns="v" x:y="1" y="2"><b xmlns=""/><x:c xmlns:x="w"/><x:d/></x:a>`,
	`<a xml:space="preserve"> </a>`,
	`<a-b.c_1 _d="]]>"></a-b.c_1>`,
}

// Whatever the scanner takes, encoding/xml takes and reads in the same way.
func TestScannerAgrees(t *testing.T) {
	t.Parallel()
	var all []string
	for _, p := range good {
		all = append(all, p.text)
	}
	for _, text := range goodXML {
		all = append(all, xmlDeclaration+text)
	}
	for _, text := range all {
		got, err := scanned(strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		want, err := decoded(strings.NewReader(text))
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q is read as\n%q, want\n%q, %v", text, got, want, err)
		}
		slow, err := scanned(iotest.OneByteReader(strings.NewReader(text)))
		if err != nil || strings.Join(got, "\n") != strings.Join(slow, "\n") {
			t.Errorf("%q is read byte by byte as\n%q, want\n%q, %v", text, slow, got, err)
		}
	}
}

func TestScannerRefuses(t *testing.T) {
	t.Parallel()
	for _, f := range []struct{ text, says string }{
		{``, "does not begin with an XML declaration"},
		{`<a/>`, "does not begin with an XML declaration"},
		{"\uFEFF" + xmlDeclaration + `<a/>`, "the declaration is"},
		{`<?xml version="1.0"?><a/>`, "the declaration is"},
		{`<?xml version="1.1" encoding="UTF-8"?><a/>`, "the declaration is"},
		{`<?xml version="1.0" encoding="EUC-KR"?><a/>`, "the declaration is"},
		{xmlDeclaration, "ends before its root"},
		{xmlDeclaration + `x<a/>`, "outside of the root"},
		{xmlDeclaration + `<a>`, "ends before its root"},
		{xmlDeclaration + `<a`, "ends before its root"},
		{xmlDeclaration + `<a>x`, "ends before its root"},
		{xmlDeclaration + `<a b="`, "ends before its root"},
		{xmlDeclaration + `<a/><a/>`, "bytes after the root"},
		{xmlDeclaration + `<a/> `, "bytes after the root"},
		{xmlDeclaration + "<a/>\x00", "bytes after the root"},
		{xmlDeclaration + `<!DOCTYPE a><a/>`, "none of Excel's"},
		{xmlDeclaration + `<a><!-- --></a>`, "none of Excel's"},
		{xmlDeclaration + `<a><![CDATA[x]]></a>`, "none of Excel's"},
		{xmlDeclaration + `<a><?x?></a>`, "none of Excel's"},
		{xmlDeclaration + `<a></b>`, "ends no element"},
		{xmlDeclaration + `</a>`, "ends no element"},
		{xmlDeclaration + `<a><b></a></b>`, "ends no element"},
		{xmlDeclaration + `<>`, "the name"},
		{xmlDeclaration + `<1/>`, "the name"},
		{xmlDeclaration + `<a:/>`, "the name"},
		{xmlDeclaration + `<a:b:c/>`, "the name"},
		{xmlDeclaration + `<가/>`, "the name"},
		{xmlDeclaration + `<x:a/>`, "declares the prefix"},
		{xmlDeclaration + `<a x:b="1"/>`, "declares the prefix"},
		{xmlDeclaration + `<a xmlns:x=""/>`, "stands for nothing"},
		{xmlDeclaration + `<a xmlns:xml="x"/>`, "XML's own"},
		{xmlDeclaration + `<a xmlns="x" xmlns="y"/>`, "twice"},
		{xmlDeclaration + `<a b="1" b="2"/>`, "twice"},
		{xmlDeclaration + `<a b="1"c="2"/>`, "no blank"},
		{xmlDeclaration + `<a b=1/>`, "between quotes"},
		{xmlDeclaration + `<a b/>`, "between quotes"},
		{xmlDeclaration + `<a b="<"/>`, "a bare <"},
		{xmlDeclaration + `<a>]]></a>`, "a bare >"},
		{xmlDeclaration + `<a>&</a>`, "the reference"},
		{xmlDeclaration + `<a>&nbsp;</a>`, "the reference"},
		{xmlDeclaration + `<a>&#;</a>`, "the reference"},
		{xmlDeclaration + `<a>&#0;</a>`, "the reference"},
		{xmlDeclaration + `<a>&#xD800;</a>`, "the reference"},
		{xmlDeclaration + `<a>&#x110000;</a>`, "the reference"},
		{xmlDeclaration + `<a>&#99999999999;</a>`, "the reference"},
		{xmlDeclaration + "<a>\x0b</a>", "the character U+000B"},
		{xmlDeclaration + "<a b='\x00'/>", "the character U+0000"},
		{xmlDeclaration + "<a>\uFFFE</a>", "the character U+FFFE"},
		{xmlDeclaration + "<a>\xff</a>", "not UTF-8"},
		{xmlDeclaration + "<a>\xed\xa0\xbd</a>", "not UTF-8"},
		{xmlDeclaration + "<a>" + strings.Repeat("x", maxToken+1) + "</a>", "longer than any"},
	} {
		_, err := scanned(strings.NewReader(f.text))
		if err == nil || !strings.Contains(err.Error(), f.says) {
			t.Errorf("%.100q: %v, want %q", f.text, err, f.says)
		}
	}
	broken := errors.New("broken")
	if _, err := scanned(io.MultiReader(strings.NewReader(xmlDeclaration+"<a>"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a reader's error comes back as %v", err)
	}
}

func FuzzScanner(f *testing.F) {
	for _, text := range goodXML {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = xmlDeclaration + text
		got, err := scanned(strings.NewReader(text))
		if err != nil {
			return
		}
		want, err := decoded(strings.NewReader(text))
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q is read as\n%q, want\n%q, %v", text, got, want, err)
		}
	})
}
