package sqsevent

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/aws/aws-lambda-go/events"
)

// DeadLetter handles the messages of the dead-letter queue.
type DeadLetter struct {
	// Settle settles one message's body; it is (*app.DeadLetter).Do.
	Settle func(ctx context.Context, body string) error
	Logger *slog.Logger
}

// Handle is the Lambda handler of the dead-letter queue's events. What could not
// be settled comes again when the queue's visibility timeout ends.
func (h *DeadLetter) Handle(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	var answer events.SQSEventResponse
	for _, record := range e.Records {
		err := h.settle(ctx, record.Body)
		if err == nil {
			continue
		}
		h.Logger.ErrorContext(ctx, "a dead letter is given back", "messageId", record.MessageId, "error", err)
		if record.MessageId != "" {
			answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: record.MessageId})
		}
	}
	return answer, nil
}

func (h *DeadLetter) settle(ctx context.Context, body string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			h.Logger.ErrorContext(ctx, "a dead letter's handling panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return h.Settle(ctx, body)
}
