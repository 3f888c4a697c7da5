package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// The statements of a dataset, as texts with bound values.

// wanted returns the members of select to read: those of the order, then what
// was asked for. A name that is not there in this spelling matches one that
// differs in case alone. nil asks for all.
func (d *SQL) wanted(order []term, names []string) []selected {
	var out []selected
	taken := map[string]bool{}
	take := func(i int) {
		if i >= 0 && !taken[d.fields[i].name] {
			taken[d.fields[i].name] = true
			out = append(out, d.fields[i])
		}
	}
	for _, t := range order {
		take(d.index(t.field))
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

// rows writes FROM and WHERE, and returns the word that adds a condition to them.
func (d *SQL) rows(st *statement, q Query) (joint string, err error) {
	st.write("\nFROM ")
	if err := st.fill(d.from, d.info.Params, q); err != nil {
		return "", err
	}
	joint = "\nWHERE "
	for _, c := range d.where {
		if slices.ContainsFunc(c.when, func(name string) bool { _, ok := q.Params[name]; return !ok }) {
			continue
		}
		st.write(joint + "(")
		joint = "\nAND "
		if err := st.fill(c.pieces, d.info.Params, q); err != nil {
			return "", err
		}
		st.write("\n)")
	}
	return joint, nil
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
	st.write("SELECT COUNT(*)")
	_, err := d.rows(st, q)
	return st, err
}

// nullStatement finds out whether one of the terms is NULL in a row.
func (d *SQL) nullStatement(q Query, terms []term) (*statement, error) {
	st := newStatement(d.source.dialect)
	st.write("SELECT COUNT(*) FROM (SELECT 1 AS found")
	joint, err := d.rows(st, q)
	if err != nil {
		return nil, err
	}
	st.write(joint + "(")
	for i, t := range terms {
		if i > 0 {
			st.write(" OR ")
		}
		st.test(t, "IS NULL")
	}
	st.write(") LIMIT 1) AS q")
	return st, nil
}

// page writes the statement for the rows behind after, no more than limit where
// they have an order.
func (r *reading) page(limit int) (*statement, error) {
	d := r.dataset
	st := newStatement(d.source.dialect)
	if d.whole != nil {
		return st, st.fill(d.whole, d.info.Params, r.query)
	}
	for i, f := range r.fields {
		if i == 0 {
			st.write("SELECT ")
		} else {
			st.write(", ")
		}
		if err := st.fill(f.pieces, d.info.Params, r.query); err != nil {
			return nil, err
		}
		st.write("\n AS " + st.dialect.quoteName(f.name))
	}
	if err := r.ordered(st, r.after); err != nil {
		return nil, err
	}
	if len(r.order) > 0 {
		st.write(fmt.Sprintf("\nLIMIT %d", limit))
	}
	return st, nil
}

// ordered writes what follows the fields: the rows behind after, up to the end of
// the range, in their order.
func (r *reading) ordered(st *statement, after []bound) error {
	joint, err := r.dataset.rows(st, r.query)
	if err != nil || len(r.order) == 0 {
		return err
	}
	if after != nil {
		st.write(joint)
		st.follows(r.order, after, false)
		joint = "\nAND "
	}
	if r.upTo != nil {
		st.write(joint)
		st.follows(reversed(r.order), r.upTo, true)
	}
	for i, t := range r.order {
		if i == 0 {
			st.write("\nORDER BY ")
		} else {
			st.write("\n, ")
		}
		st.write(t.expression)
		if t.desc {
			st.write("\n DESC")
		}
		if !st.dialect.nullsLast || !t.nullable {
			continue
		}
		switch first := i == 0 && after != nil && !after[0].null; {
		case t.desc:
			st.write("\n NULLS LAST")
		case !first: // else none is left: without the word, more indexes serve
			st.write("\n NULLS FIRST")
		}
	}
	return nil
}

// instantOfPage writes the statement that finds the number of an instant in the
// last row of the page behind after.
func (r *reading) instantOfPage(after []bound, term int) (*statement, error) {
	st := newStatement(r.dataset.source.dialect)
	st.write("SELECT " + st.dialect.epoch + "(" + r.order[term].expression + "\n)")
	if err := r.ordered(st, after); err != nil {
		return nil, err
	}
	st.write(fmt.Sprintf("\nLIMIT 1 OFFSET %d", r.dataset.options.PageRows-1))
	return st, nil
}
