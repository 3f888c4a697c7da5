package app

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// wakeTimeout bounds the sending of a wake whose row is committed.
const wakeTimeout = 5 * time.Second

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
	return w.resend(ctx, wakeFor(j), delay)
}

// wakeFor is a wake for the job as the row now is.
func wakeFor(j job.Job) wake.Wake {
	return wake.Wake{
		JobID:     j.ID,
		Attempt:   j.Attempt,
		WokenAt:   j.WokenAt,
		RequestID: j.RequestID,
		Queue:     string(j.Queue),
		Group:     wake.Group(j.Requester),
	}
}

// announce is Send for a row that is committed: it goes on although the request
// has ended, and a wake that cannot be sent is left to recovery.
func (w Wakes) announce(ctx context.Context, log *slog.Logger, j job.Job, delay time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wakeTimeout)
	defer cancel()
	if err := w.Send(ctx, j, delay); err != nil {
		log.WarnContext(ctx, "no wake was sent; recovery will do it", "wakeOf", j.ID, "error", err)
	}
}

// announceSplit wakes as many workers for a split job as its waiting chunks keep
// busy, those that are at it already left out, and one at least if nobody is.
func announceSplit(ctx context.Context, log *slog.Logger, store job.Store, wakes Wakes, j job.Job, atIt int) {
	waiting := 1
	chunks, err := store.Chunks(ctx, j.ID)
	if err != nil {
		log.WarnContext(ctx, "no more than one worker is woken", "wakeOf", j.ID, "error", err)
	} else {
		waiting = len(slices.DeleteFunc(chunks, func(c job.Chunk) bool { return c.Status != job.Pending }))
	}
	for range max(min(waiting, splitWorkers), 1) - atIt {
		wakes.announce(ctx, log, j, 0)
	}
}

// resend sends a wake to where it belongs.
func (w Wakes) resend(ctx context.Context, m wake.Wake, delay time.Duration) error {
	opt := wake.SendOptions{Group: m.Group, Delay: delay}
	if err := w.For(job.Queue(m.Queue)).Send(ctx, m.Encode(), opt); err != nil {
		return fmt.Errorf("send wake: %w", err)
	}
	return nil
}
