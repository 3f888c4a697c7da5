package export

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// progressRows is how often the row loop reports and looks at its context.
const progressRows = 1000

// Write reads the rows and stores the finished file. progress is called from
// the row loop with the rows so far, every 1,000 rows and at the end. An error
// leaves no object.
func (e *Exporter) Write(ctx context.Context, r Request, p Plan, progress func(rows int64)) (res Result, err error) {
	defer e.guard(r, &err)
	rows, err := r.Dataset.Open(ctx, e.query(r))
	if err != nil {
		return Result{}, fmt.Errorf("open rows: %w", err)
	}
	defer func() {
		if closeErr := rows.Close(); closeErr != nil && err == nil {
			e.set.Logger.WarnContext(ctx, "the source was not left cleanly", "jobId", r.JobID, "error", closeErr)
		}
	}()

	f := e.newFile(r, rows, progress)
	if r.Packaging == Zip || r.Packaging == Auto && p.Large {
		res, err = f.writeParts(ctx, r.Packaging == Auto)
	} else {
		res, err = f.writeWorkbook(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	res.Rows = f.written
	res.AsOf = rows.AsOf()
	res.Warnings = f.warnings
	return res, nil
}

// file is one file while it is written.
type file struct {
	*Exporter
	request  Request
	rows     dataset.Rows
	more     bool // the cursor stands on a row that is not written yet
	header   []cell.ColumnDef
	binding  *binding
	progress func(int64)
	written  int64 // data rows so far, over all parts
	warnings Warnings
}

func (e *Exporter) newFile(r Request, rows dataset.Rows, progress func(int64)) *file {
	f := &file{Exporter: e, request: r, rows: rows, header: r.columns(), progress: progress}
	f.binding = bind(f.header, rows.Fields(), e.set.Zone, &f.warnings)
	f.more = rows.Next()
	return f
}

// writeWorkbook delivers one workbook.
func (f *file) writeWorkbook(ctx context.Context) (Result, error) {
	obj, err := f.create(ctx, "xlsx")
	if err != nil {
		return Result{}, err
	}
	defer f.giveUp(ctx, obj)
	if err := f.writeSheet(ctx, obj, 0); err != nil {
		return Result{}, err
	}
	return obj.finish(ctx)
}

// writeSheet writes one workbook to w: the next limit rows, or all that are left
// when limit is 0. No row left gives a workbook with the header alone.
func (f *file) writeSheet(ctx context.Context, w io.Writer, limit int64) error {
	book, err := xlsx.NewWriter(w, xlsx.Sheet{
		Name:    f.sheetName(),
		Header:  f.header,
		Columns: f.binding.columns,
	}, f.options())
	if unfit, ok := errors.AsType[*xlsx.SheetError](err); ok {
		return fault.Wrap(fault.Unprocessable, unfit, "No sheet can hold the columns: too many of them or of their formats, or none.")
	}
	if err != nil {
		return fmt.Errorf("start workbook: %w", err)
	}
	defer book.Abort() // waits for its background writes before w goes away
	maxRows := f.request.Dataset.Info().MaxRows
	for n := int64(0); f.more && (limit == 0 || n < limit); n++ {
		if maxRows > 0 && f.written >= maxRows {
			return tooManyRows(f.request.Dataset.Info().Name, maxRows)
		}
		if err := book.Write(f.binding.values(f.rows.Values())); err != nil {
			return fmt.Errorf("write row: %w", err)
		}
		f.written++
		if f.written%progressRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			f.progress(f.written)
		}
		f.more = f.rows.Next()
	}
	if !f.more {
		if err := f.rows.Err(); err != nil {
			return fmt.Errorf("read rows: %w", err)
		}
	}
	if err := book.Close(); err != nil {
		return fmt.Errorf("finish workbook: %w", err)
	}
	f.warnings.TruncatedCells += book.Truncated()
	f.progress(f.written)
	return nil
}

func (f *file) options() xlsx.Options {
	return xlsx.Options{
		Compression:    f.set.Compression,
		OmitReferences: f.set.OmitReferences,
		Modified:       f.set.Now().In(f.set.Zone),
	}
}

// sheetName is the request's, else the dataset's; the writer cleans it.
func (f *file) sheetName() string {
	if f.request.SheetName != "" {
		return f.request.SheetName
	}
	return f.request.Dataset.Info().Sheet
}

// create starts the object of this attempt.
func (f *file) create(ctx context.Context, ext string) (*object, error) {
	key := Key(f.request.JobID, f.request.Attempt, ext)
	w, err := f.set.Bucket.NewWriter(ctx, key, storage.WriteOptions{ContentType: ContentType(key)})
	if err != nil {
		return nil, fmt.Errorf("start object: %w", err)
	}
	return &object{Writer: w, key: key}, nil
}

// object is a storage writer that knows its key and length.
type object struct {
	storage.Writer
	key   string
	bytes int64
}

func (o *object) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.bytes += int64(n)
	return n, err
}

// giveUp removes what was written of an object that is not finished; of one that
// is, it removes nothing. What cannot be removed is logged: no row names it.
func (f *file) giveUp(ctx context.Context, o *object) {
	if err := o.Abort(); err != nil {
		f.set.Logger.WarnContext(ctx, "an unfinished object was left behind", "jobId", f.request.JobID, "key", o.key, "error", err)
	}
}

// finish makes the object visible.
func (o *object) finish(ctx context.Context) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if err := o.Commit(); err != nil {
		return Result{}, fmt.Errorf("store object: %w", err)
	}
	return Result{Key: o.key, Bytes: o.bytes}, nil
}
