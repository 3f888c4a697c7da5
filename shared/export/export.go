// Package export turns one job into one file: it counts, decides the packaging,
// reads the rows and streams the finished bytes straight into storage.
//
// Plan, then Write make a file in one go. Plan, then Divide split the work: any
// number of workers, each with WriteChunk, store the rows of their chunk as
// segments, and one of them joins all with Pack.
//
// Guarantees: memory does not grow with the rows; a failed, cancelled or
// panicking export leaves no object; every error is a fault, retryable or not.
// Nothing is written to a temporary file. The rows of Write come from one
// snapshot, each exactly once. Those of a chunk come from one snapshot, too, and
// the chunks' ranges of the order meet without a gap: a row that nothing changes
// while the chunks are read is in the file exactly once.
//
// Known limit: a row that moves in the order between two chunks' snapshots,
// since its key or a sort field is changed, can be in the file twice or not at
// all.
package export

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// Packaging is how the rows are delivered.
type Packaging string

// The packagings a request can ask for.
const (
	Auto     Packaging = "auto"     // one workbook, or parts in a zip from zip-threshold rows on
	Workbook Packaging = "workbook" // one workbook whatever the size
	Zip      Packaging = "zip"      // parts in a zip always
)

// Valid reports whether p is one of the three.
func (p Packaging) Valid() bool { return p == Auto || p == Workbook || p == Zip }

// Request is one export.
type Request struct {
	JobID     string
	Attempt   int
	Dataset   dataset.Dataset
	Query     dataset.Query    // Fields and Zone are filled in here
	Columns   []cell.ColumnDef // nil means the dataset's defaults
	Packaging Packaging
	SheetName string // "" means the dataset's, else Sheet1
	FileName  string // as asked for; names the parts of a zip
}

// Settings are an Exporter's surroundings.
type Settings struct {
	Bucket       *storage.Bucket
	ZipThreshold int64         // rows from which Auto means parts
	ChunkSize    int64         // rows of a part
	CountTimeout time.Duration // longest count; then the number is unknown
	// Compression and OmitReferences are those of xlsx.Options.
	Compression    xlsx.Compression
	OmitReferences bool
	Zone           *time.Location
	Now            func() time.Time // stamps the entries of archives
	Logger         *slog.Logger
}

// Exporter writes files. It is safe for concurrent use.
type Exporter struct {
	set Settings
}

// New returns an Exporter.
func New(s Settings) *Exporter { return &Exporter{set: s} }

// Result describes a finished object.
type Result struct {
	Key      string
	Bytes    int64
	Rows     int64 // data rows in the file
	AsOf     int64 // moment of the snapshot, or from which on there were several; epoch milliseconds
	AsOfEnd  int64 // moment of the last of several snapshots, else 0
	Warnings Warnings
}

// query completes the request's query.
func (e *Exporter) query(r Request) dataset.Query {
	q := r.Query
	q.Zone = e.set.Zone
	q.Fields = wantedFields(r.columns())
	return q
}

// columns are the request's, or the dataset's defaults.
func (r Request) columns() []cell.ColumnDef {
	if len(r.Columns) > 0 {
		return r.Columns
	}
	return r.Dataset.Info().Columns
}

// guard turns a panic of a dataset's code into a fault, so that the worker lives
// on. The stack is logged, never shown.
func (e *Exporter) guard(r Request, err *error) {
	p := recover()
	if p == nil {
		return
	}
	e.set.Logger.Error("export panicked", "jobId", r.JobID, "dataset", r.Dataset.Info().Name,
		"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	*err = fault.New(fault.Internal, fmt.Sprintf("Dataset %q: an unexpected error occurred.", r.Dataset.Info().Name))
}
