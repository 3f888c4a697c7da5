package s3store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
)

const (
	small = 1000
	big   = 12 << 20 // three parts
)

func TestFaultsDuringAWrite(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)

	// times spoils the first n requests of one operation.
	times := func(n int32, op string, spoil transport) func() transport {
		return func() transport {
			var count atomic.Int32
			return func(got string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
				if got == op && count.Add(1) <= n {
					return spoil(got, r, pass)
				}
				return pass()
			}
		}
	}
	const always = 1 << 20
	status := func(code int, name string) transport {
		return func(_ string, r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			return answer(r, code, name)
		}
	}
	cut := func(string, *http.Request, func() (*http.Response, error)) (*http.Response, error) {
		return nil, errCut
	}
	lost := func(_ string, _ *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		return lose(pass)
	}
	spoilt := func(_ string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body[len(body)/2] ^= 1
		r.Body = io.NopCloser(bytes.NewReader(body))
		return pass()
	}
	both := func(a, b func() transport) func() transport {
		return func() transport {
			x, y := a(), b()
			return func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
				return x(op, r, func() (*http.Response, error) { return y(op, r, pass) })
			}
		}
	}

	for name, c := range map[string]struct {
		size    int
		faults  func() transport
		want    fault.Code // "" for success
		visible bool       // whether the object is there afterwards
	}{
		"part answers 500 twice":          {big, times(2, "part", status(500, "InternalError")), "", true},
		"part is told to slow down":       {big, times(2, "part", status(503, "SlowDown")), "", true},
		"part's connection is cut":        {big, times(2, "part", cut), "", true},
		"part's answer is lost":           {big, times(2, "part", lost), "", true},
		"parts answer 500 for ever":       {big, times(always, "part", status(500, "InternalError")), fault.Unavailable, false},
		"parts are told to slow down":     {big, times(always, "part", status(503, "SlowDown")), fault.Unavailable, false},
		"parts' connections are cut":      {big, times(always, "part", cut), fault.Unavailable, false},
		"parts' answers are lost":         {big, times(always, "part", lost), fault.Unavailable, false},
		"part is refused":                 {big, times(always, "part", status(403, "AccessDenied")), fault.Forbidden, false},
		"the upload disappears":           {big, times(always, "part", status(404, "NoSuchUpload")), fault.Unavailable, false},
		"part is damaged on its way":      {big, times(2, "part", spoilt), "", true},
		"parts are damaged for ever":      {big, times(always, "part", spoilt), fault.Unavailable, false},
		"create answers 503 once":         {big, times(1, "create", status(503, "ServiceUnavailable")), "", true},
		"create is refused":               {big, times(always, "create", status(403, "AccessDenied")), fault.Forbidden, false},
		"complete answers 500 twice":      {big, times(2, "complete", status(500, "InternalError")), "", true},
		"complete answers 500 for ever":   {big, times(always, "complete", status(500, "InternalError")), fault.Unavailable, false},
		"complete is cut for ever":        {big, times(always, "complete", cut), fault.Unavailable, false},
		"complete is refused":             {big, times(always, "complete", status(400, "InvalidPart")), fault.Invalid, false},
		"complete's answer is lost once":  {big, times(1, "complete", lost), "", true},
		"complete's answers are all lost": {big, times(always, "complete", lost), "", true},
		"complete and all looks are lost": {
			big, both(times(always, "complete", lost), times(always, "head", cut)), fault.UnknownOutcome, true,
		},
		"complete in a 200 that is an error": {
			big, times(always, "complete", status(200, "InternalError")), fault.Unavailable, false,
		},
		"abort answers 500 at first": {
			big, both(times(always, "part", status(500, "InternalError")), times(4, "abort", status(500, "InternalError"))),
			fault.Unavailable, false,
		},
		"abort's answers are lost": {
			big, both(times(always, "part", cut), times(3, "abort", lost)), fault.Unavailable, false,
		},
		"put answers 500 twice":      {small, times(2, "put", status(500, "InternalError")), "", true},
		"put is told to slow down":   {small, times(always, "put", status(503, "SlowDown")), fault.Unavailable, false},
		"put's connection is cut":    {small, times(2, "put", cut), "", true},
		"put's answers are all lost": {small, times(always, "put", lost), "", true},
		"put is cut for ever":        {small, times(always, "put", cut), fault.UnknownOutcome, false},
		"put is damaged on its way":  {small, times(2, "put", spoilt), "", true},
		"put is damaged for ever":    {small, times(always, "put", spoilt), fault.Unavailable, false},
		"put is refused":             {small, times(always, "put", status(403, "AccessDenied")), fault.Forbidden, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "faults/" + strings.ReplaceAll(name, " ", "-")
			content := randomBytes(c.size)
			err := writeAll(context.Background(), newTestStore(t, through(client, c.faults()), bucket), key, content)
			if got := fault.CodeOf(err); got != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			store := newTestStore(t, client, bucket)
			r, err := store.NewReader(context.Background(), key, 0, -1)
			if !c.visible {
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("the object: got %v, want NotFound", err)
				}
			} else if err != nil {
				t.Error(err)
			} else {
				got, err := io.ReadAll(r)
				if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, content) {
					t.Errorf("the object differs: %v", err)
				}
				if got := contentType(t, client, bucket, key); got != "application/zip" {
					t.Errorf("content type %q", got)
				}
			}
			if n := pendingUploads(t, client, bucket, key); n != 0 {
				t.Errorf("%d uploads are left", n)
			}
		})
	}
}

func TestALostAnswerIsNotTakenForAnothersObject(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	content := randomBytes(small)
	plain := newTestStore(t, client, bucket)
	if err := writeAll(context.Background(), plain, "key", content); err != nil {
		t.Fatal(err)
	}
	// The same bytes by another writer whose requests never arrive: size and
	// digest agree, and yet it wrote nothing.
	cut := newTestStore(t, through(client, func(op string, _ *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		if op == "put" {
			return nil, errCut
		}
		return pass()
	}), bucket)
	if err := writeAll(context.Background(), cut, "key", content); !fault.Is(err, fault.UnknownOutcome) {
		t.Errorf("got %v, want UnknownOutcome", err)
	}
}

func TestCancelWhileTheServerHangs(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	for _, op := range []string{"part", "complete", "put"} {
		t.Run(op, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			hanging := through(client, func(got string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
				if got != op {
					return pass()
				}
				cancel() // while the request is under way
				<-r.Context().Done()
				return nil, r.Context().Err()
			})
			size := big
			if op == "put" {
				size = small
			}
			err := writeAll(ctx, newTestStore(t, hanging, bucket), "hang/"+op, randomBytes(size))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the context's error", err)
			}
			if _, err := newTestStore(t, client, bucket).Stat(context.Background(), "hang/"+op); !fault.Is(err, fault.NotFound) {
				t.Errorf("the object: got %v, want NotFound", err)
			}
			if n := pendingUploads(t, client, bucket, "hang/"); n != 0 {
				t.Errorf("%d uploads are left", n)
			}
		})
	}
}

func TestAbortGoesOnUntilNoPartIsLeft(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	var aborts, looks atomic.Int32
	late := through(client, func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		switch op {
		case "abort":
			aborts.Add(1)
		case "parts":
			if looks.Add(1) <= 2 { // a part that was on its way arrives after the abort
				body := `<ListPartsResult><Part><PartNumber>1</PartNumber><ETag>"x"</ETag><Size>5</Size></Part></ListPartsResult>`
				return &http.Response{
					StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{},
					Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
				}, nil
			}
		}
		return pass()
	})
	w, err := newTestStore(t, late, bucket).NewWriter(context.Background(), "late", writeOptions)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(randomBytes(big)); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	// More of them are the SDK's own retries.
	if aborts.Load() < 3 || looks.Load() < 3 {
		t.Errorf("%d aborts and %d looks, want 3 and 3", aborts.Load(), looks.Load())
	}
	if n := pendingUploads(t, client, bucket, "late"); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}

func TestAbortThatIsRefusedSaysSoAndMayBeTriedAgain(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	var refuse atomic.Bool
	refuse.Store(true)
	c := through(client, func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		if op == "abort" && refuse.Load() {
			return answer(r, 403, "AccessDenied")
		}
		return pass()
	})
	w, err := newTestStore(t, c, bucket).NewWriter(context.Background(), "refused", writeOptions)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(randomBytes(big)); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); !fault.Is(err, fault.Forbidden) {
		t.Errorf("got %v, want Forbidden", err)
	}
	refuse.Store(false)
	if err := w.Abort(); err != nil {
		t.Errorf("second abort: %v", err)
	}
	if n := pendingUploads(t, client, bucket, "refused"); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}

func TestACutDownloadIsAnError(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	plain := newTestStore(t, client, bucket)
	if err := writeAll(context.Background(), plain, "key", randomBytes(big)); err != nil {
		t.Fatal(err)
	}
	cut := newTestStore(t, through(client, func(op string, _ *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		reply, err := pass()
		if err == nil && op == http.MethodGet {
			reply.Body = &cutBody{ReadCloser: reply.Body, left: 1 << 20}
		}
		return reply, err
	}), bucket)
	r, err := cut.NewReader(context.Background(), "key", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if !fault.Is(err, fault.Unavailable) || len(got) != 1<<20 {
		t.Errorf("got %d bytes and %v, want 1 MiB and Unavailable", len(got), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// cutBody breaks off as a lost connection does.
type cutBody struct {
	io.ReadCloser
	left int
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
