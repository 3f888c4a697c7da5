package dataset

import (
	"context"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// Info is what the rest of the tree knows of a dataset.
type Info struct {
	Name    string // matches [\w-]{1,128}; none of config, datasets, jobs, template
	Title   string
	Sheet   string // default sheet name; "" means Sheet1
	Params  []Param
	Columns []cell.ColumnDef // default columns; nil: the request must name them
	Sort    []string         // fields a client may order by
	Allow   []string         // roles; nil: any signed-in caller
	MaxRows int64            // 0: no limit
	Keyed   bool             // a unique key is declared: pages, splits, resumes
	// Caller names the claims that the dataset binds (sub, tenant, …). A caller
	// who lacks one is refused.
	Caller []string
	// Digest identifies the dataset's text: another text, another filter hash.
	Digest string
}

// Query is one reading of a dataset.
type Query struct {
	Params Values
	Caller map[string]string // claim → value, for :caller.*
	// Fields are the fields that the columns want, without duplicates. A dataset
	// may deliver more or fewer: a field it lacks is a blank column.
	Fields []string
	Zone   *time.Location // report zone
}

// Dataset is a source of rows. Implementations are safe for concurrent use.
type Dataset interface {
	Info() Info

	// Open starts reading. The rows come from one snapshot. An error is a fault:
	// a broken query is permanent, a database that is away is Unavailable; its
	// message names the dataset and no SQL.
	Open(ctx context.Context, q Query) (Rows, error)
}

// Counter is implemented by datasets that can tell their number of rows
// beforehand. known is false where counting is switched off.
type Counter interface {
	Count(ctx context.Context, q Query) (n int64, known bool, err error)
}

// Rows is a forward-only cursor over one snapshot. It is used by one goroutine.
type Rows interface {
	// Fields describes the columns. Two fields of one name have been refused
	// before. It does not change.
	Fields() []cell.Field

	// Next moves to the next row; false at the end, on an error and when the
	// context of Open ended.
	Next() bool

	// Values is the current row in Fields order, valid until the next Next.
	Values() []cell.Value

	// Err is the reason why Next answered false, nil at the end of the data. A
	// cut connection is never the end of the data.
	Err() error

	// AsOf is the moment of the snapshot in epoch milliseconds.
	AsOf() int64

	// Close stops the query at its source and frees the connection. Closing
	// twice is no error.
	Close() error
}
