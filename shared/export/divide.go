package export

import (
	"context"
	"fmt"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/job"
)

// Divisible reports whether the request's dataset can be read in pieces.
func Divisible(r Request) bool {
	_, ranged := r.Dataset.(dataset.Ranged)
	return ranged && r.Dataset.Info().Keyed
}

// Split is the checkpoint of a job that is to be split. rows is how many one
// worker has proven to get done in its time, or 0 where nothing is known: the
// chunks are made small enough, so that as many of them make a part as fit.
func (e *Exporter) Split(r Request, p Plan, rows int64) Checkpoint {
	c := Checkpoint{ChunkRows: e.set.ChunkSize, Zip: r.Packaging == Zip || r.Packaging == Auto && p.Large}
	if rows > 0 && rows < c.ChunkRows {
		pieces := (e.set.ChunkSize + rows - 1) / rows
		c.ChunkRows = e.set.ChunkSize / pieces
	}
	return c
}

// Divide finds the chunks of a job and hands each on as it is found, in key
// order. stored are those that an earlier worker found: it goes on behind them.
// add answers the chunk as it is stored, which is the one that counts. The
// answer is c with what the chunks' workers need, and the moment of planning.
func (e *Exporter) Divide(ctx context.Context, r Request, c Checkpoint, stored []job.Chunk, add func(no int, from, to string) (job.Chunk, error)) (_ Checkpoint, asOf int64, err error) {
	defer e.guard(r, &err)
	planner, err := r.Dataset.(dataset.Ranged).OpenPlanner(ctx, e.query(r))
	if err != nil {
		return c, 0, fmt.Errorf("open planner: %w", err)
	}
	defer func() {
		if closeErr := planner.Close(); closeErr != nil && err == nil {
			e.set.Logger.WarnContext(ctx, "the source was not left cleanly", "jobId", r.JobID, "error", closeErr)
		}
	}()
	if c.Planned() {
		if err := c.fits(r, planner.Fields()); err != nil {
			return c, 0, err
		}
	}
	info := r.Dataset.Info()
	c.Digest, c.Fields = info.Digest, planner.Fields()
	no, after := len(stored), ""
	if no > 0 {
		after = stored[no-1].KeyTo
	}
	for no == 0 || after != "" {
		to, last, err := planner.Next(after, c.ChunkRows)
		if err != nil {
			return c, 0, fmt.Errorf("plan chunk: %w", err)
		}
		if last {
			to = ""
		}
		no++
		if !last && info.MaxRows > 0 && int64(no)*c.ChunkRows >= info.MaxRows {
			return c, 0, tooManyRows(info.Name, info.MaxRows)
		}
		chunk, err := add(no, after, to)
		if err != nil {
			return c, 0, err
		}
		after = chunk.KeyTo
	}
	return c, planner.AsOf(), nil
}
