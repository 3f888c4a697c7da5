package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// run is one claimed job while it is worked on.
type run struct {
	*Work
	job    job.Job
	keyed  bool // the dataset declares a key
	log    *slog.Logger
	parent context.Context // the worker's own context
	heart  heart
}

// errBelongsToLarge asks settle to move the job to the large queue.
var errBelongsToLarge = fault.New(fault.Conflict, "The export belongs to the large queue.")

// export counts and writes. A panic is an error like any other.
func (r *run) export() (res export.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(r.parent, "export panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "An unexpected error occurred.")
		}
	}()
	req, err := r.request()
	if err != nil {
		return export.Result{}, err
	}
	plan, err := r.Exporter.Plan(r.heart.ctx, req)
	if err != nil {
		return export.Result{}, err
	}
	if plan.Large && r.job.Queue != job.Large {
		return export.Result{}, errBelongsToLarge
	}
	if plan.Known {
		r.heart.total.Store(plan.Count)
	}
	return r.Exporter.Write(r.heart.ctx, req, plan, func(rows int64) { r.heart.rows.Store(rows) })
}

// request reads the job's row. What does not fit the dataset any more is a
// permanent fault.
func (r *run) request() (export.Request, error) {
	set, err := r.Catalog.Get(r.job.Dataset)
	if err != nil {
		return export.Request{}, fault.Wrap(fault.NotFound, err, fmt.Sprintf("Dataset %q is not available any more.", r.job.Dataset))
	}
	if r.job.TemplateID != "" {
		// Submit takes none, but the Java library may have left such a job.
		return export.Request{}, fault.New(fault.Unprocessable, "Templates are not available here.")
	}
	info := set.Info()
	r.keyed = info.Keyed
	req := export.Request{
		JobID:    r.job.ID,
		Attempt:  r.job.Attempt,
		Dataset:  set,
		FileName: r.job.FileName,
	}
	if req.Query.Params, err = dataset.ParseValues(info.Params, r.job.ParamsJSON); err != nil {
		return export.Request{}, err
	}
	if err := readStored(r.job.ScopeJSON, &req.Query.Caller); err != nil {
		return export.Request{}, err
	}
	var options submissionOptions
	if err := readStored(r.job.OptionsJSON, &options); err != nil {
		return export.Request{}, err
	}
	req.Packaging, req.SheetName = options.Packaging, options.SheetName
	if req.Packaging == "" {
		req.Packaging = export.Auto
	}
	columns, fields := cell.ParseColumns(json.RawMessage(r.job.ColumnsJSON))
	if len(fields) > 0 {
		return export.Request{}, fault.New(fault.Invalid, "The stored columns are malformed.")
	}
	req.Columns = columns
	return req, nil
}

// readStored reads JSON that submit stored; "" leaves into alone.
func readStored(text string, into any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fault.Wrap(fault.Invalid, err, "The stored job is malformed.")
	}
	return nil
}
