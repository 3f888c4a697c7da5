package storagetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
)

var readTests = map[string]func(t *testing.T, f Fixture){
	"a missing key is NotFound at once": func(t *testing.T, f Fixture) {
		ctx, prefix := testContext(t), newPrefix()
		mustPut(ctx, t, f.Bucket, prefix+"dir/key", []byte("x"))
		for _, key := range []string{prefix + "absent", prefix + "dir", prefix + "dir/key/below", prefix + "di"} {
			if _, err := f.Bucket.NewReader(ctx, key); !fault.Is(err, fault.NotFound) {
				t.Errorf("reader of %q: got %v, want NotFound", key, err)
			}
			if _, err := f.Bucket.NewRangeReader(ctx, key, 5, 5); !fault.Is(err, fault.NotFound) {
				t.Errorf("range reader of %q: got %v, want NotFound", key, err)
			}
			if _, err := f.Bucket.NewRangeReader(ctx, key, 0, 0); !fault.Is(err, fault.NotFound) {
				t.Errorf("empty range reader of %q: got %v, want NotFound", key, err)
			}
			if _, err := f.Bucket.Stat(ctx, key); !fault.Is(err, fault.NotFound) {
				t.Errorf("stat of %q: got %v, want NotFound", key, err)
			}
		}
	},
	"ranges": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		content := randomBytes(1000)
		mustPut(ctx, t, f.Bucket, key, content)
		for _, c := range []struct {
			offset, length int64
			want           []byte
		}{
			{0, -1, content},
			{0, 1000, content},
			{0, 1, content[:1]},
			{0, 0, nil},
			{500, 0, nil},
			{1, 10, content[1:11]},
			{999, 1, content[999:]},
			{990, 100, content[990:]}, // cut at the end
			{990, -1, content[990:]},
			{1000, 5, nil},
			{1000, -1, nil},
			{5000, 5, nil},
		} {
			r, err := f.Bucket.NewRangeReader(ctx, key, c.offset, c.length)
			if err != nil {
				t.Errorf("range %d+%d: %v", c.offset, c.length, err)
				continue
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("range %d+%d: %d bytes, %v; want %d bytes", c.offset, c.length, len(got), err, len(c.want))
			}
			if err := r.Close(); err != nil {
				t.Errorf("range %d+%d: close: %v", c.offset, c.length, err)
			}
		}
	},
	"ranges of an empty object are empty": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		mustPut(ctx, t, f.Bucket, key, nil)
		for _, length := range []int64{-1, 0, 10} {
			r, err := f.Bucket.NewRangeReader(ctx, key, 0, length)
			if err != nil {
				t.Fatalf("length %d: %v", length, err)
			}
			got, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil || len(got) != 0 {
				t.Errorf("length %d: %d bytes, %v", length, len(got), err)
			}
		}
	},
	"ranges across parts": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		content := randomBytes(f.BigBytes)
		mustPut(ctx, t, f.Bucket, key, content)
		n := int64(len(content))
		for _, c := range [][2]int64{{n / 4, n / 2}, {n/3 - 7, 100_000}, {n - 10, 10}} {
			r, err := f.Bucket.NewRangeReader(ctx, key, c[0], c[1])
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, content[c[0]:c[0]+c[1]]) {
				t.Errorf("range %d+%d differs", c[0], c[1])
			}
		}
	},
	"closed before the end": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		content := randomBytes(f.BigBytes)
		mustPut(ctx, t, f.Bucket, key, content)
		r, err := f.Bucket.NewReader(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 100)
		if _, err := io.ReadFull(r, head); err != nil || !bytes.Equal(head, content[:100]) {
			t.Errorf("the head differs: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	},
	"keeps the object it opened": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		content := randomBytes(f.BigBytes)
		mustPut(ctx, t, f.Bucket, key, content)
		r, err := f.Bucket.NewReader(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := r.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}()
		got := make([]byte, 100, len(content))
		if _, err := io.ReadFull(r, got); err != nil {
			t.Fatal(err)
		}
		mustPut(ctx, t, f.Second, key, randomBytes(f.BigBytes))
		rest, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(got, rest...), content) {
			t.Error("the reader gave a mixture of two objects")
		}
	},
	"ends with its context": func(t *testing.T, f Fixture) {
		live, key := testContext(t), newPrefix()+"key"
		mustPut(live, t, f.Bucket, key, randomBytes(f.BigBytes))
		ctx, cancel := context.WithCancel(live)
		r, err := f.Bucket.NewReader(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	},
}
