// Package wake tells workers that a job waits. A wake is only a hint: the job
// table decides who works on what, so a lost wake is healed by recovery and a
// duplicated one changes nothing.
//
// Queue has SQS's semantics, which the in-process queue shares: a received
// message is invisible until its visibility ends, is then delivered again with
// a higher receive count, moves to the dead-letter queue when that count is
// used up, and may arrive twice or out of order.
package wake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

// Wake is the body of a message.
type Wake struct {
	JobID string `json:"jobId"`
	// Attempt is the job's attempt when the wake was made: a wake for an older
	// attempt than the row's is consumed without effect.
	Attempt int `json:"attempt"`
	// WokenAt is the row's woken_at in epoch milliseconds. The dead-letter
	// handler acts only when it is still the row's.
	WokenAt   int64  `json:"wokenAt"`
	RequestID string `json:"requestId,omitempty"`
	// Queue and Group name where the wake was sent, so that a worker which
	// cannot reach the table can send the same wake anew.
	Queue string `json:"queue,omitempty"` // normal or large; "" counts as normal
	Group string `json:"group,omitempty"` // see Group
}

// Encode returns the JSON body.
func (w Wake) Encode() string {
	b, err := json.Marshal(w)
	if err != nil {
		panic(err) // strings and integers always marshal
	}
	return string(b)
}

// Parse reads a body. A body that is no wake is fault.Invalid.
func Parse(body string) (Wake, error) {
	var w Wake
	if err := json.Unmarshal([]byte(body), &w); err != nil {
		return Wake{}, fault.Wrap(fault.Invalid, err, "The message is not a wake.")
	}
	if w.JobID == "" {
		return Wake{}, fault.New(fault.Invalid, "The message names no job.")
	}
	return w, nil
}

// Group returns the fair-queue group of a requester: the first 32 hex digits of
// its SHA-256, since a group takes 1–128 ASCII letters, digits and punctuation
// while a requester may be any text.
func Group(requester string) string {
	sum := sha256.Sum256([]byte(requester))
	return hex.EncodeToString(sum[:])[:32]
}

// Message is one delivery.
type Message struct {
	ID           string // the same for every delivery of one message
	Receipt      string // this delivery's handle for Delete and SetVisibility
	Body         string
	Group        string
	ReceiveCount int // deliveries so far, this one included: 1 at first
}

// SendOptions are optional.
type SendOptions struct {
	Group string        // fair-queue group; "" for none
	Delay time.Duration // 0 to 15 minutes; longer is cut to 15 minutes
}

// Queue is one queue of messages. All methods are safe for concurrent use and
// end with ctx's error when ctx ends first. A service that is away gives
// fault.Unavailable.
type Queue interface {
	// Send stores a message durably (as far as the queue is durable) before it
	// returns nil. After an error the message may or may not have been sent. An
	// empty body, and a group that is not 1–128 ASCII letters, digits and
	// punctuation, is fault.Invalid.
	Send(ctx context.Context, body string, opt SendOptions) error

	// Receive returns up to max (1–10) messages, waiting up to wait (at most
	// 20 s) for the first; an empty slice and nil when none came. A received
	// message is invisible for the queue's visibility timeout. Groups are
	// served fairly: one group's backlog does not starve another's.
	Receive(ctx context.Context, max int, wait time.Duration) ([]Message, error)

	// Delete consumes a message. Deleting twice is no error; deleting by a
	// receipt of an earlier delivery may leave the message in the queue, which is
	// no error either.
	Delete(ctx context.Context, receipt string) error

	// SetVisibility makes the message visible again after d, counted from now
	// (0 = at once, at most 12 h; longer is cut). A receipt whose message is
	// gone gives fault.NotFound; one whose visibility has ended already gives
	// NotFound or changes nothing.
	SetVisibility(ctx context.Context, receipt string, d time.Duration) error
}
