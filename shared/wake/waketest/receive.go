package waketest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/wake"
)

var receiveTests = map[string]func(t *testing.T, f Fixture){
	"nothing from an empty queue": func(t *testing.T, f Fixture) {
		if got := receive(testContext(t), t, f.Queue, 10, 0); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	},
	"an empty queue is waited for": func(t *testing.T, f Fixture) {
		ctx, before := testContext(t), time.Now()
		if got := receive(ctx, t, f.Queue, 10, 2*time.Second); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		// Half of it: a server's clock may tick coarsely.
		if waited := time.Since(before); waited < time.Second {
			t.Errorf("came back after %s", waited)
		}
	},
	"several at once, no more than asked for": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		const n = 12
		for i := range n {
			mustSend(ctx, t, f.Queue, fmt.Sprint(i), wake.SendOptions{})
		}
		seen, ids := map[string]bool{}, map[string]bool{}
		for len(seen) < n {
			for _, m := range receive(ctx, t, f.Queue, 5, time.Second) {
				seen[m.Body], ids[m.ID] = true, true
				mustDelete(ctx, t, f.Queue, m)
			}
		}
		if len(ids) != n {
			t.Errorf("%d IDs for %d messages", len(ids), n)
		}
		if got := receive(ctx, t, f.Queue, 10, 0); len(got) != 0 {
			t.Errorf("left: %+v", got)
		}
	},
	"a waiting receiver is woken by a send": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		got := make(chan []wake.Message, 1)
		failed := make(chan error, 1)
		before := time.Now()
		go func() {
			messages, err := f.Queue.Receive(ctx, 1, 20*time.Second)
			got <- messages
			failed <- err
		}()
		time.Sleep(500 * time.Millisecond) // most likely it waits by now
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		messages, err := <-got, <-failed
		if err != nil || len(messages) != 1 || messages[0].Body != "x" {
			t.Errorf("got %+v, %v", messages, err)
		}
		if waited := time.Since(before); waited >= 19*time.Second {
			t.Errorf("it waited %s: to the end", waited)
		}
	},
	"a waiting receiver gets what becomes visible": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Delay: time.Second})
		if got := receive(ctx, t, f.Queue, 1, 20*time.Second); len(got) != 1 {
			t.Fatalf("delayed: got %+v", got)
		}
		if got := receive(ctx, t, f.Queue, 1, 20*time.Second); len(got) != 1 || got[0].ReceiveCount != 2 {
			t.Errorf("in flight: got %+v", got)
		}
	},
	"ends with its context": func(t *testing.T, f Fixture) {
		ctx, cancel := context.WithCancel(testContext(t))
		go func() {
			time.Sleep(300 * time.Millisecond)
			cancel()
		}()
		if got, err := f.Queue.Receive(ctx, 1, 20*time.Second); !errors.Is(err, context.Canceled) {
			t.Errorf("waiting: got %+v, %v", got, err)
		}
		if got, err := f.Queue.Receive(ctx, 1, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("ended before: got %+v, %v", got, err)
		}
	},
}
