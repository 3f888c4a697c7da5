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
// A split job stays RUNNING in phase CHUNKS, without token and lease, while its
// chunk rows pass through the same states; the pack statement then makes one
// worker its owner again, in phase PACKING.
//
// Guarantees, kept by the statements of jobsql and proven by jobtest:
//   - a PENDING job is claimed by exactly one of any number of claimers;
//   - a worker whose claim was taken over changes nothing in the row;
//   - an accepted cancel never ends DONE;
//   - at most one active job exists per export hash within the idempotency window;
//   - attempt never goes back, so object keys are never shared by two attempts.
//
// Known limits: simultaneous submits may pass the limit of active jobs by a few;
// the order of jobs created in the same millisecond is by id.
package job
