package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// What is wrong with the settings ends the start and is named in the log.
func TestWrongSettingsEndTheStart(t *testing.T) {
	t.Parallel()
	empty := "HAEXCEL_DATABASE_URL=" + sqliteFile(t)
	ready := sqliteFile(t)
	migrated(t, ready, 1)
	ready = "HAEXCEL_DATABASE_URL=" + ready
	sqs := []string{"AWS_REGION=us-east-1", "HAEXCEL_WAKE=sqs", "HAEXCEL_NORMAL_QUEUE_URL=http://127.0.0.1:1/normal", "HAEXCEL_LARGE_QUEUE_URL=http://127.0.0.1:1/large"}
	with := func(more ...string) []string { return append(append([]string{ready}, sqs...), more...) }
	for name, test := range map[string]struct {
		function    string
		environment []string
		names       []string
	}{
		"no database":           {"status", nil, []string{"HAEXCEL_DATABASE_URL"}},
		"malformed, together":   {"status", []string{ready, "HAEXCEL_LEASE=soon", "HAEXCEL_MAX_ATTEMPTS=0"}, []string{"HAEXCEL_LEASE", "HAEXCEL_MAX_ATTEMPTS"}},
		"misspelt":              {"status", []string{ready, "HAEXCEL_LEASES=60s"}, []string{"HAEXCEL_LEASES"}},
		"not migrated":          {"status", []string{empty}, []string{"00001", "migrate"}},
		"not migrated, worker":  {"worker", append([]string{empty, "HAEXCEL_LOCAL_STORAGE_PATH=" + t.TempDir()}, sqs...), []string{"00001"}},
		"wakes in memory":       {"submit", []string{ready}, []string{"HAEXCEL_WAKE"}},
		"no queue":              {"submit", []string{ready, "HAEXCEL_WAKE=sqs"}, []string{"HAEXCEL_NORMAL_QUEUE_URL", "HAEXCEL_LARGE_QUEUE_URL"}},
		"no directory":          {"download", []string{ready}, []string{"HAEXCEL_LOCAL_STORAGE_PATH"}},
		"no bucket":             {"worker", with("HAEXCEL_STORAGE_TYPE=S3"), []string{"HAEXCEL_S3_BUCKET"}},
		"storage not supported": {"sweep", with("HAEXCEL_STORAGE_TYPE=AZURE", "HAEXCEL_AZURE_CONTAINER=c", "HAEXCEL_AZURE_CONNECTION_STRING=s"), []string{"HAEXCEL_STORAGE_TYPE", "AZURE"}},
		"datasets not there":    {"config", []string{ready, "HAEXCEL_DATASET_DIR=/nonexistent"}, []string{"HAEXCEL_DATASET_DIR"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, output := start(t, test.function, test.environment...).ended(t)
			if code == 0 {
				t.Error("exit code 0")
			}
			for _, text := range test.names {
				if !strings.Contains(output, text) {
					t.Errorf("the log does not name %s:\n%s", text, output)
				}
			}
		})
	}
}

func TestWhatSeveralPartsLackIsNamedOnce(t *testing.T) {
	t.Parallel()
	code, output := start(t, "worker").ended(t)
	if n := strings.Count(output, "HAEXCEL_DATABASE_URL"); code == 0 || n != 1 {
		t.Errorf("code %d, named %d times:\n%s", code, n, output)
	}
}

// A bucket that does not exist is a wrong setting; LocalStack knows.
func TestMissingBucketEndsTheStart(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	migrated(t, s.database, 1)
	code, output := start(t, "download", append(s.environment, "HAEXCEL_S3_BUCKET=no-such-bucket-here")...).ended(t)
	if code == 0 || !strings.Contains(output, "HAEXCEL_S3_BUCKET") {
		t.Errorf("exit code %d:\n%s", code, output)
	}
}

// A database that is away passes: the function starts and says so to users.
func TestDatabaseAwayAtTheStart(t *testing.T) {
	t.Parallel()
	f := start(t, "status", "HAEXCEL_DATABASE_URL="+awayDatabase())
	p, header := call[problem](t, f, event(t, "status", ""), http.StatusServiceUnavailable)
	if p.Detail == "" || p.Detail != p.Error || header["Retry-After"] == "" {
		t.Errorf("answer %+v, Retry-After %q", p, header["Retry-After"])
	}
	if strings.Contains(p.Detail, "127.0.0.1") {
		t.Errorf("the answer shows an address: %s", p.Detail)
	}
}

// A batch with a cut-off body, an unknown job and eight good jobs: the good ones
// are done once, only the bad ones come again.
func TestOneBadMessageInABatch(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, databaseURL string) {
		s := newServices(t, databaseURL)
		store := migrated(t, databaseURL, 100)
		submit := start(t, "submit", s.environment...)

		batch := events.SQSEvent{}
		for i := range 8 {
			body := fmt.Sprintf(`{"fileName":"batch %d"}`, i)
			call[app.SubmitReply](t, submit, changed(t, event(t, "submit", ""), "body", body), http.StatusAccepted)
			batch.Records = append(batch.Records, s.receive(t, s.normal).Records...)
		}
		good := batch.Records
		for id, body := range map[string]string{
			"cut-off": `{"jobId":`,
			"unknown": wake.Wake{JobID: uuid.NewString(), WokenAt: 1}.Encode(),
		} {
			record := good[0]
			record.MessageId, record.Body = id, body
			batch.Records = append([]events.SQSMessage{record}, batch.Records...)
		}

		worker := start(t, "worker", s.environment...)
		for delivery := range 2 { // the second time the good jobs are done already
			var response events.SQSEventResponse
			if err := json.Unmarshal(worker.invoke(t, encode(t, batch)), &response); err != nil {
				t.Fatal(err)
			}
			ids := map[string]bool{}
			for _, f := range response.BatchItemFailures {
				ids[f.ItemIdentifier] = true
			}
			if len(response.BatchItemFailures) != 2 || !ids["cut-off"] || !ids["unknown"] {
				t.Errorf("delivery %d: given back %v, want the two bad ones", delivery+1, ids)
			}
		}
		for _, record := range good {
			w, err := wake.Parse(record.Body)
			if err != nil {
				t.Fatal(err)
			}
			j, err := store.Get(t.Context(), w.JobID)
			if err != nil {
				t.Fatal(err)
			}
			if j.Status != job.Done || j.Attempt != 1 || j.ProcessedRows != 100 {
				t.Errorf("job %s: %s at attempt %d with %d rows, want it done once with 100", j.ID, j.Status, j.Attempt, j.ProcessedRows)
			}
		}
	})
}

// A wake that was delivered too often counts as a failed attempt; the job gets a
// new wake, and ends when its attempts are used up.
func TestDeadLettersOfAWaitingJob(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	store := migrated(t, s.database, 10)
	submit := start(t, "submit", s.environment...)
	accepted, _ := call[app.SubmitReply](t, submit, event(t, "submit", ""), http.StatusAccepted)
	letters := start(t, "deadletter", append(s.environment, "HAEXCEL_MAX_ATTEMPTS=2", "HAEXCEL_RETRY_BACKOFF=1s")...)

	first := s.receive(t, s.normal)
	stale := withBody(t, event(t, "deadletter", ""), first.Records[0].Body)
	letters.invoke(t, stale)
	j, err := store.Get(t.Context(), accepted.JobID)
	if err != nil {
		t.Fatal(err)
	}
	if j.Status != job.Pending || j.Failures != 1 {
		t.Fatalf("after one dead letter: %s with %d failures", j.Status, j.Failures)
	}
	second := s.receive(t, s.normal) // the new wake

	letters.invoke(t, stale) // an old wake changes nothing
	if j, err = store.Get(t.Context(), accepted.JobID); err != nil || j.Failures != 1 {
		t.Fatalf("after a stale dead letter: %d failures, %v", j.Failures, err)
	}
	letters.invoke(t, withBody(t, event(t, "deadletter", ""), second.Records[0].Body))
	if j, err = store.Get(t.Context(), accepted.JobID); err != nil || j.Status != job.Fail || j.ErrorMsg == "" {
		t.Fatalf("after the last dead letter: %s %q, %v", j.Status, j.ErrorMsg, err)
	}

	// Its requester may have it run again.
	again := start(t, "cancel", s.environment...)
	if reply, _ := call[app.SubmitReply](t, again, event(t, "retry", accepted.JobID), http.StatusAccepted); reply.Status != job.Pending {
		t.Errorf("after the retry: %s", reply.Status)
	}
	message := s.receive(t, s.normal)
	worker := start(t, "worker", s.environment...)
	s.consume(t, s.normal, message, worker.invoke(t, encode(t, message)))
	if j, err = store.Get(t.Context(), accepted.JobID); err != nil || j.Status != job.Done {
		t.Errorf("after the retried job's wake: %s %q, %v", j.Status, j.ErrorMsg, err)
	}
}

func TestCancelOfAWaitingJob(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	store := migrated(t, s.database, 10)
	submit := start(t, "submit", s.environment...)
	accepted, _ := call[app.SubmitReply](t, submit, event(t, "submit", ""), http.StatusAccepted)
	cancel := start(t, "cancel", s.environment...)
	reply, _ := call[app.CancelReply](t, cancel, event(t, "cancel", accepted.JobID), http.StatusOK)
	if reply.JobID != accepted.JobID || reply.Message != "Cancel request accepted." {
		t.Errorf("answer %+v", reply)
	}
	// Its wake finds nothing to do.
	message := s.receive(t, s.normal)
	worker := start(t, "worker", s.environment...)
	if again := s.consume(t, s.normal, message, worker.invoke(t, encode(t, message))); len(again) != 0 {
		t.Errorf("the worker gave back %v", again)
	}
	if j, err := store.Get(t.Context(), accepted.JobID); err != nil || j.Status != job.Fail || j.ErrorMsg != job.CancelledMessage || j.Attempt != 0 {
		t.Errorf("job: %s %q at attempt %d, %v", j.Status, j.ErrorMsg, j.Attempt, err)
	}
	call[problem](t, cancel, event(t, "retry", accepted.JobID), http.StatusConflict)
}

// A file is removed when its time is over, and its address says so.
func TestSweepOfAnExpiredFile(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	store := migrated(t, s.database, 10)
	environment := append(slices.Clone(s.environment), "HAEXCEL_JOB_TTL=1s", "HAEXCEL_LINK_TTL=1s")
	submit := start(t, "submit", environment...)
	accepted, _ := call[app.SubmitReply](t, submit, event(t, "submit", ""), http.StatusAccepted)
	message := s.receive(t, s.normal)
	worker := start(t, "worker", environment...)
	s.consume(t, s.normal, message, worker.invoke(t, encode(t, message)))
	done, err := store.Get(t.Context(), accepted.JobID)
	if err != nil || done.Status != job.Done {
		t.Fatalf("job: %s %q, %v", done.Status, done.ErrorMsg, err)
	}

	sweep := start(t, "sweep", environment...)
	var report app.SweepReport
	for end := time.Now().Add(patience); report.Swept == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err := json.Unmarshal(sweep.invoke(t, event(t, "sweep", "")), &report); err != nil {
			t.Fatal(err)
		}
	}
	if report.Swept != 1 || report.Deleted != 1 {
		t.Errorf("sweep: %+v", report)
	}
	download := start(t, "download", environment...)
	call[problem](t, download, event(t, "download", accepted.JobID), http.StatusGone)
	if keys := s.objects(t); len(keys) != 0 {
		t.Errorf("the bucket holds %v", keys)
	}
}

// A job whose worker died comes back by the schedule.
func TestRecoveryWakesALostJob(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	store := migrated(t, s.database, 10)
	submit := start(t, "submit", s.environment...)
	accepted, _ := call[app.SubmitReply](t, submit, event(t, "submit", ""), http.StatusAccepted)
	s.receive(t, s.normal) // a worker took the message …
	if _, claimed, err := store.Claim(t.Context(), accepted.JobID, "lost", 1); err != nil || !claimed {
		t.Fatal(claimed, err) // … claimed the job, and was killed
	}

	var report app.RecoverReport
	recovery := start(t, "recovery", s.environment...)
	if err := json.Unmarshal(recovery.invoke(t, event(t, "recovery", "")), &report); err != nil || report.Revived != 1 {
		t.Fatalf("recovery: %+v, %v", report, err)
	}
	message := s.receive(t, s.normal)
	worker := start(t, "worker", s.environment...)
	if again := s.consume(t, s.normal, message, worker.invoke(t, encode(t, message))); len(again) != 0 {
		t.Errorf("the worker gave back %v", again)
	}
	j, err := store.Get(t.Context(), accepted.JobID)
	if err != nil || j.Status != job.Done || j.Attempt != 2 || j.ProcessedRows != 10 {
		t.Errorf("job: %s at attempt %d with %d rows, %v", j.Status, j.Attempt, j.ProcessedRows, err)
	}
}
