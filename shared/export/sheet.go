package export

import (
	"errors"
	"fmt"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// sheet is what a request's workbooks show.
func (e *Exporter) sheet(r Request, b *binding) xlsx.Sheet {
	name := r.SheetName // the writer cleans it
	if name == "" {
		name = r.Dataset.Info().Sheet
	}
	return xlsx.Sheet{Name: name, Header: r.columns(), Columns: b.columns}
}

func (e *Exporter) options() xlsx.Options {
	return xlsx.Options{
		Compression:    e.set.Compression,
		OmitReferences: e.set.OmitReferences,
		Modified:       e.set.Now().In(e.set.Zone),
	}
}

// startFault tells columns that no sheet can hold, which another try won't help,
// from what went wrong otherwise.
func startFault(err error) error {
	if unfit, ok := errors.AsType[*xlsx.SheetError](err); ok {
		return fault.Wrap(fault.Unprocessable, unfit, "No sheet can hold the columns: too many of them or of their formats, or none.")
	}
	return fmt.Errorf("start workbook: %w", err)
}
