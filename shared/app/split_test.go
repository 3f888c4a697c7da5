package app_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// splitSetup is a bench on which exports of 1,000 rows are split into chunks of as
// many.
func splitSetup(t *testing.T, rows int64, settings ...string) *bench {
	t.Helper()
	b := setup(t, append([]string{"HAEXCEL_ZIP_THRESHOLD=1000", "HAEXCEL_CHUNK_SIZE=1000"}, settings...)...)
	b.orders.rows = rows
	b.cfg.RetryBackoff = time.Millisecond
	return b
}

// submitLarge submits to the large queue.
func (b *bench) submitLarge(t *testing.T, more string) (id string) {
	t.Helper()
	return b.submit(t, `{"totalCnt":1000`+more+`}`).JobID
}

// chunks lists the chunk rows of a job.
func (b *bench) chunks(t *testing.T, id string) []job.Chunk {
	t.Helper()
	list, err := b.store.Chunks(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// drain takes every wake that is visible.
func (b *bench) drain(t *testing.T) (n int) {
	t.Helper()
	for {
		got, err := b.large.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got {
			if err := b.large.Delete(t.Context(), m.Receipt); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) == 0 {
			return n
		}
		n += len(got)
	}
}

// books opens the workbooks of a finished job's file, with their names.
func (b *bench) books(t *testing.T, j job.Job) (names []string, books []*xlsxtest.Book) {
	t.Helper()
	data := b.content(t, j)
	if strings.HasSuffix(j.FilePath, ".xlsx") {
		return []string{""}, []*xlsxtest.Book{xlsxtest.Open(t, data)}
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
		books = append(books, xlsxtest.Open(t, content))
	}
	return names, books
}

// wantRows demands that the file holds the orders 1…n in order, and that nothing
// else is left of the job.
func (b *bench) wantRows(t *testing.T, id string, n int64) (names []string) {
	t.Helper()
	j := b.get(t, id)
	if j.Status != job.Done || j.ProcessedRows != n || j.TotalRows != n {
		t.Fatalf("row %+v", j)
	}
	names, books := b.books(t, j)
	next := int64(1)
	for _, book := range books {
		for _, row := range book.Sheet(0).Rows()[1:] {
			if row[0].Raw != fmt.Sprint(next) {
				t.Fatalf("%s where order %d comes", row[0].Raw, next)
			}
			next++
		}
	}
	if next != n+1 {
		t.Errorf("%d orders, want %d", next-1, n)
	}
	if left := b.chunks(t, id); len(left) != 0 {
		t.Errorf("chunk rows are left: %+v", left)
	}
	if keys := b.objects(t); len(keys) != 1 || keys[0] != j.FilePath {
		t.Errorf("objects %v, want the file alone", keys)
	}
	return names
}

func TestLargeJobIsSplit(t *testing.T) {
	for _, c := range []struct {
		name, body string
		rows       int64
		parts      string
	}{
		{"parts", `,"fileName":"주문"`, 4500, "[주문_part1.xlsx 주문_part2.xlsx 주문_part3.xlsx 주문_part4.xlsx 주문_part5.xlsx]"},
		{"whole chunks", `,"packaging":"zip"`, 2000, "[export_part1.xlsx export_part2.xlsx]"},
		{"a workbook", `,"packaging":"workbook"`, 2500, "[]"},
		{"a single part", ``, 1000, "[]"},
		{"a single part in a zip", `,"packaging":"zip"`, 1000, "[export_part1.xlsx]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := splitSetup(t, c.rows)
			id := b.submitLarge(t, c.body)
			do(t, b.work(), receive(t, b.large), app.Consumed)
			names := b.wantRows(t, id, c.rows)
			if got := fmt.Sprint(names); strings.Trim(got, "[] ") != strings.Trim(c.parts, "[]") {
				t.Errorf("parts %s, want %s", got, c.parts)
			}
			j := b.get(t, id)
			if j.Attempt != 2 || j.Failures != 0 || j.Hops != 0 || j.CompletedAt == 0 {
				t.Errorf("row %+v", j)
			}
			chunks := (c.rows + 999) / 1000
			if several := chunks > 1; (j.AsOfEnd != 0) != several || several && j.AsOf != 1_788_000_000_000 || !several && j.AsOf == 1_788_000_000_000 {
				t.Errorf("%d chunks: as of %d to %d", chunks, j.AsOf, j.AsOfEnd)
			}
			// One wake for each other chunk; they find nothing to do.
			for range chunks - 1 {
				do(t, b.work(), receive(t, b.large), app.Consumed)
			}
			empty(t, b.large)
		})
	}
}

// A dataset whose rows can't be counted beforehand is divided none the less.
func TestSplitWithoutACount(t *testing.T) {
	b := splitSetup(t, 2500)
	b.orders.count = func(context.Context, dataset.Query) error { return context.DeadlineExceeded }
	work := b.work()
	work.Exporter = b.exporter(1) // one nanosecond to count in
	id := b.submitLarge(t, "")
	do(t, work, receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 2500)
}

func TestSplitOverMaxRows(t *testing.T) {
	b := splitSetup(t, 4500)
	b.orders.info = func(i *dataset.Info) { i.MaxRows = 3000 }
	b.orders.count = func(context.Context, dataset.Query) error { return context.DeadlineExceeded }
	work := b.work()
	work.Exporter = b.exporter(1)
	id := b.submitLarge(t, "")
	do(t, work, receive(t, b.large), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "3000 rows") {
		t.Errorf("row %+v", j)
	}
}

// Workers that are woken at once share the chunks; one of them packs.
func TestManyWorkersShareAJob(t *testing.T) {
	b := splitSetup(t, 12_000)
	id := b.submitLarge(t, `,"packaging":"workbook"`)
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for b.get(t, id).Status != job.Done {
				got, err := b.large.Receive(t.Context(), 1, 100*time.Millisecond)
				if err != nil {
					t.Error(err)
					return
				}
				for _, m := range got {
					out, err := b.work().Do(t.Context(), mustWake(t, m.Body))
					if err != nil || out.Verdict != app.Consumed {
						t.Errorf("outcome %+v, %v", out, err)
					}
					_ = b.large.Delete(t.Context(), m.Receipt)
				}
			}
		})
	}
	working.Wait()
	b.wantRows(t, id, 12_000)
	if n := b.orders.opened.Load(); n != 12 {
		t.Errorf("%d readings of 12 chunks", n)
	}
}

// stopping is a table whose worker is told to stop once its plan, or a chunk, is
// stored.
type stopping struct {
	job.Store
	stop func()
}

func (s stopping) PlanDone(ctx context.Context, f job.Fence, p job.Planned) (job.Job, error) {
	defer s.stop()
	return s.Store.PlanDone(ctx, f, p)
}

func (s stopping) FinishChunk(ctx context.Context, f job.ChunkFence, d job.ChunkDone) error {
	defer s.stop()
	return s.Store.FinishChunk(ctx, f, d)
}

// plan leads a job to CHUNKS and no further.
func (b *bench) plan(t *testing.T, more string) (id string) {
	t.Helper()
	id = b.submitLarge(t, more)
	ctx, stop := context.WithCancel(t.Context())
	u := b.work()
	u.Store = stopping{b.store, stop}
	doIn(ctx, t, u, receive(t, b.large), app.Consumed)
	if j := b.get(t, id); j.Phase != job.PhaseChunks || j.Token != "" || j.LeaseUntil != 0 || b.orders.opened.Load() != 0 {
		t.Fatalf("row %+v", j)
	}
	return id
}

func (b *bench) setChunk(t *testing.T, id string, no int, assignment string) {
	t.Helper()
	if _, err := b.store.DB().ExecContext(t.Context(), "UPDATE ha_excel_chunk SET "+assignment+" WHERE job_id = ? AND chunk_no = ?", id, no); err != nil {
		t.Fatal(err)
	}
}

// doChunk has one chunk done and no more.
func (b *bench) doChunk(t *testing.T, id string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	u := b.work()
	u.Store = stopping{b.store, stop}
	doIn(ctx, t, u, wakeOf(b.get(t, id)), app.Consumed)
}

// A process whose wakes lived in its memory finds its split jobs again.
func TestStartWakesSplitJobs(t *testing.T) {
	b := splitSetup(t, 2000)
	id := b.plan(t, "")
	b.drain(t)
	if n, err := b.recoverer().Start(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 2000)
}

// As many workers are woken as have chunks to do, whoever finds a split job waiting.
func TestStartWakesEnoughWorkers(t *testing.T) {
	b := splitSetup(t, 12_000)
	b.plan(t, "")
	if n := b.drain(t); n < 7 { // besides the planner itself
		t.Errorf("%d wakes after the plan", n)
	}
	if _, err := b.recoverer().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.drain(t); n != 8 {
		t.Errorf("%d wakes after a start", n)
	}
}
