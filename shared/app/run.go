package app

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// run is one claimed job while it is worked on: written in one go, planned, or
// packed.
type run struct {
	*Work
	job    job.Job
	log    *slog.Logger
	parent context.Context // the worker's own context
	heart  *heart

	request    export.Request
	filterHash string         // of what is written
	plan       export.Plan    // zero until it is made
	found      int            // chunks that this planner has stored
	planned    *job.Planned   // its chunks are found; nothing was written
	result     *export.Result // its file is written
	split      bool           // the row is in CHUNKS
}

// errBelongsToLarge asks settle to move the job to the large queue.
var errBelongsToLarge = fault.New(fault.Conflict, "The export belongs to the large queue.")

// do leads to a result or to a plan. A panic is an error like any other.
func (r *run) do() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(r.parent, "export panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "An unexpected error occurred.")
		}
	}()
	if r.request, err = r.Work.request(r.job); err != nil {
		return err
	}
	if r.filterHash, err = writtenHash(r.Config, r.job, r.request); err != nil {
		return fmt.Errorf("hash export: %w", err)
	}
	checkpoint, resumed := export.ParseCheckpoint(r.job.CheckpointJSON)
	resumed = resumed && export.Divisible(r.request)
	switch {
	case r.job.Phase == job.PhasePacking:
		return r.pack(checkpoint)
	case resumed:
		return r.divide(checkpoint)
	}
	if r.plan, err = r.Exporter.Plan(r.heart.ctx, r.request); err != nil {
		return err
	}
	if r.plan.Large && r.job.Queue != job.Large {
		return errBelongsToLarge
	}
	if r.plan.Known {
		r.heart.total.Store(r.plan.Count)
	}
	if r.plan.Large && export.Divisible(r.request) {
		return r.divide(r.Exporter.Split(r.request, r.plan, 0))
	}
	result, err := r.Exporter.Write(r.heart.ctx, r.request, r.plan, r.heart.rows.Store)
	r.result = &result
	return err
}

// divide plans the chunks, from where an earlier planner has come to.
func (r *run) divide(c export.Checkpoint) error {
	r.split = true
	if r.plan.Known { // chunk rows tell how far the job is, but not of how much
		progress := job.Progress{ProcessedRows: -1, TotalRows: r.plan.Count}
		if _, err := insist(r.heart.ctx, func() error {
			_, err := r.Store.Beat(r.heart.ctx, r.job.Fence(), progress, r.Config.Lease)
			return err
		}); err != nil {
			return fmt.Errorf("store the count: %w", err)
		}
	}
	chunks, err := r.chunks()
	if err != nil {
		return err
	}
	asOf := r.job.AsOf
	if !c.Planned() || len(chunks) == 0 {
		c, asOf, err = r.Exporter.Divide(r.heart.ctx, r.request, c, chunks, func(no int, from, to string) (job.Chunk, error) {
			planned := job.Chunk{JobID: r.job.ID, No: no, KeyFrom: from, KeyTo: to}
			var stored job.Chunk
			_, err := insist(r.heart.ctx, func() (err error) {
				stored, err = r.Store.AddChunk(r.heart.ctx, r.job.Fence(), planned)
				return err
			})
			if err == nil {
				r.found++
			}
			return stored, err
		})
		if err != nil {
			return err
		}
	}
	r.planned = &job.Planned{AsOf: asOf, CheckpointJSON: c.JSON()}
	return nil
}

// chunks reads the chunk rows. A table that is away for a while costs no attempt:
// the heart knows when it is too long.
func (r *run) chunks() (chunks []job.Chunk, err error) {
	_, err = insist(r.heart.ctx, func() (err error) {
		chunks, err = r.Store.Chunks(r.heart.ctx, r.job.ID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	return chunks, nil
}

// pack joins the chunks.
func (r *run) pack(c export.Checkpoint) error {
	if !c.Planned() {
		return wasChanged(r.job)
	}
	chunks, err := r.chunks()
	if err != nil {
		return err
	}
	result, err := r.Exporter.Pack(r.heart.ctx, r.request, c, r.job.AsOf, chunks)
	r.result = &result
	return err
}

// wasChanged is the fault of a split job that cannot be gone on with.
func wasChanged(j job.Job) error {
	return fault.New(fault.Unprocessable, fmt.Sprintf("Dataset %q was changed while the export ran. Submit the export again.", j.Dataset))
}
