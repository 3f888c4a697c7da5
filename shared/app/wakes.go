package app

import (
	"context"
	"fmt"
	"time"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// Wakes are the two queues that feed the workers.
type Wakes struct {
	Normal wake.Queue
	Large  wake.Queue
}

// For is the queue of that name; an unknown name counts as normal.
func (w Wakes) For(q job.Queue) wake.Queue {
	if q == job.Large {
		return w.Large
	}
	return w.Normal
}

// Send wakes a worker for the job as the row now is, after the delay.
func (w Wakes) Send(ctx context.Context, j job.Job, delay time.Duration) error {
	return w.resend(ctx, wake.Wake{
		JobID:     j.ID,
		Attempt:   j.Attempt,
		WokenAt:   j.WokenAt,
		RequestID: j.RequestID,
		Queue:     string(j.Queue),
		Group:     wake.Group(j.Requester),
	}, delay)
}

// resend sends a wake to where it belongs.
func (w Wakes) resend(ctx context.Context, m wake.Wake, delay time.Duration) error {
	opt := wake.SendOptions{Group: m.Group, Delay: delay}
	if err := w.For(job.Queue(m.Queue)).Send(ctx, m.Encode(), opt); err != nil {
		return fmt.Errorf("send wake: %w", err)
	}
	return nil
}
