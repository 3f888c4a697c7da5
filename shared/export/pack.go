package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// readAhead is how many segments wait to be joined: the storage is read and
// written at the same time.
const readAhead = 4

// Pack joins the finished chunks, which come by number, to the job's file. asOf is
// the moment of planning. An error leaves no object.
func (e *Exporter) Pack(ctx context.Context, r Request, c Checkpoint, asOf int64, chunks []job.Chunk) (res Result, err error) {
	defer e.guard(r, &err)
	if err := c.fits(r, c.Fields); err != nil {
		return Result{}, err
	}
	if !complete(chunks) {
		return Result{}, fault.New(fault.Internal, "The export's parts do not fit together. Submit the export again.")
	}
	p := &packing{Exporter: e, request: r, checkpoint: c}
	for _, chunk := range chunks {
		p.rows += chunk.RowCount
	}
	if info := r.Dataset.Info(); info.MaxRows > 0 && p.rows > info.MaxRows {
		return Result{}, tooManyRows(info.Name, info.MaxRows)
	}
	if p.encoder, _, err = e.encoder(r, c, &p.warnings); err != nil {
		return Result{}, err
	}
	parts := p.parts(chunks)
	if c.Zip && (r.Packaging == Zip || len(parts) > 1) {
		res, err = p.writeArchive(ctx, parts)
	} else {
		res, err = p.writeBook(ctx, slices.Concat(parts...))
	}
	if err != nil {
		return Result{}, err
	}
	res.Rows = p.rows
	res.Warnings = p.warnings
	res.AsOf, res.AsOfEnd = snapshots(asOf, chunks)
	return res, nil
}

// complete reports whether the chunks cover the whole order without a gap.
func complete(chunks []job.Chunk) bool {
	after := ""
	for i, c := range chunks {
		if c.No != i+1 || c.KeyFrom != after || c.Status != job.Done || (c.KeyTo == "") != (i == len(chunks)-1) {
			return false
		}
		after = c.KeyTo
	}
	return len(chunks) > 0
}

// snapshots are the moments that a file shows: one chunk was read in one snapshot.
func snapshots(asOf int64, chunks []job.Chunk) (from, to int64) {
	if len(chunks) == 1 {
		return chunks[0].AsOf, 0
	}
	for _, chunk := range chunks {
		to = max(to, chunk.AsOf)
	}
	return asOf, to
}

// packing is one file while it is joined.
type packing struct {
	*Exporter
	request    Request
	checkpoint Checkpoint
	encoder    *xlsx.Encoder
	rows       int64
	warnings   Warnings
}

// parts are the chunks of each part that has rows.
func (p *packing) parts(chunks []job.Chunk) [][]job.Chunk {
	var parts [][]job.Chunk
	for part := range slices.Chunk(chunks, p.chunksOfPart(p.checkpoint)) {
		part = slices.DeleteFunc(slices.Clone(part), func(c job.Chunk) bool { return c.RowCount == 0 })
		if len(part) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// writeArchive delivers each part as a workbook in a zip; without rows it has one
// part with the header.
func (p *packing) writeArchive(ctx context.Context, parts [][]job.Chunk) (Result, error) {
	archive, err := p.createFile(ctx, p.request, "zip")
	if err != nil {
		return Result{}, err
	}
	defer p.giveUp(ctx, p.request.JobID, archive)
	zw := newArchive(archive)
	for n := 0; n < max(1, len(parts)); n++ {
		entry, err := p.part(zw, p.request, n+1)
		if err != nil {
			return Result{}, err
		}
		var chunks []job.Chunk
		if n < len(parts) {
			chunks = parts[n]
		}
		if err := p.join(ctx, entry, chunks); err != nil {
			return Result{}, err
		}
	}
	if err := zw.Close(); err != nil {
		return Result{}, fmt.Errorf("finish archive: %w", err)
	}
	return archive.finish(ctx)
}

// writeBook delivers all chunks as one workbook.
func (p *packing) writeBook(ctx context.Context, chunks []job.Chunk) (Result, error) {
	obj, err := p.createFile(ctx, p.request, "xlsx")
	if err != nil {
		return Result{}, err
	}
	defer p.giveUp(ctx, p.request.JobID, obj)
	if err := p.join(ctx, obj, chunks); err != nil {
		return Result{}, err
	}
	return obj.finish(ctx)
}

// join writes a workbook of chunks.
func (p *packing) join(ctx context.Context, w io.Writer, chunks []job.Chunk) error {
	book, err := xlsx.NewAssembler(w, p.encoder)
	if err != nil {
		return startFault(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	segments := make(chan *xlsx.Segment, readAhead)
	var reading sync.WaitGroup
	var readErr error
	reading.Go(func() {
		defer close(segments)
		readErr = p.readChunks(ctx, chunks, segments)
	})
	for s := range segments {
		if err := book.Add(s); err != nil {
			cancel(err)
			reading.Wait()
			return fmt.Errorf("join a segment: %w", err)
		}
	}
	reading.Wait()
	if readErr != nil {
		return readErr
	}
	if err := book.Close(); err != nil {
		return fmt.Errorf("finish workbook: %w", err)
	}
	p.warnings.TruncatedCells += book.Truncated()
	return nil
}

// readChunks hands on the segments of all chunks in order.
func (p *packing) readChunks(ctx context.Context, chunks []job.Chunk, segments chan<- *xlsx.Segment) (err error) {
	defer p.guard(p.request, &err)
	for _, chunk := range chunks {
		if err := p.readChunk(ctx, chunk, segments); err != nil {
			return fmt.Errorf("read chunk %d: %w", chunk.No, err)
		}
	}
	return nil
}

// errIncomplete is the cause of a chunk whose object is not what its row says.
var errIncomplete = errors.New("the stored chunk is not what was written")

func (p *packing) readChunk(ctx context.Context, chunk job.Chunk, segments chan<- *xlsx.Segment) error {
	object, err := p.set.Bucket.NewReader(ctx, chunk.FilePath)
	if fault.Is(err, fault.NotFound) {
		return fault.Wrap(fault.Unprocessable, err, "A part of the export was removed before it could be used. Submit the export again.")
	}
	if err != nil {
		return err
	}
	defer func() { _ = object.Close() }() // everything is read, or the work has failed
	in := &summed{r: bufio.NewReaderSize(object, 1<<20), sum: crc32.NewIEEE()}
	rows := int64(0)
	for {
		s, err := xlsx.ReadSegment(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			// Cut off by the storage as well as in it: another try may read all.
			return fault.Wrap(fault.Unavailable, err, "A part of the export could not be read back from the storage.")
		}
		rows += int64(s.Rows())
		select {
		case segments <- s:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if rows != chunk.RowCount || in.bytes != chunk.Bytes || in.sum.Sum32() != chunk.CRC32 {
		return fault.Wrap(fault.Unprocessable, errIncomplete, "A part of the export was damaged in the storage. Submit the export again.")
	}
	return nil
}

// summed is a reader that takes the checksum of what it gives.
type summed struct {
	r     io.Reader
	sum   hash.Hash32
	bytes int64
}

func (s *summed) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	_, _ = s.sum.Write(b[:n]) // a hash takes everything
	s.bytes += int64(n)
	return n, err
}
