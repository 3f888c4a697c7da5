// Package cell holds the rules from a source value to a spreadsheet cell:
// columns, formats, code maps. Every path (single file, zip part, template,
// every database) goes through it, so a rule stands in one place.
//
// Guarantees: a value is never dropped, never invented and never an error; what
// does not fit its format is text, unchanged. The same value gives the same cell
// on every machine: nothing depends on the process's time zone or locale. The
// usual paths of Column.Cell allocate nothing.
//
// Known limits: dates before 1900-03-01 are text, since spreadsheets disagree on
// them; a DECIMAL with a digit behind its 20th decimal place is text, since
// LibreOffice would show a zero there; for dates that are text a custom number format is followed only
// where it is made of plain year, month, day, hour, minute and second parts.
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
// made it, or to the value it was made of, and is valid until that column's next
// call and the source's next row.
//
// It is four machine words, the most that the compiler keeps in registers.
type Cell struct {
	Type Type
	// Format is the index of the cell's number format in Column.Formats.
	Format int32
	// Text is a canonical number literal ("-1234.5", "46267.60445601852"), "1" or
	// "0" for Boolean, and plain, valid UTF-8 for String: at most 32,767 UTF-16
	// units, not yet escaped for XML.
	Text []byte
}
