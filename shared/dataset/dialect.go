package dataset

import (
	"strings"
	"time"
)

// dialect is what differs between the databases in the text of a statement.
type dialect struct {
	name string

	// How texts are quoted and commented, for finding :params.
	backslash bool   // '…\'…' is one text everywhere; else only in E'…'
	dollar    bool   // $tag$…$tag$ is a text
	backtick  bool   // `…` is a name
	bracket   bool   // […] is a name
	hash      bool   // # starts a comment
	nested    bool   // /* /* */ */ nests
	dashBlank bool   // -- starts a comment only before a blank
	foreign   string // characters that start a placeholder of the driver

	quote byte // around names
	// numbered placeholders ($1) can be used again; otherwise each is a ?.
	numbered bool
	// textOID is the type of a string of which the statement tests only whether
	// it is NULL, where the database wants to know.
	textOID uint32
	// nullsLast: NULL sorts behind all values, so that no page after the first
	// has such rows.
	nullsLast bool

	// epoch is the function that gives the number of an instant whose text does
	// not tell which one it is.
	epoch string

	// bind gives a parameter's value in its declared type; null for absent.
	bind func(t ParamType, item string, null bool, zone *time.Location) bound
}

// quoteName quotes a name so that its case and characters are kept.
func (d *dialect) quoteName(name string) string {
	q := string(d.quote)
	return q + strings.ReplaceAll(name, q, q+q) + q
}

// bound is a value on its way into a statement: before and after are fixed
// texts around its placeholder, such as a cast to its type.
type bound struct {
	before, after string
	value         any    // as the driver takes it
	oid           uint32 // PostgreSQL's type, 0 when the statement decides
	// twice is set for an instant that looks like another one, since the
	// session's clocks showed it twice. It is a date-time before both. sqlRows.settle
	// finds the value, which is a number of seconds.
	twice string
}

// statement is a text with its bound values.
type statement struct {
	dialect *dialect
	text    strings.Builder
	values  []bound
	slots   map[string]string // name → placeholders, where they can be used again
}

func newStatement(d *dialect) *statement {
	return &statement{dialect: d, slots: map[string]string{}}
}

func (s *statement) write(text string) { s.text.WriteString(text) }

func (s *statement) sql() string { return s.text.String() }
