package storage

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

// recorder is a driver that notes what reached it: Bucket must stop bad calls
// before a product sees them.
type recorder struct {
	calls  []string
	opt    WriteOptions
	length int64
}

func (r *recorder) NewWriter(_ context.Context, key string, opt WriteOptions) (Writer, error) {
	r.calls, r.opt = append(r.calls, "write "+key), opt
	return nil, nil
}

func (r *recorder) NewReader(_ context.Context, key string, _, length int64) (io.ReadCloser, error) {
	r.calls, r.length = append(r.calls, "read "+key), length
	return io.NopCloser(strings.NewReader("")), nil
}

func (r *recorder) Stat(_ context.Context, key string) (Attributes, error) {
	r.calls = append(r.calls, "stat "+key)
	return Attributes{}, nil
}

func (r *recorder) Delete(_ context.Context, key string) error {
	r.calls = append(r.calls, "delete "+key)
	return nil
}

func (r *recorder) List(context.Context, string, func(Attributes) bool) error { return nil }

func (r *recorder) ListUnfinished(context.Context, string, func(Unfinished) bool) error { return nil }

func (r *recorder) RemoveUnfinished(_ context.Context, u Unfinished) error {
	r.calls = append(r.calls, "remove "+u.Key)
	return nil
}

func (r *recorder) SignedURL(_ context.Context, key string, _ SignOptions) (Link, error) {
	r.calls = append(r.calls, "sign "+key)
	return Link{}, nil
}

func TestBucketRefusesBadKeys(t *testing.T) {
	ctx := context.Background()
	for name, key := range map[string]string{
		"empty":            "",
		"leading slash":    "/a",
		"trailing slash":   "a/",
		"double slash":     "a//b",
		"dot":              "a/./b",
		"dot dot":          "../a",
		"inner dot dot":    "a/../../b",
		"backslash":        `a\b`,
		"line feed":        "a\nb",
		"NUL":              "a\x00b",
		"DEL":              "a\x7fb",
		"not UTF-8":        "a\xffb",
		"longer than most": strings.Repeat("k", MaxKeyBytes+1),
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			b := NewBucket(r)
			_, wErr := b.NewWriter(ctx, key, WriteOptions{})
			_, rErr := b.NewReader(ctx, key)
			_, sErr := b.Stat(ctx, key)
			dErr := b.Delete(ctx, key)
			fErr := b.RemoveUnfinished(ctx, Unfinished{Key: key})
			_, uErr := b.SignedURL(ctx, key, SignOptions{Expires: time.Minute})
			for op, err := range map[string]error{"write": wErr, "read": rErr, "stat": sErr, "delete": dErr, "remove": fErr, "sign": uErr} {
				if !fault.Is(err, fault.Invalid) {
					t.Errorf("%s: got %v, want Invalid", op, err)
				}
			}
			if len(r.calls) != 0 {
				t.Errorf("the driver was called: %v", r.calls)
			}
		})
	}
}

func TestBucketPassesGoodKeys(t *testing.T) {
	ctx := context.Background()
	for _, key := range []string{
		"a", "exports/0b8e/1/매출 현황 (최종).xlsx", "a b+c%20.zip", ".hidden", "a..b", strings.Repeat("k", MaxKeyBytes),
	} {
		r := &recorder{}
		b := NewBucket(r)
		if _, err := b.NewWriter(ctx, key, WriteOptions{}); err != nil {
			t.Errorf("write %q: %v", key, err)
		}
		if r.opt.ContentType != "application/octet-stream" {
			t.Errorf("content type left out became %q", r.opt.ContentType)
		}
		if _, err := b.NewReader(ctx, key); err != nil || r.length != -1 {
			t.Errorf("read %q: %v, length %d", key, err, r.length)
		}
		if _, err := b.SignedURL(ctx, key, SignOptions{Expires: time.Second}); err != nil {
			t.Errorf("sign %q: %v", key, err)
		}
		want := []string{"write " + key, "read " + key, "sign " + key}
		if strings.Join(r.calls, "|") != strings.Join(want, "|") {
			t.Errorf("calls %v, want %v", r.calls, want)
		}
	}
}

func TestBucketRefusesNegativeOffset(t *testing.T) {
	r := &recorder{}
	if _, err := NewBucket(r).NewRangeReader(context.Background(), "a", -1, 1); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want Invalid", err)
	}
	if len(r.calls) != 0 {
		t.Errorf("the driver was called: %v", r.calls)
	}
}

func TestBucketRefusesBadLinkOptions(t *testing.T) {
	good := SignOptions{
		Expires:            time.Minute,
		ContentType:        "application/zip",
		ContentDisposition: `attachment; filename="_.zip"; filename*=UTF-8''%EB%A7%A4%EC%B6%9C.zip`,
	}
	for field, spoil := range map[string]func(*SignOptions){
		"expires":            func(o *SignOptions) { o.Expires = time.Second - 1 },
		"contentType":        func(o *SignOptions) { o.ContentType = "a/b\r\nX: y" },
		"contentDisposition": func(o *SignOptions) { o.ContentDisposition = `attachment; filename="매출.zip"` },
	} {
		r := &recorder{}
		opt := good
		spoil(&opt)
		_, err := NewBucket(r).SignedURL(context.Background(), "a", opt)
		if !fault.Is(err, fault.Invalid) || len(r.calls) != 0 {
			t.Errorf("%s: got %v with calls %v, want Invalid and none", field, err, r.calls)
		}
	}
	r := &recorder{}
	if _, err := NewBucket(r).SignedURL(context.Background(), "a", good); err != nil || len(r.calls) != 1 {
		t.Errorf("good options: %v, calls %v", err, r.calls)
	}
}
