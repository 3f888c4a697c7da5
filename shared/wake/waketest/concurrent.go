package waketest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/wake"
)

var concurrentTests = map[string]func(t *testing.T, f Fixture){
	"producers and consumers lose nothing": func(t *testing.T, f Fixture) {
		ctx, cancel := context.WithCancel(testContext(t))
		defer cancel()
		const producers, each, consumers = 6, 20, 6

		var mu sync.Mutex
		done := map[string]int{}
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for i := range each {
					opt := wake.SendOptions{Group: fmt.Sprint("group", i%4)}
					if i%7 == 0 {
						opt.Delay = time.Second
					}
					if err := f.Queue.Send(ctx, fmt.Sprintf("%d/%d", p, i), opt); err != nil {
						t.Errorf("send: %v", err)
					}
				}
			})
		}
		for range consumers {
			wg.Go(func() {
				for {
					messages, err := f.Queue.Receive(ctx, 4, time.Second)
					if errors.Is(err, context.Canceled) {
						return
					}
					if err != nil {
						t.Errorf("receive: %v", err)
						return
					}
					for i, m := range messages {
						if m.ReceiveCount == 1 && i == 1 { // one goes back
							err = errors.Join(err, f.Queue.SetVisibility(ctx, m.Receipt, 0))
							continue
						}
						err = errors.Join(err, f.Queue.Delete(ctx, m.Receipt))
						mu.Lock()
						done[m.Body]++
						all := len(done) == producers*each
						mu.Unlock()
						if all {
							cancel()
						}
					}
					if err != nil && ctx.Err() == nil {
						t.Errorf("consume: %v", err)
					}
				}
			})
		}
		wg.Wait()
		if len(done) != producers*each {
			t.Errorf("%d of %d messages were consumed", len(done), producers*each)
		}
	},
	"a visible message goes to one receiver": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		before := time.Now()
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		var mu sync.Mutex
		got := 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				messages, err := f.Queue.Receive(ctx, 10, 0)
				if err != nil {
					t.Errorf("receive: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				got += len(messages)
			})
		}
		wg.Wait()
		// SQS may deliver twice; the servers tests run on do not before its time.
		if got != 1 && time.Since(before) < f.Visibility {
			t.Errorf("%d deliveries", got)
		}
	},
}
