package s3store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
)

// What an S3 client says of a body, and what the server says of it.
const (
	askedHeader  = "X-Amz-Checksum-Algorithm"
	sumHeader    = "X-Amz-Checksum-Crc32"
	signedHeader = "X-Amz-Content-Sha256"
)

// Servers differ in what they do with a checksum. Whatever it is, objects are
// stored whole, and a server that does not take the checksum is asked once.
func TestServersAndChecksums(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	refusing := func(status int, code string) transport {
		return func(_ string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
			if r.Header.Get(askedHeader)+r.Header.Get(sumHeader) != "" {
				return answer(r, status, code)
			}
			return pass()
		}
	}
	for name, c := range map[string]struct {
		server  transport
		checked bool
	}{
		"compares": {func(_ string, _ *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
			return pass()
		}, true},
		"ignores": {func(_ string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
			r.Header.Del(askedHeader)
			r.Header.Del(sumHeader)
			return pass()
		}, false},
		"refuses the header": {refusing(http.StatusBadRequest, "InvalidArgument"), false},
		"has no such thing":  {refusing(http.StatusNotImplemented, "NotImplemented"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := &requests{}
			store := newTestStore(t, through(client, func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
				seen.note(op, r)
				return c.server(op, r, pass)
			}), bucket)
			const uploads = 2
			for range uploads {
				content := randomBytes(big)
				if err := writeAll(context.Background(), store, name, content); err != nil {
					t.Fatal(err)
				}
				checkContent(t, store, name, content)
			}
			want := 1
			if c.checked {
				want = uploads // each has to say so
			}
			if seen.asked != want {
				t.Errorf("the checksum is asked for %d times, want %d", seen.asked, want)
			}
			seen.checkParts(t, c.checked)
			if n := pendingUploads(t, client, bucket, name); n != 0 {
				t.Errorf("%d uploads are left", n)
			}
		})
	}
}

// A small object has its checksum in the one request that stores it; a server
// that refuses it gets the object without.
func TestSmallObjectsAndChecksums(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	var sums []string
	store := newTestStore(t, through(client, func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		if op != "put" {
			return pass()
		}
		sums = append(sums, r.Header.Get(sumHeader))
		if len(sums) > 1 && r.Header.Get(sumHeader) != "" {
			return answer(r, http.StatusBadRequest, "InvalidArgument")
		}
		return pass()
	}), bucket)
	content := []byte("123456789")
	for range 3 {
		if err := writeAll(context.Background(), store, "key", content); err != nil {
			t.Fatal(err)
		}
		checkContent(t, store, "key", content)
	}
	const sum = "y/Q5Jg==" // 0xCBF43926
	if want := []string{sum, sum, "", ""}; len(sums) != len(want) || sums[0] != want[0] || sums[1] != want[1] || sums[2]+sums[3] != "" {
		t.Errorf("checksums %q, want %q", sums, want)
	}
}

// requests notes what a store sends.
type requests struct {
	mu    sync.Mutex
	asked int           // requests, parts left out, that name a checksum
	parts []http.Header // of all parts
}

func (s *requests) note(op string, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case op == "part":
		s.parts = append(s.parts, r.Header.Clone())
	case r.Header.Get(askedHeader)+r.Header.Get(sumHeader) != "":
		s.asked++
	}
}

// checkParts fails when parts do not carry exactly one checksum: the CRC-32 or,
// over plain HTTP, the signature's.
func (s *requests) checkParts(t *testing.T, checked bool) {
	t.Helper()
	sha256 := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for _, h := range s.parts {
		sum, signed := h.Get(sumHeader), h.Get(signedHeader)
		if (sum != "") != checked || sha256.MatchString(signed) == checked {
			t.Errorf("a part has the CRC-32 %q and the signature's %q", sum, signed)
		}
	}
	if len(s.parts) == 0 {
		t.Error("no part was sent")
	}
}

func checkContent(t *testing.T, store *Store, key string, want []byte) {
	t.Helper()
	r, err := store.NewReader(context.Background(), key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the object differs: %v", err)
	}
}

// A server that compares the checksum and yet takes no part without a signature
// over its body gets one, and from then on at once.
func TestServersThatWantSignedParts(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	for _, code := range []string{"InvalidRequest", "XAmzContentSHA256Mismatch"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			var refused atomic.Int32
			store := newTestStore(t, through(client, func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
				if op == "part" && r.Header.Get(signedHeader) == "UNSIGNED-PAYLOAD" {
					refused.Add(1)
					return answer(r, http.StatusBadRequest, code)
				}
				return pass()
			}), bucket)
			for round := range 2 {
				refused.Store(0)
				content := randomBytes(big)
				if err := writeAll(context.Background(), store, code, content); err != nil {
					t.Fatal(err)
				}
				checkContent(t, store, code, content)
				if n := refused.Load(); n > 0 != (round == 0) {
					t.Errorf("upload %d: %d parts were refused", round+1, n)
				}
			}
		})
	}
}
