// Package cell holds the rules from a source value to a spreadsheet cell:
// columns, formats, code maps. Every path (single file, zip part, template,
// every database) goes through it, so a rule stands in one place.
package cell

// Type is the type of a finished cell.
type Type uint8

// The cell types.
const (
	Empty Type = iota
	Number
	String
	Boolean
)

// Cell is a finished cell, ready to be written. Text belongs to the column that
// made it and is valid until that column's next call.
type Cell struct {
	Type Type
	// Text is a canonical number literal ("-1234.5", "46267.60445601852"), "1" or
	// "0" for Boolean, and plain, valid UTF-8 for String: at most 32,767 UTF-16
	// units, not yet escaped for XML.
	Text []byte
	// Format is the index of the cell's number format in Column.Formats.
	Format int
}
