package storagetest

import (
	"context"
	"errors"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// sizes takes each test through a write that is still buffered and one of which
// parts are with the product already.
func sizes(f Fixture) map[string]int { return map[string]int{"small": 10, "big": f.BigBytes} }

var cancelTests = map[string]func(t *testing.T, f Fixture){
	"abort leaves nothing": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range sizes(f) {
			w := startWrite(ctx, t, f, prefix+name, size)
			if err := w.Abort(); err != nil {
				t.Fatalf("%s: abort: %v", name, err)
			}
			wantAbsent(ctx, t, f.Second, prefix+name)
			if err := w.Abort(); err != nil {
				t.Errorf("%s: second abort: %v", name, err)
			}
			if err := w.Commit(); err == nil {
				t.Errorf("%s: a commit after the abort was taken", name)
			}
			wantAbsent(ctx, t, f.Second, prefix+name)
		}
		wantNothingPending(t, f, prefix)
	},
	"abort keeps the older object": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range sizes(f) {
			old := randomBytes(100)
			mustPut(ctx, t, f.Bucket, prefix+name, old)
			if err := startWrite(ctx, t, f, prefix+name, size).Abort(); err != nil {
				t.Fatalf("%s: abort: %v", name, err)
			}
			wantContent(ctx, t, f.Second, prefix+name, old)
		}
		wantNothingPending(t, f, prefix)
	},
	"abort works after the context has ended": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range sizes(f) {
			writing, cancel := context.WithCancel(ctx)
			w := startWrite(writing, t, f, prefix+name, size)
			cancel()
			if err := w.Abort(); err != nil {
				t.Fatalf("%s: abort: %v", name, err)
			}
			wantAbsent(ctx, t, f.Second, prefix+name)
		}
		wantNothingPending(t, f, prefix)
	},
	"write and commit fail once the context has ended": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range sizes(f) {
			old := randomBytes(100)
			mustPut(ctx, t, f.Bucket, prefix+name, old)
			writing, cancel := context.WithCancel(ctx)
			w := startWrite(writing, t, f, prefix+name, size)
			cancel()
			if _, err := w.Write([]byte("more")); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: write: got %v, want the context's error", name, err)
			}
			if err := w.Commit(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: commit: got %v, want the context's error", name, err)
			}
			wantContent(ctx, t, f.Second, prefix+name, old)
			if err := w.Abort(); err != nil {
				t.Errorf("%s: abort after the failed commit: %v", name, err)
			}
		}
		wantNothingPending(t, f, prefix)
	},
	"commit without a write in between notices the end": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range sizes(f) {
			writing, cancel := context.WithCancel(ctx)
			w := startWrite(writing, t, f, prefix+name, size)
			cancel()
			if err := w.Commit(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: commit: got %v, want the context's error", name, err)
			}
			wantAbsent(ctx, t, f.Second, prefix+name)
		}
		// Commit cleans up by itself: nobody called Abort.
		wantNothingPending(t, f, prefix)
	},
	"cancelled in the middle of big writes": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		piece := randomBytes(f.BigBytes / 5)
		for round := range 5 {
			writing, cancel := context.WithCancel(ctx)
			w, err := f.Bucket.NewWriter(writing, prefix+"key", storage.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				if i == round {
					go cancel() // somewhere within the next pieces
				}
				if _, err = w.Write(piece); err != nil {
					break
				}
			}
			if err == nil {
				err = w.Commit()
			}
			if err == nil { // finished before the cancel came through: it must be whole
				if a, err := f.Second.Stat(ctx, prefix+"key"); err != nil || a.Bytes != int64(5*len(piece)) {
					t.Errorf("committed, but %+v, %v", a, err)
				}
				if err := f.Bucket.Delete(ctx, prefix+"key"); err != nil {
					t.Fatal(err)
				}
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("round %d: got %v, want the context's error", round, err)
			}
			if err := w.Abort(); err != nil {
				t.Errorf("round %d: abort: %v", round, err)
			}
			cancel()
			wantAbsent(ctx, t, f.Second, prefix+"key")
		}
		wantNothingPending(t, f, prefix)
	},
	"an ended context does nothing": func(t *testing.T, f Fixture) {
		live, prefix := testContext(t), newPrefix()
		mustPut(live, t, f.Bucket, prefix+"kept", []byte("kept"))
		ctx, cancel := context.WithCancel(live)
		cancel()
		if err := put(ctx, f.Bucket, prefix+"new", []byte("new")); !errors.Is(err, context.Canceled) {
			t.Errorf("put: got %v", err)
		}
		if _, err := get(ctx, f.Bucket, prefix+"kept"); !errors.Is(err, context.Canceled) {
			t.Errorf("get: got %v", err)
		}
		if _, err := f.Bucket.Stat(ctx, prefix+"kept"); !errors.Is(err, context.Canceled) {
			t.Errorf("stat: got %v", err)
		}
		if err := f.Bucket.Delete(ctx, prefix+"kept"); !errors.Is(err, context.Canceled) {
			t.Errorf("delete: got %v", err)
		}
		err := f.Bucket.List(ctx, prefix, func(storage.Attributes) bool { return true })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("list: got %v", err)
		}
		wantContent(live, t, f.Second, prefix+"kept", []byte("kept"))
		wantAbsent(live, t, f.Second, prefix+"new")
		wantNothingPending(t, f, prefix)
	},
	"a bad key is refused before anything starts": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		if err := put(ctx, f.Bucket, "../outside", []byte("x")); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v, want Invalid", err)
		}
	},
}

// startWrite writes size bytes and does not commit. The pieces are small enough
// for parts to be sent while later ones are written.
func startWrite(ctx context.Context, t *testing.T, f Fixture, key string, size int) storage.Writer {
	t.Helper()
	w, err := f.Bucket.NewWriter(ctx, key, storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	content := randomBytes(size)
	for len(content) > 0 {
		n := min(len(content), 1<<20)
		if _, err := w.Write(content[:n]); err != nil {
			t.Fatal(err)
		}
		content = content[n:]
	}
	return w
}
