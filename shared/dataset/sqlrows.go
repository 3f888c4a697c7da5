package dataset

import (
	"bytes"
	"context"
	"errors"

	"github.com/haexcel/haexcel/shared/cell"
)

// sqlRows reads a dataset page by page (keyed) or in one statement.
type sqlRows struct {
	reading

	cursor  cursor
	columns []cell.Field
	row     int      // rows of this page handed out
	follow  [][]byte // order's fields that the next page must begin with
	failure error
	done    bool
	closed  bool
}

var _ Rows = (*sqlRows)(nil)

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
	if len(r.order) == 0 {
		return r.step()
	}
	if r.row < r.dataset.options.PageRows {
		more, err := r.step()
		if !more && err == nil && r.silent() {
			more, err = r.nextPage()
		}
		if more || err != nil {
			return more, err
		}
		return false, r.finish()
	}
	// The current row is the page's last: behind it the next page starts.
	last, err := r.valuesOf(r.cursor)
	if err != nil {
		return false, err
	}
	if more, err := r.step(); err != nil {
		return false, err
	} else if !more {
		return false, r.finish()
	}
	before := r.after
	r.after, r.follow = last, r.orderBytes()
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
		return false, r.orderFault(r.keyTerm(), errors.New("the next page does not begin with the row that was to follow"))
	}
	return ok, err
}

// silent reports whether this page, the first, may be without rows for no good
// reason.
func (r *sqlRows) silent() bool {
	return r.row == 0 && r.follow == nil && r.dataset.source.dialect.silentKill
}

// settle finds out which instant the last row has, where the session's clocks
// showed it twice; before is what this page began behind.
func (r *sqlRows) settle(before []bound) error {
	for i, b := range r.after {
		if b.twice == 0 {
			continue
		}
		st, err := r.instantOfPage(before, i)
		if err != nil {
			return err
		}
		number, err := readText(r.session, st)
		if err != nil {
			return err
		}
		r.after[i] = r.dataset.source.dialect.instant(number, b.twice)
	}
	return nil
}

// nextPage runs the statement of the page after last and takes its first row.
func (r *sqlRows) nextPage() (bool, error) {
	if err := r.cursor.close(); err != nil {
		return false, err
	}
	st, err := r.page(r.dataset.options.PageRows + 1)
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

// finish makes sure that the pages left no row out: one whose key is NULL would be
// on none of them. Of the ranges of a divided reading the last one does.
func (r *sqlRows) finish() error {
	if r.after == nil || r.upTo != nil {
		return nil
	}
	if len(r.query.Sort) == 0 && r.query.After == "" && !r.dataset.source.dialect.nullsLast {
		return nil // it would have been the first to come
	}
	return r.checkKeys()
}

// step takes one row of the page.
func (r *sqlRows) step() (bool, error) {
	if !r.cursor.next() {
		return false, r.cursor.err()
	}
	r.row++
	return true, nil
}

func (r *sqlRows) orderBytes() [][]byte {
	out := make([][]byte, len(r.order))
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
