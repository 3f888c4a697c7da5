package storagetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/storage"
)

var writeTests = map[string]func(t *testing.T, f Fixture){
	"holds what was written": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"a/b/c.bin"
		content := randomBytes(1000)
		before := time.Now()
		mustPut(ctx, t, f.Bucket, key, content)
		wantContent(ctx, t, f.Second, key, content)
		a, err := f.Second.Stat(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		if a.Key != key || a.Bytes != 1000 {
			t.Errorf("attributes are %+v", a)
		}
		// Servers keep seconds, and a clock of their own.
		if a.Modified.Before(before.Add(-time.Minute)) || a.Modified.After(time.Now().Add(time.Minute)) {
			t.Errorf("modified at %s, written at %s", a.Modified, before)
		}
	},
	"zero bytes": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"written", nil)
		w, err := f.Bucket.NewWriter(ctx, prefix+"unwritten", storage.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"written", "unwritten"} {
			wantContent(ctx, t, f.Second, prefix+name, nil)
			if a, err := f.Second.Stat(ctx, prefix+name); err != nil || a.Bytes != 0 {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		}
	},
	"big object in odd pieces": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		content := randomBytes(f.BigBytes)
		w, err := f.Bucket.NewWriter(ctx, prefix+"big", storage.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		// The caller's slice is its own again after each Write.
		piece := make([]byte, 99_991)
		for rest := content; len(rest) > 0; {
			n := copy(piece, rest)
			rest = rest[n:]
			if got, err := w.Write(piece[:n]); err != nil || got != n {
				t.Fatalf("write: %d, %v", got, err)
			}
			clear(piece)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		wantContent(ctx, t, f.Second, prefix+"big", content)
		wantNothingPending(t, f, prefix)
	},
	"big object in one write": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		content := randomBytes(f.BigBytes)
		mustPut(ctx, t, f.Bucket, prefix+"big", content)
		wantContent(ctx, t, f.Second, prefix+"big", content)
		wantNothingPending(t, f, prefix)
	},
	"is invisible before the commit": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range map[string]int{"small": 10, "big": f.BigBytes} {
			content := randomBytes(size)
			w, err := f.Bucket.NewWriter(ctx, prefix+name, storage.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
			wantAbsent(ctx, t, f.Second, prefix+name)
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			wantContent(ctx, t, f.Second, prefix+name, content)
		}
	},
	"overwrites whole": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		contents := [][]byte{randomBytes(1000), randomBytes(f.BigBytes), randomBytes(3), nil}
		for _, content := range contents {
			mustPut(ctx, t, f.Bucket, prefix+"key", content)
			wantContent(ctx, t, f.Second, prefix+"key", content)
		}
		if keys := listKeys(ctx, t, f.Second, prefix); len(keys) != 1 {
			t.Errorf("the listing shows %q", keys)
		}
	},
	"keys of every kind": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for _, name := range oddKeys {
			key := prefix + name
			content := []byte(name)
			mustPut(ctx, t, f.Bucket, key, content)
			wantContent(ctx, t, f.Second, key, content)
			if a, err := f.Second.Stat(ctx, key); err != nil || a.Key != key {
				t.Errorf("stat %q: %+v, %v", key, a, err)
			}
		}
		for _, name := range oddKeys { // none was taken for another
			wantContent(ctx, t, f.Second, prefix+name, []byte(name))
			if err := f.Bucket.Delete(ctx, prefix+name); err != nil {
				t.Errorf("delete %q: %v", name, err)
			}
			wantAbsent(ctx, t, f.Second, prefix+name)
		}
	},
	"many writers at once": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		contents := make([][]byte, 24)
		var wg sync.WaitGroup
		for i := range contents {
			contents[i] = randomBytes(1000 + i)
			bucket := f.Bucket
			if i%2 == 1 {
				bucket = f.Second
			}
			wg.Go(func() {
				if err := put(ctx, bucket, fmt.Sprintf("%sdir%d/%d", prefix, i%3, i), contents[i]); err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		for i, content := range contents {
			wantContent(ctx, t, f.Bucket, fmt.Sprintf("%sdir%d/%d", prefix, i%3, i), content)
		}
	},
	"writers of one key leave one whole object": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		contents := [][]byte{
			randomBytes(f.BigBytes), randomBytes(f.BigBytes - 1),
			randomBytes(5000), randomBytes(7), randomBytes(50_000), nil,
		}
		if f.LaxOverwrites {
			for i := range contents {
				contents[i] = randomBytes(f.BigBytes)
			}
		}
		var wg sync.WaitGroup
		for i, content := range contents {
			bucket := f.Bucket
			if i%2 == 1 {
				bucket = f.Second
			}
			wg.Go(func() {
				if err := put(ctx, bucket, prefix+"key", content); err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		got, err := get(ctx, f.Bucket, prefix+"key")
		if err != nil {
			t.Fatal(err)
		}
		whole := false
		for _, content := range contents {
			whole = whole || bytes.Equal(got, content)
		}
		if !whole {
			t.Errorf("the key holds %d bytes that no writer wrote", len(got))
		}
		wantNothingPending(t, f, prefix)
	},
	"abort after the commit does nothing": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range map[string]int{"small": 10, "big": f.BigBytes} {
			content := randomBytes(size)
			w, err := f.Bucket.NewWriter(ctx, prefix+name, storage.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := w.Abort(); err != nil {
				t.Errorf("abort after the commit: %v", err)
			}
			wantContent(ctx, t, f.Second, prefix+name, content)
		}
	},
	"an ended writer takes no more": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		w, err := f.Bucket.NewWriter(ctx, key, storage.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("late")); err == nil {
			t.Error("a write after the commit was taken")
		}
		if err := w.Commit(); err == nil {
			t.Error("a second commit was taken")
		}
		wantContent(ctx, t, f.Second, key, nil)
	},
}

// oddKeys hold what products and libraries are known to mangle.
var oddKeys = []string{
	"매출 현황 (최종).xlsx",
	"보고서/1월 매출/파일",
	"a b",
	"a+b",
	"a%20b",
	"a%2Fb",
	"100%",
	"q?x=1&y=2#frag",
	"quote'\"<>",
	"semi;colon:comma,at@eq=dollar$",
	"star*tilde~bang!caret^pipe|",
	"{curly}[square]`tick",
	"emoji 😀",
	"e\u0301 decomposed",
	"\u00e9 composed",
	".hidden",
	"dots..inside",
	"trailing dot.",
	"UPPER",
}
