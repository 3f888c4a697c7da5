package s3store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/fault"
)

func TestPartsOfEverySizeHoldTheLargestObject(t *testing.T) {
	for _, first := range []int64{minPartBytes, defaultPartBytes, 16 << 20, 100<<20 + 1, maxPartBytes} {
		sizes := partSizes{first: first}
		var total, before int64
		for n := int32(1); n <= maxParts; n++ {
			size := sizes.of(n)
			if size < minPartBytes || size > maxPartBytes || size < before {
				t.Fatalf("parts from %d: part %d has %d bytes after %d", first, n, size, before)
			}
			total, before = total+size, size
		}
		if total < maxObjectBytes {
			t.Errorf("parts from %d hold %d bytes, the largest object has %d", first, total, int64(maxObjectBytes))
		}
	}
	// Exports of a few gigabytes stay at the first size, so memory is flat.
	if got := (partSizes{first: defaultPartBytes}).of(growthStep); got != defaultPartBytes {
		t.Errorf("part %d has %d bytes", growthStep, got)
	}
}

// countingServer takes parts in memory: what it stands for, ten thousand real
// parts, is 50 GB.
type countingServer struct {
	uploadAPI // calls that are not expected panic

	gate     chan struct{} // where there is one, parts are answered once it is closed
	mu       sync.Mutex
	sizes    map[int32]int64
	sums     map[int32][32]byte
	done     []int32
	aborted  bool
	inFlight int
	most     int
}

func (c *countingServer) CreateMultipartUpload(_ context.Context, in *s3.CreateMultipartUploadInput, _ ...func(*s3.Options)) (*s3.CreateMultipartUploadOutput, error) {
	id := "id"
	return &s3.CreateMultipartUploadOutput{UploadId: &id, ChecksumAlgorithm: in.ChecksumAlgorithm}, nil
}

func (c *countingServer) UploadPart(_ context.Context, in *s3.UploadPartInput, _ ...func(*s3.Options)) (*s3.UploadPartOutput, error) {
	c.mu.Lock()
	c.inFlight++
	c.most = max(c.most, c.inFlight)
	c.mu.Unlock()
	if c.gate != nil {
		<-c.gate
	}
	body, err := io.ReadAll(in.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight--
	if err != nil {
		return nil, err
	}
	if _, ok := c.sizes[*in.PartNumber]; ok {
		return nil, errors.New("part sent twice")
	}
	c.sizes[*in.PartNumber] = int64(len(body))
	c.sums[*in.PartNumber] = sha256.Sum256(body)
	tag := fmt.Sprint(*in.PartNumber)
	return &s3.UploadPartOutput{ETag: &tag}, nil
}

func (c *countingServer) CompleteMultipartUpload(_ context.Context, in *s3.CompleteMultipartUploadInput, _ ...func(*s3.Options)) (*s3.CompleteMultipartUploadOutput, error) {
	for _, p := range in.MultipartUpload.Parts {
		if *p.ETag != fmt.Sprint(*p.PartNumber) {
			return nil, errors.New("wrong tag")
		}
		c.done = append(c.done, *p.PartNumber)
	}
	return &s3.CompleteMultipartUploadOutput{}, nil
}

func (c *countingServer) AbortMultipartUpload(context.Context, *s3.AbortMultipartUploadInput, ...func(*s3.Options)) (*s3.AbortMultipartUploadOutput, error) {
	c.aborted = true
	return &s3.AbortMultipartUploadOutput{}, nil
}

func (c *countingServer) ListParts(context.Context, *s3.ListPartsInput, ...func(*s3.Options)) (*s3.ListPartsOutput, error) {
	return &s3.ListPartsOutput{}, nil
}

func newCountingServer() *countingServer {
	return &countingServer{sizes: map[int32]int64{}, sums: map[int32][32]byte{}}
}

// The writer keeps to 10,000 parts, in order, with tiny parts in place of real
// ones: 16 bytes that double every 900 parts, 16 MB or so in all.
func TestTenThousandPartsAndNotOneMore(t *testing.T) {
	sizes := partSizes{first: 16}
	var room int64
	for n := int32(1); n <= maxParts; n++ {
		room += sizes.of(n)
	}

	server := newCountingServer()
	w := newWriter(context.Background(), server, target{}, manner{sizes, 3, &checksums{}})
	source := rand.NewChaCha8([32]byte{1})
	writeRandom(t, w, source, room)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if len(server.done) != maxParts || !slices.IsSorted(server.done) {
		t.Fatalf("%d parts were completed, in order: %t", len(server.done), slices.IsSorted(server.done))
	}
	if server.most > 3 {
		t.Errorf("%d parts were sent at once", server.most)
	}
	again := rand.NewChaCha8([32]byte{1})
	for n := int32(1); n <= maxParts; n++ {
		want := sha256.New()
		copyRandom(t, want, again, sizes.of(n))
		if server.sizes[n] != sizes.of(n) || server.sums[n] != [32]byte(want.Sum(nil)) {
			t.Fatalf("part %d differs", n)
		}
	}

	server = newCountingServer()
	w = newWriter(context.Background(), server, target{}, manner{sizes, 3, &checksums{}})
	writeRandom(t, w, source, room)
	if _, err := w.Write([]byte{1}); err == nil {
		err = w.Commit()
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("one byte more: got %v, want Invalid", err)
		}
	} else if !fault.Is(err, fault.Invalid) {
		t.Errorf("one byte more: got %v, want Invalid", err)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if !server.aborted || server.done != nil {
		t.Errorf("aborted %t, completed %d", server.aborted, len(server.done))
	}
}

// Buffers are used again: however many parts there are, at most one for each
// sender and one being filled is alive.
func TestMemoryDoesNotGrowWithParts(t *testing.T) {
	server := newCountingServer()
	w := newWriter(context.Background(), server, target{}, manner{partSizes{first: 64 << 10}, 3, &checksums{}})
	piece := make([]byte, 64<<10)
	allocate := func() {
		for range 100 {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	allocate()
	seen := map[*byte]bool{}
	for range 500 {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
		seen[&w.buf[:1][0]] = true
	}
	if len(seen) > 4 {
		t.Errorf("%d buffers were used", len(seen))
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// While the server takes nothing the writer takes no more than its buffers hold.
func TestSlowStorageHoldsTheRowsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part, concurrency, total = 1000, 3, 20_000
		server := newCountingServer()
		server.gate = make(chan struct{})
		w := newWriter(context.Background(), server, target{}, manner{partSizes{first: part}, concurrency, &checksums{}})
		var taken atomic.Int64
		ended := make(chan error, 1)
		go func() {
			for range total / 100 {
				if _, err := w.Write(make([]byte, 100)); err != nil {
					ended <- err
					return
				}
				taken.Add(100)
			}
			ended <- w.Commit()
		}()
		synctest.Wait()
		if got := taken.Load(); got != (concurrency+1)*part {
			t.Errorf("%d bytes were taken, want %d", got, (concurrency+1)*part)
		}
		close(server.gate)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if len(server.done) != total/part {
			t.Errorf("%d parts were completed", len(server.done))
		}
	})
}

func writeRandom(t *testing.T, w io.Writer, source io.Reader, n int64) {
	t.Helper()
	piece := make([]byte, 12_345)
	for n > 0 {
		p := piece[:min(n, int64(len(piece)))]
		if _, err := io.ReadFull(source, p); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
		n -= int64(len(p))
	}
}

func copyRandom(t *testing.T, h hash.Hash, source io.Reader, n int64) {
	t.Helper()
	if _, err := io.CopyN(h, source, n); err != nil {
		t.Fatal(err)
	}
}
