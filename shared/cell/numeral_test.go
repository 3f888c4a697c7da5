package cell

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
)

// canonical is what shortNumeral takes, but for the number of digits.
var canonical = regexp.MustCompile(`^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]+)$`)

func checkNumeral(t *testing.T, text []byte) {
	t.Helper()
	digits := 0
	for _, ch := range text {
		if isDigit(ch) {
			digits++
		}
	}
	want := canonical.Match(text) && digits <= maxDigits
	if bytes.HasPrefix(text, []byte("-0")) && text[len(text)-1] == '0' {
		want = false // maybe -0: left to a closer look
	}
	point, ok := shortNumeral(text)
	if ok != want {
		t.Fatalf("%q: %v", text, ok)
	}
	at := bytes.IndexByte(text, '.')
	if at < 0 {
		at = len(text)
	}
	if ok && point != at {
		t.Fatalf("%q: point at %d", text, point)
	}
}

// Every text of these characters up to seven, and longer ones with one or two that
// differ, so that each place of both words is met.
func TestShortNumerals(t *testing.T) {
	const alphabet = "-.0190a"
	var text []byte
	var all func(n int)
	all = func(n int) {
		checkNumeral(t, text)
		if n == 0 {
			return
		}
		for _, ch := range []byte(alphabet) {
			text = append(text, ch)
			all(n - 1)
			text = text[:len(text)-1]
		}
	}
	all(6)
	for _, base := range []string{"123456789012345678", "100000000000000000", "000000000000000001", "-12345678901234567"} {
		for n := range len(base) + 1 {
			for i := range n {
				for j := range n {
					for _, ch := range []byte("-.05/:\x00\xb0\xff") {
						text := []byte(base[:n])
						text[i], text[j] = ch, '.'
						checkNumeral(t, text)
						text[j] = '0'
						checkNumeral(t, text)
						text[j] = ch
						checkNumeral(t, text)
					}
				}
			}
		}
	}
}

func TestLongIntegers(t *testing.T) {
	long := regexp.MustCompile(`^-?[1-9][0-9]{15,23}$`)
	const base = "-1234567890123456789012345"
	for _, from := range []string{base, base[1:]} {
		for n := range len(from) + 1 {
			for i := range n {
				for _, ch := range []byte("01-./:\xff") {
					text := []byte(from[:n])
					text[i] = ch
					if got := longInteger(text); got != long.Match(text) {
						t.Fatalf("%q: %v", text, got)
					}
				}
			}
		}
	}
}

// checkShortest fails where a text is taken for the shortest that is not.
func checkShortest(t *testing.T, text []byte) (taken bool) {
	t.Helper()
	if !shortestFloat(text, 64) {
		return false
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	if want := strconv.AppendFloat(nil, v, 'f', -1, 64); string(want) != string(text) {
		t.Fatalf("%s is shorter or nearer as %s", text, want)
	}
	return true
}

// Texts of doubles, and their neighbours in the last digits, which mean the same
// double or one beside it.
func TestShortestFloats(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	taken, ratios := 0, 200_000
	for i := range ratios {
		v := float64(r.IntN(1e6)) / float64(1+r.IntN(1e4))
		switch i % 4 {
		case 1:
			v = r.Float64() * math.Pow10(r.IntN(17))
		case 2:
			v = -math.Float64frombits(uint64(1023-8+r.IntN(64))<<52 | r.Uint64()>>12)
		case 3:
			// Powers of two and their neighbours.
			v = math.Float64frombits(uint64(1023-8+r.IntN(64))<<52 + uint64(r.IntN(5)) - 2)
		}
		text := strconv.AppendFloat(nil, v, 'f', -1, 64)
		if checkShortest(t, text) {
			taken++
		}
		digits := text
		for range 3 {
			digits = append(digits, '0'+byte(r.IntN(10)))
			checkShortest(t, digits)
		}
		last := len(text) - 1
		for ch := byte('0'); ch <= '9'; ch++ {
			text[last] = ch
			checkShortest(t, text)
		}
		if rounded := strconv.AppendFloat(nil, v, 'f', 16-len(strconv.Itoa(int(math.Abs(v)))), 64); len(rounded) > 0 {
			checkShortest(t, rounded)
		}
	}
	if taken < ratios*8/10 {
		t.Errorf("only %d of %d texts are told at once", taken, ratios)
	}
}

func TestShortestFloat32s(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		v := float32(r.IntN(2e6)-1e6) / float32(1+r.IntN(1000))
		text := strconv.AppendFloat(nil, float64(v), 'f', -1, 32)
		for range 3 {
			if shortestFloat(text, 32) {
				v, err := strconv.ParseFloat(string(text), 32)
				if want := strconv.AppendFloat(nil, v, 'f', -1, 32); err != nil || string(want) != string(text) {
					t.Fatalf("%s is shorter as %s", text, want)
				}
			}
			text = text[:max(1, len(text)-1)]
		}
	}
}

func FuzzShortestFloat(f *testing.F) {
	for _, seed := range []string{"33.333333333333336", "0.30000000000000004", "-0.0078125000000000017", "4503599627370497.5", "9007199254740993.0", "0.1", "5.0", "14285.714285714286"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkShortest(t, text)
	})
}
