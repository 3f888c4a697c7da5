// Package jobtest is the conformance suite of job.Store: one file per subject,
// every row of the transition table, every guard in every wrong state, and the
// races. A backend runs it by
//
//	jobtest.Run(t, func(t testing.TB) jobtest.Fixture { … })
//
// Each subject gets a fixture of its own, and the subjects run side by side.
// The races make no claim about time: they count what happened and look at the
// rows afterwards.
//
// The subject Model is model-based, with pgregory.net/rapid. A machine draws random
// sequences of every transition: by several workers on several jobs and chunks,
// with claims that were lost long ago, wakes that come twice or late, requests and
// replies that get lost, leases that run out and rows that grow old. After each
// step all rows and the answer are compared with a small job table in memory
// (model.go and its neighbours, written from the specification), and the
// invariants are looked at, which stand in invariants.go. At the end of a sequence
// all workers and messages are lost: recovery alone must bring every job to its
// end, and the sweep must leave no object. ModelFindsFaults breaks one rule after
// the other and demands that the machine finds it.
//
// How far the search goes is said by the flags of rapid, e.g.
//
//	go test ./shared/job/jobsql -run '/Model$' -rapid.checks=2000 -rapid.steps=80
//
// A failing sequence is made as short as possible and kept in a file below
// testdata/rapid of the package that runs the suite. Such files are committed with
// the fix: each run replays those of its name first. Since they hold the choices
// that were made and not their meaning, they are worth nothing once the list of
// steps or what a step draws has changed; a finding that matters gets a test of its
// own.
//
// Known limits: the machine takes one step after the other, so that two statements
// at once are left to the races, and it does not build files beforehand. A suite
// can't prove the absence of a race. The orders it has to
// tell apart were model-checked; the suite shows that the statements keep them.
package jobtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Fixture is a job table that is empty, migrated and private to one test.
type Fixture struct {
	// Store is open on the table; the fixture closes it.
	Store job.Store

	// Open opens another store on the same table, as another process would.
	Open func(t testing.TB) job.Store

	// OpenFaulty opens another store, on a database whose connections break on
	// demand (see FaultyConnector).
	OpenFaulty func(t testing.TB, faults *Faults) job.Store

	// SetJob and SetChunk write columns of a row behind the store's back, to
	// let a lease run out or a row grow old. A nil value is NULL.
	SetJob   func(t testing.TB, id string, columns map[string]any)
	SetChunk func(t testing.TB, id string, no int, columns map[string]any)

	// CountJobs counts the rows whose column has the value.
	CountJobs func(t testing.TB, column string, value any) int
}

// Run runs the whole suite.
func Run(t *testing.T, newFixture func(t testing.TB) Fixture) {
	for _, subject := range []struct {
		name string
		run  func(t *testing.T, f Fixture)
	}{
		{"Query", testQuery},
		{"Text", testText},
		{"Submit", testSubmit},
		{"Limits", testLimits},
		{"Idempotency", testIdempotency},
		{"Claim", testClaim},
		{"Worker", testWorker},
		{"Cancel", testCancel},
		{"Reopen", testReopen},
		{"Recover", testRecover},
		{"Rewake", testRewake},
		{"DeadLetter", testDeadLetter},
		{"Sweep", testSweep},
		{"Reuse", testReuse},
		{"Pregenerated", testPregenerated},
		{"Orphaned", testOrphaned},
		{"Split", testSplit},
		{"SettleSplit", testSettleSplit},
		{"EndSplit", testEndSplit},
		{"DropChunks", testDropChunks},
		{"Guards", testGuards},
		{"ChunkGuards", testChunkGuards},
		{"LostReply", testLostReply},
		{"Down", testDown},
		{"Model", testModel},
		{"ModelFindsFaults", testModelFindsFaults},
		{"RaceClaim", testRaceClaim},
		{"RaceSubmit", testRaceSubmit},
		{"RaceLease", testRaceLease},
		{"RaceCancel", testRaceCancel},
		{"RaceReopen", testRaceReopen},
		{"RaceSweep", testRaceSweep},
		{"RaceReuse", testRaceReuse},
		{"RaceSplit", testRaceSplit},
	} {
		t.Run(subject.name, func(t *testing.T) {
			t.Parallel()
			subject.run(t, newFixture(t))
		})
	}
}

// The lease and limits that most tests use.
const (
	lease    = time.Minute
	attempts = 3
	window   = 30 * time.Minute
)

var noLimits = job.SubmitLimits{Window: window}

// hash makes a key of the size of a SHA-256 in hex.
func hash(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:])
}

// newJob is a submit that is like no other.
func newJob() job.New {
	id := uuid.NewString()
	return job.New{
		ID: id, Dataset: "orders", FileName: "주문 " + id[:8], Requester: "kim",
		Queue: job.Normal, ExportHash: hash("export", id), FilterHash: hash("filter", id),
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v (%s)", err, fault.CodeOf(err))
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v (%s)", err, fault.CodeOf(err))
	}
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("error %v has the code %q, want %q", err, fault.CodeOf(err), code)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// submit inserts a new job.
func submit(t testing.TB, s job.Store, n job.New) job.Job {
	t.Helper()
	answer := must[job.Submitted](t)(s.Submit(t.Context(), n, noLimits))
	if !answer.Created {
		t.Fatalf("job %s was answered by %s instead of being created", n.ID, answer.Job.ID)
	}
	return answer.Job
}

// claim makes a job the caller's.
func claim(t testing.TB, s job.Store, id string) job.Job {
	t.Helper()
	j, claimed, err := s.Claim(t.Context(), id, "host", lease)
	ok(t, err)
	if !claimed {
		t.Fatalf("job %s was not claimed: it is %s", id, j.Status)
	}
	return j
}

func running(t testing.TB, s job.Store) job.Job {
	t.Helper()
	return claim(t, s, submit(t, s, newJob()).ID)
}

func get(t testing.TB, s job.Store, id string) job.Job {
	t.Helper()
	return must[job.Job](t)(s.Get(t.Context(), id))
}

// failed is a job that has failed by itself.
func failed(t testing.TB, s job.Store) job.Job {
	t.Helper()
	return must[job.Job](t)(s.Fail(t.Context(), running(t, s).Fence(), "broken"))
}

func finished(t testing.TB, s job.Store) job.Job {
	t.Helper()
	j := running(t, s)
	ok(t, s.Complete(t.Context(), j.Fence(), completion(j)))
	return get(t, s, j.ID)
}

// completion names an object as workers do.
func completion(j job.Job) job.Completion {
	return job.Completion{FilePath: fmt.Sprintf("exports/%s/%d/file.xlsx", j.ID, j.Attempt), FileBytes: 4321, Rows: 10, AsOf: 77}
}

func (f Fixture) now(t testing.TB) int64 {
	t.Helper()
	return must[int64](t)(f.Store.Now(t.Context()))
}

// expire lets the lease of a job run out.
func (f Fixture) expire(t testing.TB, id string) {
	t.Helper()
	f.SetJob(t, id, map[string]any{"lease_until": f.now(t) - 1})
}

// age moves the times of a job back.
func (f Fixture) age(t testing.TB, id string, by time.Duration) {
	t.Helper()
	j := get(t, f.Store, id)
	columns := map[string]any{"created_at": j.CreatedAt - by.Milliseconds(), "updated_at": j.UpdatedAt - by.Milliseconds()}
	if j.CompletedAt != 0 {
		columns["completed_at"] = j.CompletedAt - by.Milliseconds()
	}
	f.SetJob(t, id, columns)
}

// unchanged says that a refused transition left the row alone.
func unchanged(t testing.TB, s job.Store, before job.Job) {
	t.Helper()
	if after := get(t, s, before.ID); after != before {
		t.Errorf("the row changed:\nbefore %+v\nafter  %+v", before, after)
	}
}

// sound checks what holds for every row at any time.
func sound(t testing.TB, j job.Job) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s job %s: %s", j.Status, j.ID, fmt.Sprintf(format, args...))
	}
	if j.CancelWanted && j.ActiveKey != "" {
		fail("a cancelled job keeps its active key")
	}
	switch j.Status {
	case job.Pending:
		if j.Token != "" || j.LeaseUntil != 0 || j.Phase != job.PhaseNone {
			fail("token %q, lease %d or phase %q is not cleared", j.Token, j.LeaseUntil, j.Phase)
		}
		if j.WokenAt == 0 || j.CompletedAt != 0 {
			fail("woken at %d, completed at %d", j.WokenAt, j.CompletedAt)
		}
	case job.Running:
		if j.Phase == job.PhaseChunks && (j.Token != "" || j.LeaseUntil != 0) {
			fail("token %q or lease %d while chunks run", j.Token, j.LeaseUntil)
		}
		if j.Phase != job.PhaseChunks && (j.Token == "" || j.LeaseUntil == 0) {
			fail("no token or no lease")
		}
		if j.StartedAt == 0 || j.CompletedAt != 0 || j.Attempt == 0 {
			fail("started at %d, completed at %d, attempt %d", j.StartedAt, j.CompletedAt, j.Attempt)
		}
	case job.Done, job.Fail:
		if j.CompletedAt == 0 || j.ActiveKey != "" || j.LeaseUntil != 0 || j.Phase != job.PhaseNone {
			fail("completed at %d, active key %q, lease %d, phase %q", j.CompletedAt, j.ActiveKey, j.LeaseUntil, j.Phase)
		}
		if j.Status == job.Done && (j.CancelWanted || j.ErrorMsg != "") {
			fail("cancel wanted %v, error %q", j.CancelWanted, j.ErrorMsg)
		}
		if j.Status == job.Fail && j.ErrorMsg == "" {
			fail("no error message")
		}
	default:
		fail("no such status")
	}
}

// cancelledContext is over already.
func cancelledContext(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
