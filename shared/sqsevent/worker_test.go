package sqsevent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/memwake"
)

// outcomes stands for the worker, so that every outcome can be had at will: by
// job id, Consumed for the others. It notes what it was asked for.
type outcomes struct {
	byJob map[string]func() (app.Outcome, error)
	asked []string
}

func (o *outcomes) Do(_ context.Context, w wake.Wake) (app.Outcome, error) {
	o.asked = append(o.asked, w.JobID)
	if f, ok := o.byJob[w.JobID]; ok {
		return f()
	}
	return app.Outcome{}, nil
}

// queueName is the end of the queue's ARN in these tests.
const queueName = "haexcel-normal"

// bench is a worker over a real queue.
type bench struct {
	worker *sqsevent.Worker
	work   *outcomes
	queue  *memwake.Queue
}

func setup(t *testing.T, byJob map[string]func() (app.Outcome, error)) bench {
	t.Helper()
	queue, err := memwake.New(memwake.Options{Visibility: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(queue.Close)
	work := &outcomes{byJob: byJob}
	return bench{
		work:  work,
		queue: queue,
		worker: &sqsevent.Worker{
			Work: work,
			Queue: func(name string) (wake.Queue, bool) {
				return queue, name == queueName
			},
			Config: config.Config{RetryBackoff: 10 * time.Second, HandoverMargin: time.Minute},
			Logger: slog.New(slog.DiscardHandler),
		},
	}
}

// receive sends the bodies and returns them as Lambda would hand them over.
func (b bench) receive(t *testing.T, bodies ...string) events.SQSEvent {
	t.Helper()
	for _, body := range bodies {
		if err := b.queue.Send(t.Context(), body, wake.SendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var e events.SQSEvent
	messages, err := b.queue.Receive(t.Context(), 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		e.Records = append(e.Records, events.SQSMessage{
			MessageId:      m.ID,
			ReceiptHandle:  m.Receipt,
			Body:           m.Body,
			Attributes:     map[string]string{"ApproximateReceiveCount": fmt.Sprint(m.ReceiveCount)},
			EventSource:    "aws:sqs",
			EventSourceARN: "arn:aws:sqs:ap-northeast-2:123456789012:" + queueName,
		})
	}
	if len(e.Records) != len(bodies) {
		t.Fatalf("received %d messages of %d", len(e.Records), len(bodies))
	}
	return e
}

// invoke goes through Lambda's own handler, so that the event and the answer are
// the JSON that Lambda exchanges.
func invoke(ctx context.Context, t *testing.T, handler any, e events.SQSEvent) (failed []string) {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := lambda.NewHandler(handler).Invoke(ctx, payload)
	if err != nil {
		t.Fatal(err)
	}
	var response events.SQSEventResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		t.Fatal(err)
	}
	for _, f := range response.BatchItemFailures {
		failed = append(failed, f.ItemIdentifier)
	}
	return failed
}

func body(jobID string) string { return wake.Wake{JobID: jobID, Attempt: 0, WokenAt: 1}.Encode() }

func TestOneBadMessageLeavesTheBatchAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]func() (app.Outcome, error){
		"unknown": func() (app.Outcome, error) {
			return app.Outcome{Verdict: app.Failed}, fault.New(fault.NotFound, "There is no such job.")
		},
		"panics": func() (app.Outcome, error) { panic("a defect") },
	})
	bodies := []string{`{"jobId":`, body("unknown"), body("panics")}
	for i := range 7 {
		bodies = append(bodies, body(fmt.Sprint("good-", i)))
	}
	e := b.receive(t, bodies...)
	want := map[string]bool{}
	for _, r := range e.Records {
		if slices.Contains(bodies[:3], r.Body) {
			want[r.MessageId] = true
		}
	}
	failed := invoke(t.Context(), t, b.worker.Handle, e)
	if len(failed) != 3 {
		t.Errorf("given back: %v, want three messages", failed)
	}
	for _, id := range failed {
		if !want[id] {
			t.Errorf("message %q was given back, want only the three bad ones", id)
		}
	}
	good := 0
	for _, id := range b.work.asked {
		if id != "unknown" && id != "panics" {
			good++
		}
	}
	if good != 7 {
		t.Errorf("%d good jobs were worked on, want each of the seven once: %v", good, b.work.asked)
	}
}

// The delay of a given-back message is looked at in the queue itself.
func TestMessagesComeBackAfterTheirDelay(t *testing.T) {
	for name, test := range map[string]struct {
		body    string
		outcome func() (app.Outcome, error)
		delay   time.Duration
	}{
		"try later": {body("job"), func() (app.Outcome, error) {
			return app.Outcome{Verdict: app.TryLater, Delay: 42 * time.Second}, errors.New("away")
		}, 42 * time.Second},
		"failed":       {body("job"), func() (app.Outcome, error) { return app.Outcome{Verdict: app.Failed}, nil }, 10 * time.Second},
		"panic":        {body("job"), func() (app.Outcome, error) { panic("a defect") }, 10 * time.Second},
		"not a wake":   {`{"jobId":`, nil, 10 * time.Second},
		"names no job": {`{}`, nil, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, map[string]func() (app.Outcome, error){"job": test.outcome})
				e := b.receive(t, test.body)
				if failed := invoke(context.Background(), t, b.worker.Handle, e); len(failed) != 1 {
					t.Fatalf("given back: %v, want the message", failed)
				}
				time.Sleep(test.delay - time.Second)
				if again, err := b.queue.Receive(t.Context(), 1, 0); err != nil || len(again) != 0 {
					t.Fatalf("before its delay: %v, %v; want nothing", again, err)
				}
				time.Sleep(time.Second)
				again, err := b.queue.Receive(t.Context(), 1, 0)
				if err != nil || len(again) != 1 || again[0].ReceiveCount != 2 {
					t.Fatalf("after its delay: %v, %v; want the second delivery", again, err)
				}
			})
		})
	}
}

func TestBackoffGrowsWithDeliveriesUpToItsCap(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]func() (app.Outcome, error){
		"job": func() (app.Outcome, error) { return app.Outcome{Verdict: app.Failed}, nil },
	})
	for receives, want := range map[int]time.Duration{1: 10 * time.Second, 2: 20 * time.Second, 4: 80 * time.Second, 40: 5 * time.Minute} {
		got := b.worker.Take(t.Context(), wake.Message{Body: body("job"), ReceiveCount: receives})
		if !got.Again || got.Delay != want {
			t.Errorf("delivery %d: %+v, want it back after %s", receives, got, want)
		}
	}
}

// A job that starts just before the end of the invocation would only be stopped:
// its message comes back at once and untouched.
func TestNoTimeLeft(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	e := b.receive(t, body("one"), body("two"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // less than the margin
	defer cancel()
	if failed := invoke(ctx, t, b.worker.Handle, e); len(failed) != 2 {
		t.Errorf("given back: %v, want both", failed)
	}
	if len(b.work.asked) != 0 {
		t.Errorf("worked on %v, want nothing", b.work.asked)
	}
	again, err := b.queue.Receive(t.Context(), 10, 0)
	if err != nil || len(again) != 2 {
		t.Errorf("visible: %v, %v; want both messages at once", again, err)
	}
}

func TestMessagesOfForeignQueuesAreGivenBackNonetheless(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]func() (app.Outcome, error){
		"job": func() (app.Outcome, error) { return app.Outcome{Verdict: app.Failed}, nil },
	})
	e := b.receive(t, body("job"))
	e.Records[0].EventSourceARN = "arn:aws:sqs:ap-northeast-2:123456789012:other"
	if failed := invoke(t.Context(), t, b.worker.Handle, e); len(failed) != 1 || failed[0] != e.Records[0].MessageId {
		t.Errorf("given back: %v, want the message", failed)
	}
}

// An empty id would make Lambda fail the whole batch.
func TestAnEmptyIDIsNeverListed(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]func() (app.Outcome, error){
		"job": func() (app.Outcome, error) { return app.Outcome{Verdict: app.Failed}, nil },
	})
	e := b.receive(t, body("job"))
	e.Records[0].MessageId = ""
	if failed := invoke(t.Context(), t, b.worker.Handle, e); len(failed) != 0 {
		t.Errorf("given back: %q, want nothing listed", failed)
	}
}

func TestDeadLettersAreSettledOneByOne(t *testing.T) {
	t.Parallel()
	var settled []string
	h := &sqsevent.DeadLetter{
		Logger: slog.New(slog.DiscardHandler),
		Settle: func(_ context.Context, body string) error {
			settled = append(settled, body)
			switch body {
			case "away":
				return fault.New(fault.Unavailable, "The job table can't be reached.")
			case "panics":
				panic("a defect")
			}
			return nil
		},
	}
	var e events.SQSEvent
	for _, text := range []string{"fine", "away", "panics", "fine too"} {
		e.Records = append(e.Records, events.SQSMessage{MessageId: "id of " + text, Body: text})
	}
	failed := invoke(t.Context(), t, h.Handle, e)
	if want := []string{"id of away", "id of panics"}; !slices.Equal(failed, want) {
		t.Errorf("given back: %q, want %q", failed, want)
	}
	if len(settled) != 4 {
		t.Errorf("settled %q, want all four", settled)
	}
}
