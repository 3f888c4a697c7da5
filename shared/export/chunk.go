package export

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// WriteChunk reads the rows of a claimed chunk and stores them as segments.
// progress is called from the row loop with the rows so far, every 1,000 rows and
// at the end. An error leaves no object.
func (e *Exporter) WriteChunk(ctx context.Context, r Request, c Checkpoint, chunk job.Chunk, progress func(rows int64)) (done job.ChunkDone, err error) {
	defer e.guard(r, &err)
	q := e.query(r)
	q.After, q.UpTo = chunk.KeyFrom, chunk.KeyTo
	rows, err := r.Dataset.Open(ctx, q)
	if err != nil {
		return done, fmt.Errorf("open rows: %w", err)
	}
	defer func() {
		if closeErr := rows.Close(); closeErr != nil && err == nil {
			e.set.Logger.WarnContext(ctx, "the source was not left cleanly", "jobId", r.JobID, "chunk", chunk.No, "error", closeErr)
		}
	}()
	if err := c.fits(r, rows.Fields()); err != nil {
		return done, err
	}
	encoder, binding, err := e.encoder(r, c, &Warnings{}) // the packer's say
	if err != nil {
		return done, err
	}
	obj, err := e.create(ctx, ChunkKey(chunk.JobID, chunk.No, chunk.Attempt), "")
	if err != nil {
		return done, err
	}
	defer e.giveUp(ctx, chunk.JobID, obj)
	sum := crc32.NewIEEE()
	w := xlsx.NewSegmentWriter(io.MultiWriter(obj, sum), encoder, e.placeOf(c, chunk.No, encoder))
	defer w.Abort() // waits for its background writes before obj goes away
	for rows.Next() {
		if err := w.Write(binding.values(rows.Values())); err != nil {
			return done, fmt.Errorf("write row: %w", err)
		}
		if w.Rows()%progressRows == 0 {
			if err := ctx.Err(); err != nil {
				return done, err
			}
			progress(w.Rows())
		}
	}
	if err := rows.Err(); err != nil {
		return done, fmt.Errorf("read rows: %w", err)
	}
	if err := w.Close(); err != nil {
		return done, fmt.Errorf("finish chunk: %w", err)
	}
	progress(w.Rows())
	stored, err := obj.finish(ctx)
	if err != nil {
		return done, err
	}
	return job.ChunkDone{
		FilePath: stored.Key, Rows: w.Rows(), Bytes: stored.Bytes, CRC32: sum.Sum32(), AsOf: rows.AsOf(),
	}, nil
}

// encoder is that of all workers of a split job.
func (e *Exporter) encoder(r Request, c Checkpoint, warn *Warnings) (*xlsx.Encoder, *binding, error) {
	b := bind(r.columns(), c.Fields, e.set.Zone, warn)
	encoder, err := xlsx.NewEncoder(e.sheet(r, b), e.options())
	if err != nil {
		return nil, nil, startFault(err)
	}
	return encoder, b, nil
}

// placeOf is the number that a chunk's first row has in its sheet, when every
// chunk holds what was planned.
func (e *Exporter) placeOf(c Checkpoint, no int, encoder *xlsx.Encoder) int {
	before := int64(no - 1)
	if c.Zip {
		before %= int64(e.chunksOfPart(c))
	}
	sheet := int64(xlsx.MaxRows - encoder.FirstRow() + 1)
	return encoder.FirstRow() + int(before*c.ChunkRows%sheet)
}
