package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

// OpenPlanner starts planning; see Ranged.
func (d *SQL) OpenPlanner(ctx context.Context, q Query) (Planner, error) {
	if len(d.key) == 0 {
		return nil, d.without("it cannot be read in parts")
	}
	begun, err := d.read(ctx, q)
	if err != nil {
		return nil, err
	}
	p := &sqlPlanner{reading: begun}
	if err := p.describe(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// sqlPlanner finds places by hopping over rows, each time from the place before.
type sqlPlanner struct {
	reading
	columns []cell.Field
	closed  bool
}

// describe runs the statement that a reading would begin with, for one row: what
// a server says of columns may depend on how it sorts.
func (p *sqlPlanner) describe() error {
	cur, err := p.start(1)
	if cur != nil {
		p.columns = cur.columns()
		err = errors.Join(err, drain(cur))
	}
	return p.translate(err)
}

// drain takes what is left of a result that is short.
func drain(cur cursor) error {
	for cur.next() {
		continue
	}
	return errors.Join(cur.err(), cur.close())
}

func (p *sqlPlanner) Fields() []cell.Field { return p.columns }

func (p *sqlPlanner) AsOf() int64 { return p.session.asOf() }

func (p *sqlPlanner) Next(after string, n int64) (place string, last bool, err error) {
	from := p.after
	if after != "" {
		if from, err = p.bounds(after); err != nil {
			return "", false, err
		}
	}
	place, last, err = p.next(from, n)
	if err == nil && last && from != nil && p.upTo == nil {
		err = p.checkKeys()
	}
	return place, last && err == nil, p.translate(err)
}

func (p *sqlPlanner) next(from []bound, n int64) (place string, last bool, err error) {
	rows, found, err := p.hop(from, n)
	if err == nil && rows == 0 && p.dataset.source.dialect.silentKill {
		rows, found, err = p.hop(from, n)
	}
	if err != nil || rows < 2 {
		return "", err == nil, err
	}
	place, err = writePlace(p.dataset.source.dialect, p.order, found)
	return place, false, err
}

// hop reads the n-th row behind a place, and whether one follows it.
func (p *sqlPlanner) hop(from []bound, n int64) (rows int, found []bound, err error) {
	if err := p.stopped(); err != nil {
		return 0, nil, err
	}
	st := newStatement(p.dataset.source.dialect)
	var instants []int // terms whose numbers come last
	for i, t := range p.order {
		if st.dialect.epoch != "" && p.columns[i].Kind == cell.Instant {
			instants = append(instants, i)
		}
		st.write([]string{"SELECT ", ", "}[min(i, 1)] + t.expression + "\n AS " + st.dialect.quoteName(t.field))
	}
	for _, i := range instants {
		st.write(", " + st.dialect.epoch + "(" + p.order[i].expression + "\n)")
	}
	if err := p.ordered(st, from); err != nil {
		return 0, nil, err
	}
	st.write(fmt.Sprintf("\nLIMIT 2 OFFSET %d", n-1))
	cur, err := p.session.query(st)
	if err != nil {
		return 0, nil, err
	}
	for cur.next() {
		if rows++; rows > 1 {
			continue
		}
		if found, err = p.valuesOf(cur); err != nil {
			return 0, nil, errors.Join(err, drain(cur))
		}
		for j, i := range instants {
			number := string(cur.values()[len(p.order)+j].Bytes)
			if strings.Trim(number, "0.") == "" {
				continue // the zero timestamp, or NULL
			}
			found[i] = p.dataset.source.dialect.instant(number, 0)
		}
	}
	return rows, found, errors.Join(cur.err(), cur.close())
}

// stopped is the fault of a planner whose context ended.
func (p *sqlPlanner) stopped() error {
	if p.closed {
		return fault.New(fault.Internal, fmt.Sprintf("Dataset %q: its planner is closed.", p.dataset.info.Name))
	}
	return p.dataset.stopped(p.ctx, nil)
}

func (p *sqlPlanner) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	return p.translate(p.session.close())
}
