package cell

import "slices"

// Kind is the type of a source value, as its database (or Go provider) declares
// it. It decides the cell: what a source calls text is a text cell, always.
type Kind uint8

// The kinds. Value.Bytes holds each one's text as given here.
const (
	Null     Kind = iota // no bytes
	Text                 // the text itself, perhaps invalid UTF-8
	Integer              // [-]digits of any length
	Decimal              // [-]digits[.digits] of any length, or NaN / Infinity / -Infinity; its scale is kept
	Float                // shortest text of a float64 that reads back equal ('g' form allowed), NaN, ±Inf
	Float32              // the same for a float32
	Bool                 // "1" or "0", "t" or "f", "true" or "false"
	Date                 // yyyy-MM-dd, wall clock; the database's own text beyond that (infinity, BC, year 10000)
	DateTime             // yyyy-MM-dd HH:mm:ss[.fraction] or with a T, wall clock
	Instant              // yyyy-MM-dd HH:mm:ss[.fraction]±hh[:mm[:ss]] or Z: shown in the report zone
	Time                 // [-]H…H:mm:ss[.fraction], a time of day or a duration
	Binary               // raw bytes, shown as upper-case hex
	Bits                 // raw big-endian bytes of a BIT column, shown as a number
	JSON                 // the database's own text
	Other                // a type without a rule of its own: its text
)

// Value is one source value. Bytes belong to the source and are valid only until
// its next row; whoever keeps them copies them. Nothing is boxed.
type Value struct {
	Kind  Kind
	Bytes []byte
}

// Field describes one column of a source.
type Field struct {
	Name string
	// Kind is what every value of the column has (or Null); Null here means that
	// each value carries its own kind, as in SQLite.
	Kind Kind
	// Kinds are those that the values of a column without one kind can have; none
	// stands for all. A column has number formats for these only.
	Kinds Kinds
	// Scale is the number of decimal places of a column's decimals, -1 when the
	// type does not fix it.
	Scale int
}

// Kinds is a set of kinds.
type Kinds uint32

// KindsOf is the set of the given kinds.
func KindsOf(kinds ...Kind) (set Kinds) {
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// holds reports whether the column can have values of one of the kinds.
func (f Field) holds(kinds ...Kind) bool {
	switch {
	case f.Kind != Null:
		return slices.Contains(kinds, f.Kind)
	case f.Kinds == 0:
		return true
	}
	return f.Kinds&KindsOf(kinds...) != 0
}
