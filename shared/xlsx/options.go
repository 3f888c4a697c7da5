package xlsx

import (
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// Limits of a sheet.
const (
	MaxRows = 1 << 20
	// MaxBytes stays below 4 GiB, from where on entries need zip64.
	MaxBytes = 1<<32 - 1<<16
)

// Sheet is what a workbook shows.
type Sheet struct {
	Name   string           // as asked for; CleanSheetName makes it fit
	Header []cell.ColumnDef // the tree of columns and groups
	// Columns are the compiled leaves of Header, left to right. They are only
	// read: encoders work with clones.
	Columns []*cell.Column
}

// Compression says what matters more.
type Compression uint8

// The compressions.
const (
	Fast  Compression = iota // the least time
	Small                    // smaller files, in up to twice the time; where hardly anything changes between rows they can be larger
)

// Options tune a workbook. The zero value is right for most.
type Options struct {
	Compression Compression
	// OmitReferences leaves out r="A1" and the numbers of rows, which most
	// readers infer, but not exceljs 4, tealeg/xlsx 3 and POI's event model.
	OmitReferences bool
	MaxRows        int       // rows of a sheet, header rows included; 0: MaxRows
	MaxBytes       int64     // XML of a sheet; 0: MaxBytes
	Modified       time.Time // time of the archive's entries, shown in its own zone; zero: 1980-01-01
}

// withDefaults fills in what is not set and keeps the limits within what a sheet
// holds.
func (o Options) withDefaults() Options {
	if o.MaxRows <= 0 || o.MaxRows > MaxRows {
		o.MaxRows = MaxRows
	}
	if o.MaxBytes <= 0 || o.MaxBytes > MaxBytes {
		o.MaxBytes = MaxBytes
	}
	if o.Modified.IsZero() {
		o.Modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return o
}
