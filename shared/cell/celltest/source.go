package celltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// Names are the formats that have a name.
var Names = []string{"krw", "pct", "ymd", "tm", "datetime", "bizno", "phone", "tel"}

// Labels are code maps that people write.
var Labels = []map[string]string{
	{"1": "대기", "01": "접수", "true": "참", "": "없음"},
	{"01": "접수", "1.10": "=1+1", "2026-09-02": "그날", "0": "\r\n_x0041_", "NaN": "수 아님"},
	{"": "", "A": "", "00FF89": "이진", "-1": " 공백 ", "false": "거짓"},
}

// Zones are report zones: fixed, with daylight saving, and with odd offsets long
// ago.
func Zones() ([]*time.Location, error) {
	zones := []*time.Location{time.UTC, time.FixedZone("", -(3*3600 + 30*60 + 17))}
	for _, name := range []string{"Asia/Seoul", "America/New_York", "Pacific/Apia", "Africa/Monrovia", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return nil, err
		}
		zones = append(zones, zone)
	}
	return zones, nil
}

// Kinds are all kinds of values.
var Kinds = []cell.Kind{
	cell.Null, cell.Text, cell.Integer, cell.Decimal, cell.Float, cell.Float32, cell.Bool, cell.Date, cell.DateTime,
	cell.Instant, cell.Time, cell.Binary, cell.Bits, cell.JSON, cell.Other,
}

// A Source makes values, the same ones for the same seed.
type Source struct{ *rand.Rand }

// NewSource starts anew with a seed.
func NewSource(seed uint64) Source { return Source{rand.New(rand.NewPCG(seed, seed))} }

// Format is a name, a number format, or none.
func (s Source) Format() string {
	switch s.IntN(5) {
	case 0:
		return ""
	case 1:
		return pick(s, Codes)
	case 2:
		return pick(s, NoCodes)
	}
	return pick(s, Names)
}

// Leaf is a column, one in eight with a code map.
func (s Source) Leaf() cell.ColumnDef {
	leaf := cell.ColumnDef{Field: "x", ExcelFormat: s.Format()}
	if s.IntN(8) == 0 {
		leaf.ExcelCodeMap = pick(s, Labels)
	}
	return leaf
}

// Field describes a column of a kind, or one where each value has its own.
func (s Source) Field(kind cell.Kind) cell.Field {
	if s.IntN(6) == 0 {
		return cell.Field{Scale: -1}
	}
	return cell.Field{Kind: kind, Scale: pick(s, []int{-1, 0, 1, 2, 4, 10, 20, 25, 30, 38})}
}

// Value is a value of a kind, mostly of its form.
func (s Source) Value(kind cell.Kind) cell.Value {
	v := cell.Value{Kind: kind}
	if kind == cell.Null {
		return v
	}
	if kind != cell.Binary && kind != cell.Bits && s.IntN(25) == 0 {
		v.Bytes = []byte(s.junk())
		return v
	}
	switch kind {
	case cell.Integer:
		v.Bytes = []byte(pick(s, []string{s.sign() + s.digits(1+s.IntN(20)), s.date(""), s.date("") + s.clock(""), s.clock(""), s.grouping()}))
	case cell.Decimal:
		v.Bytes = []byte(pick(s, []string{s.decimal(), s.decimal(), s.date("") + s.clock("") + s.fraction(), s.grouping() + ".0"}))
	case cell.Float:
		// Mostly the shortest text, which the cell must have anyhow.
		v.Bytes = []byte(strconv.FormatFloat(s.double(), pick(s, []byte("gggef")), pick(s, []int{-1, -1, 16, 17}), 64))
	case cell.Float32:
		v.Bytes = []byte(strconv.FormatFloat(float64(float32(s.double())), 'g', -1, 32))
	case cell.Bool:
		v.Bytes = []byte(pick(s, []string{"1", "0", "t", "f", "true", "false"}))
	case cell.Date:
		v.Bytes = []byte(s.date("-"))
	case cell.DateTime:
		v.Bytes = []byte(s.date("-") + pick(s, []string{" ", "T"}) + s.clock(":") + s.fraction())
	case cell.Instant:
		v.Bytes = []byte(s.date("-") + pick(s, []string{" ", "T"}) + s.clock(":") + s.fraction() + s.offset())
	case cell.Time:
		v.Bytes = []byte(s.sign() + s.clock(":") + s.fraction())
	case cell.Binary:
		v.Bytes = s.bytes(s.IntN(12))
	case cell.Bits:
		v.Bytes = s.bytes(1 + s.IntN(8))
	default:
		v.Bytes = []byte(s.Text())
	}
	return v
}

// Text is any text: words, broken bytes, and what other kinds look like.
func (s Source) Text() string {
	switch s.IntN(10) {
	case 0:
		return string(s.bytes(s.IntN(9)))
	case 1:
		return s.decimal()
	case 2:
		return pick(s, []string{" ", "", "+", "\t", "-", "\u00a0", "\u3000"}) + s.grouped() + pick(s, []string{"", "", " ", ".", ".5", "원", "\n"})
	case 3:
		return s.blank() + s.date(pick(s, []string{"", "-", "/", "."})) + s.blank()
	case 4:
		return s.date(pick(s, []string{"", "-", "/", "."})) + pick(s, []string{"", " ", "T"}) + s.clock(pick(s, []string{"", ":", ":"})) + s.fraction()
	case 5:
		return s.blank() + s.clock(pick(s, []string{"", ":", ":"})) + s.blank()
	case 6, 7:
		return s.telephone()
	}
	return s.junk()
}

// junk is a few pieces that are easily mishandled.
func (s Source) junk() string {
	pieces := []string{
		"", "NULL", "NaN", "Infinity", "-infinity", "infinity", "+Inf", "0044-03-15 BC", "0044-03-15 12:00:00+00 BC", "1e5", "0x1F", "٣", "１２３",
		"가", "😀", "𠮷", "e\u0301", "\x00", "\x1f", "\x7f", "\ufffe", "\uffff", "\u202e", "\u2028", "\r", "\n", "\r\n", "\t", " ", "\xed\xa0\xbd", "\xb0\xa1", "\xe2\x82", "\xf8\x88",
		"_x0041_", "_x005F_", "_x", "_x00", "41_", "=1+1", "+82", "-1", "@SUM(A1)", "&amp;", "<t>", "]]>", "\"", "'", "1", "0", "01", "true", "A", "{\"n\":1.10}", "{가,NULL}",
	}
	var out strings.Builder
	for range 1 + s.IntN(4) {
		out.WriteString(pick(s, pieces))
	}
	return out.String()
}

// digits are n digits, sometimes mostly zeros or nines.
func (s Source) digits(n int) string {
	from := pick(s, []string{"0123456789", "0123456789", "0000001", "9999990"})
	var out strings.Builder
	for range n {
		out.WriteByte(from[s.IntN(len(from))])
	}
	return out.String()
}

func (s Source) sign() string { return pick(s, []string{"", "", "-"}) }

// decimal is an exact number, of any scale.
func (s Source) decimal() string {
	out := s.sign() + pick(s, []string{"0", s.digits(1 + s.IntN(4)), s.digits(1 + s.IntN(18))})
	if n := s.IntN(24); n > 0 && s.IntN(4) > 0 {
		out += "." + s.digits(1+s.IntN(n))
	}
	return out
}

// grouped is a whole number with commas, perhaps in the wrong places.
func (s Source) grouped() string {
	out := s.sign() + s.digits(1+s.IntN(4))
	for range s.IntN(7) {
		out += "," + s.digits(2+s.IntN(8)/3)
	}
	return out
}

// double is any double, often one that people have.
func (s Source) double() float64 {
	switch s.IntN(5) {
	case 0:
		return pick(s, []float64{0, math.Copysign(0, -1), 1, -1, 0.1 + 0.2, 1e15, 999999999999999, 1e21, 1e22, 1e23, 5e-324, math.MaxFloat64, math.MaxFloat32, 1588123.4, 1588.1234, 15881234, 1234567890, 123456789.5, 20260902, math.NaN(), math.Inf(1), math.Inf(-1)})
	case 1:
		return math.Float64frombits(s.Uint64())
	case 2:
		return float64(s.IntN(20_000_000)-10_000_000) / 100
	case 3:
		return s.Float64()
	}
	return float64(s.Int64N(1<<60) - 1<<59)
}

// date is a day, real or not.
func (s Source) date(separator string) string {
	year, month, day := pick(s, []int{0, 1, 44, 1582, 1592, 1899, 1900, 1901, 1908, 1911, 1970, 1999, 2000, 2011, 2024, 2026, 2100, 9998, 9999, 10000, 294276}), 1+s.IntN(12), 1+s.IntN(31)
	switch s.IntN(12) {
	case 0:
		month = s.IntN(14)
	case 1:
		day = s.IntN(33)
	case 2:
		year, month, day = pick(s, []int{0, 0, year}), pick(s, []int{0, 0, month}), pick(s, []int{0, 0, day})
	case 3:
		month, day = 2, 28+s.IntN(3)
	case 4:
		year, month, day = 1900, 2+s.IntN(2), pick(s, []int{1, 28, 29})
	}
	return fmt.Sprintf("%04d%s%02d%s%02d", year, separator, month, separator, day)
}

// clock is a time of day, or a longer or impossible one.
func (s Source) clock(separator string) string {
	hour, minute, second := s.IntN(24), s.IntN(60), s.IntN(60)
	switch s.IntN(12) {
	case 0:
		hour = pick(s, []int{24, 25, 99, 838, 8760, 71003183, 71003184})
	case 1:
		minute, second = pick(s, []int{59, 60, 99}), pick(s, []int{59, 60, 99})
	case 2:
		hour, minute, second = 0, 0, 0
	case 3:
		hour, minute, second = 23, 59, 59
	}
	return fmt.Sprintf("%02d%s%02d%s%02d", hour, separator, minute, separator, second)
}

func (s Source) fraction() string {
	return pick(s, []string{"", "", "", ".5", ".000000", ".999999", ".9999999999", ".123456789"})
}

func (s Source) offset() string {
	return pick(s, []string{"Z", "+00", "-00", "+09", "+09:00", "-03:30", "+08:27:52", "-11:29:04", "+14:00", "-15:59:59"})
}

// grouping is the digits of a telephone or registration number, which may be of a
// plan.
func (s Source) grouping() string {
	return pick(s, []string{"02", "031", "064", "0303", "0505", "050", "070", "010", "011", "013", "018", "080", "1588", "1644", "18", "999", ""}) + s.digits(5+s.IntN(6))
}

// telephone is such a number, with or without separators.
func (s Source) telephone() string {
	var out strings.Builder
	for _, c := range pick(s, []string{"", "", "", "+82"}) + s.grouping() {
		if s.IntN(12) == 0 {
			out.WriteString(pick(s, []string{" ", "-", ".", "(", ")", "-", "/", "\t", "\u00a0"}))
		}
		out.WriteRune(c)
	}
	return out.String()
}

// blank is what may stand beside a value, mostly nothing.
func (s Source) blank() string { return pick(s, []string{"", "", "", " ", "\t", "\u3000", "\u200b"}) }

func (s Source) bytes(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(s.Uint32())
	}
	return out
}

// pick is one of several.
func pick[T any](s Source, from []T) T { return from[s.IntN(len(from))] }
