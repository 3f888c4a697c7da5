// Package memwake is a wake queue within one process, with SQS's semantics:
// visibility timeout, receive count, dead-letter queue, delay, fair groups, and
// duplicates on demand.
//
// Guarantees. A message is delivered until it is deleted by the receipt of its
// last delivery, or moves to the dead-letter queue. Groups are served as SQS's
// fair queues do: the group with the fewest messages in flight comes first, and
// among equals the one that has waited longest for its turn, so that none waits
// for more than a round of the others.
//
// Known limits. Messages are lost with the process (recovery wakes their jobs
// again) and memory bounds their number. Choosing a message looks at every group
// that has one waiting. It is stricter than SQS in one place: a receipt of an
// earlier delivery never deletes.
package memwake

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
)

// Limits of SQS.
const (
	maxBatch      = 10
	maxWait       = 20 * time.Second
	maxDelay      = 15 * time.Minute
	maxVisibility = 12 * time.Hour
	maxGroup      = 128
)

// DefaultVisibility is SQS's own.
const DefaultVisibility = 30 * time.Second

// Options of a Queue; the zero value is a queue without dead letters.
type Options struct {
	Visibility time.Duration // DefaultVisibility when 0

	// MaxReceives is how often a message is delivered before it moves to
	// DeadLetter; 0 means for ever. Both are set or neither.
	MaxReceives int
	DeadLetter  *Queue

	// Now is the clock by which messages become visible, time.Now when nil. A
	// Receive that waits sleeps on real timers: a test that moves its own clock
	// receives without waiting, or uses testing/synctest instead.
	Now func() time.Time

	// Duplicate, when set, is asked at each delivery of a message whether a copy
	// is to be delivered too, under the same ID, whatever becomes of the first.
	// It must not call the queue.
	Duplicate func() bool
}

// Queue implements wake.Queue. It starts no goroutine.
type Queue struct {
	opt Options

	mu       sync.Mutex
	groups   map[string]*group   // those with a waiting or in-flight message
	waiting  hidden              // delayed and in-flight messages, by the time they appear
	receipts map[string]*message // by the receipt of the last delivery
	turn     uint64              // counts deliveries: a group's place in the round
	changed  chan struct{}       // closed when a message may have become visible
	closed   bool
}

var _ wake.Queue = (*Queue)(nil)

// New returns an empty queue. Options that contradict each other are
// fault.Invalid.
func New(o Options) (*Queue, error) {
	if o.Visibility == 0 {
		o.Visibility = DefaultVisibility
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Visibility < 0 || o.Visibility > maxVisibility:
		return nil, fault.New(fault.Invalid, "The visibility timeout is not between 0 and 12 hours.")
	case o.MaxReceives < 0:
		return nil, fault.New(fault.Invalid, "The number of receives is negative.")
	case (o.MaxReceives == 0) != (o.DeadLetter == nil):
		return nil, fault.New(fault.Invalid, "A dead-letter queue and a number of receives need each other.")
	}
	return &Queue{
		opt: o, groups: map[string]*group{}, receipts: map[string]*message{}, changed: make(chan struct{}),
	}, nil
}

var errClosed = fault.New(fault.Unavailable, "The queue is closed.")

// Close ends waiting receivers; every later call gives fault.Unavailable.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.changed)
	}
}

// Send implements wake.Queue.
func (q *Queue) Send(ctx context.Context, body string, opt wake.SendOptions) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if body == "" {
		return fault.New(fault.Invalid, "The message is empty.")
	}
	if !validGroup(opt.Group) {
		return fault.New(fault.Invalid, "The message's group is not valid.")
	}
	return q.add(&message{id: rand.Text(), body: body, group: opt.Group}, min(opt.Delay, maxDelay))
}

// validGroup reports whether SQS would take the group; "" is none.
func validGroup(g string) bool {
	return len(g) <= maxGroup && !strings.ContainsFunc(g, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (q *Queue) add(m *message, delay time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if delay > 0 {
		q.waiting.add(m, q.opt.Now().Add(delay))
	} else {
		q.groupOf(m).push(m)
	}
	q.announce()
	return nil
}

// announce wakes the receivers that wait. A message that is hidden matters to
// them as well: it may be the next to appear.
func (q *Queue) announce() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Receive implements wake.Queue. Numbers beyond the limits are brought within.
func (q *Queue) Receive(ctx context.Context, limit int, wait time.Duration) ([]wake.Message, error) {
	limit = min(max(limit, 1), maxBatch)
	giveUp := time.NewTimer(min(max(wait, 0), maxWait))
	defer giveUp.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, next, changed, err := q.take(limit)
		if err != nil {
			return nil, err
		}
		if len(got) > 0 || wait <= 0 {
			return got, nil
		}
		if next < 0 || next > maxWait {
			next = maxWait // giveUp comes first
		}
		appears := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-giveUp.C:
			wait = 0 // one last look
		case <-changed:
		case <-appears.C:
		}
		appears.Stop()
	}
}

// take delivers what is visible. With nothing to deliver, next is the time until
// a hidden message appears (negative for none) and changed is closed when
// something else happens.
func (q *Queue) take(limit int) (got []wake.Message, next time.Duration, changed <-chan struct{}, err error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, 0, nil, errClosed
	}
	now := q.opt.Now()
	dead := q.appear(now)
	for len(got) < limit {
		m := q.pick()
		if m == nil {
			break
		}
		got = append(got, q.deliver(m, now))
	}
	next, changed = q.waiting.until(now), q.changed
	q.mu.Unlock()

	// The dead-letter queue has a lock of its own, taken without ours. It fails
	// only when it is closed, and then its messages are lost as well.
	for _, m := range dead {
		_ = q.opt.DeadLetter.add(&message{id: m.id, body: m.body, group: m.group}, 0)
	}
	return got, next, changed, nil
}

// appear makes messages visible whose time has come, and returns those whose
// deliveries are used up.
func (q *Queue) appear(now time.Time) (dead []*message) {
	for {
		m := q.waiting.due(now)
		if m == nil {
			return dead
		}
		q.land(m)
		if q.usedUp(m) {
			q.forget(m)
			dead = append(dead, m)
			continue
		}
		q.groupOf(m).push(m)
	}
}

// deliver hands a message out and hides it.
func (q *Queue) deliver(m *message, now time.Time) wake.Message {
	delete(q.receipts, m.receipt)
	m.receives++
	m.receipt = rand.Text()
	q.receipts[m.receipt] = m
	out := wake.Message{ID: m.id, Receipt: m.receipt, Body: m.body, Group: m.group, ReceiveCount: m.receives}
	g := q.groupOf(m)
	q.turn++
	g.served = q.turn
	m.inFlight = true
	g.inFlight++
	q.waiting.add(m, now.Add(q.opt.Visibility))
	if q.opt.Duplicate != nil && !m.copy && !q.usedUp(m) && q.opt.Duplicate() {
		g.push(&message{id: m.id, body: m.body, group: m.group, receives: m.receives, copy: true})
	}
	return out
}

// usedUp reports that a message has had all its deliveries.
func (q *Queue) usedUp(m *message) bool {
	return q.opt.MaxReceives > 0 && m.receives >= q.opt.MaxReceives
}

// land ends a message's flight, if it was on one.
func (q *Queue) land(m *message) {
	if !m.inFlight {
		return
	}
	m.inFlight = false
	g := q.groupOf(m)
	g.inFlight--
	q.drop(g)
}

// forget takes a message out of whatever holds it.
func (q *Queue) forget(m *message) {
	delete(q.receipts, m.receipt)
	if q.waiting.remove(m) {
		q.land(m)
	}
	if g := q.groups[m.group]; g != nil {
		g.remove(m)
		q.drop(g)
	}
}

// Delete implements wake.Queue.
func (q *Queue) Delete(ctx context.Context, receipt string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if m := q.receipts[receipt]; m != nil {
		q.forget(m)
	}
	return nil
}

// SetVisibility implements wake.Queue. It gives fault.NotFound unless the
// receipt is that of a delivery still in flight.
func (q *Queue) SetVisibility(ctx context.Context, receipt string, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	now := q.opt.Now()
	m := q.receipts[receipt]
	if m == nil || !m.inFlight || !m.appears.After(now) {
		return fault.New(fault.NotFound, "The message is no longer in flight.")
	}
	q.waiting.remove(m)
	q.waiting.add(m, now.Add(min(max(d, 0), maxVisibility)))
	q.announce()
	return nil
}
