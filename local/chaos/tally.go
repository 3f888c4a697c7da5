//go:build unix

package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// tally counts what happened and collects the violations.
type tally struct {
	jobs       atomic.Int64 // accepted submits
	done       atomic.Int64
	kills      atomic.Int64 // of processes that were at work
	resumed    atomic.Int64 // jobs and chunks finished after an attempt was lost with its process
	pauses     atomic.Int64
	duplicates atomic.Int64 // messages delivered in excess
	lost       atomic.Int64 // messages accepted and never delivered
	faults     atomic.Int64 // requests to the storage that went wrong
	restarts   atomic.Int64 // of the database

	mu         sync.Mutex
	violations []string
	seen       map[string]bool
}

// violate notes a broken promise, each text once.
func (t *tally) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	if !t.seen[text] {
		t.seen[text] = true
		t.violations = append(t.violations, text)
	}
}

// report writes the violations and the last line.
func (t *tally) report(w io.Writer) (violations int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, v := range t.violations {
		fmt.Fprintln(w, "violation:", v)
	}
	fmt.Fprintf(w, "chaos: jobs=%d done=%d kills=%d resumed=%d pauses=%d duplicates=%d lost=%d faults=%d restarts=%d violations=%d\n",
		t.jobs.Load(), t.done.Load(), t.kills.Load(), t.resumed.Load(), t.pauses.Load(),
		t.duplicates.Load(), t.lost.Load(), t.faults.Load(), t.restarts.Load(), len(t.violations))
	return len(t.violations)
}
