package sqsevent

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/wake"
)

// Worker handles the messages of the worker queues.
type Worker struct {
	// Work does the job of one wake; it is *app.Work.
	Work interface {
		Do(ctx context.Context, w wake.Wake) (app.Outcome, error)
	}
	// Queue finds the queue of an event by the name that ends its ARN, as
	// boot.QueueNamed does. A message of a queue that it does not know waits for
	// the queue's own timeout. Only Handle needs it.
	Queue  func(name string) (wake.Queue, bool)
	Config config.Config
	Logger *slog.Logger
}

// Result says what is to become of one message.
type Result struct {
	Again bool          // give it back; otherwise delete it
	Delay time.Duration // how long it stays away
}

// Handle is the Lambda handler of the worker queues' events.
func (h *Worker) Handle(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	var answer events.SQSEventResponse
	for _, record := range e.Records {
		result := Result{Again: true}
		if h.timeLeft(ctx) {
			result = h.Take(ctx, wake.Message{
				ID:           record.MessageId,
				Receipt:      record.ReceiptHandle,
				Body:         record.Body,
				Group:        record.Attributes["MessageGroupId"],
				ReceiveCount: receiveCount(record),
			})
		} else {
			h.Logger.WarnContext(ctx, "no time left for this message; it is given back", "messageId", record.MessageId)
		}
		if !result.Again {
			continue
		}
		h.delay(ctx, record, result.Delay)
		if record.MessageId == "" {
			// Lambda would take an empty id for a failure of the whole batch.
			h.Logger.ErrorContext(ctx, "a message without an id can't be given back; recovery will wake its job")
			continue
		}
		answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: record.MessageId})
	}
	return answer, nil
}

// Take works on one message. It never panics.
func (h *Worker) Take(ctx context.Context, m wake.Message) (r Result) {
	log := h.Logger.With("messageId", m.ID, "receives", m.ReceiveCount)
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "a message's handling panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			r = Result{Again: true, Delay: h.backoff(m.ReceiveCount)}
		}
	}()
	w, err := wake.Parse(m.Body)
	if err != nil {
		log.WarnContext(ctx, "a message is no wake; the dead-letter queue will get it", "error", err)
		return Result{Again: true, Delay: h.backoff(m.ReceiveCount)}
	}
	outcome, err := h.Work.Do(ctx, w)
	if outcome.Verdict == app.Consumed {
		return Result{}
	}
	log.WarnContext(ctx, "a wake is given back", "jobId", w.JobID, "requestId", w.RequestID, "reason", err)
	if outcome.Verdict == app.TryLater {
		return Result{Again: true, Delay: outcome.Delay}
	}
	return Result{Again: true, Delay: h.backoff(m.ReceiveCount)}
}

// timeLeft reports whether a job that starts now would not be stopped at once.
func (h *Worker) timeLeft(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > h.Config.HandoverMargin
}

// backoff is the wait after so many deliveries.
func (h *Worker) backoff(receives int) time.Duration {
	d := h.Config.RetryBackoff
	for i := 1; i < receives && d < config.MaxRetryBackoff; i++ {
		d *= 2
	}
	return min(d, config.MaxRetryBackoff)
}

// delay sets when a given-back message comes again. A failure only means that it
// comes later.
func (h *Worker) delay(ctx context.Context, record events.SQSMessage, d time.Duration) {
	name := record.EventSourceARN[strings.LastIndexByte(record.EventSourceARN, ':')+1:]
	queue, ok := h.Queue(name)
	if !ok {
		h.Logger.WarnContext(ctx, "an event of a queue that is not in the settings", "queue", name)
		return
	}
	// The invocation may be at its end; this call is what makes the end orderly.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), delayTimeout)
	defer cancel()
	if err := queue.SetVisibility(ctx, record.ReceiptHandle, d); err != nil {
		h.Logger.WarnContext(ctx, "a message's visibility could not be set", "messageId", record.MessageId, "error", err)
	}
}

// delayTimeout bounds the call that sets a message's visibility.
const delayTimeout = 5 * time.Second

// receiveCount is 1 where the event does not tell.
func receiveCount(record events.SQSMessage) int {
	n, err := strconv.Atoi(record.Attributes["ApproximateReceiveCount"])
	if err != nil || n < 1 {
		return 1
	}
	return n
}
