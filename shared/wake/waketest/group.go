package waketest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/wake"
)

var groupTests = map[string]func(t *testing.T, f Fixture){
	"a backlog does not starve the others": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for i := range 20 {
			mustSend(ctx, t, f.Queue, fmt.Sprint("busy", i), wake.SendOptions{Group: "busy"})
		}
		for _, group := range []string{"quiet1", "quiet2"} {
			mustSend(ctx, t, f.Queue, group, wake.SendOptions{Group: group})
		}
		var order []string
		for missing := 22; missing > 0; {
			for _, m := range receive(ctx, t, f.Queue, 1, time.Second) {
				order = append(order, m.Group)
				mustDelete(ctx, t, f.Queue, m)
				missing--
			}
		}
		for _, group := range []string{"quiet1", "quiet2"} {
			if !slices.Contains(order, group) {
				t.Errorf("%s never arrived", group)
			}
		}
	},
}

// fairnessTests hold for a queue that serves the groups by turns.
var fairnessTests = map[string]func(t *testing.T, f Fixture){
	"a quiet group is served soon": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for i := range 20 {
			mustSend(ctx, t, f.Queue, fmt.Sprint("busy", i), wake.SendOptions{Group: "busy"})
		}
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Group: "quiet"})
		var order []string
		for range 2 {
			order = append(order, next(ctx, t, f.Queue).Group)
		}
		if !slices.Contains(order, "quiet") {
			t.Errorf("got %v first", order)
		}
	},
	"those served wait for a round": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for _, group := range []string{"a", "b", "c"} {
			for i := range 3 {
				mustSend(ctx, t, f.Queue, fmt.Sprint(i), wake.SendOptions{Group: group})
			}
		}
		var order []string
		for range 9 {
			m := next(ctx, t, f.Queue)
			order = append(order, m.Group+m.Body)
			mustDelete(ctx, t, f.Queue, m)
		}
		// Within a group first in is first out.
		if want := []string{"a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"}; !slices.Equal(order, want) {
			t.Errorf("got %v", order)
		}
	},
	"those in flight yield": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for i := range 6 {
			mustSend(ctx, t, f.Queue, fmt.Sprint(i), wake.SendOptions{Group: "busy"})
		}
		if got := receive(ctx, t, f.Queue, 3, 0); len(got) != 3 {
			t.Fatalf("got %+v", got)
		}
		for i := range 4 {
			mustSend(ctx, t, f.Queue, fmt.Sprint(i), wake.SendOptions{Group: "quiet"})
		}
		var order []string
		for _, m := range receive(ctx, t, f.Queue, 7, 0) {
			order = append(order, m.Group)
		}
		// Three each in flight, then by turns.
		if want := []string{"quiet", "quiet", "quiet", "busy", "quiet", "busy", "busy"}; !slices.Equal(order, want) {
			t.Errorf("got %v", order)
		}
	},
	"one that comes back each time does not starve the others": func(t *testing.T, f Fixture) {
		ctx := testContext(t)
		for range 3 {
			mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Group: "b"})
		}
		mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Group: "a"})
		var order []string
		for range 6 {
			m := next(ctx, t, f.Queue)
			order = append(order, m.Group)
			mustDelete(ctx, t, f.Queue, m) // group a falls empty…
			if m.Group == "a" {
				mustSend(ctx, t, f.Queue, "x", wake.SendOptions{Group: "a"}) // …and is there again
			}
		}
		if want := []string{"b", "a", "b", "a", "b", "a"}; !slices.Equal(order, want) {
			t.Errorf("got %v", order)
		}
	},
}
