// Package sqswake is the wake queue on Amazon SQS, on standard queues.
//
// A message's group makes it part of a fair queue: SQS puts messages of a group
// that has many in flight behind those of the others. Order is not kept and a
// message may arrive twice, as package wake says.
//
// Known limits. SQS counts in whole seconds: durations are rounded up. FIFO
// queues are not supported; they want a deduplication ID. The visibility
// timeout, the dead-letter queue and its receive limit are the queue's own
// settings.
package sqswake

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
)

// Limits of SQS.
const (
	maxBatch      = 10
	maxWait       = 20 * time.Second
	maxDelay      = 15 * time.Minute
	maxVisibility = 12 * time.Hour
)

// Queue implements wake.Queue.
type Queue struct {
	client *sqs.Client
	url    string
}

var _ wake.Queue = (*Queue)(nil)

// New returns the queue of that address (such as
// "https://sqs.ap-northeast-2.amazonaws.com/123456789012/haexcel-normal"). It
// does not call the server.
func New(client *sqs.Client, queueURL string) *Queue {
	return &Queue{client: client, url: queueURL}
}

// Send implements wake.Queue.
func (q *Queue) Send(ctx context.Context, body string, opt wake.SendOptions) error {
	if body == "" { // the SDK's own check has no typed error
		return fault.New(fault.Invalid, "The message is empty.")
	}
	in := &sqs.SendMessageInput{
		QueueUrl: &q.url, MessageBody: &body, DelaySeconds: seconds(opt.Delay, maxDelay),
	}
	if opt.Group != "" {
		in.MessageGroupId = &opt.Group
	}
	_, err := q.client.SendMessage(ctx, in)
	return sqsErrors.Map(ctx, "send a message", err)
}

// Receive implements wake.Queue. Numbers beyond the limits are brought within.
func (q *Queue) Receive(ctx context.Context, limit int, wait time.Duration) ([]wake.Message, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:            &q.url,
		MaxNumberOfMessages: int32(min(max(limit, 1), maxBatch)),
		WaitTimeSeconds:     seconds(wait, maxWait),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameApproximateReceiveCount,
			types.MessageSystemAttributeNameMessageGroupId,
		},
	})
	if err != nil {
		return nil, sqsErrors.Map(ctx, "receive messages", err)
	}
	messages := make([]wake.Message, 0, len(out.Messages))
	for _, m := range out.Messages {
		count, err := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
		if err != nil {
			return nil, fault.Wrap(fault.Internal, err, "The queue sent a message without a receive count.")
		}
		messages = append(messages, wake.Message{
			ID: aws.ToString(m.MessageId), Receipt: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
			Group: m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)], ReceiveCount: count,
		})
	}
	return messages, nil
}

// Delete implements wake.Queue. A receipt that SQS no longer takes is of an
// earlier delivery, or of a message that is gone.
func (q *Queue) Delete(ctx context.Context, receipt string) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &receipt})
	if isStaleReceipt(err) {
		return nil
	}
	return sqsErrors.Map(ctx, "delete a message", err)
}

// SetVisibility implements wake.Queue.
func (q *Queue) SetVisibility(ctx context.Context, receipt string, d time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &receipt, VisibilityTimeout: seconds(d, maxVisibility),
	})
	if isStaleReceipt(err) {
		return fault.Wrap(fault.NotFound, err, "The message is no longer in flight.")
	}
	return sqsErrors.Map(ctx, "set a message's visibility", err)
}

// seconds rounds up and brings the duration within 0 and most.
func seconds(d, most time.Duration) int32 {
	d = min(max(d, 0), most)
	return int32((d + time.Second - 1) / time.Second)
}
