package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// keptRates is how many times its rate a file that was built beforehand is used
// and kept, unless its successor is there before.
const keptRates = 2

// Pregenerate submits the exports that datasets want built beforehand: without
// parameters, with the default columns, for nobody in particular. It may run in
// many places at once.
type Pregenerate struct {
	Store   job.Store
	Catalog *dataset.Catalog
	Wakes   Wakes
	Config  config.Config
	Logger  *slog.Logger // nil: the default one
}

// PregenerateInput is the event. A schedule's own event has no such members: it
// means every dataset that is due.
type PregenerateInput struct {
	// Dataset names the one to be built now, whether it is due or not.
	Dataset string `json:"dataset"`
}

// PregenerateReport counts what one run did.
type PregenerateReport struct {
	Submitted int // jobs that were made
	Active    int // due, but an earlier job or another run's is on its way
}

// Do runs once. One dataset's failure does not stop the others. A named dataset
// that is not there is fault.NotFound, one without pregenerate fault.Invalid.
func (u *Pregenerate) Do(ctx context.Context, in PregenerateInput) (PregenerateReport, error) {
	sets := u.Catalog.List()
	if in.Dataset != "" {
		set, err := u.Catalog.Get(in.Dataset)
		if err != nil {
			return PregenerateReport{}, err
		}
		if set.Info().Pregenerate <= 0 {
			return PregenerateReport{}, fault.New(fault.Invalid, fmt.Sprintf("The dataset %q has no pregenerate.", in.Dataset))
		}
		sets = []dataset.Dataset{set}
	}
	var rep PregenerateReport
	var faults []error
	for _, set := range sets {
		info := set.Info()
		if info.Pregenerate <= 0 {
			continue
		}
		if err := u.one(ctx, info, in.Dataset != "", &rep); err != nil {
			faults = append(faults, fmt.Errorf("pregenerate %s: %w", info.Name, err))
		}
	}
	return rep, errors.Join(faults...)
}

// one submits a dataset's export if it is due, or wanted now. The job before it is
// part of its idempotency key: of many runs that saw the same one, one submits.
// While a job is on its way, however long it takes, no other is made beside it.
func (u *Pregenerate) one(ctx context.Context, info dataset.Info, now bool, rep *PregenerateReport) error {
	row, err := u.row(info)
	if err != nil {
		return err
	}
	before, err := u.Store.Newest(ctx, row.Requester, row.FilterHash)
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil:
		return fmt.Errorf("read the newest job: %w", err)
	case !now:
		clock, err := u.Store.Now(ctx)
		if err != nil {
			return fmt.Errorf("read clock: %w", err)
		}
		if clock-before.CreatedAt < info.Pregenerate.Milliseconds() {
			return nil
		}
	}
	if before.ID != "" && !before.Status.Finished() {
		rep.Active++
		return nil
	}
	got, err := u.submitAfter(ctx, row, before.ID)
	if err == nil && !got.Created && got.Job.Status.Finished() && got.Job.FilterHash != row.FilterHash {
		// The job of the dataset's text before was on its way and took this key, too.
		got, err = u.submitAfter(ctx, row, got.Job.ID)
	}
	if err != nil {
		return fmt.Errorf("submit job: %w", err)
	}
	if !got.Created {
		rep.Active++
		return nil
	}
	rep.Submitted++
	log := logger(u.Logger)
	log.InfoContext(ctx, "export is built beforehand", "jobId", got.Job.ID, "dataset", info.Name)
	u.Wakes.announce(ctx, log, got.Job, 0)
	return nil
}

func (u *Pregenerate) submitAfter(ctx context.Context, row job.New, before string) (job.Submitted, error) {
	row.IdempotencyKey = idempotencyHash(row.Requester, row.FilterHash+" after "+before)
	return u.Store.Submit(ctx, row, job.SubmitLimits{Window: u.Config.IdempotencyWindow})
}

// row is that of a user's submit without wishes, but for the requester.
func (u *Pregenerate) row(info dataset.Info) (job.New, error) {
	s, err := parseSubmission([]byte(`{}`), info)
	if err != nil {
		return job.New{}, fmt.Errorf("default export: %w", err)
	}
	s.fileName = info.Name
	s.options.PregenerateMillis = info.Pregenerate.Milliseconds()
	return s.row(u.Config, info, job.Pregenerator, Caller{}.scope(info))
}

// keptFor is how long the file of a finished job of the pregenerator is kept,
// counted from its completion; ttl is that of users' files.
func keptFor(p job.Pregenerated, ttl, linkTTL time.Duration) time.Duration {
	var options submissionOptions
	if p.Succeeded || readStored(p.OptionsJSON, &options) != nil {
		return ttl
	}
	rate := time.Duration(options.PregenerateMillis) * time.Millisecond
	return max(ttl, keptRates*rate+linkTTL)
}
