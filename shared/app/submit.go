package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
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

// Do accepts the export, or answers with the job that already stands for it, or
// with a new one that is DONE, where the dataset lets a finished file be reused.
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
	row, err := s.row(u.Config, info, c.requester(), c.scope(info))
	if err != nil {
		return SubmitReply{}, err
	}
	row.RequestID = in.RequestID
	if in.IdempotencyKey != nil {
		row.IdempotencyKey = idempotencyHash(row.Requester, *in.IdempotencyKey)
	}
	row.Reuse = s.reuse(u.Config, info)
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
	log.InfoContext(ctx, "export submitted", "jobId", got.Job.ID, "dataset", info.Name, "created", got.Created,
		"queue", string(got.Job.Queue), "reusedFrom", got.Job.ReusedFrom)
	if got.Created && got.Job.Status == job.Pending {
		u.Wakes.announce(ctx, log, got.Job, 0)
	}
	return SubmitReply{JobID: got.Job.ID, Status: got.Job.Status}, nil
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
