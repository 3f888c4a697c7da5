package export

import (
	"archive/zip"
	"compress/flate"
	"context"
	"fmt"
	"io"
)

// writeParts delivers workbooks of ChunkSize rows in a zip. With solo, a file
// that turns out to have a single part is delivered as that workbook: the first
// part is written to both objects, and whichever is not wanted is given up. So
// nothing is held back in memory and nothing is read back.
func (f *file) writeParts(ctx context.Context, solo bool) (Result, error) {
	archive, err := f.createFile(ctx, f.request, "zip")
	if err != nil {
		return Result{}, err
	}
	defer f.giveUp(ctx, f.request.JobID, archive)
	zw := newArchive(archive)

	for n := 1; n == 1 || f.more; n++ {
		part, err := f.part(zw, f.request, n)
		if err != nil {
			return Result{}, err
		}
		if n > 1 || !solo {
			if err := f.writeSheet(ctx, part, f.set.ChunkSize); err != nil {
				return Result{}, err
			}
			continue
		}
		res, delivered, err := f.firstPart(ctx, part)
		if delivered || err != nil {
			return res, err
		}
	}
	if err := zw.Close(); err != nil {
		return Result{}, fmt.Errorf("finish archive: %w", err)
	}
	return archive.finish(ctx)
}

// firstPart writes the first part to the archive and to a workbook object, which
// is delivered when no row is left.
func (f *file) firstPart(ctx context.Context, part io.Writer) (res Result, delivered bool, err error) {
	single, err := f.createFile(ctx, f.request, "xlsx")
	if err != nil {
		return Result{}, false, err
	}
	defer f.giveUp(ctx, f.request.JobID, single)
	if err := f.writeSheet(ctx, io.MultiWriter(part, single), f.set.ChunkSize); err != nil {
		return Result{}, false, err
	}
	if f.more {
		return Result{}, false, nil
	}
	res, err = single.finish(ctx)
	return res, err == nil, err
}

// newArchive starts a zip of parts. They are deflated already: stored blocks keep
// the entry a deflate stream, which readers that only go forward need beside a
// data descriptor.
func newArchive(w io.Writer) *zip.Writer {
	zw := zip.NewWriter(w)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.NoCompression)
	})
	return zw
}

// flagUTF8 says that an entry's name is UTF-8. archive/zip sets it by itself only
// where a name is not ASCII.
const flagUTF8 = 0x800

// part starts the n-th entry. A file that may be handed to other users, too, is
// not named by the one who asked first.
func (e *Exporter) part(zw *zip.Writer, r Request, n int) (io.Writer, error) {
	base := r.FileName
	if info := r.Dataset.Info(); info.Reuse > 0 || info.Pregenerate > 0 {
		base = info.Name
	}
	w, err := zw.CreateHeader(&zip.FileHeader{
		Name:     PartName(base, n),
		Method:   zip.Deflate,
		Modified: e.set.Now().In(e.set.Zone),
		Flags:    flagUTF8,
	})
	if err != nil {
		return nil, fmt.Errorf("start part %d: %w", n, err)
	}
	return w, nil
}
