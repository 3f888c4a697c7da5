package dataset

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// placeDialects are those that places are made for.
var placeDialects = []*dialect{mysqlDialect, postgresDialect, sqliteDialect}

func newYork(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// sameBounds compares floats by their bits, as NaN differs from itself.
func sameBounds(a, b []bound) bool {
	bits := func(in []bound) []bound {
		fixed := slices.Clone(in)
		for i, v := range fixed {
			if f, ok := v.value.(float64); ok {
				fixed[i].value = math.Float64bits(f)
			}
		}
		return fixed
	}
	return reflect.DeepEqual(bits(a), bits(b))
}

// TestPlacesRoundTrip: a value comes back from a place as it went in.
func TestPlacesRoundTrip(t *testing.T) {
	numbers := []bound{
		{value: int64(0)}, {value: int64(math.MinInt64)}, {value: int64(math.MaxInt64)}, {value: 0.1}, {value: math.Copysign(0, -1)},
		{value: math.NaN()}, {value: math.Float64frombits(0xfff8000000000123)}, {value: math.Inf(1)}, {value: math.Inf(-1)},
		{value: math.SmallestNonzeroFloat64}, {value: ""}, {value: "가😀\x00\"\\</script>\u2028"}, {value: "\xff\x00"}, {null: true},
	}
	for d, values := range map[*dialect][]bound{
		sqliteDialect: append([]bound{{value: []byte{}}, {value: []byte{0, 0xff}}, {value: []byte("text")}}, numbers...),
		mysqlDialect: append([]bound{
			{value: uint64(math.MaxUint64)}, mysqlDecimal("-1.10"), mysqlDecimal("0"), mysqlDate("0000-00-00"), mysqlDate("2026-00-10"),
			mysqlMoment("0000-00-00 00:00:00"), mysqlMoment("9999-12-31 23:59:59.999999"), mysqlTime("-838:59:59.000001"), mysqlTime("00:00:00"),
			mysqlBinary(""), mysqlBinary("00ff"), mysqlInstant("1788327025.250", 0), mysqlInstant("1793511000", time.Hour),
		}, numbers...),
		postgresDialect: {
			{value: []byte{}, oid: 25}, {value: []byte("NaN"), oid: 701}, {value: []byte("2026-09-02 14:30:25.25+09"), oid: 1184},
			{value: []byte("\xff가"), oid: 25}, {value: []byte("so"), oid: math.MaxUint32}, {null: true},
		},
	} {
		for i := range values {
			order := []term{{field: "가 \"b\"", desc: true, nullable: true}, {field: "id", key: true}}
			place := []bound{values[i], values[0]}
			text, err := writePlace(d, order, place)
			if err != nil {
				t.Errorf("%s: %+v: %v", d.name, values[i], err)
				continue
			}
			if bytes.IndexByte([]byte(text), 0) >= 0 || !json.Valid([]byte(text)) {
				t.Errorf("%s: no JSON for every database: %q", d.name, text)
			}
			got, err := parsePlace(d, order, text, newYork(t))
			if err != nil || !sameBounds(got, place) {
				t.Errorf("%s: %s came back as %+v, %v", d.name, text, got, err)
			}
		}
	}
}

// TestPlaceIsNone gives what must not be read as a place: on MySQL, a value that
// the server cannot read would end the rows without a word.
func TestPlaceIsNone(t *testing.T) {
	sort, key := term{field: "a", nullable: true}, term{field: "a", key: true}
	for _, c := range []struct {
		d  *dialect
		by term
		at string
	}{
		{mysqlDialect, key, `{"form":"null"}`},
		{mysqlDialect, sort, `{}`},
		{mysqlDialect, sort, `{"form":"integer","text":"1.5"}`},
		{mysqlDialect, sort, `{"form":"integer","text":"9223372036854775808"}`},
		{mysqlDialect, sort, `{"form":"natural","text":"-1"}`},
		{mysqlDialect, sort, `{"form":"float","text":"0.1"}`},
		{mysqlDialect, sort, `{"form":"decimal","text":"1)"}`},
		{mysqlDialect, sort, `{"form":"decimal","text":""}`},
		{mysqlDialect, sort, `{"form":"decimal","text":"1234567890123456789012345678901234567890123456789012345678901234567.1"}`},
		{mysqlDialect, sort, `{"form":"date","text":"2026-9-2"}`},
		{mysqlDialect, sort, `{"form":"moment","text":"2026-09-02"}`},
		{mysqlDialect, sort, `{"form":"time","text":"1"}`},
		{mysqlDialect, sort, `{"form":"instant","text":"2026-09-02 05:30:25"}`},
		{mysqlDialect, sort, `{"form":"hex","text":"0"}`},
		{mysqlDialect, sort, `{"form":"typed","text":"1","type":25}`},
		{mysqlDialect, sort, `{"form":"text","text":"1","more":1}`},
		{sqliteDialect, sort, `{"form":"natural","text":"1"}`},
		{sqliteDialect, sort, `{"form":"date","text":"2026-09-02"}`},
		{postgresDialect, sort, `{"form":"typed","text":"1"}`},
		{postgresDialect, sort, `{"form":"typed","text":"\u0000","type":25}`},
		{postgresDialect, sort, `{"form":"text","text":"1"}`},
	} {
		text := `{"v":1,"db":"` + c.d.name + `","by":["+a"],"at":[` + c.at + `]}`
		if got, err := parsePlace(c.d, []term{c.by}, text, time.UTC); err == nil {
			t.Errorf("%s %s was read as %+v", c.d.name, c.at, got)
		}
	}
}

// fixedText is all that a place may put into a statement itself.
var fixedText = regexp.MustCompile(`^(?:\(a\n\)|\(b\n\)|UNIX_TIMESTAMP|FROM_UNIXTIME|CAST|UNHEX|AS|DATETIME|DATE|TIME|DECIMAL|IS|NOT|NULL|AND|OR|[-+\d ()?$,<>=])*$`)

// FuzzPlace: no text breaks the reader; what is read is written as the same place,
// and is only ever bound.
func FuzzPlace(f *testing.F) {
	for _, at := range []string{
		`[{"form":"integer","text":"5"},{"form":"text","text":"가"}]`, `[{"form":"null"},{"form":"float","text":"7ff8000000000001"}]`,
		`[{"form":"decimal","text":"-1.10"},{"form":"hex","text":"00ff"}]`, `[{"form":"instant","text":"1793511000.5"},{"form":"time","text":"-01:00:00"}]`,
		`[{"form":"date","text":"0000-00-00"},{"form":"moment","text":"2026-09-02 14:30:25"}]`, `[{"form":"natural","text":"18446744073709551615"},{"form":"bytes","raw":"/w=="}]`,
		`[{"form":"typed","text":"1","type":20},{"form":"typed","raw":"/w==","type":25}]`, `[]`, `null`,
	} {
		for _, d := range placeDialects {
			f.Add(`{"v":1,"db":"` + d.name + `","by":["-a","+b"],"at":` + at + `}`)
		}
	}
	zone := newYork(f)
	order := []term{{field: "a", expression: "a", desc: true, nullable: true}, {field: "b", expression: "b", key: true}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range placeDialects {
			read, err := parsePlace(d, order, text, zone)
			if err != nil {
				continue
			}
			again, err := writePlace(d, order, read)
			if err != nil {
				t.Fatalf("%s: %q: %v", d.name, text, err)
			}
			back, err := parsePlace(d, order, again, zone)
			if err != nil || !sameBounds(read, back) {
				t.Errorf("%s: %q became %s: %+v, then %+v, %v", d.name, text, again, read, back, err)
			}
			st := newStatement(d)
			st.follows(order, read, false)
			st.follows(reversed(order), read, true)
			if !fixedText.MatchString(st.sql()) {
				t.Errorf("%s: %q wrote %s", d.name, text, st.sql())
			}
		}
	})
}

// FuzzValues: values of all types come back from places as they went in.
func FuzzValues(f *testing.F) {
	f.Add(int64(-1), uint64(1), uint64(0x7ff8000000000001), "text", []byte{0xff}, uint32(25))
	f.Fuzz(func(t *testing.T, i int64, u, bits uint64, text string, data []byte, oid uint32) {
		float := bound{value: math.Float64frombits(bits)}
		data = append([]byte{}, data...)
		for d, place := range map[*dialect][]bound{
			mysqlDialect:    {{value: i}, {value: u}, float, {value: text}, mysqlBinary(hex.EncodeToString(data))},
			sqliteDialect:   {{value: i}, float, {value: text}, {value: data}},
			postgresDialect: {{value: append([]byte{}, bytes.ReplaceAll(data, []byte{0}, nil)...), oid: max(oid, 1)}},
		} {
			order := make([]term, len(place))
			written, err := writePlace(d, order, place)
			if err != nil {
				t.Fatal(err)
			}
			read, err := parsePlace(d, order, written, time.UTC)
			if err != nil || !sameBounds(place, read) {
				t.Errorf("%s: %s came back as %+v, %v", d.name, written, read, err)
			}
		}
	})
}

// TestConditions shows the conditions of an order with NULL: what the tests on the
// databases rest on.
func TestConditions(t *testing.T) {
	up := term{field: "a", expression: "a", nullable: true}
	down := term{field: "a", expression: "a", nullable: true, desc: true}
	filled := term{field: "a", expression: "a", desc: true}
	key := term{field: "b", expression: "b", key: true}
	five, null, id := bound{value: int64(5)}, bound{null: true}, bound{value: int64(7)}
	for _, c := range []struct {
		order []term
		place []bound
		with  bool
		want  string
	}{
		{[]term{key}, []bound{id}, false, `b > ?`},
		{[]term{key}, []bound{id}, true, `b >= ?`},
		{[]term{up, key}, []bound{five, id}, false, `a >= ? AND (a > ? OR (a = ? AND b > ?))`},
		{[]term{up, key}, []bound{null, id}, false, `(a IS NOT NULL OR (a IS NULL AND b > ?))`},
		{[]term{down, key}, []bound{five, id}, false, `(a <= ? OR a IS NULL) AND ((a < ? OR a IS NULL) OR (a = ? AND b > ?))`},
		{[]term{down, key}, []bound{null, id}, true, `a IS NULL AND (1 = 0 OR (a IS NULL AND b >= ?))`},
		{[]term{filled, key}, []bound{five, id}, false, `a <= ? AND (a < ? OR (a = ? AND b > ?))`},
	} {
		st := newStatement(sqliteDialect)
		st.follows(c.order, c.place, c.with)
		got := regexp.MustCompile(`\((\w)\n\)`).ReplaceAllString(st.sql(), "$1")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
}
