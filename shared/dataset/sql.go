package dataset

import (
	"context"
	"errors"
	"fmt"
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
	_ Ranged  = (*SQL)(nil)
	_ Counter = (*SQL)(nil)
)

// Info describes the dataset.
func (d *SQL) Info() Info { return d.info }

// Open starts reading; see Dataset.
func (d *SQL) Open(ctx context.Context, q Query) (Rows, error) {
	begun, err := d.read(ctx, q)
	if err != nil {
		return nil, err
	}
	r := &sqlRows{reading: begun}
	if r.cursor, err = r.start(d.options.PageRows + 1); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.columns = r.cursor.columns()
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
	switch code := e.classify(err); code {
	case fault.Unavailable:
		return d.unavailable(err)
	case fault.Busy:
		return fault.Wrap(code, err, fmt.Sprintf("Dataset %q: the database has no connection left.", d.info.Name))
	default:
		return fault.Wrap(code, err, fmt.Sprintf("Dataset %q: the query failed.", d.info.Name))
	}
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
