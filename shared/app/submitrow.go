package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
)

// row is what goes into the table for a requester, as stored. scope holds the
// claims that the dataset binds.
func (s submission) row(cfg config.Config, info dataset.Info, requester string, scope map[string]string) (job.New, error) {
	filter, exportHash, err := s.hashes(cfg, info, scope, requester)
	if err != nil {
		return job.New{}, fmt.Errorf("hash export: %w", err)
	}
	columns, err := columnsJSON(s.columns)
	if err != nil {
		return job.New{}, err
	}
	options, err := json.Marshal(s.options)
	if err != nil {
		return job.New{}, fmt.Errorf("options: %w", err)
	}
	scopeText, err := json.Marshal(scope)
	if err != nil {
		return job.New{}, fmt.Errorf("scope: %w", err)
	}
	id, err := uuid.NewRandom()
	if err != nil {
		return job.New{}, fmt.Errorf("make job id: %w", err)
	}
	n := job.New{
		ID:           id.String(),
		Dataset:      info.Name,
		FileName:     s.fileName,
		Requester:    requester,
		ParamsJSON:   s.params.JSON(),
		ColumnsJSON:  columns,
		Queue:        job.Normal,
		TotalRows:    s.totalCnt,
		FilterHash:   filter,
		ExportHash:   exportHash,
		ScopeJSON:    string(scopeText),
		OptionsJSON:  string(options),
		WarningsJSON: ignoredWarnings(s.ignored).JSON(),
	}
	if s.totalCnt >= cfg.ZipThreshold {
		n.Queue = job.Large
	}
	return n, nil
}

// reuse is how old a file the dataset lets answer this submit. A file that is
// built beforehand serves until its second successor is due, so that one late
// build is not felt.
func (s submission) reuse(cfg config.Config, info dataset.Info) job.Reuse {
	return job.Reuse{
		MaxAge:       info.Reuse,
		TTL:          cfg.JobTTL,
		Pregenerated: keptRates * info.Pregenerate,
		Warnings:     s.reusedWarnings,
	}
}

// reusedWarnings are those of the file, and this request's own instead of those
// of the request that the file was made for.
func (s submission) reusedWarnings(finished string) string {
	file := export.ParseWarnings(finished)
	file.Messages = slices.DeleteFunc(file.Messages, func(m string) bool { return strings.HasPrefix(m, ignoredParameters) })
	return ignoredWarnings(s.ignored).Merge(file).JSON()
}

// columnsJSON is columns_json; "" for the dataset's defaults.
func columnsJSON(defs []cell.ColumnDef) (string, error) {
	if len(defs) == 0 {
		return "", nil
	}
	b, err := json.Marshal(defs)
	if err != nil {
		return "", fmt.Errorf("columns: %w", err)
	}
	return string(b), nil
}

// ignoredParameters begins the only warning that is of the request, not of the
// file.
const ignoredParameters = "Parameters that the dataset does not have were ignored: "

// ignoredWarnings names the undeclared parameters, but no more than a reader
// wants to see.
func ignoredWarnings(names []string) export.Warnings {
	if len(names) == 0 {
		return export.Warnings{}
	}
	const shown = 20
	more := ""
	if len(names) > shown {
		more = fmt.Sprintf(" and %d more", len(names)-shown)
		names = names[:shown]
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", cut(n, 64))
	}
	return export.Warnings{Messages: []string{ignoredParameters + strings.Join(quoted, ", ") + more + "."}}
}
