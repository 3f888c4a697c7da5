package boot_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open prepares a program with the given settings.
func open(t *testing.T, environment []string, options ...boot.Option) *boot.Boot {
	t.Helper()
	cfg, err := config.Load(environment)
	if err != nil {
		t.Fatal(err)
	}
	b := boot.Open(cfg, append([]boot.Option{boot.WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func sqliteSetting(t *testing.T) string {
	t.Helper()
	return "HAEXCEL_DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "jobs.db")
}

// numbers is a dataset in Go.
func numbers(name string) dataset.Dataset {
	return dataset.FromSeq(dataset.Info{Name: name}, []cell.Field{{Name: "n", Kind: cell.Integer}},
		func(context.Context, dataset.Query) iter.Seq2[dataset.Row, error] {
			return func(yield func(dataset.Row, error) bool) { yield(dataset.Row{1}, nil) }
		})
}

// A part that is not asked for may lack its settings.
func TestOnlyWhatIsNeededIsOpened(t *testing.T) {
	t.Parallel()
	b := open(t, []string{sqliteSetting(t), "HAEXCEL_WAKE=sqs", "HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_DATASET_DIR=/nonexistent"})
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Status(t.Context()); err != nil {
		t.Errorf("status needs only the table: %v", err)
	}
	_, err := b.Submit(t.Context())
	for _, name := range []string{"HAEXCEL_NORMAL_QUEUE_URL", "HAEXCEL_LARGE_QUEUE_URL", "HAEXCEL_DATASET_DIR"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("submit: %v, want %s named", err, name)
		}
	}
	if _, err := b.Download(t.Context()); err == nil || !strings.Contains(err.Error(), "boot.WithBucket") {
		t.Errorf("download without a bucket: %v", err)
	}
}

func TestNothingWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	if _, err := b.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "HAEXCEL_DATABASE_URL") {
		t.Errorf("status: %v, want the setting named", err)
	}
	if _, err := b.Datasets(); err == nil || !strings.Contains(err.Error(), "HAEXCEL_DATABASE_URL") {
		t.Errorf("datasets: %v, want the setting named", err)
	}
}

// Nothing migrates by itself, and what is missing is named.
func TestTableMustBeMigrated(t *testing.T) {
	t.Parallel()
	b := open(t, []string{sqliteSetting(t)})
	for range 2 {
		if _, err := b.Store(t.Context()); err == nil || !strings.Contains(err.Error(), "00001_") {
			t.Fatalf("before the migration: %v, want the first one named", err)
		}
	}
	if applied, err := b.Migrate(t.Context()); err != nil || len(applied) == 0 {
		t.Fatal(applied, err)
	}
	if _, err := b.Store(t.Context()); err != nil {
		t.Error("after the migration:", err)
	}
}

// A database that is away lets the program start.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	b := open(t, []string{"HAEXCEL_DATABASE_URL=postgres://nobody@127.0.0.1:1/nowhere"})
	u, err := b.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = u.Do(t.Context(), app.Caller{Subject: "kim"}, "3f0e7a52-8f5e-4c1b-9a55-0d7d6b1c2e10")
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("err = %v, want it to be unavailable", err)
	}
}

// Requests that hold every connection cost no worker its lease.
func TestHeartbeatsDoNotWaitForRequests(t *testing.T) {
	t.Parallel()
	b := open(t, []string{sqliteSetting(t)})
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	store, err := b.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := job.New{ID: "0b8e8f6e-0000-4000-8000-000000000001", Dataset: "orders", FileName: "orders", Requester: "kim"}
	if _, err := store.Submit(t.Context(), n, job.SubmitLimits{}); err != nil {
		t.Fatal(err)
	}
	j, claimed, err := store.Claim(t.Context(), n.ID, "host", time.Minute)
	if err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	db := store.(*jobsql.Store).DB()
	for range db.Stats().MaxOpenConnections {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := store.Beat(ctx, j.Fence(), job.Progress{ProcessedRows: -1, TotalRows: -1}, time.Minute); err != nil {
		t.Error(err)
	}
}

// A worker reads with one connection and may count with another; a third reading
// waits.
func TestReadersAreBoundedByWorkers(t *testing.T) {
	t.Parallel()
	sets := t.TempDir()
	text := "name: jobRows\nsql: SELECT job_id FROM ha_excel_job\n"
	if err := os.WriteFile(filepath.Join(sets, "rows.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, []string{sqliteSetting(t), "HAEXCEL_DATASET_DIR=" + sets, "HAEXCEL_WORKER_COUNT=1", "HAEXCEL_LARGE_WORKER_COUNT=0"})
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	catalog, err := b.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Get("jobRows")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		rows, err := set.Open(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if rows, err := set.Open(ctx, dataset.Query{}); err == nil {
		_ = rows.Close()
		t.Error("one worker reads with three connections")
	}
}

// Use cases share their parts, whoever asks first.
func TestPartsAreOpenedOnce(t *testing.T) {
	t.Parallel()
	b := open(t, []string{sqliteSetting(t)})
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	stores := make([]job.Store, 8)
	wakes := make([]app.Wakes, 8)
	for i := range stores {
		wait.Go(func() {
			var storeErr, wakesErr error
			stores[i], storeErr = b.Store(t.Context())
			wakes[i], wakesErr = b.Wakes(t.Context())
			if err := errors.Join(storeErr, wakesErr); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for i := range stores {
		if stores[i] != stores[0] || wakes[i] != wakes[0] {
			t.Fatal("two stores or two pairs of queues are open")
		}
	}
}

func TestDatasetsComeFromThreePlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "extra.yaml")
	const text = "name: extra\nsource: other\nsql: SELECT 1 AS n\ncolumns: [{field: n}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := []string{sqliteSetting(t), "HAEXCEL_DATASET_DIR=" + dir, "HAEXCEL_SOURCE_OTHER_URL=sqlite:" + filepath.Join(dir, "other.db")}
	b := open(t, environment, boot.WithDataset(numbers("own")))
	sets, err := b.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"orders", "extra", "own"} {
		if _, err := sets.Get(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	// Without the source the file is faulty; all faults come together.
	b = open(t, environment[:2], boot.WithDataset(numbers("orders"), numbers("jobs")))
	_, err = b.Catalog()
	for _, text := range []string{"extra.yaml:2", "HAEXCEL_SOURCE_OTHER_URL", `"orders" is declared twice`, `"jobs"`} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("err = %v, want %s in it", err, text)
		}
	}
}

func TestNameThatIsCompiledInAlready(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = "# mine\nname: orders\nsql: SELECT 1 AS n\ncolumns: [{field: n}]\n"
	if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, []string{sqliteSetting(t), "HAEXCEL_DATASET_DIR=" + dir}).Catalog()
	want := "HAEXCEL_DATASET_DIR " + dir + `: mine.yaml:2: dataset "orders" is declared elsewhere already`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("err = %v, want %s in it", err, want)
	}
}

func TestBucketIsOpenedOnceAndWhenNeeded(t *testing.T) {
	t.Parallel()
	opened := 0
	b := open(t, []string{sqliteSetting(t)}, boot.WithBucketFrom(func(context.Context, config.Config) (*storage.Bucket, error) {
		opened++
		driver, err := filestore.New(t.TempDir())
		if err != nil {
			return nil, err
		}
		return storage.NewBucket(driver), nil
	}))
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Status(t.Context()); err != nil || opened != 0 {
		t.Fatalf("status opened %d buckets, %v", opened, err)
	}
	if _, err := b.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sweep(t.Context()); err != nil || opened != 1 {
		t.Errorf("%d buckets were opened, %v", opened, err)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	kim := app.Caller{Subject: "kim"}
	if got, err := open(t, nil).Identity()(kim); err != nil || got.Subject != "kim" {
		t.Errorf("without a mapping: %+v, %v", got, err)
	}
	b := open(t, nil, boot.WithIdentity(func(c app.Caller) (app.Caller, error) {
		c.Subject = "team of " + c.Subject
		return c, nil
	}))
	if got, err := b.Identity()(kim); err != nil || got.Subject != "team of kim" {
		t.Errorf("with a mapping: %+v, %v", got, err)
	}
}

func TestQueuesAreFoundByTheirNames(t *testing.T) {
	t.Setenv("AWS_REGION", "ap-northeast-2") // Lambda sets it
	b := open(t, []string{
		"HAEXCEL_WAKE=sqs",
		"HAEXCEL_NORMAL_QUEUE_URL=https://sqs.ap-northeast-2.amazonaws.com/123456789012/haexcel-normal",
		"HAEXCEL_LARGE_QUEUE_URL=https://sqs.ap-northeast-2.amazonaws.com/123456789012/haexcel-large",
	})
	named, err := b.QueueNamed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wakes, err := b.Wakes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if q, ok := named("haexcel-large"); !ok || q != wakes.Large {
		t.Error("the large queue is not found by its name")
	}
	if _, ok := named("haexcel"); ok {
		t.Error("a part of a name finds a queue")
	}
}
