package storagetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/storage"
)

var listTests = map[string]func(t *testing.T, f Fixture){
	"in key order": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		var want []string
		// "-", "." and "+" sort before "/", letters after it: a directory's
		// place among its neighbours is where walks go wrong.
		for _, name := range []string{
			"a/b", "a/b2/c", "a-b", "a.b", "a+b", "a0", "ab", "A", "가/나", "z",
			"a/b1/x/y", "a-b2/c", "매출 현황", "매출 현황2/x", "😀", "\uff5e",
		} {
			mustPut(ctx, t, f.Bucket, prefix+name, []byte(name))
			want = append(want, prefix+name)
		}
		slices.Sort(want)
		if got := listKeys(ctx, t, f.Second, prefix); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	},
	"only what has the prefix": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for _, name := range []string{"ab/c", "ab/d/e", "abc", "a/b", "b"} {
			mustPut(ctx, t, f.Bucket, prefix+name, nil)
		}
		for under, want := range map[string][]string{
			"":       {"a/b", "ab/c", "ab/d/e", "abc", "b"},
			"a":      {"a/b", "ab/c", "ab/d/e", "abc"},
			"ab":     {"ab/c", "ab/d/e", "abc"},
			"ab/":    {"ab/c", "ab/d/e"},
			"ab/d":   {"ab/d/e"},
			"ab/d/e": {"ab/d/e"},
			"abc/":   nil,
			"c":      nil,
			"ab/d/f": nil,
		} {
			var full []string
			for _, name := range want {
				full = append(full, prefix+name)
			}
			if got := listKeys(ctx, t, f.Second, prefix+under); !slices.Equal(got, full) {
				t.Errorf("under %q: got %q, want %q", under, got, full)
			}
		}
	},
	"odd keys come back as they are": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		var want []string
		for _, name := range oddKeys {
			mustPut(ctx, t, f.Bucket, prefix+name, nil)
			want = append(want, prefix+name)
		}
		slices.Sort(want)
		if got := listKeys(ctx, t, f.Second, prefix); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	},
	"more than one page": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		const n = 1050 // servers give 1,000 at a time
		keys := make(chan string)
		failed := make(chan error, 8)
		for range cap(failed) {
			go func() {
				var err error
				for key := range keys {
					if err == nil {
						err = put(ctx, f.Bucket, key, []byte("x"))
					}
				}
				failed <- err
			}()
		}
		var want []string
		for i := range n {
			key := fmt.Sprintf("%sk%05d", prefix, i)
			want = append(want, key)
			keys <- key
		}
		close(keys)
		for range cap(failed) {
			if err := <-failed; err != nil {
				t.Fatal(err)
			}
		}
		if got := listKeys(ctx, t, f.Second, prefix); !slices.Equal(got, want) {
			t.Errorf("got %d keys, want %d", len(got), n)
		}
	},
	"ends when it has enough": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for _, name := range []string{"a/1", "a/2", "b/1", "c"} {
			mustPut(ctx, t, f.Bucket, prefix+name, nil)
		}
		var got []string
		err := f.Bucket.List(ctx, prefix, func(a storage.Attributes) bool {
			got = append(got, strings.TrimPrefix(a.Key, prefix))
			return len(got) < 2
		})
		if err != nil || !slices.Equal(got, []string{"a/1", "a/2"}) {
			t.Errorf("got %q, %v", got, err)
		}
	},
	"tells sizes": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"a", nil)
		mustPut(ctx, t, f.Bucket, prefix+"b", randomBytes(1234))
		var got []int64
		err := f.Bucket.List(ctx, prefix, func(a storage.Attributes) bool {
			got = append(got, a.Bytes)
			if a.Modified.IsZero() {
				t.Errorf("%q has no time", a.Key)
			}
			return true
		})
		if err != nil || !slices.Equal(got, []int64{0, 1234}) {
			t.Errorf("got %v, %v", got, err)
		}
	},
	"does not see unfinished writes": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"done", nil)
		w := startWrite(ctx, t, f, prefix+"new/under/way", f.BigBytes)
		if got := listKeys(ctx, t, f.Second, prefix); !slices.Equal(got, []string{prefix + "done"}) {
			t.Errorf("got %q", got)
		}
		if err := w.Abort(); err != nil {
			t.Fatal(err)
		}
	},
	"while others write and delete": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"a", nil)
		mustPut(ctx, t, f.Bucket, prefix+"z", nil)
		done := make(chan error, 1)
		go func() {
			for i := range 40 {
				key := fmt.Sprintf("%sm%d/x", prefix, i%4)
				if err := put(ctx, f.Second, key, []byte("x")); err != nil {
					done <- err
					return
				}
				if err := f.Second.Delete(ctx, key); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for running := true; running; {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				running = false
			default:
			}
			keys := listKeys(ctx, t, f.Bucket, prefix)
			if len(keys) < 2 || keys[0] != prefix+"a" || keys[len(keys)-1] != prefix+"z" || !slices.IsSorted(keys) {
				t.Fatalf("got %q", keys)
			}
		}
		if got := listKeys(ctx, t, f.Bucket, prefix); !slices.Equal(got, []string{prefix + "a", prefix + "z"}) {
			t.Errorf("at the end: %q", got)
		}
	},
}
