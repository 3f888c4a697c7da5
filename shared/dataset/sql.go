package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

// SQL is a dataset that a file declares. LoadFS makes it.
type SQL struct {
	info    Info
	place   string // file:line of the name
	source  *source
	options SourceOptions

	// Either the one statement …
	whole []piece
	// … or its parts.
	fields []selected
	from   []piece
	where  []condition
	key    []string // names of fields

	countOff    bool
	snapshotOff bool
}

// selected is one member of select.
type selected struct {
	name   string
	pieces []piece
}

// condition is one member of where.
type condition struct {
	when   []string // parameters that must be present; none: always
	pieces []piece
}

var (
	_ Dataset = (*SQL)(nil)
	_ Counter = (*SQL)(nil)
)

// Info describes the dataset.
func (d *SQL) Info() Info { return d.info }

// Open starts reading; see Dataset.
func (d *SQL) Open(ctx context.Context, q Query) (Rows, error) {
	q = d.complete(q)
	r := &sqlRows{dataset: d, ctx: ctx, query: q, fields: d.wanted(q.Fields)}
	first, err := r.statement()
	if err != nil {
		return nil, err
	}
	engine, err := d.source.engine()
	if err != nil {
		return nil, d.unavailable(err)
	}
	r.engine = engine
	if r.session, err = engine.begin(ctx, q.Zone, !d.snapshotOff); err != nil {
		return nil, d.translate(ctx, engine, err)
	}
	if err := r.start(first); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Count counts the rows; known is false where the file says count: off. It runs
// until its context ends.
func (d *SQL) Count(ctx context.Context, q Query) (n int64, known bool, err error) {
	if d.countOff {
		return 0, false, nil
	}
	q = d.complete(q)
	st, err := d.countStatement(q)
	if err != nil {
		return 0, false, err
	}
	engine, err := d.source.engine()
	if err != nil {
		return 0, false, d.unavailable(err)
	}
	session, err := engine.begin(ctx, q.Zone, false)
	if err != nil {
		return 0, false, d.translate(ctx, engine, err)
	}
	defer func() { err = errors.Join(err, d.translate(ctx, engine, session.close())) }()
	n, err = readNumber(session, st)
	if _, ok := errors.AsType[*duplicateColumnError](err); ok {
		// MySQL cannot count a statement with two columns of one name; reading
		// it names them.
		return 0, false, nil
	}
	return n, err == nil, d.translate(ctx, engine, err)
}

// duplicateColumnError is a driver's word on two columns of one name.
type duplicateColumnError struct{ cause error }

func (e *duplicateColumnError) Error() string { return e.cause.Error() }
func (e *duplicateColumnError) Unwrap() error { return e.cause }

func (d *SQL) complete(q Query) Query {
	if q.Zone == nil {
		q.Zone = d.options.ReportZone
	}
	return q
}

// wanted returns the members of select to read: the key, then what was asked
// for. A name that is not there in this spelling matches one that differs in
// case alone. nil asks for all.
func (d *SQL) wanted(names []string) []selected {
	var out []selected
	taken := map[string]bool{}
	take := func(i int) {
		if i >= 0 && !taken[d.fields[i].name] {
			taken[d.fields[i].name] = true
			out = append(out, d.fields[i])
		}
	}
	for _, k := range d.key {
		take(d.index(k))
	}
	if names == nil {
		for i := range d.fields {
			take(i)
		}
	}
	for _, name := range names {
		take(d.index(name))
	}
	if len(out) == 0 && len(d.fields) > 0 {
		take(0) // a statement needs a column; the rows still count
	}
	return out
}

// index finds a member of select, -1 when there is none or no single one.
func (d *SQL) index(name string) int {
	found := -1
	for i, f := range d.fields {
		if f.name == name {
			return i
		}
		if strings.EqualFold(f.name, name) {
			if found >= 0 {
				found = -2
			} else if found == -1 {
				found = i
			}
		}
	}
	return max(found, -1)
}

// conditions writes WHERE with the conditions that apply, and reports whether
// there were any.
func (d *SQL) conditions(st *statement, q Query) (bool, error) {
	some := false
	for _, c := range d.where {
		if slices.ContainsFunc(c.when, func(name string) bool { _, ok := q.Params[name]; return !ok }) {
			continue
		}
		if some {
			st.write("\nAND (")
		} else {
			st.write("\nWHERE (")
		}
		some = true
		if err := st.fill(c.pieces, d.info.Params, q); err != nil {
			return some, err
		}
		st.write("\n)")
	}
	return some, nil
}

// page writes the statement for one page after last, or for the first one.
func (d *SQL) page(q Query, fields []selected, last []bound) (*statement, error) {
	st := newStatement(d.source.dialect)
	if d.whole != nil {
		return st, st.fill(d.whole, d.info.Params, q)
	}
	for i, f := range fields {
		if i == 0 {
			st.write("SELECT ")
		} else {
			st.write(", ")
		}
		if err := st.fill(f.pieces, d.info.Params, q); err != nil {
			return nil, err
		}
		st.write("\n AS " + st.dialect.quoteName(f.name))
	}
	if err := d.rest(st, q, last); err != nil || len(d.key) == 0 {
		return st, err
	}
	// One row more than a page shows whether another page follows, and with
	// which key.
	st.write(fmt.Sprintf("\nLIMIT %d", d.options.PageRows+1))
	return st, nil
}

// rest writes what follows the fields: the rows after last in the key's order.
func (d *SQL) rest(st *statement, q Query, last []bound) error {
	st.write("\nFROM ")
	if err := st.fill(d.from, d.info.Params, q); err != nil {
		return err
	}
	some, err := d.conditions(st, q)
	if err != nil || len(d.key) == 0 {
		return err
	}
	keys := d.keyExpressions()
	if last != nil {
		if some {
			st.write("\nAND ")
		} else {
			st.write("\nWHERE ")
		}
		st.after(keys, last)
	}
	st.write("\nORDER BY " + strings.Join(keys, "\n, "))
	return nil
}

// instantOfPage writes the statement that finds the number of an instant in the
// key of a page's last row.
func (d *SQL) instantOfPage(q Query, last []bound, key int) (*statement, error) {
	st := newStatement(d.source.dialect)
	st.write("SELECT " + d.source.dialect.epoch + "(" + d.keyExpressions()[key] + "\n)")
	if err := d.rest(st, q, last); err != nil {
		return nil, err
	}
	st.write(fmt.Sprintf("\nLIMIT 1 OFFSET %d", d.options.PageRows-1))
	return st, nil
}

// keyExpressions are free of parameters: the files' check sees to it.
func (d *SQL) keyExpressions() []string {
	var out []string
	for _, k := range d.key {
		out = append(out, d.fields[d.index(k)].pieces[0].text)
	}
	return out
}

func (d *SQL) countStatement(q Query) (*statement, error) {
	st := newStatement(d.source.dialect)
	if d.whole != nil {
		st.write("SELECT COUNT(*) FROM (\n")
		if err := st.fill(d.whole, d.info.Params, q); err != nil {
			return nil, err
		}
		st.write("\n) AS q")
		return st, nil
	}
	st.write("SELECT COUNT(*) FROM ")
	if err := st.fill(d.from, d.info.Params, q); err != nil {
		return nil, err
	}
	_, err := d.conditions(st, q)
	return st, err
}

// nullKeys writes the statement that finds a row without a whole key.
func (d *SQL) nullKeys(q Query) (*statement, error) {
	st := newStatement(d.source.dialect)
	st.write("SELECT COUNT(*) FROM (SELECT 1 AS found FROM ")
	if err := st.fill(d.from, d.info.Params, q); err != nil {
		return nil, err
	}
	some, err := d.conditions(st, q)
	if err != nil {
		return nil, err
	}
	if some {
		st.write("\nAND (")
	} else {
		st.write("\nWHERE (")
	}
	st.write("(" + strings.Join(d.keyExpressions(), "\n) IS NULL OR (") + "\n) IS NULL) LIMIT 1) AS q")
	return st, nil
}

// translate turns a driver's error into a fault. An ended context tells why
// reading was stopped.
func (d *SQL) translate(ctx context.Context, e engine, err error) error {
	if err == nil {
		return nil
	}
	if stopped := d.stopped(ctx, err); stopped != nil {
		return stopped
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if unreadable, ok := errors.AsType[*unreadableError](err); ok {
		return fault.Wrap(fault.Unprocessable, err, fmt.Sprintf("Dataset %q: %v.", d.info.Name, unreadable))
	}
	if code := e.classify(err); code != fault.Unavailable {
		return fault.Wrap(code, err, fmt.Sprintf("Dataset %q: the query failed.", d.info.Name))
	}
	return d.unavailable(err)
}

func (d *SQL) unavailable(err error) error {
	return fault.Wrap(fault.Unavailable, err, fmt.Sprintf("Dataset %q: the database is not available.", d.info.Name))
}

// stopped is the fault of a context that ended, nil while it goes on. A cause
// that is a fault itself (a cancel, a lost lease) is passed on.
func (d *SQL) stopped(ctx context.Context, err error) error {
	return stopped(ctx, d.info.Name, err)
}

func stopped(ctx context.Context, name string, err error) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*fault.Error](cause); ok {
		return cause
	}
	return fault.Wrap(fault.Unavailable, errors.Join(cause, err), fmt.Sprintf("Dataset %q: reading was stopped.", name))
}

// now is used where a dataset has no database to ask for the time.
func now() int64 { return time.Now().UnixMilli() }
