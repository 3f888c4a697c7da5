package dataset

import (
	"context"
	"errors"
	"fmt"

	"github.com/haexcel/haexcel/shared/fault"
)

// reading is a query of a dataset on a session of its own.
type reading struct {
	dataset *SQL
	ctx     context.Context
	query   Query
	order   []term     // empty without a key
	fields  []selected // those of the order come first
	engine  engine
	session session
	after   []bound // what the next statement begins behind; nil: at the beginning
	upTo    []bound // what it ends with; nil: at the end
}

// read opens a session. What can be said against the query is said before.
func (d *SQL) read(ctx context.Context, q Query) (r reading, err error) {
	q = d.complete(q)
	r = reading{dataset: d, ctx: ctx, query: q}
	if r.order, err = d.order(q); err != nil {
		return r, err
	}
	r.fields = d.wanted(r.order, q.Fields)
	if r.after, err = r.bounds(q.After); err != nil {
		return r, err
	}
	if r.upTo, err = r.bounds(q.UpTo); err != nil {
		return r, err
	}
	if _, err := r.page(1); err != nil {
		return r, err
	}
	if r.engine, err = d.source.engine(); err != nil {
		return r, d.unavailable(err)
	}
	if r.session, err = r.engine.begin(ctx, q.Zone, !d.snapshotOff); err != nil {
		return r, d.translate(ctx, r.engine, err)
	}
	if err := r.lookForNulls(); err != nil {
		return r, errors.Join(r.translate(err), r.translate(r.session.close()))
	}
	return r, nil
}

// lookForNulls finds out which sort fields are NULL nowhere in the snapshot: then
// more indexes serve the order.
func (r *reading) lookForNulls() error {
	if r.dataset.snapshotOff || !r.dataset.source.dialect.nullsApart {
		return nil
	}
	for i := range r.order {
		t := &r.order[i]
		if t.key {
			continue
		}
		var err error
		if t.nullable, err = r.hasNull([]term{*t}); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) hasNull(terms []term) (bool, error) {
	st, err := r.dataset.nullStatement(r.query, terms)
	if err != nil {
		return false, err
	}
	n, err := readNumber(r.session, st)
	return n > 0, err
}

// checkKeys makes sure that no row has been left out for its NULL key: NULL is
// neither before nor behind any place.
func (r *reading) checkKeys() error {
	var key []term
	for _, t := range r.order {
		if t.key {
			key = append(key, t)
		}
	}
	found, err := r.hasNull(key)
	if err == nil && found {
		return r.orderFault(r.keyTerm(), errNullKey)
	}
	return err
}

// keyTerm is the order's first field of the key.
func (r *reading) keyTerm() int {
	for i, t := range r.order {
		if t.key {
			return i
		}
	}
	return 0
}

// start runs the first statement and looks at its columns.
func (r *reading) start(limit int) (cursor, error) {
	st, err := r.page(limit)
	if err != nil {
		return nil, err
	}
	cur, err := r.session.query(st)
	if err != nil {
		return nil, r.unsortable(r.translate(err))
	}
	columns := cur.columns()
	if len(columns) == 0 {
		return cur, fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: the statement has no result.", r.dataset.info.Name))
	}
	if name := twice(columns); name != "" {
		return cur, fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: two columns are named %q.", r.dataset.info.Name, name))
	}
	if len(r.query.Sort) == 0 && r.after == nil && r.upTo == nil {
		return cur, nil
	}
	for i := range r.order {
		if err := cur.orderable(i); err != nil {
			return cur, r.orderFault(i, err)
		}
	}
	return cur, nil
}

// unsortable names the sort field whose type has no order at the database, such as
// PostgreSQL's json, if that is why the statement was refused.
func (r *reading) unsortable(refused error) error {
	if !fault.Is(refused, fault.Unprocessable) || len(r.query.Sort) == 0 {
		return refused
	}
	// After an error the transaction is of no more use.
	if err := r.session.close(); err != nil {
		return errors.Join(refused, r.translate(err))
	}
	if !r.takes("") {
		return refused // for another reason
	}
	for i, t := range r.order {
		if !r.takes("\nORDER BY " + t.expression) {
			return r.orderFault(i, errors.Join(errKeyType, refused))
		}
	}
	return refused
}

// takes reports whether the database takes the statement with this end.
func (r *reading) takes(end string) bool {
	st := newStatement(r.dataset.source.dialect)
	st.write("SELECT 1")
	if _, err := r.dataset.rows(st, r.query); err != nil {
		return false
	}
	st.write(end + "\nLIMIT 0")
	s, err := r.engine.begin(r.ctx, r.query.Zone, false)
	if err != nil {
		return false
	}
	cur, err := s.query(st)
	if err == nil {
		for cur.next() {
			continue
		}
		err = errors.Join(cur.err(), cur.close())
	}
	return errors.Join(err, s.close()) == nil
}

// valuesOf copies the values of the order's fields in the cursor's row.
func (r *reading) valuesOf(c cursor) ([]bound, error) {
	out := make([]bound, len(r.order))
	for i, t := range r.order {
		b, err := c.key(i)
		if errors.Is(err, errNullKey) && !t.key {
			b, err = bound{null: true}, nil
		}
		if err != nil {
			return nil, r.orderFault(i, err)
		}
		out[i] = b
	}
	return out, nil
}

// orderFault says what is wrong with a field of the order.
func (r *reading) orderFault(i int, err error) error {
	name, t := r.dataset.info.Name, r.order[i]
	var text string
	switch {
	case errors.Is(err, errLongText):
		text = fmt.Sprintf("the field %q has values too long to be read in their order", t.field)
	case errors.Is(err, errKeyType) && t.key:
		text = fmt.Sprintf("the key %s is of a type that cannot be a key", t.field)
	case errors.Is(err, errKeyType):
		text = fmt.Sprintf("the field %q is of a type that cannot be sorted by", t.field)
	case len(r.dataset.key) > 1:
		text = fmt.Sprintf("the key %v is not unique or NULL in some rows", r.dataset.key)
	default:
		text = fmt.Sprintf("the key %s is not unique or NULL in some rows", r.dataset.key[0])
	}
	return fault.Wrap(fault.Unprocessable, err, fmt.Sprintf("Dataset %q: %s.", name, text))
}

func (r *reading) translate(err error) error {
	return r.dataset.translate(r.ctx, r.engine, err)
}
