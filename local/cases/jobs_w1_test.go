package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/wake"
)

// W1: of a batch only what should come again is listed, by its message's id, and
// the good jobs of it run once. A provider that always panics uses its job's
// attempts up and nothing else.
func TestCase_W1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d)
		var e events.SQSEvent
		sample, err := os.ReadFile(filepath.Join("..", "..", "events", "worker.json"))
		if err != nil {
			t.Fatal(err)
		}
		record := decoded[events.SQSEvent](t, sample).Records[0]
		add := func(body string) (messageID string) {
			record.MessageId, record.ReceiptHandle, record.Body = uuid.NewString(), uuid.NewString(), body
			e.Records = append(e.Records, record)
			return record.MessageId
		}
		again := []string{add(`{"jobId":`), add(wake.Wake{JobID: uuid.NewString(), WokenAt: time.Now().UnixMilli()}.Encode())}
		var jobs []string
		for i := range 8 {
			accepted, err := p.export(t.Context(), "good", fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, accepted.JobID)
			add(wakeOf(p.row(t, accepted.JobID)))
		}
		slices.Reverse(e.Records) // the bad ones last, then first
		handler := &sqsevent.Worker{
			Work: p.work, Config: p.boot.Config(), Logger: p.boot.Logger(),
			Queue: func(string) (wake.Queue, bool) { return p.engine.Wakes.Normal, true },
		}
		for range 2 { // SQS may deliver twice
			if failed := handled(t, handler, e); !slices.Equal(failed, []string{again[1], again[0]}) && !slices.Equal(failed, again) {
				t.Errorf("to come again: %v, want the unreadable and the unknown one, %v", failed, again)
			}
			slices.Reverse(e.Records)
		}
		for i, id := range jobs {
			if j := p.row(t, id); j.Status != job.Done || j.Attempt != 1 || p.read(fmt.Sprint(i)) != 1 {
				t.Errorf("job %d: %s at attempt %d, read %d times", i, j.Status, j.Attempt, p.read(fmt.Sprint(i)))
			}
		}

		// The one that always panics, in a batch with a good one each time.
		accepted, err := p.export(t.Context(), "panics", "always")
		if err != nil {
			t.Fatal(err)
		}
		for attempt := 1; attempt <= p.boot.Config().MaxAttempts; attempt++ {
			e.Records = nil
			add(wakeOf(p.row(t, accepted.JobID)))
			label := fmt.Sprint("beside ", attempt)
			beside, err := p.export(t.Context(), "good", label)
			if err != nil {
				t.Fatal(err)
			}
			add(wakeOf(p.row(t, beside.JobID)))
			if failed := handled(t, handler, e); len(failed) != 0 {
				t.Errorf("attempt %d: to come again: %v, want nothing: the row counts", attempt, failed)
			}
			j := p.row(t, accepted.JobID)
			if last := attempt == p.boot.Config().MaxAttempts; j.Attempt != attempt || j.Failures != attempt || (j.Status == job.Fail) != last {
				t.Errorf("attempt %d: %s at attempt %d after %d failures", attempt, j.Status, j.Attempt, j.Failures)
			}
			if p.row(t, beside.JobID).Status != job.Done {
				t.Errorf("attempt %d: the job beside it is %s", attempt, p.row(t, beside.JobID).Status)
			}
		}
		if j := p.row(t, accepted.JobID); !strings.Contains(j.ErrorMsg, `"panics"`) || strings.Contains(j.ErrorMsg, "hunter2") {
			t.Errorf("the reason is %q", j.ErrorMsg)
		}
	})
}

// wakeOf is the body of a wake for the row as it is.
func wakeOf(j job.Job) string {
	return wake.Wake{JobID: j.ID, Attempt: j.Attempt, WokenAt: j.WokenAt, Queue: string(j.Queue)}.Encode()
}

// handled hands an event to the function's handler as Lambda does, in JSON, and
// answers the ids of the messages that are to come again.
func handled(t *testing.T, h *sqsevent.Worker, e events.SQSEvent) (again []string) {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := lambda.NewHandler(h.Handle).Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range decoded[events.SQSEventResponse](t, answer).BatchItemFailures {
		again = append(again, f.ItemIdentifier)
	}
	return again
}
