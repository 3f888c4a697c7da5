package cell

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// The values that tests of whole rules are fed with: edges first, then values as
// databases send them, some of them damaged.

// corpusFormats are the formats that a column can have.
var corpusFormats = []string{"", "krw", "ymd", "tm", "datetime", "bizno", "phone", "pct", "#,##0.0", "yyyy-mm-dd h:mm", "@"}

// corpusEdges are met by every kind.
var corpusEdges = []string{
	"", "0", "-0", "+0", "00", "-", "+", ".", "-.", "1", "-1", "+1", "9", "10", "007", "-007", "1.", ".5", "-.5", "0.5", "-0.5", "-0.00", "0.00", "1.10", "100",
	"1234567", "12345678", "123456789", "-12345678", "1234.678", "12345.67", "123456.7", "1234567.8", "12345678.9", "123456789.01",
	"12345678901234", "123456789012345", "-123456789012345", "1234567890123456", "12345678901234567", "123456789012345678901234567890",
	"1234567890123.45", "12345678901234.5", "123456789012345.", "123456789012345.0", "123456789012345.6", "1234567890123450.00", "0.000000000000001", "0.00000000000000000000001",
	"0.12345678901234", "0.123456789012345", "0.1234567890123456", "1.2.3", "1..2", "12a", "a12", "1234567a", "12345678a", "1 2", " 12 ", "1,234", "1,234.5", "12,34",
	"1e5", "1e+06", "1E-07", "1e-7", "5e-324", "1e999", "-1e999", "NaN", "Inf", "+Inf", "-Inf", "Infinity", "-Infinity", "33.333333333333336", "0.30000000000000004", "2.50", "9007199254740993",
	"2026-09-02", "2026-9-2", "2026-09-31", "2026-02-29", "2024-02-29", "1900-02-28", "1900-03-01", "1899-12-31", "9999-12-31", "10000-01-01", "0000-00-00", "2026-00-10", "2026-05-00", "2026-13-01",
	"2026/09/02", "2026.09.02", "20260902", "20260931", "2026-09-02 ", "2026-09-02T", "2026-09-02x14:30:25", "2026-09-0", "026-09-02", "1969-12-31", "1970-01-01", "1927-05-17", "1927-05-18", "1989-09-17", "2079-06-05", "2079-06-06", "2079-06-07", "2173-10-14",
	"2026-09-02 14:30:25", "2026-09-02T14:30:25", "2026-09-02 00:00:00", "2026-09-02 23:59:59", "2026-09-02 24:00:00", "2026-09-02 14:60:25", "2026-09-02 14:30:60", "2026-09-02 14:30", "2026-09-02 14:30:2",
	"2026-09-02 14:30:25.", "2026-09-02 14:30:25.1", "2026-09-02 14:30:25.123456", "2026-09-02 14:30:25.123456789", "2026-09-02 14:30:25.12345x", "2026-09-02 14:30:25,5", "1969-12-31 14:30:25", "9999-12-31 23:59:59.999999", "0000-00-00 00:00:00",
	"2026-09-02 05:30:25+00", "2026-09-02 05:30:25+00:00", "2026-09-02 05:30:25Z", "2026-09-02 05:30:25-04", "2026-09-02 05:30:25+05:30", "2026-09-02 05:30:25+08:27:52", "2026-09-02 05:30:25.5+00", "2026-09-02 05:30:25+0", "2026-09-02 05:30:25+00:", "2026-09-02 05:30:25 +00",
	"20260902143025", "20260902 143025", "20260902143025.5", "2026090214302", "143025", "14:30:25", "24:00:00", "25:30:00", "838:59:59", "-25:30:00", "-00:00:00", "-00:00:00.5", "1:60:00", "14:30:25.5", "99999999:00:00", "999999999:00:00", "infinity", "-infinity", "0044-03-15 BC",
	"01012345678", "010-1234-5678", "021234567", "0212345678", "15881234", "050512345678", "1234567890", "123-45-67890", "t", "f", "true", "false", "2",
	"글", "서울특별시 강남구 테헤란로", "a\r\nb", "a\rb", "\r", "\r\n", "a\r", "\xff", "x\xed\xa0\xbdy", "\xed\x9f\xbf", "\xee\x80\x80", "\xe0\x9f\x80", "\xe0\xa0\x80", "\xc0\x80", "\xc2\x80", "é", "😀", "\xf0\x9f\x98", "\xef\xbf\xbe", "가\xeb", "가나다\xeb\x82", "\x00", "\x7f", "abcdefg\x80", "abcdefgh\x80", "한글 text 123", "\u3000전각\u3000", "\u00a0a",
}

// corpusValue is one value of a kind.
func corpusValue(r *source, k Kind) string {
	s := plausible(r, k)
	if r.below(8) > 0 {
		return s
	}
	return damaged(r, s)
}

// plausible is a value as a source of that kind gives it.
func plausible(r *source, k Kind) string {
	switch k {
	case Integer:
		return strconv.FormatInt(int64(r.Uint64())>>r.below(64), 10)
	case Decimal:
		return decimalText(r)
	case Float, Float32:
		return floatText(r, k)
	case Bool:
		return []string{"0", "1", "t", "f", "true", "false"}[r.below(6)]
	case Date:
		return dateText(r)
	case DateTime:
		return dateText(r) + []string{" ", " ", " ", "T"}[r.below(4)] + clockText(r) + fractionText(r)
	case Instant:
		return dateText(r) + " " + clockText(r) + fractionText(r) + []string{"+00", "+00:00", "Z", "-04", "+05:30", "+09:00"}[r.below(6)]
	case Time:
		return clockText(r) + fractionText(r)
	case Binary, Bits:
		return string(r.bytes(r.below(12)))
	}
	return plainText(r)
}

func decimalText(r *source) string {
	s := strconv.FormatInt(int64(r.Uint64())>>(1+r.below(63)), 10)
	for range r.below(3) {
		s += strconv.Itoa(r.below(1000))
	}
	if scale := r.below(8); scale > 0 {
		s += fmt.Sprintf(".%0*d", scale, r.below(int(math.Pow10(scale))))
	}
	return s
}

func floatText(r *source, k Kind) string {
	bits := 64
	if k == Float32 {
		bits = 32
	}
	var v float64
	switch r.below(4) {
	case 0:
		v = float64(r.below(1e9)) / float64(1+r.below(1000))
	case 1:
		v = float64(r.below(1e9)) / 100
	case 2:
		v = math.Float64frombits(r.Uint64())
	default:
		v = float64(int64(r.Uint64())) / math.Pow10(r.below(25))
	}
	return strconv.FormatFloat(v, "gef"[r.below(3)], -1, bits)
}

func dateText(r *source) string {
	year := 1990 + r.below(60)
	if r.below(4) == 0 {
		year = 1850 + r.below(8300)
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, 1+r.below(12), 1+r.below(28+r.below(4)))
}

func clockText(r *source) string {
	return fmt.Sprintf("%02d:%02d:%02d", r.below(24), r.below(60), r.below(60))
}

func fractionText(r *source) string {
	digits := r.below(8)
	if digits == 0 {
		return ""
	}
	return fmt.Sprintf(".%0*d", digits, r.below(int(math.Pow10(digits))))
}

// plainText is what people type, of up to 40 characters, and numbers, dates and
// telephone numbers kept as text.
func plainText(r *source) string {
	switch r.below(6) {
	case 0:
		return compact(dateText(r) + clockText(r))
	case 1:
		return compact(dateText(r))
	case 2:
		return fmt.Sprintf("0%d%08d", 2+r.below(60), r.below(1e8))
	case 3:
		return decimalText(r)
	}
	alphabet := [][]rune{[]rune("abcxyz019 _-.,&<>"), []rune("가나다라힣한 \n"), []rune("aé가\uffe6😀\r\n\x00\ufffd")}[r.below(3)]
	var out []rune
	for range r.below(40) {
		out = append(out, alphabet[r.below(len(alphabet))])
	}
	return string(out)
}

// damaged changes, removes or adds a byte.
func damaged(r *source, s string) string {
	b := []byte(s)
	i := r.below(len(b) + 1)
	odd := "0-.:+ T,eZ\xff\x80\xed\r\n"[r.below(15)]
	switch {
	case r.below(3) == 0 || i == len(b):
		return string(b[:i]) + string([]byte{odd}) + string(b[i:])
	case r.below(2) == 0:
		return string(b[:i]) + string(b[i+1:])
	}
	b[i] = odd
	return string(b)
}

// source is a stream of pseudo-random numbers that stays the same with every
// version of Go.
type source struct{ *rand.PCG }

func newSource(seed uint64) *source { return &source{rand.NewPCG(seed, 0)} }

func (s *source) below(n int) int { return int(s.Uint64() % uint64(n)) }

func (s *source) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.Uint64())
	}
	return b
}
