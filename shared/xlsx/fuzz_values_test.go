package xlsx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/cell/celltest"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// fuzzOptions are the options of a fuzzed workbook.
func fuzzOptions(choice uint8) xlsx.Options {
	o := xlsx.Options{OmitReferences: choice&1 != 0}
	if choice&2 != 0 {
		o.Compression = xlsx.Small
	}
	return o
}

// fuzzFormats are the named formats and a few others.
func fuzzFormats(choice uint8) []string {
	formats := slices.Clone(namedFormats)
	for n := range 3 {
		formats = append(formats, otherFormats[(int(choice)+n)%len(otherFormats)])
	}
	return formats
}

// Any bits as double, float, integer, bit string and bytes, and any text as a
// number of any scale, are in every format what the second opinion says.
func FuzzNumbers(f *testing.F) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, 0.1, 33.333333333333336, 1e-7, 1e15, 1e21, 1588123.4, 15881234, 20260902, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)} {
		f.Add(math.Float64bits(v), strconv.FormatFloat(v, 'f', -1, 64), int8(2), uint8(0))
	}
	for i, in := range []string{"123456789012345", "1234567890123456", "-9223372036854775808", "18446744073709551615", "1234567890123456.7890", "-0.00", "+5.", ".5", "0x1p-2", "1_000", "1e999", "-1e-999", "1,234.5", "99999999999999999999999999999999999999.999999999999999999999999999999", "0.000000000000000000001", "100000000000000000000", "inf", "-nan"} {
		f.Add(uint64(i)*0x9E3779B97F4A7C15, in, int8(i-1), uint8(i))
	}
	f.Fuzz(func(t *testing.T, bits uint64, in string, scale int8, choice uint8) {
		var trials []trial
		add := func(kind cell.Kind, raw string) {
			field := cell.Field{Kind: kind, Scale: max(int(scale), -1)}
			trials = append(trials, each(field, kind, []byte(raw), time.UTC, fuzzFormats(choice))...)
			trials = append(trials, each(cell.Field{Scale: -1}, kind, []byte(raw), time.UTC, []string{""})...)
		}
		add(cell.Float, strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64))
		add(cell.Float32, strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32))
		add(cell.Integer, strconv.FormatInt(int64(bits), 10))
		add(cell.Integer, strconv.FormatUint(bits, 10))
		add(cell.Bits, string(binary.BigEndian.AppendUint64(nil, bits)[bits%8:]))
		for _, kind := range []cell.Kind{cell.Float, cell.Float32, cell.Decimal, cell.Binary} {
			add(kind, in)
		}
		if !strings.Contains(in, ".") {
			add(cell.Integer, in) // with a point it is none, and either text of it would do
		}
		if len(in) <= 64 {
			add(cell.Bits, in)
		}
		judge(t, trials, fuzzOptions(choice))
	})
}

// Any moment in every form of every database, and any text as one, is in every
// format and zone what the second opinion says.
func FuzzMoments(f *testing.F) {
	zones, err := celltest.Zones()
	if err != nil {
		f.Fatal(err)
	}
	for i, at := range []string{"2026-09-02T05:30:25Z", "1970-01-01T00:00:00Z", "1900-02-28T23:59:59Z", "1900-03-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1908-03-31T15:32:07Z", "1987-05-09T15:00:00Z", "2011-12-30T10:00:00Z"} {
		seed, err := time.Parse(time.RFC3339, at)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed.Unix(), uint32(i)*111_111_111, at, int32(i*3600-4*3661), uint8(i))
	}
	for i, in := range []string{"0000-00-00", "2026-00-10", "2026-05-00 10:20:30", "2026-02-30", "infinity", "-infinity", "0044-03-15 BC", "0044-03-15 12:00:00+00 BC", "10000-01-01", "294276-12-31 23:59:59.999999+00", "2026-09-02 24:00:00", "2026-09-02 05:30:25+08:27:52", "2026-09-02 05:30:25.999999999999-15:59:59", "25:30:00", "838:59:59", "-25:30:00.500", "24:00:00", "-00:00:00", "14:30:25+09", "1 mon 2 days 25:30:00", "20260902143025", "2026.09.02 143025.5", "143025", " 20260902 "} {
		f.Add(int64(i)*86399, uint32(i), in, int32(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, unix int64, nanos uint32, in string, offset int32, choice uint8) {
		zone := zones[int(choice)%len(zones)]
		// Around the years 0 to 10000, and the ends of what PostgreSQL has.
		at := time.Unix(unix%9_300_000_000_000, int64(nanos%1_000_000_000)).UTC()
		local := at.In(time.FixedZone("", int(offset%57600)))
		var trials []trial
		add := func(kind cell.Kind, raw string) {
			trials = append(trials, each(cell.Field{Kind: kind}, kind, []byte(raw), zone, fuzzFormats(choice))...)
			trials = append(trials, each(cell.Field{Scale: -1}, kind, []byte(raw), zone, []string{""})...)
		}
		fraction := strings.TrimRight(fmt.Sprintf(".%09d", nanos%1_000_000_000), ".0")
		day := fmt.Sprintf("%04d-%02d-%02d", at.Year(), at.Month(), at.Day())
		add(cell.Date, day)
		add(cell.DateTime, day+at.Format(" 15:04:05")+fraction)
		add(cell.DateTime, day+at.Format("T15:04:05")+fraction)
		there := fmt.Sprintf("%04d-%02d-%02d", local.Year(), local.Month(), local.Day()) + local.Format(" 15:04:05") + fraction
		add(cell.Instant, there+local.Format("Z07:00:00"))
		add(cell.Instant, day+at.Format("T15:04:05")+fraction+"Z")
		add(cell.Time, fmt.Sprintf("%02d:%02d:%02d%s", unix/3600, uint64(unix)/60%60, uint64(unix)%60, fraction))
		add(cell.Text, strings.ReplaceAll(day, "-", "")+at.Format("150405"))
		for _, kind := range []cell.Kind{cell.Date, cell.DateTime, cell.Instant, cell.Time, cell.Text, cell.Integer, cell.Decimal} {
			add(kind, in)
		}
		judge(t, trials, fuzzOptions(choice))
	})
}

// Any text under each format that has a name and in code maps, called text, JSON or
// something else, is what the second opinion says.
func FuzzNamedFormats(f *testing.F) {
	for _, in := range []string{
		"1250000", "-1,234.9", "1234,56", "+5.", " 1,234,567 ", "0.004", "15", "0", "-0", "1234567890123456", "20260902", "2026-09-02", "2026/09/02 14:30:25", "20260902143025", "143025", "14:30:25", "24:00:00",
		"1234567890", "123-45-67890", "12345 67890", "021234567", "02)123-4567", "0303-123-4567", "050512345678", "0505123456", "15881234", "1588.1234", "+82-2-123-4567", "02-123-4567 (내선 3)", "01012345678", "0131234567", "\u00a001012345678\u3000", "０１０", "٠١٠",
		"1", "01", "true", "", "\t", "\x00", "2026-09-02\n", "1\u200b",
	} {
		f.Add(in, "1", uint8(0))
	}
	f.Fuzz(func(t *testing.T, in, code string, choice uint8) {
		var trials []trial
		for _, kind := range []cell.Kind{cell.Text, cell.JSON, cell.Other} {
			trials = append(trials, each(cell.Field{Kind: kind}, kind, []byte(in), time.UTC, namedFormats)...)
			for _, labels := range append([]map[string]string{{code: "이름"}, {in: code}, {strings.TrimSpace(in): in}}, celltest.Labels...) {
				leaf := cell.ColumnDef{ExcelFormat: "krw", ExcelCodeMap: labels}
				trials = append(trials, trial{leaf, cell.Field{Kind: kind}, time.UTC, []cell.Value{{Kind: kind, Bytes: []byte(in)}}})
			}
		}
		judge(t, trials, fuzzOptions(choice))
	})
}
