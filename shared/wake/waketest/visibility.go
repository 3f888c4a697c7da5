package waketest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
)

var visibilityTests = map[string]func(t *testing.T, f Fixture){
	"is not delivered again before it ends, but then": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Group: "g"})
		before := time.Now()
		first := next(ctx, t, f.Queue)
		second := next(ctx, t, f.Queue)
		if passed := time.Since(before); passed < f.Visibility {
			t.Errorf("delivered again after %s, the visibility timeout is %s", passed, f.Visibility)
		}
		if second.ReceiveCount != 2 || second.ID != first.ID || second.Body != "x" || second.Group != "g" {
			t.Errorf("first %+v, then %+v", first, second)
		}
		if second.Receipt == first.Receipt {
			t.Error("both deliveries have one receipt")
		}
	},
	"set to 0 ends at once": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		for want := 1; want <= 2; want++ {
			m := next(ctx, t, f.Queue)
			if m.ReceiveCount != want {
				t.Errorf("receive count %d, want %d", m.ReceiveCount, want)
			}
			if err := f.Queue.SetVisibility(ctx, m.Receipt, 0); err != nil {
				t.Fatal(err)
			}
		}
	},
	"set longer holds longer": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		m := next(ctx, t, f.Queue)
		before := time.Now()
		if err := f.Queue.SetVisibility(ctx, m.Receipt, f.Visibility+2*time.Second); err != nil {
			t.Fatal(err)
		}
		if again := next(ctx, t, f.Queue); again.ReceiveCount != 2 {
			t.Errorf("receive count %d", again.ReceiveCount)
		}
		if passed := time.Since(before); passed < f.Visibility+2*time.Second {
			t.Errorf("delivered again after %s", passed)
		}
	},
	"may be set again and again": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		m := next(ctx, t, f.Queue)
		var before time.Time
		for range 3 { // as a worker does that is still at it
			before = time.Now()
			if err := f.Queue.SetVisibility(ctx, m.Receipt, f.Visibility+time.Second); err != nil {
				t.Fatal(err)
			}
			if got := receive(ctx, t, f.Queue, 1, time.Second); len(got) != 0 {
				t.Fatalf("delivered again: %+v", got)
			}
		}
		mustDelete(ctx, t, f.Queue, m)
		for time.Since(before) < f.Visibility+2*time.Second {
			if got := receive(ctx, t, f.Queue, 1, time.Second); len(got) != 0 {
				t.Fatalf("delivered after it was deleted: %+v", got)
			}
		}
	},
	"beyond the limit is cut": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		m := next(ctx, t, f.Queue)
		if err := f.Queue.SetVisibility(ctx, m.Receipt, 24*time.Hour); err != nil {
			t.Error(err)
		}
		if err := f.Queue.SetVisibility(ctx, m.Receipt, -time.Hour); err != nil {
			t.Error(err)
		}
		if again := next(ctx, t, f.Queue); again.ID != m.ID {
			t.Errorf("got %+v", again)
		}
	},
	"of a message that is gone is NotFound": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		m := next(ctx, t, f.Queue)
		mustDelete(ctx, t, f.Queue, m)
		if err := f.Queue.SetVisibility(ctx, m.Receipt, time.Minute); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want NotFound", err)
		}
	},
	"of a receipt that never was is NotFound": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		if err := f.Queue.SetVisibility(ctx, "no-such-receipt", time.Minute); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want NotFound", err)
		}
	},
	"an ended context sets nothing": func(t *testing.T, f Fixture) {
		live := testContext(t)
		mustSend(live, t, f.Queue, "x", wake.SendOptions{})
		m := next(live, t, f.Queue)
		ctx, cancel := context.WithCancel(live)
		cancel()
		if err := f.Queue.SetVisibility(ctx, m.Receipt, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	},
}
