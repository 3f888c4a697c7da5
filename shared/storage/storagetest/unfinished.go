package storagetest

import (
	"context"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/storage"
)

var unfinishedTests = map[string]func(t *testing.T, f Fixture){
	"an unfinished write is listed and can be removed": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		w := startWrite(ctx, t, f, prefix+"a b/매출.xlsx", f.BigBytes)
		eventuallyPending(t, f, prefix)
		found := listUnfinished(ctx, t, f.Second, prefix)
		if len(found) != 1 {
			t.Fatalf("listed %+v, want one write", found)
		}
		u := found[0]
		if path.Dir(u.Key) != prefix+"a b" || u.ID == "" {
			t.Errorf("write %+v", u)
		}
		// The product's clock is not this machine's.
		if age := time.Since(u.Touched); age < -time.Hour || age > time.Hour {
			t.Errorf("touched at %v", u.Touched)
		}
		for range 2 {
			if err := f.Second.RemoveUnfinished(ctx, u); err != nil {
				t.Fatalf("remove: %v", err)
			}
		}
		wantNothingPending(t, f, prefix)
		if err := w.Commit(); err == nil {
			t.Error("a commit of a removed write was taken")
		}
		wantAbsent(ctx, t, f.Second, prefix+"a b/매출.xlsx")
		wantNothingPending(t, f, prefix)
	},
	"only what is unfinished and has the prefix": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		content := randomBytes(f.BigBytes)
		mustPut(ctx, t, f.Bucket, prefix+"a/done", content)
		if err := startWrite(ctx, t, f, prefix+"a/aborted", f.BigBytes).Abort(); err != nil {
			t.Fatal(err)
		}
		w := startWrite(ctx, t, f, prefix+"b/open", f.BigBytes)
		eventuallyPending(t, f, prefix)
		if found := listUnfinished(ctx, t, f.Second, prefix+"a/"); len(found) != 0 {
			t.Errorf("listed %+v, want nothing", found)
		}
		if found := listUnfinished(ctx, t, f.Second, prefix+"b/"); len(found) != 1 {
			t.Errorf("listed %+v, want one write", found)
		}
		if err := w.Abort(); err != nil {
			t.Fatal(err)
		}
		if found := listUnfinished(ctx, t, f.Second, prefix); len(found) != 0 {
			t.Errorf("listed %+v after the abort", found)
		}
		wantContent(ctx, t, f.Second, prefix+"a/done", content)
	},
	"removing leaves other writes of the key alone": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		key := prefix + "key"
		old := randomBytes(100)
		mustPut(ctx, t, f.Bucket, key, old)
		lost := startWrite(ctx, t, f, key, f.BigBytes)
		eventuallyPending(t, f, prefix)
		found := listUnfinished(ctx, t, f.Second, prefix)
		if len(found) != 1 {
			t.Fatalf("listed %+v, want one write", found)
		}
		late := startWrite(ctx, t, f, key, f.BigBytes)
		if err := f.Second.RemoveUnfinished(ctx, found[0]); err != nil {
			t.Fatal(err)
		}
		wantContent(ctx, t, f.Second, key, old)
		if err := late.Commit(); err != nil {
			t.Errorf("the other write: %v", err)
		}
		if a, err := f.Second.Stat(ctx, key); err != nil || a.Bytes != int64(f.BigBytes) {
			t.Errorf("%d bytes, %v", a.Bytes, err)
		}
		if err := lost.Abort(); err != nil {
			t.Errorf("abort of a removed write: %v", err)
		}
		wantNothingPending(t, f, prefix)
	},
	"listing stops when it is told to": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for _, name := range []string{"a", "b"} {
			w := startWrite(ctx, t, f, prefix+name, f.BigBytes)
			defer func() {
				if err := w.Abort(); err != nil {
					t.Error(err)
				}
			}()
		}
		calls := 0
		err := f.Bucket.ListUnfinished(ctx, prefix, func(u storage.Unfinished) bool {
			calls++
			if !strings.HasPrefix(u.Key, prefix) {
				t.Errorf("key %q", u.Key)
			}
			return false
		})
		if err != nil || calls != 1 {
			t.Errorf("%d calls, %v", calls, err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := f.Bucket.ListUnfinished(ended, prefix, func(storage.Unfinished) bool { return true }); err == nil {
			t.Error("a listing under an ended context was taken")
		}
	},
}

func listUnfinished(ctx context.Context, t *testing.T, b *storage.Bucket, prefix string) []storage.Unfinished {
	t.Helper()
	var found []storage.Unfinished
	err := b.ListUnfinished(ctx, prefix, func(u storage.Unfinished) bool {
		found = append(found, u)
		return true
	})
	if err != nil {
		t.Fatalf("list the unfinished writes of %q: %v", prefix, err)
	}
	return found
}

// eventuallyPending waits until the product has something of a write that was
// begun: parts are sent in the background.
func eventuallyPending(t *testing.T, f Fixture, prefix string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); f.Pending(t, prefix) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the product has received nothing")
		}
	}
}
