package app_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
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
	r, err := b.bucket.NewReader(t.Context(), j.FilePath)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
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

// Only what was not finished is done again after a crash.
func TestLostChunkIsDoneAgain(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	for range 2 { // two workers take a chunk each; the first one dies
		if _, ok, err := b.store.ClaimChunk(t.Context(), id, "dead", time.Minute); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	b.drain(t)
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed) // the third chunk, and no packing
	if j := b.get(t, id); j.Phase != job.PhaseChunks || j.ProcessedRows != 1000 {
		t.Fatalf("row %+v", j)
	}
	b.setChunk(t, id, 1, "lease_until = 1")
	b.setChunk(t, id, 2, "lease_until = 1")
	rep, err := b.recoverer().Do(t.Context())
	if err != nil || rep.Chunks != 1 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 3000)
	if n := b.orders.opened.Load(); n != 3 {
		t.Errorf("%d readings of 3 chunks", n)
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

// A packer that dies is replaced; the chunks are not touched again.
func TestLostPackerIsReplaced(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	for no := 1; no <= 3; no++ {
		b.doChunk(t, id)
	}
	if _, ok, err := b.store.Pack(t.Context(), id, "dead", time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}
	b.set(t, id, "lease_until = 1")
	if rep, err := b.recoverer().Do(t.Context()); err != nil || rep.Revived != 1 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	b.drain(t)
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	b.wantRows(t, id, 3000)
	if j := b.get(t, id); j.Failures != 1 || j.Attempt != 3 {
		t.Errorf("row %+v", j)
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

// A worker that is told to stop gives its chunk back as if it had not begun.
func TestShutdownGivesTheChunkBack(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	b.drain(t)
	g := newGate(b.orders)
	ctx, stop := context.WithCancel(t.Context())
	wait := start(ctx, t, b.work(), wakeOf(b.get(t, id)))
	<-g.reached
	stop()
	wait()
	if c := b.chunks(t, id)[0]; c.Status != job.Pending || c.Failures != 0 || c.Attempt != 1 {
		t.Errorf("chunk %+v", c)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 3000)
}

// Within the margin a worker begins no chunk, but finishes the one it has.
func TestChunkIsFinishedWithinTheMargin(t *testing.T) {
	b := splitSetup(t, 3000, "HAEXCEL_HANDOVER_MARGIN=10m")
	id := b.plan(t, "")
	b.drain(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+time.Second)
	defer cancel()
	b.orders.atRow = func(ctx context.Context, row int64) error {
		if row == 10 {
			time.Sleep(1100 * time.Millisecond) // now the margin has begun
		}
		return ctx.Err()
	}
	doIn(ctx, t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	chunks := b.chunks(t, id)
	if chunks[0].Status != job.Done || chunks[1].Status != job.Pending || chunks[1].Attempt != 0 {
		t.Errorf("chunks %+v", chunks)
	}
	b.orders.atRow = nil
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 3000)
}

// A chunk that has the whole of a worker's time, and does not end in it, has
// failed: it would never end.
func TestChunkThatIsTooSlow(t *testing.T) {
	b := splitSetup(t, 1000, "HAEXCEL_HANDOVER_MARGIN=1s")
	id := b.plan(t, "")
	b.orders.atRow = func(ctx context.Context, _ int64) error { <-ctx.Done(); return ctx.Err() }
	for failures := 1; failures <= 3; failures++ {
		b.drain(t)
		ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
		doIn(ctx, t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
		cancel()
		if c := b.chunks(t, id)[0]; c.Failures != failures {
			t.Fatalf("chunk %+v", c)
		}
	}
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "within the time") {
		t.Errorf("row %+v", j)
	}
}

// A planner that has no more time leaves what it found to the next one.
func TestPlanIsResumed(t *testing.T) {
	b := splitSetup(t, 5000, "HAEXCEL_HANDOVER_MARGIN=1m")
	id := b.submitLarge(t, "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+500*time.Millisecond)
	defer cancel()
	b.orders.atPlan = func(ctx context.Context, place int64) error {
		if place < 3000 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	doIn(ctx, t, b.work(), receive(t, b.large), app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Hops != 1 || j.Failures != 0 || len(b.chunks(t, id)) != 2 {
		t.Fatalf("row %+v, chunks %+v", j, b.chunks(t, id))
	}
	var places []int64
	b.orders.atPlan = func(_ context.Context, place int64) error {
		places = append(places, place)
		return nil
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	if fmt.Sprint(places) != "[3000 4000 5000]" {
		t.Errorf("places looked for: %v", places)
	}
	b.wantRows(t, id, 5000)
}

// A planner that finds nothing in all its time has failed: the next one would find as
// little.
func TestPlanWithoutProgress(t *testing.T) {
	b := splitSetup(t, 5000, "HAEXCEL_HANDOVER_MARGIN=1m", "HAEXCEL_MAX_ATTEMPTS=2")
	id := b.submitLarge(t, "")
	b.orders.atPlan = func(ctx context.Context, _ int64) error { <-ctx.Done(); return ctx.Err() }
	for failures := 1; failures <= 2; failures++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute+200*time.Millisecond)
		doIn(ctx, t, b.work(), receiveSoon(t, b.large), app.Consumed)
		cancel()
		if j := b.get(t, id); j.Failures != failures || j.Hops != 0 {
			t.Fatalf("row %+v", j)
		}
	}
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "index") {
		t.Errorf("row %+v", j)
	}
	empty(t, b.large)
}

// Plans that find one chunk each come to an end, too, when their hops are used up.
func TestPlanOfTooManyHops(t *testing.T) {
	b := splitSetup(t, 5000, "HAEXCEL_HANDOVER_MARGIN=1m", "HAEXCEL_MAX_HOPS=1")
	id := b.submitLarge(t, "")
	for hops := int64(1); hops <= 2; hops++ {
		b.orders.atPlan = func(ctx context.Context, place int64) error {
			if place <= hops*1000 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute+200*time.Millisecond)
		doIn(ctx, t, b.work(), receive(t, b.large), app.Consumed)
		cancel()
	}
	if j := b.get(t, id); j.Status != job.Fail || j.Failures != 1 {
		t.Errorf("row %+v", j)
	}
	empty(t, b.large)
}

// Where there was hardly time to count, nothing is known that the next worker could
// go on with.
func TestOutOfTimeWhileCounting(t *testing.T) {
	b := splitSetup(t, 2500, "HAEXCEL_HANDOVER_MARGIN=1m")
	id := b.submitLarge(t, "")
	b.orders.count = func(ctx context.Context, _ dataset.Query) error { <-ctx.Done(); return ctx.Err() }
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+200*time.Millisecond)
	defer cancel()
	doIn(ctx, t, b.work(), receive(t, b.large), app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Failures != 0 || j.Hops != 1 || j.CheckpointJSON != "" {
		t.Fatalf("row %+v", j)
	}
	b.orders.count = nil
	do(t, b.work(), receive(t, b.large), app.Consumed)
	if names := b.wantRows(t, id, 2500); len(names) != 3 {
		t.Errorf("parts %q", names)
	}
}

// A chunk that failed lets the others go first, and is not tried again before its
// pause, however many workers come by.
func TestFailedChunkWaits(t *testing.T) {
	b := splitSetup(t, 1500)
	id := b.plan(t, "")
	b.drain(t)
	b.cfg.RetryBackoff = time.Hour
	b.setChunk(t, id, 1, "failures = 1")
	ctx, stop := context.WithCancel(t.Context())
	wait := start(ctx, t, b.work(), wakeOf(b.get(t, id)))
	eventually(t, "the good chunk is done and the failed one claimed", func() bool {
		c := b.chunks(t, id)
		return c[0].Status == job.Running && c[1].Status == job.Done
	})
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed) // finds nothing
	if n := b.orders.opened.Load(); n != 1 {
		t.Errorf("%d readings", n)
	}
	stop()
	wait()
	if c := b.chunks(t, id)[0]; c.Status != job.Pending || c.Failures != 1 {
		t.Errorf("chunk %+v", c)
	}
}

// A small export that is too slow for one worker becomes chunks that are small
// enough, and still one workbook.
func TestSlowJobIsSplit(t *testing.T) {
	b := setup(t, "HAEXCEL_HANDOVER_MARGIN=1m", "HAEXCEL_CHUNK_SIZE=3000")
	b.orders.rows = 4000
	id := b.submit(t, `{}`).JobID
	b.orders.atRow = func(ctx context.Context, row int64) error {
		if row < 2500 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+500*time.Millisecond)
	defer cancel()
	doIn(ctx, t, b.work(), receive(t, b.normal), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Pending || j.Failures != 0 || j.Hops != 1 || j.Queue != job.Large || j.CheckpointJSON == "" {
		t.Fatalf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects are left: %v", keys)
	}
	b.orders.atRow = nil
	do(t, b.work(), receive(t, b.large), app.Consumed)
	if names := b.wantRows(t, id, 4000); len(names) != 1 || names[0] != "" {
		t.Errorf("parts %q", names)
	}
	if n := b.orders.opened.Load() - 1; n != 4 { // of 2,500 rows 1,250 are sure, in three chunks for 3,000
		t.Errorf("%d chunks", n)
	}
}

// A chunk that fails for good ends the job at once. Tried again, the job keeps
// what was finished.
func TestFailedChunkEndsTheJob(t *testing.T) {
	b := splitSetup(t, 4000)
	id := b.plan(t, "")
	b.drain(t)
	b.orders.atOpen = func(_ context.Context, q dataset.Query) error {
		if q.After == "2000" {
			return fault.New(fault.Unprocessable, "The third chunk is broken.")
		}
		return nil
	}
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Fail || j.ErrorMsg != "The third chunk is broken." || j.Failures != 1 {
		t.Fatalf("row %+v", j)
	}
	if keys := b.objects(t); len(keys) != 2 {
		t.Errorf("objects %v, want those of two chunks", keys)
	}
	b.orders.atOpen = nil
	before := b.orders.opened.Load()
	retry := &app.Retry{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
	if _, err := retry.Do(t.Context(), u1, id, "req-2"); err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 4000)
	if n := b.orders.opened.Load() - before; n != 2 {
		t.Errorf("%d chunks were read again, want 2", n)
	}
	if j := b.get(t, id); b.orders.planned.Load() != 1 || j.AsOf != 1_788_000_000_000 {
		t.Errorf("%d plans, as of %d", b.orders.planned.Load(), j.AsOf)
	}
}

// What may pass is tried again after a pause, and counted at the chunk.
func TestChunkIsTriedAgain(t *testing.T) {
	b := splitSetup(t, 2000)
	id := b.plan(t, "")
	b.orders.atOpen = func(_ context.Context, q dataset.Query) error {
		if q.After == "" {
			return fault.New(fault.Unavailable, "The database is away.")
		}
		return nil
	}
	for failures := 1; failures <= 3; failures++ {
		b.drain(t)
		do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
		if c := b.chunks(t, id)[0]; c.Failures != failures {
			t.Fatalf("chunk %+v", c)
		}
	}
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != "The database is away." || j.ProcessedRows != 1000 {
		t.Errorf("row %+v", j)
	}
}

// A database without a connection to spare delays a job and never fails it.
func TestBusySourceDelays(t *testing.T) {
	b := splitSetup(t, 2000, "HAEXCEL_MAX_ATTEMPTS=1")
	busy := func(context.Context, dataset.Query) error { return fault.New(fault.Busy, "Too many connections.") }
	b.orders.count = busy
	id := b.submitLarge(t, "")
	for hops := 1; hops <= 5; hops++ {
		var w = receiveSoon(t, b.large)
		do(t, b.work(), w, app.Consumed)
		if j := b.get(t, id); j.Status != job.Pending || j.Failures != 0 || j.Hops != hops {
			t.Fatalf("row %+v", j)
		}
	}
	b.orders.count, b.orders.atOpen = nil, busy
	for range 3 {
		do(t, b.work(), receiveSoon(t, b.large), app.Consumed)
		if c := b.chunks(t, id)[0]; c.Status != job.Pending || c.Failures != 0 {
			t.Fatalf("chunk %+v", c)
		}
	}
	b.orders.atOpen = nil
	do(t, b.work(), receiveSoon(t, b.large), app.Consumed)
	b.wantRows(t, id, 2000)
}

// An accepted cancel ends a split job at once, whether or not somebody is at work,
// and nothing of it stays.
func TestCancelOfASplitJob(t *testing.T) {
	cancelJob := func(t *testing.T, b *bench, id string) {
		t.Helper()
		if _, err := (&app.Cancel{Store: b.store, Config: b.cfg, Logger: b.log}).Do(t.Context(), u1, id, ""); err != nil {
			t.Fatal(err)
		}
		if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.Failures != 0 {
			t.Errorf("row %+v", j)
		}
	}
	t.Run("nobody at work", func(t *testing.T) {
		b := splitSetup(t, 3000)
		id := b.plan(t, "")
		b.doChunk(t, id)
		cancelJob(t, b, id)
		if rep, err := b.recoverer().Do(t.Context()); err != nil || rep.Cleared != 1 {
			t.Errorf("report %+v, %v", rep, err)
		}
		if keys := b.objects(t); len(keys) != 0 || len(b.chunks(t, id)) != 0 {
			t.Errorf("objects %v, chunks %v", keys, b.chunks(t, id))
		}
	})
	t.Run("a worker in a chunk", func(t *testing.T) {
		b := splitSetup(t, 3000, "HAEXCEL_LEASE=1s")
		id := b.plan(t, "")
		b.drain(t)
		g := newGate(b.orders)
		wait := start(t.Context(), t, b.work(), wakeOf(b.get(t, id)))
		<-g.reached
		cancelJob(t, b, id)
		wait() // its next beat tells it
		if keys := b.objects(t); len(keys) != 0 || len(b.chunks(t, id)) != 0 {
			t.Errorf("objects %v, chunks %v", keys, b.chunks(t, id))
		}
	})
}

// Segments of one dataset's text are never joined with those of another.
func TestDatasetChangesWhileSplit(t *testing.T) {
	b := splitSetup(t, 3000)
	id := b.plan(t, "")
	b.doChunk(t, id)
	b.orders.info = func(i *dataset.Info) { i.Digest = "digest-2" }
	do(t, b.work(), wakeOf(b.get(t, id)), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || !strings.Contains(j.ErrorMsg, "was changed while the export ran") {
		t.Errorf("row %+v", j)
	}
}

// A split job's dead wake says nothing of its chunks.
func TestDeadLetterOfASplitJob(t *testing.T) {
	b := splitSetup(t, 2000)
	id := b.plan(t, "")
	j := b.get(t, id)
	letters := &app.DeadLetter{Store: b.store, Wakes: b.wakes(), Config: b.cfg, Logger: b.log}
	if err := letters.Do(t.Context(), wakeOf(j).Encode()); err != nil {
		t.Fatal(err)
	}
	if after := b.get(t, id); after.Status != job.Running || after.Failures != 0 {
		t.Errorf("row %+v", after)
	}
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

// forgetful is a table whose first reply to a statement of a worker is lost, after the
// statement took effect and every way of the store to find that out.
type forgetful struct {
	job.Store
	lost atomic.Bool
}

var errReplyLost = fault.New(fault.UnknownOutcome, "The job table did not answer.")

func (s *forgetful) PlanDone(ctx context.Context, f job.Fence, p job.Planned) (job.Job, error) {
	j, err := s.Store.PlanDone(ctx, f, p)
	if s.lost.CompareAndSwap(false, true) {
		return job.Job{}, errReplyLost
	}
	return j, err
}

func (s *forgetful) Retry(ctx context.Context, f job.Fence, attempts int) (job.Job, bool, error) {
	j, retried, err := s.Store.Retry(ctx, f, attempts)
	if s.lost.CompareAndSwap(false, true) {
		return job.Job{}, false, errReplyLost
	}
	return j, retried, err
}

func (s *forgetful) HandOver(ctx context.Context, f job.Fence, h job.HandOver) (job.Job, error) {
	j, err := s.Store.HandOver(ctx, f, h)
	if s.lost.CompareAndSwap(false, true) {
		return job.Job{}, errReplyLost
	}
	return j, err
}

func (s *forgetful) RetryChunk(ctx context.Context, f job.ChunkFence, attempts int) (bool, error) {
	retried, err := s.Store.RetryChunk(ctx, f, attempts)
	if s.lost.CompareAndSwap(false, true) {
		return false, errReplyLost
	}
	return retried, err
}

// What took effect although nobody heard of it is woken for.
func TestLostRepliesAreWokenFor(t *testing.T) {
	away := func(context.Context, dataset.Query) error {
		return fault.New(fault.Unavailable, "The database is away.")
	}
	t.Run("plan", func(t *testing.T) {
		b := splitSetup(t, 3000)
		id := b.submitLarge(t, "")
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, receive(t, b.large), app.Consumed)
		b.wantRows(t, id, 3000)
	})
	t.Run("retry", func(t *testing.T) {
		b := setup(t)
		id := b.submit(t, `{}`).JobID
		b.orders.atOpen = away
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, receive(t, b.normal), app.Consumed)
		if w := receive(t, b.normal); w.JobID != id || b.get(t, id).Failures != 1 {
			t.Errorf("wake %+v, row %+v", w, b.get(t, id))
		}
	})
	t.Run("hand over", func(t *testing.T) {
		b := splitSetup(t, 3000)
		id := b.submit(t, `{}`).JobID
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, receive(t, b.normal), app.Consumed)
		do(t, b.work(), receive(t, b.large), app.Consumed)
		b.wantRows(t, id, 3000)
	})
	t.Run("chunk", func(t *testing.T) {
		b := splitSetup(t, 1000)
		id := b.plan(t, "")
		b.drain(t)
		b.orders.atOpen = away
		u := b.work()
		u.Store = &forgetful{Store: b.store}
		do(t, u, wakeOf(b.get(t, id)), app.Consumed)
		b.orders.atOpen = nil
		do(t, b.work(), receive(t, b.large), app.Consumed)
		b.wantRows(t, id, 1000)
	})
}
