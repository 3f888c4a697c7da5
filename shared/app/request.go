package app

import (
	"encoding/json"
	"fmt"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// request reads a job's row. What does not fit the dataset any more is a
// permanent fault.
func (u *Work) request(j job.Job) (export.Request, error) {
	set, err := u.Catalog.Get(j.Dataset)
	if err != nil {
		return export.Request{}, fault.Wrap(fault.NotFound, err, fmt.Sprintf("Dataset %q is not available any more.", j.Dataset))
	}
	if j.TemplateID != "" {
		// Submit takes none, but the Java library may have left such a job.
		return export.Request{}, fault.New(fault.Unprocessable, "Templates are not available here.")
	}
	req := export.Request{
		JobID:    j.ID,
		Attempt:  j.Attempt,
		Dataset:  set,
		FileName: j.FileName,
	}
	if req.Query.Params, err = dataset.ParseValues(set.Info().Params, j.ParamsJSON); err != nil {
		return export.Request{}, err
	}
	if err := readStored(j.ScopeJSON, &req.Query.Caller); err != nil {
		return export.Request{}, err
	}
	var options submissionOptions
	if err := readStored(j.OptionsJSON, &options); err != nil {
		return export.Request{}, err
	}
	req.Packaging, req.SheetName, req.Query.Sort = options.Packaging, options.SheetName, options.Sort
	if req.Packaging == "" {
		req.Packaging = export.Auto
	}
	columns, fields := cell.ParseColumns(json.RawMessage(j.ColumnsJSON))
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
