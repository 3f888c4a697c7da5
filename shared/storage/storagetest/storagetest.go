// Package storagetest is the conformance suite of storage drivers. A driver is
// done when Run passes against the real product: each sentence of the contract
// in shared/storage is a subtest here, one file per subject.
package storagetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// Fixture is what a driver's test gives the suite, fresh for each subtest.
type Fixture struct {
	// Bucket wraps the driver. Nothing else writes below the prefixes the suite
	// uses, which are random.
	Bucket *storage.Bucket

	// Second is another driver over the same storage, as a second process would
	// have; nil stands for Bucket itself.
	Second *storage.Bucket

	// Pending counts the writes under prefix that are neither committed nor
	// gone (temporary files, open uploads). It is required: an upload that is
	// left behind costs money for ever.
	Pending func(t *testing.T, prefix string) int

	// BigBytes is a size that takes the driver several parts or buffers.
	BigBytes int

	// LaxOverwrites tells that the server under test may pair the length of one
	// object with the content of another when both are written to one key at
	// once, which the product does not: such writers then write equal lengths.
	LaxOverwrites bool
}

// Harness makes fixtures.
type Harness struct {
	// Setup is called once per subtest.
	Setup func(t *testing.T) Fixture

	// CanSign tells whether the product has signed links: those are tested then,
	// and otherwise that it says it has none.
	CanSign bool
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	links := unsignedTests
	if h.CanSign {
		links = signTests
	}
	for _, subject := range []struct {
		name  string
		tests map[string]func(t *testing.T, f Fixture)
	}{
		{"write", writeTests},
		{"cancel", cancelTests},
		{"read", readTests},
		{"list", listTests},
		{"delete", deleteTests},
		{"unfinished", unfinishedTests},
		{"sign", links},
	} {
		t.Run(subject.name, func(t *testing.T) {
			for name, test := range subject.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f := h.Setup(t)
					if f.Pending == nil {
						t.Fatal("the fixture cannot count pending writes")
					}
					if f.Second == nil {
						f.Second = f.Bucket
					}
					test(t, f)
				})
			}
		})
	}
}

// testTimeout ends a subtest whose server hangs; nothing is asserted by it.
const testTimeout = 2 * time.Minute

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	t.Cleanup(cancel)
	return ctx
}

// newPrefix gives each subtest its own part of the storage.
func newPrefix() string { return "storagetest/" + rand.Text() + "/" }

// randomBytes cannot be compressed and differs at every place, so a part that is
// lost, doubled or out of order shows.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// put writes a whole object.
func put(ctx context.Context, b *storage.Bucket, key string, content []byte) error {
	w, err := b.NewWriter(ctx, key, storage.WriteOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit()
}

func mustPut(ctx context.Context, t *testing.T, b *storage.Bucket, key string, content []byte) {
	t.Helper()
	if err := put(ctx, b, key, content); err != nil {
		t.Fatalf("put %q: %v", key, err)
	}
}

// get reads a whole object.
func get(ctx context.Context, b *storage.Bucket, key string) ([]byte, error) {
	r, err := b.NewReader(ctx, key)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

// wantContent compares without printing megabytes.
func wantContent(ctx context.Context, t *testing.T, b *storage.Bucket, key string, want []byte) {
	t.Helper()
	got, err := get(ctx, b, key)
	if err != nil {
		t.Fatalf("get %q: %v", key, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%q holds %d bytes that differ from the %d written", key, len(got), len(want))
	}
}

// wantAbsent checks that no way of looking finds the key.
func wantAbsent(ctx context.Context, t *testing.T, b *storage.Bucket, key string) {
	t.Helper()
	if _, err := b.Stat(ctx, key); !fault.Is(err, fault.NotFound) {
		t.Errorf("stat %q: got %v, want NotFound", key, err)
	}
	if _, err := get(ctx, b, key); !fault.Is(err, fault.NotFound) {
		t.Errorf("get %q: got %v, want NotFound", key, err)
	}
	if keys := listKeys(ctx, t, b, key); len(keys) != 0 {
		t.Errorf("the listing shows %q", keys)
	}
}

func listKeys(ctx context.Context, t *testing.T, b *storage.Bucket, prefix string) []string {
	t.Helper()
	var keys []string
	err := b.List(ctx, prefix, func(a storage.Attributes) bool {
		keys = append(keys, a.Key)
		return true
	})
	if err != nil {
		t.Fatalf("list %q: %v", prefix, err)
	}
	return keys
}

// wantNothingPending checks that no unfinished write is left under prefix.
func wantNothingPending(t *testing.T, f Fixture, prefix string) {
	t.Helper()
	if n := f.Pending(t, prefix); n != 0 {
		t.Errorf("%d unfinished writes are left under %q", n, prefix)
	}
}
