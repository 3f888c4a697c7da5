package cell

import (
	"fmt"
	"testing"
)

func TestShortWord(t *testing.T) {
	text := []byte("abcdefgh")
	for n := range len(text) + 1 {
		want := uint64(0)
		for i := range n {
			want |= uint64(text[i]) << (8 * i)
		}
		// What stands behind the text is not read.
		if got := shortWord(text[:n:n]); got != want {
			t.Errorf("%d bytes: %x, want %x", n, got, want)
		}
	}
}

func TestFlagsOfNonDigits(t *testing.T) {
	for place := range 8 {
		for ch := range 256 {
			text := []byte("09518273")
			text[place] = byte(ch)
			want := uint(0)
			if !isDigit(byte(ch)) {
				want = 1 << place
			}
			if got := gather(nonDigits(word(text))); got != want {
				t.Fatalf("%q: flags %08b, want %08b", text, got, want)
			}
		}
	}
	for odd := range uint(256) {
		text := []byte("00000000")
		for place := range text {
			if odd>>place&1 != 0 {
				text[place] = "/:\xff"[place%3]
			}
		}
		if got := gather(nonDigits(word(text))); got != odd {
			t.Fatalf("%q: flags %08b, want %08b", text, got, odd)
		}
	}
}

func TestEightDigitsBothWays(t *testing.T) {
	check := func(n uint64) {
		values := splitDigits(n)
		text := fmt.Sprintf("%08d", n)
		if got := values | '0'*each; got != word([]byte(text)) {
			t.Fatalf("%s is split into %x", text, got)
		}
		if got := joinDigits(values); got != n {
			t.Fatalf("%s is joined to %d", text, got)
		}
	}
	// Both halves have all values of four digits.
	for n := range uint64(10000) {
		check(n*10000 + 9999 - n)
		check(n * 10001)
		check(n)
		check(n * 10000)
	}
}

func TestParseDigits(t *testing.T) {
	const digits = "9876543210987654321"
	for n := 1; n <= len(digits); n++ {
		text := []byte(digits[:n])
		var want uint64
		for _, ch := range text {
			want = want*10 + uint64(ch-'0')
		}
		if got, ok := parseDigits(text); !ok || got != want {
			t.Errorf("%s: %d %v", text, got, ok)
		}
		for i := range text {
			for _, odd := range []byte{'/', ':', '.', 0, 0xB0, 0xFF} {
				damaged := append([]byte(nil), text...)
				damaged[i] = odd
				if got, ok := parseDigits(damaged); ok {
					t.Errorf("%q: %d", damaged, got)
				}
			}
		}
	}
}
