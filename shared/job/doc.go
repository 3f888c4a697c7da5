// Package job is the table that keeps workers honest: what a job is, which
// states it passes through, and the Store interface that moves it.
//
//	            submit
//	              │
//	              ▼      claim (the one atomic UPDATE)
//	┌─────────▶ PENDING ─────────────────────────────▶ RUNNING ──▶ DONE  complete
//	│             │  ▲                                  │ │ ▲
//	│      cancel │  │ retry, hand over, recover        │ │ │ heartbeat
//	│             │  └──────────────────────────────────┘ └─┘
//	│             ▼                                     │
//	└────────── FAIL ◀──────────────────────────────────┘ fail, cancel, recover
//	  retry endpoint
//
// A submit that a finished file answers begins as DONE. A split job stays RUNNING
// while its rows are read by many workers:
//
//	            plan done               pack                    complete
//	RUNNING ──────────────▶ CHUNKS ─────────────▶ PACKING ──────────────▶ DONE
//	planning                  │  ▲                │   │
//	                          │  └────────────────┘   ├▶ PENDING  retry, hand over
//	                          │    recover            │
//	                          └▶ FAIL                 └▶ FAIL     fail, cancel, recover
//	                             end split: a chunk has failed, or a cancel was accepted
//
// In CHUNKS the job row has no token and no lease. Its chunk rows pass through
// the states above, each by itself (claim, heartbeat, finish, retry, release,
// fail, recover); the pack statement then makes one worker the job's owner again.
// A job that comes back to PENDING keeps its chunks, its checkpoint and as_of:
// the next planner goes on after the last stored chunk, and finished chunks are
// not read again. Chunk rows of a job that is DONE, cancelled or swept are dropped.
//
// Guarantees, kept by the statements of jobsql and proven by jobtest:
//   - a PENDING job is claimed by exactly one of any number of claimers;
//   - a worker whose claim was taken over changes nothing in the row;
//   - an accepted cancel never ends DONE;
//   - at most one active job exists per export hash within the idempotency window;
//   - attempt never goes back, so object keys are never shared by two attempts;
//   - a DONE job that is not swept names an object that no sweep has removed, also
//     where several jobs share one file.
//
// Known limits: simultaneous submits may pass the limit of active jobs by a few;
// the order of jobs created in the same millisecond is by id.
package job
