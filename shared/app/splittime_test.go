package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/job"
)

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
