package dataset

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// How SQLite's values become kinds. Each value keeps the type it is stored as;
// the declared type of its column matters only where the table says so.
//
//	stored as   declared as                    kind
//	INTEGER     BOOL, BOOLEAN; 0 or 1          Bool
//	INTEGER     DECIMAL(p,s) and its synonyms  Decimal with s places
//	            NUMERIC, DEC, FIXED, NUMBER
//	INTEGER     anything else                  Integer
//	REAL        DECIMAL(p,s) …; no more than   Decimal with s places
//	            s places and 15 digits, so
//	            that nothing is lost
//	REAL        anything else                  Float
//	TEXT        DATE, DATETIME, TIMESTAMP,     Date, DateTime or Instant, by the text
//	            TIMESTAMPTZ; ISO text
//	TEXT        TIME; [-]HH:mm[:ss]            Time
//	TEXT        anything else                  Text
//	BLOB                                       Binary
//
// Declared types may go on: TIMESTAMP WITHOUT TIME ZONE is a TIMESTAMP. Only a
// column has one, also through a view; an expression has none.
//
// SQLite has no exact decimals: it stores 1250.10 in a DECIMAL column as REAL.
// The rule above gives back what was put in, up to 15 digits.
type sqliteRule struct {
	boolean bool
	date    bool
	clock   bool
	decimal bool
	scale   int // of a decimal, else -1
}

var sqliteDecimal = regexp.MustCompile(`^(?:DECIMAL|NUMERIC|DEC|FIXED|NUMBER)\s*\(\s*\d+\s*,\s*(\d{1,2})\s*\)$`)

func sqliteType(declared string) sqliteRule {
	declared = strings.ToUpper(strings.TrimSpace(declared))
	rule := sqliteRule{scale: -1}
	first := strings.FieldsFunc(declared, func(r rune) bool { return r <= ' ' || r == '(' })
	if len(first) == 0 {
		return rule
	}
	switch first[0] {
	case "BOOL", "BOOLEAN":
		rule.boolean = true
	case "DATE", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ":
		rule.date = true
	case "TIME":
		rule.clock = true
	}
	if m := sqliteDecimal.FindStringSubmatch(declared); m != nil {
		rule.decimal = true
		rule.scale, _ = strconv.Atoi(m[1]) // two digits
	}
	return rule
}

// field describes a column, whose values can be of more than one kind.
func (r sqliteRule) field(name string) cell.Field {
	kinds := cell.KindsOf(cell.Integer, cell.Float, cell.Text, cell.Binary)
	for _, more := range []struct {
		has   bool
		kinds cell.Kinds
	}{
		{r.boolean, cell.KindsOf(cell.Bool)},
		{r.date, cell.KindsOf(cell.Date, cell.DateTime, cell.Instant)},
		{r.clock, cell.KindsOf(cell.Time)},
		{r.decimal, cell.KindsOf(cell.Decimal)},
	} {
		if more.has {
			kinds |= more.kinds
		}
	}
	return cell.Field{Name: name, Kind: cell.Null, Kinds: kinds, Scale: r.scale}
}

func (r sqliteRule) integer(b []byte, v int64) ([]byte, cell.Kind) {
	b = strconv.AppendInt(b, v, 10)
	switch {
	case r.boolean && (v == 0 || v == 1):
		return b, cell.Bool
	case r.decimal:
		return pad(b, 0, r.scale), cell.Decimal
	}
	return b, cell.Integer
}

func (r sqliteRule) real(b []byte, v float64) ([]byte, cell.Kind) {
	if r.decimal {
		if out, ok := r.fixed(b, v); ok {
			return out, cell.Decimal
		}
		if out, ok := r.shortest(b, v); ok {
			return out, cell.Decimal
		}
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64), cell.Float
}

// powers are 1, 10, 100, …: the scales that fixed writes.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// fixed does the work of shortest for the usual decimals, without a search for
// digits. A decimal of up to 15 digits has a float64 of its own: if v is that of
// a whole number of the scale's units, this number is the text.
func (r sqliteRule) fixed(b []byte, v float64) ([]byte, bool) {
	if r.scale >= len(powers) {
		return b, false
	}
	unit := powers[r.scale]
	n := math.Round(v * unit)
	if n/unit != v || n == 0 || math.Abs(n) >= 1e15 { // -0 has its sign
		return b, false
	}
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	whole, part := uint64(n)/uint64(unit), uint64(n)%uint64(unit)
	b = strconv.AppendUint(b, whole, 10)
	if r.scale == 0 {
		return b, true
	}
	b = append(b, '.')
	for tenth := uint64(unit) / 10; tenth > 0; tenth /= 10 {
		b = append(b, byte('0'+part/tenth%10))
	}
	return b, true
}

// shortest writes the shortest text that reads back as v, if that is a decimal
// of the rule's scale.
func (r sqliteRule) shortest(b []byte, v float64) ([]byte, bool) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return b, false
	}
	begin := len(b)
	b = strconv.AppendFloat(b, v, 'f', -1, 64)
	places, digits := 0, 0
	point := false
	for _, c := range b[begin:] {
		switch {
		case c == '.':
			point = true
		case c != '-':
			digits++
			if point {
				places++
			}
		}
	}
	if places > r.scale || digits > safeDigits {
		return b[:begin], false
	}
	return pad(b, places, r.scale), true
}

// pad brings a decimal text from its places to the scale.
func pad(b []byte, places, scale int) []byte {
	if places == 0 && scale > 0 {
		b = append(b, '.')
	}
	for ; places < scale; places++ {
		b = append(b, '0')
	}
	return b
}
