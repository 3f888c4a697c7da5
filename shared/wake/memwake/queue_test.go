package memwake

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/waketest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newQueue(t *testing.T, o Options) *Queue {
	t.Helper()
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func TestConformance(t *testing.T) {
	waketest.Run(t, waketest.Harness{
		Setup: func(t *testing.T) waketest.Fixture {
			dead := newQueue(t, Options{})
			const visibility, receives = 2 * time.Second, 3
			return waketest.Fixture{
				Queue:      newQueue(t, Options{Visibility: visibility, MaxReceives: receives, DeadLetter: dead}),
				DeadLetter: dead, MaxReceives: receives, Visibility: visibility,
			}
		},
		// In a bubble time is exact and costs nothing.
		StrictlyFair: true,
		Around:       synctest.Test,
	})
}

func TestNewRefusesWrongOptions(t *testing.T) {
	dead := newQueue(t, Options{})
	for name, o := range map[string]Options{
		"negative visibility":      {Visibility: -1},
		"visibility of a day":      {Visibility: 24 * time.Hour},
		"negative receives":        {MaxReceives: -1, DeadLetter: dead},
		"receives without letters": {MaxReceives: 3},
		"letters without receives": {DeadLetter: dead},
	} {
		if _, err := New(o); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

func send(t *testing.T, q *Queue, body, group string, delay time.Duration) {
	t.Helper()
	if err := q.Send(context.Background(), body, wake.SendOptions{Group: group, Delay: delay}); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, q *Queue, limit int) []wake.Message {
	t.Helper()
	got, err := q.Receive(context.Background(), limit, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTimeIsTheInjectedClocks(t *testing.T) {
	now := time.Date(2026, 9, 2, 14, 30, 25, 0, time.UTC)
	q := newQueue(t, Options{Visibility: time.Hour, Now: func() time.Time { return now }})
	send(t, q, "x", "", 10*time.Minute)
	for _, c := range []struct {
		pass  time.Duration
		count int // 0 for no delivery
	}{
		{0, 0}, {10*time.Minute - 1, 0}, {1, 1}, {time.Hour - 1, 0}, {1, 2}, {24 * time.Hour, 3},
	} {
		now = now.Add(c.pass)
		got := receive(t, q, 1)
		if c.count == 0 && len(got) != 0 || c.count > 0 && (len(got) != 1 || got[0].ReceiveCount != c.count) {
			t.Errorf("at %s: got %+v, want delivery %d", now, got, c.count)
		}
	}
}

func TestAStaleReceiptDoesNothing(t *testing.T) {
	now := time.Now()
	q := newQueue(t, Options{Visibility: time.Minute, Now: func() time.Time { return now }})
	ctx := context.Background()
	send(t, q, "x", "", 0)
	first := receive(t, q, 1)[0]
	now = now.Add(time.Minute)
	if err := q.SetVisibility(ctx, first.Receipt, time.Hour); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the visibility: got %v, want NotFound", err)
	}
	second := receive(t, q, 1)[0]
	if err := q.SetVisibility(ctx, first.Receipt, time.Hour); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the second delivery: got %v, want NotFound", err)
	}
	if err := q.Delete(ctx, first.Receipt); err != nil {
		t.Fatal(err)
	}
	if err := q.SetVisibility(ctx, second.Receipt, 0); err != nil {
		t.Errorf("the stale receipt deleted the message: %v", err)
	}
}

func TestDuplicate(t *testing.T) {
	asked := 0
	q := newQueue(t, Options{Duplicate: func() bool { asked++; return asked == 1 }})
	ctx := context.Background()
	send(t, q, "x", "g", 0)
	first := receive(t, q, 10)
	if len(first) != 2 || first[0].ID != first[1].ID || first[0].Body != first[1].Body || first[1].Group != "g" {
		t.Fatalf("got %+v", first)
	}
	if first[0].Receipt == first[1].Receipt || first[1].ReceiveCount != 2 {
		t.Errorf("got %+v", first)
	}
	for _, m := range first {
		if err := q.Delete(ctx, m.Receipt); err != nil {
			t.Fatal(err)
		}
	}
	wantEmpty(t, q)
}

func TestADuplicateArrivesAfterTheDelete(t *testing.T) {
	q := newQueue(t, Options{Duplicate: func() bool { return true }})
	send(t, q, "x", "", 0)
	for want := 1; want <= 2; want++ { // the copy is not copied again
		got := receive(t, q, 1)
		if len(got) != 1 || got[0].ReceiveCount != want {
			t.Fatalf("delivery %d: got %+v", want, got)
		}
		if err := q.Delete(context.Background(), got[0].Receipt); err != nil {
			t.Fatal(err)
		}
	}
	wantEmpty(t, q)
}

func TestDuplicatesDoNotPassTheReceiveLimit(t *testing.T) {
	dead := newQueue(t, Options{})
	now := time.Now()
	q := newQueue(t, Options{
		MaxReceives: 2, DeadLetter: dead, Now: func() time.Time { return now },
		Duplicate: func() bool { return true },
	})
	send(t, q, "x", "", 0)
	deliveries := 0
	for range 10 {
		for _, m := range receive(t, q, 10) {
			deliveries++
			if m.ReceiveCount > 2 {
				t.Errorf("got %+v", m)
			}
		}
		now = now.Add(time.Hour)
	}
	if deliveries != 3 { // the first, its copy, the first again
		t.Errorf("%d deliveries", deliveries)
	}
	wantEmpty(t, q)
	if got := receive(t, dead, 10); len(got) != 2 {
		t.Errorf("dead letters: %+v", got)
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, Options{})
		ctx := context.Background()
		ended := make(chan error, 1)
		go func() {
			_, err := q.Receive(ctx, 1, 20*time.Second)
			ended <- err
		}()
		synctest.Wait() // it waits now
		q.Close()
		q.Close()
		if err := <-ended; !fault.Is(err, fault.Unavailable) {
			t.Errorf("receive: got %v, want Unavailable", err)
		}
		_, receiveErr := q.Receive(ctx, 1, 0)
		for name, err := range map[string]error{
			"send":           q.Send(ctx, "x", wake.SendOptions{}),
			"receive":        receiveErr,
			"delete":         q.Delete(ctx, "r"),
			"set visibility": q.SetVisibility(ctx, "r", 0),
		} {
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s: got %v, want Unavailable", name, err)
			}
		}
	})
}

// A waiting receiver sleeps: in a bubble, time only passes while all do.
func TestAWaitingReceiverSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, Options{})
		looks := 0
		q.opt.Now = func() time.Time { looks++; return time.Now() }
		before := time.Now()
		if got, err := q.Receive(context.Background(), 1, time.Hour); err != nil || len(got) != 0 {
			t.Errorf("got %+v, %v", got, err)
		}
		if waited := time.Since(before); waited != maxWait {
			t.Errorf("waited %s", waited)
		}
		if looks > 3 {
			t.Errorf("looked %d times", looks)
		}
	})
}

// Nothing is kept of messages and groups that are gone.
func TestAnEmptyQueueHoldsNothing(t *testing.T) {
	dead := newQueue(t, Options{})
	now := time.Now()
	q := newQueue(t, Options{
		Visibility: time.Minute, MaxReceives: 2, DeadLetter: dead, Now: func() time.Time { return now },
	})
	ctx := context.Background()
	for i := range 200 {
		send(t, q, "x", fmt.Sprint("group", i%50), time.Duration(i%3)*time.Second)
	}
	for round := range 1000 {
		got := receive(t, q, 10)
		for i, m := range got {
			var err error
			switch (round + i) % 4 {
			case 0:
				err = q.Delete(ctx, m.Receipt)
			case 1:
				err = q.SetVisibility(ctx, m.Receipt, 0)
			case 2:
				err = q.SetVisibility(ctx, m.Receipt, time.Hour)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Minute)
	}
	wantEmpty(t, q)
	for {
		got := receive(t, dead, 10)
		if len(got) == 0 {
			break
		}
		for _, m := range got {
			if err := dead.Delete(ctx, m.Receipt); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantEmpty(t, dead)
}

func wantEmpty(t *testing.T, q *Queue) {
	t.Helper()
	if got := receive(t, q, 10); len(got) != 0 {
		t.Errorf("left: %+v", got)
	}
	if len(q.groups) != 0 || len(q.receipts) != 0 || len(q.waiting.heap) != 0 {
		t.Errorf("kept: %d groups, %d receipts, %d hidden", len(q.groups), len(q.receipts), len(q.waiting.heap))
	}
}
