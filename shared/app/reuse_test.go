package app_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// reusing lets finished orders answer for ten minutes.
func reusing(i *dataset.Info) { i.Reuse = 10 * time.Minute }

// as submits a body of the orders as somebody.
func (b *bench) as(t *testing.T, c app.Caller, body string) job.Job {
	t.Helper()
	r, err := b.submitter().Do(t.Context(), c, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(body), RequestID: "req-2"})
	if err != nil {
		t.Fatal(err)
	}
	j := b.get(t, r.JobID)
	if j.Status != r.Status {
		t.Errorf("the answer says %s, the row %s", r.Status, j.Status)
	}
	return j
}

// at moves a job's moment back.
func (b *bench) at(t *testing.T, j job.Job, age time.Duration) {
	t.Helper()
	now, err := b.store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.set(t, j.ID, fmt.Sprintf("as_of = %d", now-age.Milliseconds()))
}

func (b *bench) downloader() *app.Download {
	return &app.Download{Store: b.store, Bucket: b.bucket, Config: b.cfg}
}

// contents downloads a job's file.
func (b *bench) contents(t *testing.T, c app.Caller, id string) (app.File, string) {
	t.Helper()
	f, err := b.downloader().Do(t.Context(), c, id)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	bytes, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return f, string(bytes)
}

func TestReuse(t *testing.T) {
	b := setup(t)
	b.orders.info = reusing
	u2 := app.Caller{Subject: "u2"}
	source := b.done(t, `{"fileName":"first","params":{"number":1,"typo of u1":2},"columns":[{"field":"id"},{"field":"absent"}]}`)
	if len(export.ParseWarnings(source.WarningsJSON).Messages) != 2 {
		t.Fatalf("warnings of the first: %s", source.WarningsJSON)
	}

	j := b.as(t, u2, `{"fileName":"두 번째","totalCnt":9,"params":{"number":"1","typo of u2":0},"columns":[{"field":"id"},{"field":"absent"}]}`)
	if j.Status != job.Done || j.ReusedFrom != source.ID || j.FilePath != source.FilePath || j.ActiveKey != "" || j.ExportHash == source.ExportHash {
		t.Fatalf("row %+v", j)
	}
	empty(t, b.normal) // nothing is to be done
	if n := b.orders.opened.Load(); n != 1 {
		t.Errorf("the orders were read %d times", n)
	}

	warnings := export.ParseWarnings(j.WarningsJSON).Messages
	if len(warnings) != 2 || !strings.Contains(warnings[0], `"typo of u2"`) || slices.Contains(warnings, export.ParseWarnings(source.WarningsJSON).Messages[0]) {
		t.Errorf("warnings %q: want the request's own and those of the file", warnings)
	}

	status, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u2, j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if status.AsOf == nil || *status.AsOf != time.UnixMilli(source.AsOf).UTC().Format("2006-01-02T15:04:05.000Z") ||
		status.ProcessedRows != 10 || status.TotalRows != 10 || *status.Bytes != source.FileBytes || status.StartedAt != nil || status.RetryAfter != 0 {
		t.Errorf("status %+v", status)
	}
	if !strings.HasPrefix(status.FileName, "두 번째_") {
		t.Errorf("file name %q", status.FileName)
	}
	mine, content := b.contents(t, u2, j.ID)
	_, original := b.contents(t, u1, source.ID)
	if content != original || mine.Name != status.FileName || mine.AsOf == nil || *mine.AsOf != *status.AsOf {
		t.Errorf("download %+v, the same bytes: %v", mine, content == original)
	}
	if _, err := b.downloader().Do(t.Context(), u2, source.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("u2 sees the job that the file is of: %v", err)
	}
	if page, err := b.store.List(t.Context(), "u2", 10, ""); err != nil || len(page.Jobs) != 1 {
		t.Errorf("u2 has the jobs %+v, %v", page.Jobs, err)
	}
}

func TestWhatIsNotReused(t *testing.T) {
	for name, c := range map[string]struct {
		info   func(*dataset.Info)
		body   string
		age    time.Duration
		reused bool
	}{
		"another's, young enough":               {reusing, `{"fileName":"b"}`, 9 * time.Minute, true},
		"the same export again":                 {reusing, `{"fileName":"a"}`, 0, true},
		"rows that are too old":                 {reusing, `{"fileName":"b"}`, 11 * time.Minute, false},
		"a dataset without reuse":               {func(*dataset.Info) {}, `{"fileName":"b"}`, 0, false},
		"other parameters":                      {reusing, `{"params":{"number":2}}`, 0, false},
		"other columns":                         {reusing, `{"columns":[{"field":"id"}]}`, 0, false},
		"another order":                         {reusing, `{"sort":[{"field":"name"}]}`, 0, false},
		"other packaging":                       {reusing, `{"packaging":"zip"}`, 0, false},
		"another sheet":                         {reusing, `{"sheetName":"x"}`, 0, false},
		"another text of the data":              {func(i *dataset.Info) { i.Reuse, i.Digest = 10*time.Minute, "digest-2" }, `{}`, 0, false},
		"a pregenerated dataset's users' files": {func(i *dataset.Info) { i.Pregenerate = time.Hour }, `{"fileName":"b"}`, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			source := b.done(t, `{"fileName":"a"}`)
			b.at(t, source, c.age)
			b.orders.info = c.info
			j := b.as(t, app.Caller{Subject: "u2"}, c.body)
			if (j.ReusedFrom == source.ID) != c.reused || (j.Status == job.Done) != c.reused {
				t.Errorf("%s, reused from %q, want it reused: %v", j.Status, j.ReusedFrom, c.reused)
			}
			if !c.reused {
				if w := receive(t, b.normal); w.JobID != j.ID {
					t.Errorf("wake %+v", w)
				}
			}
			empty(t, b.normal)
		})
	}
}

func TestReuseNeverCrossesAScope(t *testing.T) {
	b := setup(t)
	b.orders.info = func(i *dataset.Info) { i.Reuse, i.Caller = 10*time.Minute, []string{"tenant"} }
	first := b.as(t, app.Caller{Subject: "u1", Tenant: "a"}, `{}`)
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	if j := b.as(t, app.Caller{Subject: "u2", Tenant: "a"}, `{}`); j.ReusedFrom != first.ID {
		t.Errorf("a user of the same tenant: %s, reused from %q", j.Status, j.ReusedFrom)
	}
	for _, c := range []app.Caller{{Subject: "u3", Tenant: "b"}, {Subject: "u1", Tenant: "b"}, {Subject: "u1", Tenant: "A"}, {Subject: "u1", Tenant: "a "}} {
		if j := b.as(t, c, `{}`); j.ReusedFrom != "" || j.Status != job.Pending || j.FilePath != "" {
			t.Errorf("%+v was given the file of another tenant: %+v", c, j)
		}
	}
	// Without the right, there is no file either.
	b.orders.info = func(i *dataset.Info) { i.Reuse, i.Allow = 10*time.Minute, []string{"sales"} }
	_, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("without the role: %v", err)
	}
}

func TestReuseGoesBeforeTheLimits(t *testing.T) {
	b := setup(t, "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=1", "HAEXCEL_MAX_PENDING=1")
	b.orders.info = reusing
	source := b.done(t, `{}`)
	b.submit(t, `{"params":{"number":1}}`)
	if j := b.as(t, u1, `{"fileName":"x"}`); j.ReusedFrom != source.ID {
		t.Errorf("at the limit: %+v", j)
	}
	_, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{"params":{"number":2}}`)})
	if !fault.Is(err, fault.TooManyRequests) {
		t.Errorf("past the limit: %v", err)
	}
}

// The file of a row that is DONE may be gone, since the bucket is not looked at
// by a submit; the download says so.
func TestDownloadOfAReusedFileThatIsGone(t *testing.T) {
	b := setup(t)
	b.orders.info = reusing
	source := b.done(t, `{}`)
	j := b.as(t, u1, `{"fileName":"x"}`)
	if err := b.bucket.Delete(t.Context(), source.FilePath); err != nil {
		t.Fatal(err)
	}
	if _, err := b.downloader().Do(t.Context(), u1, j.ID); !fault.Is(err, fault.Gone) {
		t.Errorf("got %v", err)
	}
}

// While a new version is rolled out, a worker may know another text of the dataset
// than the one that took the submit. Its file is found by the text it is of.
func TestFileOfAnotherVersionIsNotReused(t *testing.T) {
	b := setup(t)
	version := func(digest string) {
		b.orders.info = func(i *dataset.Info) { i.Reuse, i.Pregenerate, i.Digest = 10*time.Minute, time.Hour, digest }
	}
	version("new")
	asked := b.as(t, u1, `{"params":{"status":"PAID","ids":[2,1,2]},"sort":[{"field":"id","dir":"desc"}],"sheetName":"x"}`)
	ahead := b.get(t, b.ahead(t))
	version("old")
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	do(t, b.work(), receive(t, b.normal), app.Consumed)
	for _, j := range []job.Job{asked, ahead} {
		if after := b.get(t, j.ID); after.Status != job.Done || after.FilterHash == j.FilterHash || len(after.FilterHash) != 64 {
			t.Errorf("%s with the filter hash %q, the old one is %q", after.Status, after.FilterHash, j.FilterHash)
		}
	}
	again := `{"fileName":"a","params":{"ids":[1,2],"status":"PAID"},"sort":[{"field":"id","dir":"desc"}],"sheetName":"x"}`
	if j := b.as(t, u1, again); j.ReusedFrom != asked.ID {
		t.Errorf("the old version: %s, reused from %q", j.Status, j.ReusedFrom)
	}
	version("new")
	for _, body := range []string{again, `{}`} {
		if j := b.as(t, app.Caller{Subject: "u2"}, body); j.Status != job.Pending {
			t.Errorf("the new version: %s: row %+v", body, j)
		}
	}
}

// The object lives as long as the last row that names it.
func TestSweepOfReusedFiles(t *testing.T) {
	b := setup(t, "HAEXCEL_JOB_TTL=1h", "HAEXCEL_LINK_TTL=5m")
	b.orders.info = reusing
	source := b.done(t, `{}`)
	j := b.as(t, u1, `{"fileName":"x"}`)
	b.set(t, source.ID, "completed_at = 1")
	if rep, err := b.sweeper().Do(t.Context()); err != nil || rep.Swept != 1 || rep.Deleted != 0 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	b.contents(t, u1, j.ID)
	b.set(t, j.ID, "completed_at = 1")
	if rep, err := b.sweeper().Do(t.Context()); err != nil || rep.Swept != 1 || rep.Deleted != 1 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	if keys := b.objects(t); len(keys) != 0 {
		t.Errorf("objects %q", keys)
	}
	if again := b.as(t, u1, `{"fileName":"y"}`); again.Status != job.Pending {
		t.Errorf("after the sweep: %+v", again)
	}
}
