package waketest

import (
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/wake"
)

var deadLetterTests = map[string]func(t *testing.T, f Fixture){
	"takes what was received too often": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "독약", wake.SendOptions{Group: "g"})
		for want := 1; want <= f.MaxReceives; want++ {
			m := next(ctx, t, f.Queue)
			if m.ReceiveCount != want {
				t.Errorf("receive count %d, want %d", m.ReceiveCount, want)
			}
			if err := f.Queue.SetVisibility(ctx, m.Receipt, 0); err != nil {
				t.Fatal(err)
			}
		}
		letter := deadLetter(t, f)
		if letter.Body != "독약" || letter.Group != "g" {
			t.Errorf("got %+v", letter)
		}
		mustDelete(ctx, t, f.DeadLetter, letter)
		if got := receive(ctx, t, f.DeadLetter, 1, time.Second); len(got) != 0 {
			t.Errorf("left: %+v", got)
		}
	},
	"takes what nobody deleted": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		for range f.MaxReceives {
			next(ctx, t, f.Queue) // and the worker dies: visibility brings it back
		}
		if letter := deadLetter(t, f); letter.Body != "x" {
			t.Errorf("got %+v", letter)
		}
	},
	"leaves what the last delivery deletes": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		for n := 1; ; n++ {
			m := next(ctx, t, f.Queue)
			if n == f.MaxReceives {
				mustDelete(ctx, t, f.Queue, m)
				break
			}
			if err := f.Queue.SetVisibility(ctx, m.Receipt, 0); err != nil {
				t.Fatal(err)
			}
		}
		before := time.Now()
		for time.Since(before) < f.Visibility+time.Second {
			if got := receive(ctx, t, f.Queue, 1, time.Second); len(got) != 0 {
				t.Fatalf("delivered: %+v", got)
			}
		}
		if got := receive(ctx, t, f.DeadLetter, 1, 0); len(got) != 0 {
			t.Errorf("dead letter: %+v", got)
		}
	},
	"leaves the others": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "bad", wake.SendOptions{Group: "g"})
		mustSend(ctx, t, f.Queue, "good", wake.SendOptions{Group: "g"})
		for bad, good := 0, 0; bad < f.MaxReceives || good < 1; {
			m := next(ctx, t, f.Queue)
			if m.Body == "good" {
				good++
				mustDelete(ctx, t, f.Queue, m)
				continue
			}
			bad++
			if err := f.Queue.SetVisibility(ctx, m.Receipt, 0); err != nil {
				t.Fatal(err)
			}
		}
		if letter := deadLetter(t, f); letter.Body != "bad" {
			t.Errorf("got %+v", letter)
		}
	},
}

// deadLetter polls for the dead letter. Products move a message when its queue
// is asked for more; it must not come out there.
func deadLetter(t *testing.T, f Fixture) wake.Message {
	t.Helper()
	ctx := testContext(t)
	for {
		if got := receive(ctx, t, f.Queue, 1, 0); len(got) != 0 {
			t.Fatalf("delivered more than %d times: %+v", f.MaxReceives, got)
		}
		if got := receive(ctx, t, f.DeadLetter, 1, time.Second); len(got) == 1 {
			return got[0]
		}
	}
}
