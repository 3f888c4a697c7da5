package export

import (
	"context"
	"fmt"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// Plan is what the count decided.
type Plan struct {
	Count int64
	Known bool // false: counting is off or took too long
	Large bool // belongs to the large queue
}

// Plan counts the rows, for at most CountTimeout. More rows than the dataset
// allows is a permanent fault that names the limit.
func (e *Exporter) Plan(ctx context.Context, r Request) (p Plan, err error) {
	defer e.guard(r, &err)
	counter, ok := r.Dataset.(dataset.Counter)
	if !ok {
		return Plan{Large: true}, nil
	}
	cctx, cancel := context.WithTimeout(ctx, e.set.CountTimeout)
	defer cancel()
	n, known, err := counter.Count(cctx, e.query(r))
	switch {
	case err != nil && cctx.Err() != nil && ctx.Err() == nil:
		return Plan{Large: true}, nil
	case err != nil:
		return Plan{}, fmt.Errorf("count rows: %w", err)
	case !known:
		return Plan{Large: true}, nil
	}
	if limit := r.Dataset.Info().MaxRows; limit > 0 && n > limit {
		return Plan{}, tooManyRows(r.Dataset.Info().Name, limit)
	}
	return Plan{Count: n, Known: true, Large: n >= e.set.ZipThreshold}, nil
}

// tooManyRows is the fault of an export over the dataset's maxRows.
func tooManyRows(name string, limit int64) error {
	return fault.New(fault.Unprocessable,
		fmt.Sprintf("Dataset %q allows at most %d rows in one export (maxRows). Narrow the export with parameters.", name, limit))
}
