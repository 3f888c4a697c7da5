package jobtest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

func testRaceSplit(t *testing.T, f Fixture) {
	stores := processes(t, f)

	t.Run("many workers do each chunk once and one of them packs", func(t *testing.T) {
		const chunks = 24
		j := splitJob(t, f.Store, chunks)
		var mu sync.Mutex
		claims := map[int]int{}
		packers := 0
		together(8, func(i int) {
			s := stores[i%2]
			for {
				c, claimed, err := s.ClaimChunk(t.Context(), j.ID, "same name", lease)
				if err != nil {
					t.Errorf("claim chunk: %v", err)
					return
				}
				if !claimed {
					break
				}
				mu.Lock()
				claims[c.No]++
				mu.Unlock()
				if err := s.FinishChunk(t.Context(), c.Fence(), job.ChunkDone{FilePath: fmt.Sprint("c", c.No), Rows: 10}); err != nil {
					t.Errorf("finish chunk: %v", err)
				}
			}
			_, packed, err := s.Pack(t.Context(), j.ID, "same name", lease)
			if err != nil {
				t.Errorf("pack: %v", err)
			}
			if packed {
				mu.Lock()
				packers++
				mu.Unlock()
			}
		})
		equal(t, "chunks claimed", len(claims), chunks)
		for no, n := range claims {
			equal(t, fmt.Sprintf("claims of chunk %d", no), n, 1)
		}
		equal(t, "packers", packers, 1)
		row := get(t, f.Store, j.ID)
		sound(t, row)
		equal(t, "rows", row.ProcessedRows, 10*chunks)
	})

	t.Run("many recoveries recover each chunk once", func(t *testing.T) {
		j := splitJob(t, f.Store, 10)
		for range 10 {
			f.SetChunk(t, j.ID, claimChunk(t, f.Store, j.ID).No, map[string]any{"lease_until": int64(1)})
		}
		together(6, func(i int) {
			if _, err := stores[i%2].RecoverChunks(t.Context(), attempts, 1000); err != nil {
				t.Errorf("recover chunks: %v", err)
			}
		})
		for _, c := range must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), j.ID)) {
			equal(t, "status", c.Status, job.Pending)
			equal(t, "failures", c.Failures, 1)
		}
	})

	t.Run("two planners plan one set of chunks", func(t *testing.T) {
		// A stale planner that comes back adds nothing once it has lost.
		for range 20 {
			a := running(t, f.Store)
			f.expire(t, a.ID)
			together(2, func(i int) {
				if i == 0 {
					for no := 1; no <= 5; no++ {
						_, err := stores[0].AddChunk(t.Context(), a.Fence(), job.Chunk{No: no, KeyTo: "[1]"})
						if err != nil && !fault.Is(err, fault.Lost) {
							t.Errorf("add chunk: %v", err)
						}
					}
					return
				}
				if _, err := stores[1].Recover(t.Context(), attempts, 1000); err != nil {
					t.Errorf("recover: %v", err)
				}
			})
			before := must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), a.ID))
			equal(t, "status", get(t, f.Store, a.ID).Status, job.Pending)
			_, err := f.Store.AddChunk(t.Context(), a.Fence(), job.Chunk{No: len(before) + 1})
			wantCode(t, err, fault.Lost)
			equal(t, "chunks", len(must[[]job.Chunk](t)(f.Store.Chunks(t.Context(), a.ID))), len(before))
		}
	})

	t.Run("a packer and a cancel exclude each other", func(t *testing.T) {
		for range 60 {
			j := chunksDone(t, f.Store)
			var packer job.Job
			var packed bool
			var packErr, cancelErr error
			together(2, func(i int) {
				if i == 0 {
					packer, packed, packErr = stores[0].Pack(t.Context(), j.ID, "packer", lease)
					if packed {
						packErr = stores[0].Complete(t.Context(), packer.Fence(), completion(packer))
					}
				} else {
					_, cancelErr = stores[1].Cancel(t.Context(), j.ID)
				}
			})
			row := get(t, f.Store, j.ID)
			sound(t, row)
			switch {
			case packErr == nil && packed && fault.Is(cancelErr, fault.Conflict):
				equal(t, "status", row.Status, job.Done)
			case cancelErr == nil && (!packed && packErr == nil || fault.Is(packErr, fault.Cancelled)):
				equal(t, "cancel wanted", row.CancelWanted, true)
			default:
				t.Errorf("packed %v (%v), cancel: %v, row: %s", packed, packErr, cancelErr, row.Status)
			}
		}
	})
}
