package export

import (
	"context"
	"fmt"
	"io"

	"github.com/haexcel/haexcel/shared/dataset"
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
	defer func() {
		if err != nil {
			progress(f.written) // whoever goes on wants to know how far this came
		}
	}()
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
	binding  *binding
	progress func(int64)
	written  int64 // data rows so far, over all parts
	warnings Warnings
}

func (e *Exporter) newFile(r Request, rows dataset.Rows, progress func(int64)) *file {
	f := &file{Exporter: e, request: r, rows: rows, progress: progress}
	f.binding = bind(r.columns(), rows.Fields(), e.set.Zone, &f.warnings)
	f.more = rows.Next()
	return f
}

// writeWorkbook delivers one workbook.
func (f *file) writeWorkbook(ctx context.Context) (Result, error) {
	obj, err := f.createFile(ctx, f.request, "xlsx")
	if err != nil {
		return Result{}, err
	}
	defer f.giveUp(ctx, f.request.JobID, obj)
	if err := f.writeSheet(ctx, obj, 0); err != nil {
		return Result{}, err
	}
	return obj.finish(ctx)
}

// writeSheet writes one workbook to w: the next limit rows, or all that are left
// when limit is 0. No row left gives a workbook with the header alone.
func (f *file) writeSheet(ctx context.Context, w io.Writer, limit int64) error {
	book, err := xlsx.NewWriter(w, f.sheet(f.request, f.binding), f.options())
	if err != nil {
		return startFault(err)
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
