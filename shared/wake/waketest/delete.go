package waketest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/wake"
)

var deleteTests = map[string]func(t *testing.T, f Fixture){
	"is for good": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		mustSend(ctx, t, f.Queue, "kept", wake.SendOptions{})
		seen := 0
		for deleted := (time.Time{}); deleted.IsZero() || time.Since(deleted) < f.Visibility+2*time.Second; {
			for _, m := range receive(ctx, t, f.Queue, 10, time.Second) {
				if m.Body == "kept" {
					seen++
					if err := f.Queue.SetVisibility(ctx, m.Receipt, time.Minute); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if !deleted.IsZero() {
					t.Fatalf("delivered after it was deleted: %+v", m)
				}
				mustDelete(ctx, t, f.Queue, m)
				deleted = time.Now()
			}
		}
		if seen == 0 {
			t.Error("the other message is gone as well")
		}
	},
	"twice is no error": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		m := next(ctx, t, f.Queue)
		mustDelete(ctx, t, f.Queue, m)
		mustDelete(ctx, t, f.Queue, m)
	},
	"by the receipt of an earlier delivery is no error": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		first := next(ctx, t, f.Queue)
		if err := f.Queue.SetVisibility(ctx, first.Receipt, 0); err != nil {
			t.Fatal(err)
		}
		second := next(ctx, t, f.Queue)
		mustDelete(ctx, t, f.Queue, first) // it may be gone now, or not
		mustDelete(ctx, t, f.Queue, second)
		if got := receive(ctx, t, f.Queue, 1, f.Visibility+time.Second); len(got) != 0 {
			t.Errorf("left: %+v", got)
		}
	},
	"after the visibility has ended": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		m := next(ctx, t, f.Queue)
		time.Sleep(f.Visibility + 500*time.Millisecond) // nobody else took it
		mustDelete(ctx, t, f.Queue, m)
		if got := receive(ctx, t, f.Queue, 1, 2*time.Second); len(got) != 0 {
			t.Errorf("left: %+v", got)
		}
	},
	"an ended context deletes nothing": func(t *testing.T, f Fixture) {
		live := testContext(t)
		mustSend(live, t, f.Queue, "x", wake.SendOptions{})
		m := next(live, t, f.Queue)
		ctx, cancel := context.WithCancel(live)
		cancel()
		if err := f.Queue.Delete(ctx, m.Receipt); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		if again := next(live, t, f.Queue); again.ID != m.ID {
			t.Errorf("got %+v", again)
		}
	},
}
