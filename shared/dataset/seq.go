package dataset

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

// Row is one row of Go values, in the order of the fields. See FromSeq for the
// types that are allowed.
type Row []any

// Texts whose type a plain string would not tell.
type (
	// Decimal is a number as text, whose digits and scale are kept: 1250.10.
	Decimal string
	// Date is a wall-clock date, 2006-01-02.
	Date string
	// DateTime is a wall-clock date-time, 2006-01-02 15:04:05[.fraction].
	DateTime string
	// Time is a time of day or a duration, [-]HH:mm:ss[.fraction].
	Time string
	// JSON is a JSON text, written as it is.
	JSON string
)

// FromSeq makes a dataset of Go code. seq is called once for each reading; it
// should end when its context does, and may yield an error as its last item: a
// fault is passed on, anything else is Internal, with its text kept from
// clients. What it panics with becomes an error too. The rows must be those of
// one moment; AsOf is the moment of Open by this machine's clock.
//
// A row holds nil, string, Decimal, Date, DateTime, Time, JSON, []byte (binary),
// integers, floats, bool and time.Time (an instant). Any other type is an error
// that names the field. A field with a Kind takes texts and bytes as being of
// that kind and refuses what does not fit; with Kind Null each value's own type
// decides. A value must not change until the next row is asked for.
func FromSeq(info Info, fields []cell.Field, seq func(ctx context.Context, q Query) iter.Seq2[Row, error]) Dataset {
	return &seqDataset{info: info, fields: fields, seq: seq}
}

type seqDataset struct {
	info   Info
	fields []cell.Field
	seq    func(ctx context.Context, q Query) iter.Seq2[Row, error]
}

func (d *seqDataset) Info() Info { return d.info }

func (d *seqDataset) Open(ctx context.Context, q Query) (_ Rows, err error) {
	if name := twice(d.fields); name != "" {
		return nil, fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: two columns are named %q.", d.info.Name, name))
	}
	// Stopping the reading ends the provider's own calls as well.
	ctx, cancel := context.WithCancel(ctx)
	r := &seqRows{
		name: d.info.Name, ctx: ctx, cancel: cancel, at: now(),
		converter: converter{fields: d.fields, row: make([]cell.Value, len(d.fields))},
	}
	err = r.guard(func() { r.next, r.stop = iter.Pull2(d.seq(ctx, q)) })
	if err != nil {
		cancel()
		return nil, err
	}
	return r, nil
}

// twice returns a name that two fields have.
func twice(fields []cell.Field) string {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			return f.Name
		}
		seen[f.Name] = true
	}
	return ""
}

// seqRows pulls rows out of a provider.
type seqRows struct {
	converter
	name    string
	ctx     context.Context
	cancel  context.CancelFunc
	next    func() (Row, error, bool)
	stop    func()
	at      int64
	failure error
	done    bool
}

func (r *seqRows) Fields() []cell.Field { return r.fields }

func (r *seqRows) Values() []cell.Value { return r.row }

func (r *seqRows) Err() error { return r.failure }

func (r *seqRows) AsOf() int64 { return r.at }

func (r *seqRows) Next() bool {
	if r.done {
		return false
	}
	more, err := r.advance()
	if err != nil {
		r.failure = err
	}
	r.done = !more || err != nil
	return !r.done
}

func (r *seqRows) advance() (more bool, err error) {
	if stopped := stopped(r.ctx, r.name, nil); stopped != nil {
		return false, stopped
	}
	var values Row
	var failed error
	if err := r.guard(func() { values, failed, more = r.next() }); err != nil {
		return false, err
	}
	// A provider may end quietly when its context does: that is no end of data.
	if stopped := stopped(r.ctx, r.name, failed); stopped != nil {
		return false, stopped
	}
	if failed != nil {
		if _, ok := errors.AsType[*fault.Error](failed); ok {
			return false, failed
		}
		return false, fault.Wrap(fault.Internal, failed, fmt.Sprintf("Dataset %q: its provider failed.", r.name))
	}
	if !more {
		return false, nil
	}
	if err := r.convert(values); err != nil {
		return false, fault.Wrap(fault.Unprocessable, err, fmt.Sprintf("Dataset %q: %v.", r.name, err))
	}
	return true, nil
}

// guard runs the provider's code and turns its panic into an error.
func (r *seqRows) guard(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), fmt.Sprintf("Dataset %q: its provider failed.", r.name))
		}
	}()
	f()
	return nil
}

func (r *seqRows) Close() error {
	r.done = true
	r.cancel()
	return r.guard(r.stop)
}
