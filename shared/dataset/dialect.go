package dataset

import (
	"fmt"
	"strconv"
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
	// nullsLast: NULL sorts behind all values unless the order says otherwise.
	nullsLast bool
	// nullsApart: an index does not serve values and NULL beyond them as one range.
	nullsApart bool
	// silentKill: a statement that is stopped while it is planned may answer with no
	// rows and no error.
	silentKill bool

	// epoch is the function that gives the number of an instant whose text does
	// not tell which one it is, moment the one that makes an instant of a number.
	epoch, moment string
	// instant binds the number of an instant; twice is that of bound.
	instant func(number string, twice time.Duration) bound
	// placed binds a value of a place. zone is that of the report.
	placed func(p placed, zone *time.Location) (bound, error)

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
	form          string // what a place calls it; "" when value says so
	oid           uint32 // PostgreSQL's type, 0 when the statement decides
	null          bool   // no value: never bound
	// twice is set for an instant that looks like another one, since the clocks
	// were set back by so much. sqlRows.settle finds its value, which is a number of
	// seconds.
	twice time.Duration
}

// aside is a value before both instants that look like v, or behind both. There is
// none where v has no number yet, or is next to the first or last of all instants.
func (d *dialect) aside(v bound, behind bool) (bound, bool) {
	number, _ := v.value.(string)
	whole, _, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	away := 2*int64(v.twice/time.Second) + 1
	if err != nil || n-away < 0 || n+away > lastInstant {
		return bound{}, false
	}
	if !behind {
		away = -away
	}
	return bound{before: d.moment + "(" + v.before, after: v.after + fmt.Sprintf(" + %d)", away), value: v.value}, true
}

// lastInstant is the last that moment makes on every server.
const lastInstant = 1<<31 - 1

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
