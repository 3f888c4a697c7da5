package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

// sqlRows reads a dataset page by page (keyed) or in one statement.
type sqlRows struct {
	dataset *SQL
	ctx     context.Context
	query   Query
	fields  []selected
	engine  engine
	session session

	cursor  cursor
	columns []cell.Field
	row     int      // rows of this page handed out
	last    []bound  // key of the last row of the page before
	follow  [][]byte // key that the next page must begin with
	failure error
	done    bool
	closed  bool
}

var _ Rows = (*sqlRows)(nil)

func (r *sqlRows) statement() (*statement, error) {
	return r.dataset.page(r.query, r.fields, r.last)
}

// start runs the first statement and looks at its columns.
func (r *sqlRows) start(st *statement) error {
	cur, err := r.session.query(st)
	if err != nil {
		return r.translate(err)
	}
	r.cursor, r.columns = cur, cur.columns()
	if len(r.columns) == 0 {
		return fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: the statement has no result.", r.dataset.info.Name))
	}
	seen := map[string]bool{}
	for _, f := range r.columns {
		if seen[f.Name] {
			return fault.New(fault.Unprocessable,
				fmt.Sprintf("Dataset %q: two columns are named %q.", r.dataset.info.Name, f.Name))
		}
		seen[f.Name] = true
	}
	return nil
}

func (r *sqlRows) translate(err error) error {
	return r.dataset.translate(r.ctx, r.engine, err)
}

func (r *sqlRows) Fields() []cell.Field { return r.columns }

func (r *sqlRows) Values() []cell.Value { return r.cursor.values() }

func (r *sqlRows) AsOf() int64 { return r.session.asOf() }

func (r *sqlRows) Err() error { return r.failure }

func (r *sqlRows) Next() bool {
	if r.done {
		return false
	}
	ok, err := r.advance()
	if err != nil {
		r.failure = r.translate(err)
	}
	r.done = !ok || err != nil
	return !r.done
}

// advance moves to the next row, over the end of a page too.
func (r *sqlRows) advance() (bool, error) {
	if r.ctx.Err() != nil {
		return false, context.Cause(r.ctx)
	}
	if len(r.dataset.key) == 0 {
		return r.step()
	}
	if r.row < r.dataset.options.PageRows {
		more, err := r.step()
		if more || err != nil {
			return more, err
		}
		return false, r.finish()
	}
	// The current row is the page's last: its key is where the next page starts.
	last := make([]bound, len(r.dataset.key))
	for i := range last {
		b, err := r.cursor.key(i)
		if err != nil {
			return false, r.keyFault(i, err)
		}
		last[i] = b
	}
	if more, err := r.step(); err != nil {
		return false, err
	} else if !more {
		return false, r.finish()
	}
	before := r.last
	r.last, r.follow = last, r.keyBytes()
	for r.cursor.next() { // the statement has no more, but must have ended
		continue
	}
	if err := r.cursor.err(); err != nil {
		return false, err
	}
	if err := errors.Join(r.cursor.close(), r.settle(before)); err != nil {
		return false, err
	}
	ok, err := r.nextPage()
	if err == nil && !ok {
		// A row was seen to follow. MariaDB gives no rows and no error when KILL
		// QUERY reaches it in the middle of planning; a second time it does not.
		ok, err = r.nextPage()
	}
	if err == nil && !r.dataset.snapshotOff && (!ok || !r.continues()) {
		return false, r.keyFault(0, errors.New("the next page does not begin with the row that was to follow"))
	}
	return ok, err
}

// settle finds out which instant the last row's key has, where the session's
// clocks showed it twice; before is the key of the page before that.
func (r *sqlRows) settle(before []bound) error {
	for i, b := range r.last {
		if b.twice == "" {
			continue
		}
		st, err := r.dataset.instantOfPage(r.query, before, i)
		if err != nil {
			return err
		}
		number, err := readText(r.session, st)
		if err != nil {
			return err
		}
		r.last[i] = r.dataset.source.dialect.bind(DecimalParam, number, false, r.query.Zone)
		r.last[i].twice = b.twice
	}
	return nil
}

// nextPage runs the statement of the page after last and takes its first row.
func (r *sqlRows) nextPage() (bool, error) {
	if err := r.cursor.close(); err != nil {
		return false, err
	}
	st, err := r.statement()
	if err != nil {
		return false, err
	}
	if r.cursor, err = r.session.query(st); err != nil {
		r.cursor = nil
		return false, err
	}
	r.row = 0
	return r.step()
}

// finish makes sure that the pages left no row out: one whose key is NULL would
// sort behind all others and be on none of them.
func (r *sqlRows) finish() error {
	if r.last == nil || !r.dataset.source.dialect.nullsLast {
		return nil
	}
	st, err := r.dataset.nullKeys(r.query)
	if err != nil {
		return err
	}
	n, err := readNumber(r.session, st)
	if err == nil && n > 0 {
		return r.keyFault(0, errNullKey)
	}
	return err
}

// step takes one row of the page.
func (r *sqlRows) step() (bool, error) {
	if !r.cursor.next() {
		return false, r.cursor.err()
	}
	r.row++
	return true, nil
}

func (r *sqlRows) keyBytes() [][]byte {
	out := make([][]byte, len(r.dataset.key))
	for i := range out {
		out[i] = bytes.Clone(r.cursor.values()[i].Bytes)
	}
	return out
}

// continues reports whether the page begins with the row that was seen to
// follow. In one snapshot it does, unless rows share a key or have none: then
// rows between the pages would be lost without a word.
func (r *sqlRows) continues() bool {
	for i, want := range r.follow {
		if !bytes.Equal(want, r.cursor.values()[i].Bytes) {
			return false
		}
	}
	return true
}

func (r *sqlRows) keyFault(i int, err error) error {
	reason := "is not unique or NULL in some rows"
	if errors.Is(err, errKeyType) {
		reason = "is of a type that cannot be a key"
	}
	field := r.dataset.key[i]
	if len(r.dataset.key) > 1 && !errors.Is(err, errKeyType) {
		field = fmt.Sprint(r.dataset.key)
	}
	return fault.Wrap(fault.Unprocessable, err, fmt.Sprintf("Dataset %q: the key %s %s.", r.dataset.info.Name, field, reason))
}

func (r *sqlRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed, r.done = true, true
	var err error
	if r.cursor != nil {
		// Whether its statement still runs is the session's to know.
		err = r.cursor.close()
	}
	return r.translate(errors.Join(err, r.session.close()))
}
