//go:build unix

package s3store

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// What a file of 100 MB costs the uploading process, the server's time left out:
// cpu-ms/op is the CPU time of this process.
func BenchmarkUpload(b *testing.B) {
	client := newTestClient(b)
	store := newTestStore(b, client, newTestBucket(b, client))
	const size, piece = 100_000_000, 32 << 10 // pieces as the archive's writer gives them
	content := randomBytes(piece)
	b.SetBytes(size)
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		w, err := store.NewWriter(context.Background(), "bench", writeOptions)
		if err != nil {
			b.Fatal(err)
		}
		for sent := 0; sent < size; sent += piece {
			if _, err := w.Write(content[:min(piece, size-sent)]); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// cpuTime is what this process has used so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
