package boot_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
)

// A file says that it was made when the program's own clock says so.
func TestClockDatesFiles(t *testing.T) {
	t.Parallel()
	driver, err := filestore.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bucket := storage.NewBucket(driver)
	made := time.Date(2031, time.March, 4, 5, 6, 8, 0, time.UTC)
	b := open(t, []string{sqliteSetting(t)}, boot.WithBucket(bucket), boot.WithClock(func() time.Time { return made }))
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	work, err := b.Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res, err := work.Exporter.Write(t.Context(), export.Request{
		JobID: "job", Attempt: 1, Dataset: numbers("numbers"), Packaging: export.Workbook,
		Columns: []cell.ColumnDef{{Field: "n"}},
	}, export.Plan{}, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	object, err := bucket.NewReader(t.Context(), res.Key)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(object)
	if err := errors.Join(err, object.Close()); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	// An archive holds the wall clock of the report zone, to two seconds.
	const want = "2031-03-04 14:06:08"
	for _, f := range archive.File {
		if got := f.Modified.Format(time.DateTime); got != want {
			t.Errorf("%s was made at %s, want %s", f.Name, got, want)
		}
	}
}

// watchedStore counts the readings of rows.
type watchedStore struct {
	job.Store
	reads int
}

func (s *watchedStore) Get(ctx context.Context, id string) (job.Job, error) {
	s.reads++
	return s.Store.Get(ctx, id)
}

// Use cases get the wrapped table, and the one below is still closed.
func TestStoreIsWrappedOnce(t *testing.T) {
	t.Parallel()
	var watched []*watchedStore
	b := open(t, []string{sqliteSetting(t)}, boot.WithStore(func(s job.Store) job.Store {
		watched = append(watched, &watchedStore{Store: s})
		return watched[len(watched)-1]
	}))
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, err := b.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second, err := b.Store(t.Context()); err != nil || second != first || len(watched) != 1 {
		t.Fatalf("%d wrappers, %v", len(watched), err)
	}
	cancel, err := b.Cancel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if cancel.Store != first {
		t.Error("a use case goes past the wrapper")
	}
	if _, err := first.Get(t.Context(), "0b8e8f6e-0000-4000-8000-000000000001"); err == nil || watched[0].reads != 1 {
		t.Errorf("%d readings seen, %v", watched[0].reads, err)
	}
}
