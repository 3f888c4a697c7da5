package xlsx

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// escapedText is the rule of appendText a byte at a time.
func escapedText(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		b, next := text[i], text[i+1:]
		switch {
		case b == '&':
			out = append(out, "&amp;"...)
		case b == '<':
			out = append(out, "&lt;"...)
		case b == '>':
			out = append(out, "&gt;"...)
		case b < 0x20 && b != '\t' && b != '\n':
			out = fmt.Appendf(out, "_x%04X_", b)
		case bytes.HasPrefix(text[i:], []byte("\uFFFE")):
			out = append(out, "_xFFFE_"...)
			i += 2
		case bytes.HasPrefix(text[i:], []byte("\uFFFF")):
			out = append(out, "_xFFFF_"...)
			i += 2
		case b == '_' && readAsEscape(next):
			out = append(out, "_x005F_"...)
		default:
			out = append(out, b)
		}
	}
	return out
}

// readAsEscape reports whether xHHHH and an underscore follow, be it that of the
// next escape.
func readAsEscape(next []byte) bool {
	if len(next) < 6 || next[0] != 'x' || strings.Trim(string(next[1:5]), "0123456789abcdefABCDEF") != "" {
		return false
	}
	behind := next[5:]
	return behind[0] == '_' || behind[0] < 0x20 && behind[0] != '\t' && behind[0] != '\n' ||
		bytes.HasPrefix(behind, []byte("\uFFFE")) || bytes.HasPrefix(behind, []byte("\uFFFF"))
}

func checkText(t *testing.T, text []byte) {
	t.Helper()
	before := bytes.Clone(text)
	for _, room := range []int{0, 100} {
		dst := append(make([]byte, 0, 4+room), "<t>"...)
		got, want := appendText(dst, text), append([]byte("<t>"), escapedText(text)...)
		if !bytes.Equal(got, want) {
			t.Fatalf("%q became %q, want %q", text, got, want)
		}
	}
	if !bytes.Equal(text, before) {
		t.Fatalf("%q was changed to %q", before, text)
	}
}

// care is what may need an escape, and what is like it.
var care = []string{
	"&", "<", ">", "=", "%", "_", "\x00", "\x01", "\t", "\n", "\x0b", "\r", "\x1f", " ", "\x7f", "\x80", "\x9f", "\xef", "\xff",
	"\xef\xbf\xef\xbf\xbe", "\ufffd", "\ufffe", "\uffff", "\uffe6", "\ufeff", "가", "😀", "_x", "_X0041_", "_x0041_", "_x004_", "_x00g1_", "_x0041\x01", "_x0041\t", "_x0041\uffff", "_x0041\uffe6",
	"_x0041_x0042_", "__x0041_", "&&&", "<_>", "]]>",
}

// Each of them in each place of texts up to three words.
func TestTextInEveryPlace(t *testing.T) {
	for _, filler := range []string{"a", "가", "_", "&"} {
		for _, in := range care {
			for before := range 18 {
				for behind := range 25 - before {
					text := []byte(strings.Repeat(filler, before) + in + strings.Repeat(filler, behind))
					checkText(t, text)
					// What stands behind the text is no part of it.
					checkText(t, append(text, "<_x0041_"...)[:len(text)])
				}
			}
		}
	}
}

// Every byte in each place of texts up to two words, and every two side by side.
func TestTextOfEveryByte(t *testing.T) {
	for size := range 18 {
		for place := range size {
			for b := range 256 {
				text := bytes.Repeat([]byte("x"), size)
				text[place] = byte(b)
				checkText(t, text)
			}
		}
	}
	for a := range 256 {
		for b := range 256 {
			text := []byte("0123456789")
			text[(a+b)%9], text[(a+b)%9+1] = byte(a), byte(b)
			checkText(t, text)
		}
	}
}

func FuzzAppendText(f *testing.F) {
	for _, a := range care {
		f.Add([]byte(a))
		f.Add([]byte("1234567" + a + "12" + a))
	}
	f.Fuzz(checkText)
}

func TestNeedsPreserve(t *testing.T) {
	for b := range 256 {
		blank := strings.ContainsRune(" \t\n\r", rune(b))
		for _, text := range [][]byte{{byte(b)}, {'a', byte(b)}, {byte(b), 'a'}} {
			if needsPreserve(text) != blank {
				t.Errorf("%q: %v", text, !blank)
			}
		}
		if needsPreserve([]byte{'a', byte(b), 'a'}) {
			t.Errorf("%q within", byte(b))
		}
	}
	if needsPreserve(nil) {
		t.Error("no text is preserved")
	}
}

// BenchmarkAppendText escapes a thousand texts per operation.
func BenchmarkAppendText(b *testing.B) {
	const texts = 1000
	for _, r := range []struct{ name, form string }{
		{"ascii", "ORD-00000%d"},
		{"long", "customer%d@example.com placed an order by telephone"},
		{"snake", "ORDER_STATE_PAID_%d"},
		{"korean", "김하나"},
		{"address", "서울특별시 강남구 테헤란로 %d"},
		{"markup", "김하나 %d & <가>"},
		{"lines", "first line %d\nsecond line\nthird"},
	} {
		b.Run(r.name, func(b *testing.B) {
			var all []byte
			var ends []int
			for i := range texts {
				all = append(all, strings.ReplaceAll(r.form, "%d", fmt.Sprint(i*7919%10007))...)
				ends = append(ends, len(all))
			}
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst = dst[:0]
				start := 0
				for _, end := range ends {
					dst = appendText(dst, all[start:end])
					start = end
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/texts, "ns/text")
		})
	}
}
