package storagetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/storage"
)

// disposition is as the API makes it: ASCII, the Korean name percent-encoded.
const disposition = `attachment; filename="_ _.xlsx"; filename*=UTF-8''%EB%A7%A4%EC%B6%9C%20%ED%98%84%ED%99%A9%20%28%EC%B5%9C%EC%A2%85%29.xlsx`

const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

var unsignedTests = map[string]func(t *testing.T, f Fixture){
	"where there are none says so": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		mustPut(ctx, t, f.Bucket, key, nil)
		_, err := f.Bucket.SignedURL(ctx, key, storage.SignOptions{Expires: time.Minute})
		if !errors.Is(err, storage.ErrCannotSign) {
			t.Errorf("got %v, want ErrCannotSign", err)
		}
	},
}

var signTests = map[string]func(t *testing.T, f Fixture){
	"honours name and type": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"dir/매출 a+b%20.xlsx"
		content := randomBytes(1000)
		mustPut(ctx, t, f.Bucket, key, content)
		link := sign(ctx, t, f, key, time.Minute)
		got := fetch(ctx, t, link.URL, "")
		if got.status != http.StatusOK || !bytes.Equal(got.body, content) {
			t.Fatalf("status %d, %d bytes", got.status, len(got.body))
		}
		if kind := got.header.Get("Content-Type"); kind != xlsxType {
			t.Errorf("content type %q", kind)
		}
		if name := got.header.Get("Content-Disposition"); name != disposition {
			t.Errorf("content disposition %q", name)
		}
		_, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
		if err != nil || params["filename"] != "매출 현황 (최종).xlsx" {
			t.Errorf("file name %q, %v", params["filename"], err)
		}
	},
	"serves ranges": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		content := randomBytes(f.BigBytes)
		mustPut(ctx, t, f.Bucket, key, content)
		got := fetch(ctx, t, sign(ctx, t, f, key, time.Minute).URL, "bytes=1000-1999")
		if got.status != http.StatusPartialContent || !bytes.Equal(got.body, content[1000:2000]) {
			t.Errorf("status %d, %d bytes", got.status, len(got.body))
		}
	},
	"tells when it ends": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		before := time.Now()
		link := sign(ctx, t, f, key, 5*time.Minute)
		after := time.Now()
		// The product's dates are whole seconds; a link never outlives what was asked.
		if link.Expires.Before(before.Add(5*time.Minute-time.Second)) || link.Expires.After(after.Add(5*time.Minute)) {
			t.Errorf("made at %s, ends at %s", before, link.Expires)
		}
	},
	"does not look for the key": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"absent"
		if got := fetch(ctx, t, sign(ctx, t, f, key, time.Minute).URL, ""); got.status != http.StatusNotFound {
			t.Errorf("status %d, want 404", got.status)
		}
	},
	"ends": func(t *testing.T, f Fixture) {
		ctx, key := testContext(t), newPrefix()+"key"
		mustPut(ctx, t, f.Bucket, key, []byte("x"))
		link := sign(ctx, t, f, key, time.Second)
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(500 * time.Millisecond) {
			status := fetch(ctx, t, link.URL, "").status
			if status == http.StatusForbidden {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the link still answers %d, ended at %s", status, link.Expires)
			}
		}
	},
}

func sign(ctx context.Context, t *testing.T, f Fixture, key string, life time.Duration) storage.Link {
	t.Helper()
	link, err := f.Bucket.SignedURL(ctx, key, storage.SignOptions{
		Expires: life, ContentType: xlsxType, ContentDisposition: disposition,
	})
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// answer is what a browser gets.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// fetch is a browser: it sends nothing but the link.
func fetch(ctx context.Context, t *testing.T, url, byteRange string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if byteRange != "" {
		req.Header.Set("Range", byteRange)
	}
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reply.Body)
	if err := errors.Join(err, reply.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer{status: reply.StatusCode, header: reply.Header, body: body}
}
