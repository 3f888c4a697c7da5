//go:build unix

package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/sqswake"
	"github.com/haexcel/haexcel/shared/wake/waketest"
)

// newTestQueues are queues with a client, as the processes have one.
func newTestQueues(t *testing.T, visibility time.Duration, receives int) (*queueServer, *sqs.Client) {
	t.Helper()
	s, err := newQueueServer(&tally{}, 1, visibility, receives)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	client, err := sqswake.NewClient(t.Context(), sqswake.ClientOptions{
		Region: awsRegion, Endpoint: s.address, AccessKey: awsKey, SecretKey: awsKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

// While nothing is to go wrong, the queues are what SQS is.
func TestQueuesAreSQSWhileNothingGoesWrong(t *testing.T) {
	t.Parallel()
	waketest.Run(t, waketest.Harness{Setup: func(t *testing.T) waketest.Fixture {
		s, client := newTestQueues(t, 2*time.Second, 3)
		return waketest.Fixture{
			Queue:       sqswake.New(client, s.url(normalQueue)),
			DeadLetter:  sqswake.New(client, s.url(deadQueue)),
			MaxReceives: 3, Visibility: 2 * time.Second,
		}
	}})
}

// What the server says it has lost and repeated is what a reader misses and gets
// in excess.
func TestLostAndRepeatedMessagesAreCounted(t *testing.T) {
	t.Parallel()
	s, client := newTestQueues(t, time.Hour, 3)
	q, dead := sqswake.New(client, s.url(normalQueue)), sqswake.New(client, s.url(deadQueue))
	s.faulty.Store(true)
	const n = 200
	sent := map[string]bool{}
	for i := range n {
		body := fmt.Sprintf("message %d", i)
		sent[body] = true
		if err := q.Send(t.Context(), body, wake.SendOptions{}); err != nil {
			t.Fatal(err) // the client repeats what is refused
		}
	}
	s.faulty.Store(false)
	got := map[string]int{}
	for _, from := range []wake.Queue{q, dead} {
		// The latest delay is that of a late message and its copies.
		for idle := time.Now(); time.Since(idle) < 20*time.Second; {
			messages, err := from.Receive(t.Context(), 10, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range messages {
				got[m.Body]++
				idle = time.Now()
			}
			if from == wake.Queue(dead) && len(messages) == 0 {
				break
			}
		}
	}
	missing, excess := 0, 0
	for body := range sent {
		if times := got[body]; times == 0 {
			missing++
		} else {
			excess += times - 1
		}
	}
	// A message whose reply was lost was sent again by the client: those copies are
	// no faults of the queue's, and one of them may have been lost.
	lost, duplicates := int(s.tally.lost.Load()), int(s.tally.duplicates.Load())
	if missing == 0 || missing > lost || duplicates == 0 || duplicates > excess {
		t.Errorf("%d messages are missing, %d are said to be lost; %d came in excess, %d are said to", missing, lost, excess, duplicates)
	}
}
