package app

import (
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
)

// StatusReply is the status body. Its times are RFC 3339 in UTC with
// milliseconds; startedAt and completedAt are null before their time.
type StatusReply struct {
	JobID         string     `json:"jobId"`
	Status        job.Status `json:"status"`
	ProcessedRows int64      `json:"processedRows"`
	TotalRows     int64      `json:"totalRows"` // 0 while unknown
	CreatedAt     *string    `json:"createdAt"`
	StartedAt     *string    `json:"startedAt"`
	CompletedAt   *string    `json:"completedAt"`

	Warnings       []string `json:"warnings,omitempty"`
	TruncatedCells int64    `json:"truncatedCells,omitempty"`

	// PENDING
	QueuePosition *int `json:"queuePosition,omitempty"`
	// PENDING and RUNNING
	EstimatedSeconds *int64 `json:"estimatedSeconds,omitempty"`
	// RUNNING
	Progress      *int   `json:"progress,omitempty"` // per cent
	RowsPerSecond *int64 `json:"rowsPerSecond,omitempty"`
	Phase         string `json:"phase,omitempty"` // working, chunks, packing, cancelling

	// DONE
	Bytes     *int64  `json:"bytes,omitempty"`
	FileName  string  `json:"fileName,omitempty"` // left out once the file is swept
	ExpiresAt *string `json:"expiresAt,omitempty"`
	AsOf      *string `json:"asOf,omitempty"`
	AsOfEnd   *string `json:"asOfEnd,omitempty"`

	// FAIL
	ErrorMsg string `json:"errorMsg,omitempty"`

	// RetryAfter is the advised wait before the next poll; zero for none.
	RetryAfter time.Duration `json:"-"`
}

// statusReply fills what the row alone tells.
func statusReply(j job.Job, cfg config.Config) StatusReply {
	warnings := export.ParseWarnings(j.WarningsJSON)
	r := StatusReply{
		JobID:          j.ID,
		Status:         j.Status,
		ProcessedRows:  j.ProcessedRows,
		TotalRows:      j.TotalRows,
		CreatedAt:      timestamp(j.CreatedAt),
		StartedAt:      timestamp(j.StartedAt),
		CompletedAt:    timestamp(j.CompletedAt),
		Warnings:       warnings.Messages,
		TruncatedCells: warnings.TruncatedCells,
	}
	switch j.Status {
	case job.Done:
		r.Bytes = &j.FileBytes
		if j.FilePath != "" {
			r.FileName = downloadName(j, cfg)
		}
		r.ExpiresAt = timestamp(expiry(j, cfg))
		r.AsOf = timestamp(j.AsOf)
		r.AsOfEnd = timestamp(j.AsOfEnd)
	case job.Fail:
		r.ErrorMsg = cut(j.ErrorMsg, job.MaxErrorRunes)
	}
	return r
}

// timestamp formats epoch milliseconds; nil for 0, which stands for NULL.
func timestamp(ms int64) *string {
	if ms == 0 {
		return nil
	}
	s := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}

// expiry is when a DONE job's file stops being served, in epoch milliseconds.
func expiry(j job.Job, cfg config.Config) int64 { return j.CompletedAt + cfg.JobTTL.Milliseconds() }

// downloadName is the file's name: the asked one and the moment of completion in
// the report zone, so that it is the same at every download.
func downloadName(j job.Job, cfg config.Config) string {
	return export.FileName(j.FileName, time.UnixMilli(j.CompletedAt), cfg.ReportZone, export.Extension(j.FilePath))
}
