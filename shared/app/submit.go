package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// How long a client should wait when a limit is reached.
const (
	retryAfterActive  = 5 * time.Second
	retryAfterPending = 30 * time.Second
)

// maxIdempotencyKey bounds Idempotency-Key.
const maxIdempotencyKey = 255

// Submit accepts exports.
type Submit struct {
	Store   job.Store
	Catalog *dataset.Catalog
	Wakes   Wakes
	Config  config.Config
	Logger  *slog.Logger // nil: the default one
}

// SubmitInput is one request.
type SubmitInput struct {
	Dataset        string
	ContentType    string
	Body           []byte  // one byte more than the limit is enough of a larger one
	IdempotencyKey *string // nil when the client sent none
	RequestID      string
}

// SubmitReply is the body of the answer.
type SubmitReply struct {
	JobID  string     `json:"jobId"`
	Status job.Status `json:"status"`
}

// Do accepts the export, or answers with the job that already stands for it.
// Faults come in this order: NotFound (dataset), Forbidden, UnsupportedMedia,
// TooLarge, Invalid, then those of job.Store.Submit. A wake that cannot be sent
// is no fault, since recovery sends it again.
func (u *Submit) Do(ctx context.Context, c Caller, in SubmitInput) (SubmitReply, error) {
	set, err := u.Catalog.Get(in.Dataset)
	if err != nil {
		return SubmitReply{}, err
	}
	info := set.Info()
	if err := c.mayExport(info); err != nil {
		return SubmitReply{}, err
	}
	if err := checkMediaType(in.ContentType); err != nil {
		return SubmitReply{}, err
	}
	if int64(len(in.Body)) > u.Config.MaxBody {
		return SubmitReply{}, fault.New(fault.TooLarge, fmt.Sprintf("The body is larger than %d bytes.", u.Config.MaxBody))
	}
	s, err := parseSubmission(in.Body, info)
	if err = withIdempotencyKey(err, in.IdempotencyKey); err != nil {
		return SubmitReply{}, err
	}
	row, err := u.row(c, info, s, in)
	if err != nil {
		return SubmitReply{}, err
	}
	got, err := u.Store.Submit(ctx, row, job.SubmitLimits{
		Window:            u.Config.IdempotencyWindow,
		MaxActive:         u.Config.MaxActivePerRequester,
		MaxPending:        u.Config.MaxPending,
		RetryAfterActive:  retryAfterActive,
		RetryAfterPending: retryAfterPending,
	})
	if err != nil {
		return SubmitReply{}, fmt.Errorf("submit job: %w", err)
	}

	log := logger(u.Logger).With("requestId", in.RequestID)
	log.InfoContext(ctx, "export submitted", "jobId", got.Job.ID, "dataset", info.Name, "created", got.Created, "queue", string(got.Job.Queue))
	if got.Created {
		u.Wakes.announce(ctx, log, got.Job, 0)
	}
	return SubmitReply{JobID: got.Job.ID, Status: got.Job.Status}, nil
}

// row is what goes into the table.
func (u *Submit) row(c Caller, info dataset.Info, s submission, in SubmitInput) (job.New, error) {
	scope := c.scope(info)
	filter, exportHash, err := s.hashes(info, scope, c.requester())
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
		Requester:    c.requester(),
		ParamsJSON:   s.params.JSON(),
		ColumnsJSON:  columns,
		Queue:        job.Normal,
		TotalRows:    s.totalCnt,
		FilterHash:   filter,
		ExportHash:   exportHash,
		RequestID:    in.RequestID,
		ScopeJSON:    string(scopeText),
		OptionsJSON:  string(options),
		WarningsJSON: ignoredWarnings(s.ignored).JSON(),
	}
	if s.totalCnt >= u.Config.ZipThreshold {
		n.Queue = job.Large
	}
	if in.IdempotencyKey != nil {
		n.IdempotencyKey = idempotencyHash(c.requester(), *in.IdempotencyKey)
	}
	return n, nil
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
	return export.Warnings{Messages: []string{
		"Parameters that the dataset does not have were ignored: " + strings.Join(quoted, ", ") + more + ".",
	}}
}

// withIdempotencyKey adds a faulty key to the faults of the body.
func withIdempotencyKey(err error, key *string) error {
	if key == nil || *key != "" && len(*key) <= maxIdempotencyKey && utf8.ValidString(*key) &&
		!strings.ContainsFunc(*key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return err
	}
	fields := map[string]string{}
	if err != nil {
		f, ok := asFault(err)
		if !ok || len(f.Fields) == 0 {
			return err
		}
		fields = f.Fields
	}
	fields["Idempotency-Key"] = fmt.Sprintf("must have 1 to %d printable characters", maxIdempotencyKey)
	return invalidFields(fields)
}

// cut returns at most n characters of s.
func cut(s string, n int) string {
	r := []rune(s)
	return string(r[:min(len(r), n)])
}
