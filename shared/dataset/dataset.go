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
	// Reuse is how old a finished file may be to answer the same request of
	// another submit; 0: never.
	Reuse time.Duration
	// Pregenerate is how often the export without parameters is built beforehand;
	// 0: never.
	Pregenerate time.Duration
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
	// Sort is the wished order, of fields that Info.Sort names; the key comes
	// last by itself. A dataset without a key in SQL takes none.
	Sort []SortKey
	// After and UpTo are places in the order, as a Planner gave them: rows
	// behind After, up to and with UpTo. "" is the beginning and the end.
	After, UpTo string
}

// SortKey is one field of an order. NULL comes before all values: first in an
// ascending order, last in a descending one, on every database.
type SortKey struct {
	Field string
	Desc  bool
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

// Ranged is implemented by datasets that can be read in pieces: by those with
// Info.Keyed. Such a dataset honours After and UpTo of a Query.
type Ranged interface {
	Dataset

	// OpenPlanner starts planning in one snapshot. Its errors are those of Open.
	OpenPlanner(ctx context.Context, q Query) (Planner, error)
}

// Planner finds the places at which a reading can be divided. It is used by one
// goroutine.
type Planner interface {
	// Fields are those that Open has for the same query.
	Fields() []cell.Field

	// AsOf is the moment of the snapshot in epoch milliseconds.
	AsOf() int64

	// Next returns the place of the n-th row behind the place after ("": from the
	// beginning), when a row follows it; else last is true, since what is behind
	// after is n rows or fewer. n is at least 1. A place is JSON, made of the
	// sort fields and the key in their own types; it outlives the process.
	Next(after string, n int64) (place string, last bool, err error)

	// Close ends the snapshot and frees the connection. Closing twice is no
	// error.
	Close() error
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
