package storagetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

var deleteTests = map[string]func(t *testing.T, f Fixture){
	"removes the object": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"a/b", []byte("x"))
		mustPut(ctx, t, f.Bucket, prefix+"a/c", []byte("y"))
		if err := f.Bucket.Delete(ctx, prefix+"a/b"); err != nil {
			t.Fatal(err)
		}
		wantAbsent(ctx, t, f.Second, prefix+"a/b")
		wantContent(ctx, t, f.Second, prefix+"a/c", []byte("y"))
	},
	"is idempotent": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"a", []byte("x"))
		for range 3 {
			if err := f.Bucket.Delete(ctx, prefix+"a"); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Bucket.Delete(ctx, prefix+"never/was/there"); err != nil {
			t.Error(err)
		}
	},
	"takes one key, not a prefix": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		want := []string{prefix + "a-b", prefix + "a/b", prefix + "ab"}
		for _, key := range want {
			mustPut(ctx, t, f.Bucket, key, nil)
		}
		if err := f.Bucket.Delete(ctx, prefix+"a"); err != nil {
			t.Fatal(err)
		}
		if err := f.Bucket.Delete(ctx, prefix+"a/b/c"); err != nil {
			t.Fatal(err)
		}
		if got := listKeys(ctx, t, f.Second, prefix); !slices.Equal(got, want) {
			t.Errorf("left: %q", got)
		}
	},
	"of many at once": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"a/b", []byte("x"))
		var wg sync.WaitGroup
		for i := range 8 {
			bucket := f.Bucket
			if i%2 == 1 {
				bucket = f.Second
			}
			wg.Go(func() {
				if err := bucket.Delete(ctx, prefix+"a/b"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantAbsent(ctx, t, f.Bucket, prefix+"a/b")
	},
	"does not disturb writers beside it": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		var wg sync.WaitGroup
		for i := range 6 {
			bucket := f.Bucket
			if i%2 == 1 {
				bucket = f.Second
			}
			wg.Go(func() {
				// All share directories that fall empty again and again.
				key := fmt.Sprintf("%sdeep/er/%d", prefix, i)
				for round := range 30 {
					if err := put(ctx, bucket, key, []byte("x")); err != nil {
						t.Errorf("writer %d, round %d: %v", i, round, err)
						return
					}
					if _, err := get(ctx, bucket, key); err != nil {
						t.Errorf("writer %d, round %d: %v", i, round, err)
						return
					}
					if err := bucket.Delete(ctx, key); err != nil {
						t.Errorf("writer %d, round %d: %v", i, round, err)
						return
					}
				}
			})
		}
		wg.Wait()
		if got := listKeys(ctx, t, f.Bucket, prefix); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	},
	"during a write of the same key": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		for name, size := range sizes(f) {
			w := startWrite(ctx, t, f, prefix+name, size)
			if err := f.Second.Delete(ctx, prefix+name); err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			if a, err := f.Second.Stat(ctx, prefix+name); err != nil || a.Bytes != int64(size) {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		}
	},
}
