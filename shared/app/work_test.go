package app_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// do works on a wake and demands the verdict.
func do(t *testing.T, u *app.Work, w wake.Wake, want app.Verdict) app.Outcome {
	t.Helper()
	return doIn(t.Context(), t, u, w, want)
}

func doIn(ctx context.Context, t *testing.T, u *app.Work, w wake.Wake, want app.Verdict) app.Outcome {
	t.Helper()
	out, err := u.Do(ctx, w)
	if out.Verdict != want || (err != nil) != (want != app.Consumed) {
		t.Fatalf("outcome %+v, %v, want verdict %d", out, err, want)
	}
	return out
}

// content reads a DONE job's object.
func (b *bench) content(t *testing.T, j job.Job) []byte {
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
	return data
}

func TestWorkMakesTheFile(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"params":{"status":"PAID","ids":[2,1],"typo":1},"sheetName":"주문","columns":[{"field":"name","headerName":"고객"},{"field":"nope","headerName":"X"},{"field":"id"}]}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Done || j.Attempt != 1 || j.Failures != 0 || j.ProcessedRows != 10 || j.TotalRows != 10 || j.AsOf == 0 || j.ActiveKey != "" || j.LeaseUntil != 0 {
		t.Fatalf("row %+v", j)
	}
	data := b.content(t, j)
	if int64(len(data)) != j.FileBytes || j.FilePath != export.Key(id, 1, "xlsx") {
		t.Errorf("%d bytes under %s, the row says %d", len(data), j.FilePath, j.FileBytes)
	}
	book, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("주문")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 11 || rows[0][0] != "고객" || rows[1][0] != "고객 1" || rows[10][2] != "10" || rows[5][1] != "" {
		t.Errorf("rows %q", rows)
	}
	for _, want := range []string{"typo", "nope"} {
		if !strings.Contains(j.WarningsJSON, want) {
			t.Errorf("warnings %s do not name %s", j.WarningsJSON, want)
		}
	}
	q := b.orders.asked()
	if q.Params["status"].Items[0] != "PAID" || strings.Join(q.Params["ids"].Items, ",") != "2,1" || strings.Join(q.Fields, ",") != "name,nope,id" {
		t.Errorf("query %+v", q)
	}
	empty(t, b.normal)
}

func TestWorkBindsTheCaller(t *testing.T) {
	b := setup(t)
	b.orders.info = func(i *dataset.Info) { i.Caller = []string{"sub", "tenant"} }
	if _, err := b.submitter().Do(t.Context(), app.Caller{Subject: "u1", Tenant: "t1"}, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if got := b.orders.asked().Caller; len(got) != 2 || got["sub"] != "u1" || got["tenant"] != "t1" {
		t.Errorf("caller %v", got)
	}
}

func TestWorkReadsInTheWishedOrder(t *testing.T) {
	b := setup(t)
	b.submit(t, `{"sort":[{"field":"name","dir":"desc"},{"field":"id"}]}`)
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if got := fmt.Sprint(b.orders.asked().Sort); got != "[{name true} {id false}]" {
		t.Errorf("order %s", got)
	}
}

func TestWorkMovesLargeJobs(t *testing.T) {
	b := setup(t, "HAEXCEL_ZIP_THRESHOLD=2000", "HAEXCEL_CHUNK_SIZE=1000")
	b.orders.rows = 2500
	id := b.submit(t, `{}`).JobID
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Queue != job.Large || j.Hops != 1 || j.Failures != 0 {
		t.Fatalf("row %+v", j)
	}
	if n := b.orders.opened.Load(); n != 0 {
		t.Errorf("the normal worker read the rows")
	}
	empty(t, b.normal)
	do(t, b.work(), receive(t, b.large), app.Consumed)
	j := b.get(t, id)
	if j.Status != job.Done || j.ProcessedRows != 2500 {
		t.Fatalf("row %+v", j)
	}
	data := b.content(t, j)
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 3 {
		t.Errorf("%d parts", len(archive.File))
	}
}

// Workers of the normal queue do nothing of a job that moved to the large one, late
// as its wakes may come.
func TestWakeOfTheOtherQueue(t *testing.T) {
	b := splitSetup(t, 2500)
	id := b.submit(t, `{}`).JobID
	late := receive(t, b.normal)
	do(t, b.work(), late, app.Consumed)
	late.Attempt = b.get(t, id).Attempt
	do(t, b.work(), late, app.Consumed)
	if j := b.get(t, id); j.Status != job.Pending || j.Queue != job.Large || j.Attempt != 1 {
		t.Errorf("row %+v", j)
	}
	do(t, b.work(), receive(t, b.large), app.Consumed)
	b.wantRows(t, id, 2500)
}

func TestWorkKeepsSmallJobsOfTheLargeQueue(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{"totalCnt":500000}`).JobID
	do(t, b.work(), receive(t, b.large), app.Consumed)
	if j := b.get(t, id); j.Status != job.Done || j.TotalRows != 10 || !strings.HasSuffix(j.FilePath, ".xlsx") {
		t.Errorf("row %+v", j)
	}
}

func TestWakesWithoutWork(t *testing.T) {
	b := setup(t)
	u := b.work()
	do(t, u, wake.Wake{JobID: "0b8e8f6e-0000-4000-8000-000000000000"}, app.Failed)

	id := b.submit(t, `{}`).JobID
	first := receive(t, b.normal)
	claimed, ok, err := b.store.Claim(t.Context(), id, "other", time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	do(t, u, first, app.Consumed) // live lease
	if j := b.get(t, id); j.Token != claimed.Token || j.Attempt != 1 {
		t.Errorf("a leased job was touched: %+v", j)
	}
	back, _, err := b.store.Retry(t.Context(), claimed.Fence(), 3)
	if err != nil {
		t.Fatal(err)
	}
	do(t, u, first, app.Consumed) // of an older attempt
	if j := b.get(t, id); j.Status != job.Pending {
		t.Errorf("an old wake was worked on: %+v", j)
	}
	do(t, u, wakeOf(back), app.Consumed)
	done := b.get(t, id)
	if done.Status != job.Done || done.Attempt != 2 {
		t.Fatalf("row %+v", done)
	}
	do(t, u, wakeOf(back), app.Consumed) // finished, twice
	do(t, u, wakeOf(done), app.Consumed)
	if n := b.orders.opened.Load(); n != 1 {
		t.Errorf("the rows were read %d times", n)
	}
}

func TestCancelledPendingJobIsNotWorkedOn(t *testing.T) {
	b := setup(t)
	id := b.submit(t, `{}`).JobID
	if _, err := b.store.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.get(t, id); j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.Attempt != 0 {
		t.Errorf("row %+v", j)
	}
}
