package dataset

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

// FromQuery makes a dataset of one query on a database that the program opened
// itself, with any driver of database/sql. args gives the values for the
// query's placeholders; nil for none.
//
// The rows are those of one statement, read in one go; it can be neither split
// nor resumed, and stopping it is up to the driver. Texts and bytes take the
// kind that the driver names their column's type by; a TIMESTAMP is taken for a
// wall clock. A dataset file reads MySQL, PostgreSQL and SQLite better: their
// types exactly, and stopped at the server.
func FromQuery(info Info, db *sql.DB, query string, args func(Query) []any) Dataset {
	return &queryDataset{info: info, db: db, query: query, args: args}
}

type queryDataset struct {
	info  Info
	db    *sql.DB
	query string
	args  func(Query) []any
}

func (d *queryDataset) Info() Info { return d.info }

func (d *queryDataset) Open(ctx context.Context, q Query) (Rows, error) {
	r := &queryRows{name: d.info.Name, ctx: ctx, at: now()}
	var args []any
	if d.args != nil {
		args = d.args(q)
	}
	var err error
	if r.rows, err = d.db.QueryContext(ctx, d.query, args...); err != nil { //nolint:rowserrcheck // advance checks it
		return nil, r.translate(err)
	}
	if err := r.describe(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

type queryRows struct {
	converter
	name    string
	ctx     context.Context
	rows    *sql.Rows
	at      int64
	hints   []cell.Kind // what texts and times of a column are
	scanned []any
	targets []any
	failure error
	done    bool
}

func (r *queryRows) describe() error {
	columns, err := r.rows.ColumnTypes()
	if err != nil {
		return r.translate(err)
	}
	for _, c := range columns {
		f := cell.Field{Name: c.Name(), Scale: -1}
		hint := queryKind(c.DatabaseTypeName())
		if _, scale, ok := c.DecimalSize(); ok && hint == cell.Decimal && scale >= 0 && scale <= maxScale {
			f.Scale = int(scale)
		}
		r.fields = append(r.fields, f)
		r.hints = append(r.hints, hint)
	}
	if name := twice(r.fields); name != "" {
		return fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q: two columns are named %q.", r.name, name))
	}
	r.row = make([]cell.Value, len(r.fields))
	r.scanned = make([]any, len(r.fields))
	for i := range r.scanned {
		r.targets = append(r.targets, &r.scanned[i])
	}
	return nil
}

// queryKind is what a column's texts are, by the names that drivers use.
func queryKind(name string) cell.Kind {
	name, _, _ = strings.Cut(strings.ToUpper(name), "(")
	switch strings.TrimSpace(name) {
	case "DECIMAL", "NUMERIC", "NUMBER":
		return cell.Decimal
	case "DATE":
		return cell.Date
	case "DATETIME", "TIMESTAMP", "DATETIME2", "SMALLDATETIME":
		return cell.DateTime
	case "TIME":
		return cell.Time
	case "JSON", "JSONB":
		return cell.JSON
	case "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BINARY", "VARBINARY", "BYTEA", "RAW", "IMAGE":
		return cell.Binary
	}
	return cell.Text
}

func (r *queryRows) Fields() []cell.Field { return r.fields }

func (r *queryRows) Values() []cell.Value { return r.row }

func (r *queryRows) Err() error { return r.failure }

func (r *queryRows) AsOf() int64 { return r.at }

func (r *queryRows) Next() bool {
	if r.done {
		return false
	}
	r.failure = r.advance()
	r.done = r.done || r.failure != nil
	return !r.done
}

func (r *queryRows) advance() error {
	if !r.rows.Next() {
		r.done = true
		return r.translate(r.rows.Err())
	}
	if err := r.rows.Scan(r.targets...); err != nil {
		return r.translate(err)
	}
	r.buffer = r.buffer[:0]
	for i, v := range r.scanned {
		declared := cell.Null // an int64 in a DECIMAL column is an integer all the same
		switch v.(type) {
		case string, []byte:
			declared = r.hints[i]
		default:
			if timed(r.hints[i]) {
				declared = r.hints[i]
			}
		}
		value, ok := r.value(v, declared)
		if !ok {
			value, ok = r.value(v, cell.Null)
		}
		if !ok {
			return fault.New(fault.Unprocessable,
				fmt.Sprintf("Dataset %q: the field %q got a value of the type %T.", r.name, r.fields[i].Name, v))
		}
		r.row[i] = value
	}
	return nil
}

func timed(k cell.Kind) bool { return k == cell.Date || k == cell.DateTime || k == cell.Time }

// translate knows no driver: what is not a lost connection may be anything, and
// is worth another try.
func (r *queryRows) translate(err error) error {
	if err == nil {
		return nil
	}
	if stopped := stopped(r.ctx, r.name, err); stopped != nil {
		return stopped
	}
	if _, network := errors.AsType[net.Error](err); network || errors.Is(err, driver.ErrBadConn) {
		return fault.Wrap(fault.Unavailable, err, fmt.Sprintf("Dataset %q: the database is not available.", r.name))
	}
	return fault.Wrap(fault.Internal, err, fmt.Sprintf("Dataset %q: the query failed.", r.name))
}

func (r *queryRows) Close() error {
	r.done = true
	return r.translate(r.rows.Close())
}
