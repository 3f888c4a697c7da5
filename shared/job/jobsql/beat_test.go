package jobsql_test

import (
	"context"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// TestBeatsHaveConnectionsOfTheirOwn takes every other connection away: a worker
// must keep its lease meanwhile.
func TestBeatsHaveConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := open(t, newURL(t), jobsql.Options{MaxConns: 2, BeatConns: 1})
			if _, err := s.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			running := func() job.Job {
				n := newJob()
				if _, err := s.Submit(ctx, n, job.SubmitLimits{}); err != nil {
					t.Fatal(err)
				}
				j, claimed, err := s.Claim(ctx, n.ID, "host", lease)
				if err != nil || !claimed {
					t.Fatalf("claimed %v, %v", claimed, err)
				}
				return j
			}
			whole, split := running(), running()
			if _, err := s.AddChunk(ctx, split.Fence(), job.Chunk{No: 1}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.PlanDone(ctx, split.Fence(), job.Planned{}); err != nil {
				t.Fatal(err)
			}
			chunk, claimed, err := s.ClaimChunk(ctx, split.ID, "host", lease)
			if err != nil || !claimed {
				t.Fatalf("claimed %v, %v", claimed, err)
			}

			for range 2 {
				conn, err := s.DB().Conn(ctx)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
			}
			short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			if _, err := s.Get(short, whole.ID); err == nil {
				t.Fatal("a connection is left: the test tests nothing")
			}

			ctx, cancel = context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			if cancelWanted, err := s.Beat(ctx, whole.Fence(), job.Progress{ProcessedRows: 7, TotalRows: -1}, lease); err != nil || cancelWanted {
				t.Errorf("beat: %v, cancel wanted %v", err, cancelWanted)
			}
			if cancelWanted, err := s.BeatChunk(ctx, chunk.Fence(), 7, lease); err != nil || cancelWanted {
				t.Errorf("chunk's beat: %v, cancel wanted %v", err, cancelWanted)
			}
			stale := chunk.Fence()
			stale.Attempt++
			if _, err := s.BeatChunk(ctx, stale, 7, lease); !fault.Is(err, fault.Lost) {
				t.Errorf("a stale chunk's beat: %v, want lost", err)
			}
		})
	}
}
