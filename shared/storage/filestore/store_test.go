package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
	"github.com/haexcel/haexcel/shared/storage/storagetest"
)

// childDir makes the test binary a second process over that directory.
const childDir = "FILESTORE_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dir string) *filestore.Store {
	t.Helper()
	s, err := filestore.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// files lists the regular files below dir, by their path within it.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			name, err = filepath.Rel(dir, name)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestConformance(t *testing.T) {
	storagetest.Run(t, storagetest.Harness{Setup: func(t *testing.T) storagetest.Fixture {
		dir := t.TempDir()
		return storagetest.Fixture{
			Bucket:   storage.NewBucket(open(t, dir)),
			Second:   storage.NewBucket(open(t, dir)),
			BigBytes: 1 << 20,
			Pending: func(t *testing.T, prefix string) int {
				n := 0
				for _, name := range files(t, dir) {
					if strings.HasPrefix(name, prefix) && strings.Contains(name, "/.haexcel-") {
						n++
					}
				}
				return n
			},
		}
	}})
}

func put(s *filestore.Store, key, content string) error {
	w, err := s.NewWriter(context.Background(), key, storage.WriteOptions{})
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(content)); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit()
}

func TestNewMakesTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir)
	if err := put(s, "k", "v"); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); len(got) != 1 || got[0] != "k" {
		t.Errorf("the directory holds %q", got)
	}
}

func TestNewRefusesWhatItCannotUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{
		"empty": "", "a file": file, "below a file": filepath.Join(file, "dir"), "not writable": "/proc/self",
	} {
		s, err := filestore.New(dir)
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
		if s != nil {
			t.Errorf("%s: got a store", name)
		}
		if dir != "" && !strings.Contains(fault.SafeMessage(err), dir) {
			t.Errorf("%s: the message %q does not name the directory", name, fault.SafeMessage(err))
		}
	}
}

func TestNewRemovesOnlyStaleTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-filestore.StaleAfter - time.Hour)
	for name, stale := range map[string]bool{
		"exports/1/.haexcel-STALE.tmp": true,
		"exports/2/.haexcel-FRESH.tmp": false,
		"exports/2/object.xlsx":        true,
		"exports/2/.haexcel-object":    true,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if stale {
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	open(t, dir)
	want := "exports/2/.haexcel-FRESH.tmp exports/2/.haexcel-object exports/2/object.xlsx"
	if got := strings.Join(files(t, dir), " "); got != want {
		t.Errorf("left: %s\nwant: %s", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "exports", "1")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory left empty is still there: %v", err)
	}
}

func TestTemporaryFileIsInTheObjectsDirectory(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	w, err := s.NewWriter(context.Background(), "a/b/key", storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, dir)
	if len(got) != 1 || !strings.HasPrefix(got[0], "a/b/.haexcel-") {
		t.Errorf("the directory holds %q", got)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
}

func TestAbortAndDeleteLeaveNoEmptyDirectory(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	w, err := s.NewWriter(context.Background(), "a/b/key", storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "c/d/key", "x"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(context.Background(), "c/d/key"); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestReservedNamesAreRefused(t *testing.T) {
	s := open(t, t.TempDir())
	if err := put(s, "a/.haexcel-X.tmp", "x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want Invalid", err)
	}
}

func TestKeysTheFileSystemCannotHoldAreInvalid(t *testing.T) {
	s := open(t, t.TempDir())
	if err := put(s, "file", "x"); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "dir/file", "x"); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{
		"below an object": "file/below", "a directory": "dir", "long segment": strings.Repeat("n", 300),
	} {
		if err := put(s, key, "x"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

func TestSymbolicLinksDoNotLeadOutside(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if r, err := s.NewReader(context.Background(), "link/secret", 0, -1); err == nil {
		t.Errorf("read a file outside: %v", r.Close())
	}
	if err := put(s, "link/new", "x"); err == nil {
		t.Error("wrote a file outside")
	}
	if got := files(t, outside); len(got) != 1 {
		t.Errorf("outside holds %q", got)
	}
}

func TestADisappearedTemporaryFileMayBeTriedAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	w, err := s.NewWriter(context.Background(), "a/key", storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
}

// child writes, reads and deletes beside its parent.
func child(dir string) int {
	s, err := filestore.New(dir)
	if err != nil {
		return 2
	}
	for i := range 200 {
		if err := put(s, "shared/deep/child", strings.Repeat("c", 1000+i)); err != nil {
			return 3
		}
		if err := put(s, "shared/same", strings.Repeat("c", 3000)); err != nil {
			return 4
		}
		if err := s.Delete(context.Background(), "shared/deep/child"); err != nil {
			return 5
		}
	}
	if s.Close() != nil {
		return 6
	}
	return 0
}

func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for rounds := 0; ; rounds++ {
		if err := put(s, "shared/deep/parent", strings.Repeat("p", 1000)); err != nil {
			t.Fatal(err)
		}
		if err := put(s, "shared/same", strings.Repeat("p", 2000)); err != nil {
			t.Fatal(err)
		}
		r, err := s.NewReader(ctx, "shared/same", 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if text := got.String(); text != strings.Repeat("p", 2000) && text != strings.Repeat("c", 3000) {
			t.Fatalf("a mixture of %d bytes", len(text))
		}
		if err := s.Delete(ctx, "shared/deep/parent"); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the other process: %v %s", err, out.String())
			}
			t.Logf("%d rounds beside the other process", rounds)
			return
		default:
		}
	}
}

func TestAKilledWriterLeavesNothingVisible(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	w, err := s.NewWriter(context.Background(), "a/key", storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	// Another process starts while the file of the first is still there.
	other := open(t, dir)
	if _, err := other.Stat(context.Background(), "a/key"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	err = other.List(context.Background(), "", func(a storage.Attributes) bool {
		t.Errorf("the listing shows %q", a.Key)
		return true
	})
	if err != nil {
		t.Error(err)
	}
	if err := w.Commit(); err != nil {
		t.Errorf("the living writer was disturbed: %v", err)
	}
}

// A share that is away must not look like files that have expired, and a job
// must not fail for good because of it.
func TestDirectoryThatGoesAwayIsUnavailable(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, dir string){
		"removed":  func(*testing.T, string) {},
		"replaced": func(t *testing.T, dir string) { mkdir(t, dir) },
		"a file": func(t *testing.T, dir string) {
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "files")
			s, err := filestore.New(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if _, err := s.Stat(t.Context(), "exports/a"); !fault.Is(err, fault.NotFound) {
				t.Fatalf("while the directory is there: %v", err)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			replace(t, dir)
			_, errStat := s.Stat(t.Context(), "exports/a")
			_, errRead := s.NewReader(t.Context(), "exports/a", 0, -1)
			_, errWrite := s.NewWriter(t.Context(), "exports/a", storage.WriteOptions{})
			errDelete := s.Delete(t.Context(), "exports/a")
			for what, err := range map[string]error{"stat": errStat, "read": errRead, "write": errWrite, "delete": errDelete} {
				if !fault.Is(err, fault.Unavailable) || fault.SafeMessage(err) != "The file storage is not available." {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
}
