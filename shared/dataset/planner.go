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

// sqlPlanner finds places. In the order of the key alone it hops over rows, each
// time from the place before, which the key's index makes cheap. A wished order may
// have no index, and every hop would sort all rows anew: there it goes through them
// once.
type sqlPlanner struct {
	reading
	columns  []cell.Field
	instants []int // terms whose numbers are selected behind them all
	stream   *placeStream
	closed   bool
}

// describe runs the statement that a reading would begin with, for one row: what
// a server says of columns may depend on how it sorts.
func (p *sqlPlanner) describe() error {
	cur, err := p.start(1)
	if cur != nil {
		p.columns = cur.columns()
		err = errors.Join(err, drain(cur))
	}
	if p.dataset.source.dialect.epoch != "" && err == nil {
		for i := range p.order {
			if p.columns[i].Kind == cell.Instant {
				p.instants = append(p.instants, i)
			}
		}
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
	if err := p.stopped(); err != nil {
		return "", false, err
	}
	var found []bound
	// In an embedded run the reader of a stream would keep out who writes the plan,
	// if no snapshot did so anyway.
	if len(p.query.Sort) > 0 && !p.dataset.snapshotOff {
		found, err = p.along(from, after, n)
	} else {
		found, err = p.hop(from, n)
	}
	switch {
	case err != nil:
		return "", false, p.translate(err)
	case found != nil:
		place, err = writePlace(p.dataset.source.dialect, p.order, found)
		if p.stream != nil {
			p.stream.at = place
		}
		return place, false, p.translate(err)
	case from != nil && p.upTo == nil:
		err = p.checkKeys()
	}
	return "", err == nil, p.translate(err)
}

// hop returns the n-th row behind a place, nil when none follows it.
func (p *sqlPlanner) hop(from []bound, n int64) ([]bound, error) {
	for tries := 0; ; tries++ {
		s, err := p.open(from, fmt.Sprintf("\nLIMIT 2 OFFSET %d", n-1))
		if err != nil {
			return nil, err
		}
		found, err := s.pass(p, 1)
		if found != nil {
			err = errors.Join(err, drain(s.cursor))
		}
		if found != nil || err != nil || !s.silent(p) || tries > 0 {
			return found, err
		}
	}
}

// along returns the same, going on where it stands.
func (p *sqlPlanner) along(from []bound, after string, n int64) (found []bound, err error) {
	if p.stream != nil && p.stream.at != after {
		if err := drain(p.stream.cursor); err != nil {
			return nil, err
		}
		p.stream = nil
	}
	for tries := 0; ; tries++ {
		if p.stream == nil {
			if p.stream, err = p.open(from, ""); err != nil {
				return nil, err
			}
		}
		s := p.stream
		found, err = s.pass(p, n)
		if found == nil {
			p.stream = nil
		}
		if found != nil || err != nil || !s.silent(p) || tries > 0 {
			return found, err
		}
	}
}

// placeStream goes through rows.
type placeStream struct {
	cursor cursor
	any    bool   // it had a row
	ahead  bool   // the cursor's row has not been counted
	at     string // the place that it has passed last
}

// open runs the statement that selects the order's fields behind a place.
func (p *sqlPlanner) open(from []bound, end string) (*placeStream, error) {
	st := newStatement(p.dataset.source.dialect)
	for i, t := range p.order {
		st.write([]string{"SELECT ", ", "}[min(i, 1)] + t.expression + "\n AS " + st.dialect.quoteName(t.field))
	}
	for _, i := range p.instants {
		st.write(", " + st.dialect.epoch + "(" + p.order[i].expression + "\n)")
	}
	if err := p.ordered(st, from); err != nil {
		return nil, err
	}
	st.write(end)
	cur, err := p.session.query(st)
	return &placeStream{cursor: cur}, err
}

// pass goes n rows on and returns the last of them when another one follows; else
// the rows have ended.
func (s *placeStream) pass(p *sqlPlanner, n int64) (found []bound, err error) {
	for passed := int64(0); s.ahead || s.cursor.next(); s.ahead = false {
		s.any = true
		if passed++; passed == n {
			if found, err = p.values(s.cursor); err != nil {
				return nil, err
			}
		}
		if passed > n {
			s.ahead = true
			return found, nil
		}
	}
	return nil, errors.Join(s.cursor.err(), s.cursor.close())
}

// silent reports whether the rows that have ended may have been none for no good
// reason.
func (s *placeStream) silent(p *sqlPlanner) bool {
	return !s.any && p.dataset.source.dialect.silentKill
}

// values are those of a row that a place is made of.
func (p *sqlPlanner) values(cur cursor) ([]bound, error) {
	found, err := p.valuesOf(cur)
	if err != nil {
		return nil, err
	}
	for j, i := range p.instants {
		number := string(cur.values()[len(p.order)+j].Bytes)
		if strings.Trim(number, "0.") == "" {
			continue // the zero timestamp, or NULL
		}
		found[i] = p.dataset.source.dialect.instant(number, 0)
	}
	return found, nil
}

// stopped is the fault of a planner that is closed or whose context ended.
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
