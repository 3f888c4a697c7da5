package waketest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
)

var sendTests = map[string]func(t *testing.T, f Fixture){
	"is delivered as it was sent": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		w := wake.Wake{JobID: "0b8e5a3e-6e0c-4b2f-9d3a-3f3b9a1c2d4e", Attempt: 3, WokenAt: 1788327025123, RequestID: "요청 1"}
		mustSend(ctx, t, f.Queue, w.Encode(), wake.SendOptions{Group: wake.Group("사용자")})
		m := next(ctx, t, f.Queue)
		if got, err := wake.Parse(m.Body); err != nil || got != w {
			t.Errorf("got %+v, %v", got, err)
		}
		if m.Group != wake.Group("사용자") {
			t.Errorf("group %q", m.Group)
		}
		if m.ReceiveCount != 1 {
			t.Errorf("receive count %d at the first delivery", m.ReceiveCount)
		}
		if m.ID == "" || m.Receipt == "" {
			t.Errorf("no ID or receipt: %+v", m)
		}
	},
	"bodies of every kind": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for _, body := range []string{
			`{"jobId":"x"}`, "한글 😀 \"quoted\" <xml> & %20 +", " blanks at the edges ", "tab\tline\nreturn\rend",
			"e\u0301", strings.Repeat("가", 5000),
		} {
			mustSend(ctx, t, f.Queue, body, wake.SendOptions{})
			m := next(ctx, t, f.Queue)
			if m.Body != body {
				t.Errorf("got %q, want %q", m.Body, body)
			}
			mustDelete(ctx, t, f.Queue, m)
		}
	},
	"without a group": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{})
		if m := next(ctx, t, f.Queue); m.Group != "" {
			t.Errorf("group %q", m.Group)
		}
	},
	"the longest group and every punctuation": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for _, group := range []string{strings.Repeat("g", 128), "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"} {
			mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Group: group})
			m := next(ctx, t, f.Queue)
			if m.Group != group {
				t.Errorf("group %q, want %q", m.Group, group)
			}
			mustDelete(ctx, t, f.Queue, m)
		}
	},
	"refuses an empty body and a bad group": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		if err := f.Queue.Send(ctx, "", wake.SendOptions{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("empty body: got %v, want Invalid", err)
		}
		for _, group := range []string{"사용자", "a b", strings.Repeat("g", 129)} {
			if err := f.Queue.Send(ctx, "x", wake.SendOptions{Group: group}); !fault.Is(err, fault.Invalid) {
				t.Errorf("group %q: got %v, want Invalid", group, err)
			}
		}
		if got := receive(ctx, t, f.Queue, 10, 0); len(got) != 0 {
			t.Errorf("refused messages were sent: %+v", got)
		}
	},
	"a delayed message is not delivered before its time": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		before := time.Now()
		mustSend(ctx, t, f.Queue, "later", wake.SendOptions{Delay: 2 * time.Second})
		mustSend(ctx, t, f.Queue, "now", wake.SendOptions{})
		for _, want := range []string{"now", "later"} {
			m := next(ctx, t, f.Queue)
			if m.Body != want {
				t.Errorf("got %q, want %q", m.Body, want)
			}
			if m.Body == "later" && time.Since(before) < 2*time.Second {
				t.Errorf("delivered after %s", time.Since(before))
			}
			if m.ReceiveCount != 1 {
				t.Errorf("%q: receive count %d", m.Body, m.ReceiveCount)
			}
			mustDelete(ctx, t, f.Queue, m)
		}
	},
	"a delay beyond the limit is cut": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Delay: 24 * time.Hour})
		mustSend(ctx, t, f.Queue, "y", wake.SendOptions{Delay: -time.Hour})
		if m := next(ctx, t, f.Queue); m.Body != "y" {
			t.Errorf("got %q", m.Body)
		}
	},
	"an ended context sends nothing": func(t *testing.T, f Fixture) {
		live := testContext(t)
		ctx, cancel := context.WithCancel(live)
		cancel()
		if err := f.Queue.Send(ctx, "x", wake.SendOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		if got := receive(live, t, f.Queue, 1, 0); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	},
}
