// Package waketest is the conformance suite of wake queues: each sentence of the
// contract in shared/wake is a subtest here, one file per subject. The
// in-process queue and SQS both run it.
//
// Nothing is asserted about how fast a queue is: what must not happen before a
// time is checked against the clock read before it could have begun, and what
// must happen is polled for.
package waketest

import (
	"context"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/wake"
)

// Fixture is what a queue's test gives the suite, fresh for each subtest.
type Fixture struct {
	Queue wake.Queue

	// DeadLetter receives Queue's messages after MaxReceives deliveries.
	DeadLetter  wake.Queue
	MaxReceives int

	// Visibility is Queue's visibility timeout: whole seconds, and short, since
	// the suite waits for it.
	Visibility time.Duration
}

// Harness makes fixtures.
type Harness struct {
	Setup func(t *testing.T) Fixture

	// StrictlyFair tells that the queue chooses exactly as package memwake
	// describes, which adds the tests that say so. SQS promises less, and
	// LocalStack is not fair at all: there only is checked that groups arrive and
	// that nothing starves for good.
	StrictlyFair bool

	// Around, when set, runs the body of each subtest, Setup included: in a
	// bubble of testing/synctest, for example.
	Around func(t *testing.T, body func(t *testing.T))
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	around := h.Around
	if around == nil {
		around = func(t *testing.T, body func(t *testing.T)) { body(t) }
	}
	type subject struct {
		name  string
		tests map[string]func(t *testing.T, f Fixture)
	}
	subjects := []subject{
		{"send", sendTests},
		{"receive", receiveTests},
		{"visibility", visibilityTests},
		{"delete", deleteTests},
		{"dead letter", deadLetterTests},
		{"group", groupTests},
		{"concurrent", concurrentTests},
	}
	if h.StrictlyFair {
		subjects = append(subjects, subject{"strict fairness", fairnessTests})
	}
	for _, subject := range subjects {
		t.Run(subject.name, func(t *testing.T) {
			for name, test := range subject.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					around(t, func(t *testing.T) { test(t, h.Setup(t)) })
				})
			}
		})
	}
}

// patience bounds what must happen, generously.
const patience = 2 * time.Minute

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func mustSend(ctx context.Context, t *testing.T, q wake.Queue, body string, opt wake.SendOptions) {
	t.Helper()
	if err := q.Send(ctx, body, opt); err != nil {
		t.Fatalf("send: %v", err)
	}
}

// receive takes at most limit messages of those there are.
func receive(ctx context.Context, t *testing.T, q wake.Queue, limit int, wait time.Duration) []wake.Message {
	t.Helper()
	messages, err := q.Receive(ctx, limit, wait)
	if err != nil {
		t.Fatalf("receive: %v", err)
	}
	if len(messages) > limit {
		t.Fatalf("%d messages, asked for %d", len(messages), limit)
	}
	return messages
}

// next polls until a message comes.
func next(ctx context.Context, t *testing.T, q wake.Queue) wake.Message {
	t.Helper()
	for {
		if messages := receive(ctx, t, q, 1, time.Second); len(messages) == 1 {
			return messages[0]
		}
	}
}

func mustDelete(ctx context.Context, t *testing.T, q wake.Queue, m wake.Message) {
	t.Helper()
	if err := q.Delete(ctx, m.Receipt); err != nil {
		t.Fatalf("delete: %v", err)
	}
}
