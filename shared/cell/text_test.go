package cell

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func checkUsual(t *testing.T, text []byte) {
	t.Helper()
	want := utf8.Valid(text) && bytes.IndexByte(text, '\r') < 0 && len(text) <= MaxText
	if got := usualText(text); got != want {
		t.Fatalf("%q: %v", short(string(text)), got)
	}
}

// Every three bytes of which the first is no ASCII, in each place of a word and
// among characters of three bytes.
func TestUsualTextOfEveryThreeBytes(t *testing.T) {
	t.Parallel()
	plain, korean := []byte("abcdefghijklmnopq"), []byte("한국한국한")
	for first := 0xC0; first < 0x100; first++ {
		for second := range 0x100 {
			for third := range 0x100 {
				place := (first + second + third) % 9
				checkUsual(t, with(plain, place, first, second, third))
				checkUsual(t, with(plain[:place+3], place, first, second, third))
				checkUsual(t, with(korean, place, first, second, third))
				checkUsual(t, with(korean, place/3*3, first, second, third))
			}
		}
	}
}

// with gives a text with three other bytes in it.
func with(text []byte, place, first, second, third int) []byte {
	text = append(make([]byte, 0, 24), text...)
	text[place], text[place+1], text[place+2] = byte(first), byte(second), byte(third)
	return text
}

func TestUsualTextOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		for _, front := range []string{"", "a", "abcdefg", "가", "가나다"} {
			checkUsual(t, append(utf8.AppendRune([]byte(front), r), "끝bcd"[:r%7]...))
		}
	}
}

func TestUsualTextOfEveryLength(t *testing.T) {
	for _, unit := range []string{"a", "가", "é", "😀", "한 "} {
		for n := range 40 {
			text := []byte(repeat(unit, n))
			checkUsual(t, text)
			for i := range text {
				damaged := bytes.Clone(text)
				for _, ch := range []byte{'\r', 0x80, 0xC0, 0xED, 0xFF} {
					damaged[i] = ch
					checkUsual(t, damaged)
				}
				checkUsual(t, text[:i:i])
				checkUsual(t, text[i:])
			}
		}
	}
	for _, n := range []int{MaxText - 1, MaxText, MaxText + 1} {
		checkUsual(t, []byte(repeat("a", n)))
	}
}

func FuzzUsualText(f *testing.F) {
	for _, seed := range corpusEdges {
		f.Add([]byte(seed))
	}
	f.Fuzz(checkUsual)
}
