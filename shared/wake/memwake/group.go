package memwake

import (
	"container/heap"
	"slices"
	"time"
)

// message is in exactly one place: its group's visible ones, or hidden.
type message struct {
	id, body, group string
	receives        int
	receipt         string // of the last delivery; "" before the first
	inFlight        bool   // hidden because it was delivered, not because of a delay
	copy            bool   // made by Options.Duplicate

	appears time.Time // when hidden
	index   int       // in the heap of hidden messages
}

// group is a requester's part of the queue.
type group struct {
	name     string
	visible  []*message // first in, first out
	inFlight int
	served   uint64 // the turn at which it was last served, or joined
}

func (g *group) push(m *message) { g.visible = append(g.visible, m) }

func (g *group) remove(m *message) {
	if i := slices.Index(g.visible, m); i >= 0 {
		g.visible = slices.Delete(g.visible, i, i+1)
	}
}

func (q *Queue) groupOf(m *message) *group {
	g := q.groups[m.group]
	if g == nil {
		// A new group joins at the end of the round: were it served first, one
		// that falls empty and comes back each time would starve the others.
		q.turn++
		g = &group{name: m.group, served: q.turn}
		q.groups[m.group] = g
	}
	return g
}

// drop forgets a group that has no message, so that requesters of the past cost
// nothing.
func (q *Queue) drop(g *group) {
	if len(g.visible) == 0 && g.inFlight == 0 {
		delete(q.groups, g.name)
	}
}

// pick takes the next visible message: that of the group with the fewest
// messages in flight, among equals of the one served longest ago.
func (q *Queue) pick() *message {
	var best *group
	for _, g := range q.groups {
		if len(g.visible) > 0 && (best == nil || g.before(best)) {
			best = g
		}
	}
	if best == nil {
		return nil
	}
	m := best.visible[0]
	best.visible[0] = nil
	best.visible = best.visible[1:]
	return m
}

func (g *group) before(other *group) bool {
	if g.inFlight != other.inFlight {
		return g.inFlight < other.inFlight
	}
	return g.served < other.served
}

// hidden holds messages by the time they appear.
type hidden struct {
	heap messageHeap
}

func (h *hidden) add(m *message, at time.Time) {
	m.appears = at
	heap.Push(&h.heap, m)
}

// due takes a message whose time has come, nil when there is none.
func (h *hidden) due(now time.Time) *message {
	if len(h.heap) == 0 || h.heap[0].appears.After(now) {
		return nil
	}
	return heap.Pop(&h.heap).(*message)
}

// until is the time to the next message, negative when none is hidden.
func (h *hidden) until(now time.Time) time.Duration {
	if len(h.heap) == 0 {
		return -1
	}
	return max(0, h.heap[0].appears.Sub(now))
}

// remove reports whether the message was hidden.
func (h *hidden) remove(m *message) bool {
	if m.index >= len(h.heap) || h.heap[m.index] != m {
		return false
	}
	heap.Remove(&h.heap, m.index)
	return true
}

// messageHeap implements heap.Interface.
type messageHeap []*message

func (h messageHeap) Len() int           { return len(h) }
func (h messageHeap) Less(i, j int) bool { return h[i].appears.Before(h[j].appears) }
func (h messageHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *messageHeap) Push(x any) {
	m := x.(*message)
	m.index = len(*h)
	*h = append(*h, m)
}

func (h *messageHeap) Pop() any {
	old := *h
	m := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return m
}
