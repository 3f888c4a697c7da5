package functions_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/events"
	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/local/demo"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/wake"
)

// call replays a REST event and reads its JSON answer.
func call[T any](t *testing.T, f *function, payload []byte, status int) (body T, header map[string]string) {
	t.Helper()
	var answer events.APIGatewayProxyResponse
	if err := json.Unmarshal(f.invoke(t, payload), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != status {
		t.Fatalf("%s: status %d, want %d: %s", f.name, answer.StatusCode, status, answer.Body)
	}
	if err := json.Unmarshal([]byte(answer.Body), &body); err != nil {
		t.Fatalf("%s: %v: %s", f.name, err, answer.Body)
	}
	return body, answer.Headers
}

// problem is the part of an error's answer that is looked at.
type problem struct {
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Error  string `json:"error"`
}

// One export goes through every function with its sample event: the table is
// migrated, a job submitted, its message taken from SQS by the worker, the file
// fetched from S3.
func TestExportThroughAllFunctions(t *testing.T) {
	t.Parallel()
	const rows = 1_234
	onDatabases(t, func(t *testing.T, databaseURL string) {
		s := newServices(t, databaseURL)
		migrate(t, s)
		if err := demo.Build(t.Context(), demo.Request{DatabaseURL: databaseURL, Rows: rows}); err != nil {
			t.Fatal(err)
		}

		submit, status := start(t, "submit", s.environment...), start(t, "status", s.environment...)
		accepted, header := call[app.SubmitReply](t, submit, event(t, "submit", ""), http.StatusAccepted)
		if want := "/prod/api/excel/" + accepted.JobID + "/status"; header["Location"] != want {
			t.Errorf("Location %q, want %q", header["Location"], want)
		}
		waiting, header := call[app.StatusReply](t, status, event(t, "status", accepted.JobID), http.StatusOK)
		if waiting.Status != "PENDING" || header["Retry-After"] != "2" {
			t.Errorf("before the worker: %s, Retry-After %q", waiting.Status, header["Retry-After"])
		}

		message := s.receive(t, s.normal)
		worker := start(t, "worker", s.environment...)
		if again := s.consume(t, s.normal, message, worker.invoke(t, encode(t, message))); len(again) != 0 {
			t.Errorf("the worker gave back %v", again)
		}

		done, _ := call[map[string]any](t, status, event(t, "status", accepted.JobID), http.StatusOK)
		if done["status"] != "DONE" || done["totalRows"] != float64(rows) || done["processedRows"] != float64(rows) {
			t.Fatalf("after the worker: %v", done)
		}
		jobs, _ := call[app.JobsReply](t, status, event(t, "jobs", ""), http.StatusOK)
		if len(jobs.Jobs) != 1 {
			t.Errorf("%d jobs are listed, want one", len(jobs.Jobs))
		}

		download := start(t, "download", s.environment...)
		link, _ := call[struct {
			URL      string
			FileName string
			Bytes    int64
		}](t, download, event(t, "download", accepted.JobID), http.StatusOK)
		checkFile(t, link.URL, link.FileName, link.Bytes, rows)

		cancel := start(t, "cancel", s.environment...)
		call[problem](t, cancel, event(t, "cancel", accepted.JobID), http.StatusConflict)
		call[problem](t, cancel, event(t, "retry", accepted.JobID), http.StatusConflict)

		// The wake of a finished job that got into the dead-letter queue is dropped.
		letters := start(t, "deadletter", s.environment...)
		dead := withBody(t, event(t, "deadletter", ""), message.Records[0].Body)
		if answer := string(letters.invoke(t, dead)); answer != `{"batchItemFailures":null}` {
			t.Errorf("deadletter answers %s", answer)
		}
		if answer := string(start(t, "recovery", s.environment...).invoke(t, event(t, "recovery", ""))); !strings.Contains(answer, `"Revived":0`) {
			t.Errorf("recovery answers %s", answer)
		}
		if answer := string(start(t, "sweep", s.environment...).invoke(t, event(t, "sweep", ""))); !strings.Contains(answer, `"Swept":0`) {
			t.Errorf("sweep answers %s", answer)
		}
	})
}

func TestConfigFunction(t *testing.T) {
	t.Parallel()
	databaseURL := sqliteFile(t)
	migrated(t, databaseURL, 1)
	f := start(t, "config", "HAEXCEL_DATABASE_URL="+databaseURL, "HAEXCEL_CLIENT_THRESHOLD=77")
	settings, _ := call[map[string]any](t, f, event(t, "config", ""), http.StatusOK)
	if settings["clientThreshold"] != float64(77) {
		t.Errorf("settings %v, want the client threshold", settings)
	}
	sets, _ := call[app.DatasetsReply](t, f, event(t, "datasets", ""), http.StatusOK)
	if len(sets.Datasets) == 0 || sets.Datasets[0].Name != "orders" {
		t.Errorf("datasets %+v, want the orders", sets)
	}
}

// The deployed functions believe API Gateway's authorizer and nothing else.
func TestHeadersAreNoIdentity(t *testing.T) {
	t.Parallel()
	s := newServices(t, sqliteFile(t))
	migrated(t, s.database, 1)
	submit := start(t, "submit", s.environment...)
	var e map[string]any
	if err := json.Unmarshal(event(t, "submit", ""), &e); err != nil {
		t.Fatal(err)
	}
	e["requestContext"].(map[string]any)["authorizer"] = nil
	e["headers"].(map[string]any)["X-User-Id"] = "mallory"
	e["multiValueHeaders"].(map[string]any)["X-User-Id"] = []string{"mallory"}
	call[problem](t, submit, encode(t, e), http.StatusUnauthorized)
}

// migrate runs the custom resource's function and checks what CloudFormation
// gets.
func migrate(t *testing.T, s *services) {
	t.Helper()
	answers := make(chan cfn.Response, 1)
	cloudFormation := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var answer cfn.Response
		if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || r.Method != http.MethodPut {
			t.Errorf("CloudFormation got %s: %v", r.Method, err)
		}
		answers <- answer
	}))
	defer cloudFormation.Close()

	f := start(t, "migrate", s.environment...)
	for _, step := range []struct {
		request cfn.RequestType
		applied bool
	}{{cfn.RequestCreate, true}, {cfn.RequestUpdate, false}, {cfn.RequestDelete, false}} {
		e := changed(t, event(t, "migrate", ""), "ResponseURL", cloudFormation.URL)
		f.invoke(t, changed(t, e, "RequestType", string(step.request)))
		answer := <-answers
		if answer.Status != cfn.StatusSuccess || answer.PhysicalResourceID != "haexcel-migrations" {
			t.Fatalf("%s: %+v", step.request, answer)
		}
		if applied, _ := answer.Data["Applied"].(float64); (applied > 0) != step.applied {
			t.Errorf("%s applied %v migrations", step.request, answer.Data["Applied"])
		}
	}
	if err := openStore(t, s.database).CheckVersion(t.Context()); err != nil {
		t.Error("after the deletion:", err)
	}
}

// checkFile follows the signed link and reads the workbook.
func checkFile(t *testing.T, link, name string, size int64, rows int) {
	t.Helper()
	answer, err := http.Get(link) //nolint:gosec,noctx // the link is what is tested
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || int64(len(content)) != size {
		t.Fatalf("the link answers %d with %d bytes, want 200 with %d", answer.StatusCode, len(content), size)
	}
	_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
	if err != nil || params["filename"] != name || !strings.HasPrefix(name, "2026_Q3_주문_") {
		t.Errorf("file name %q by the header (%v), %q by the API", params["filename"], err, name)
	}
	book, err := excelize.OpenReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	got, err := book.GetRows(book.GetSheetName(0))
	if err != nil {
		t.Fatal(err)
	}
	const header = 2 // one group has children
	if len(got) != header+rows {
		t.Fatalf("%d rows, want %d", len(got), header+rows)
	}
	first, last := demo.OrderAt(1), demo.OrderAt(int64(rows))
	if got[header][0] != first.OrderNo || got[header][1] != first.CustomerName || got[header][2] != first.Region {
		t.Errorf("first row %q, want order %s", got[header], first.OrderNo)
	}
	if end := got[len(got)-1]; end[0] != last.OrderNo || end[1] != last.CustomerName || end[2] != last.Region {
		t.Errorf("last row %q, want order %s", end, last.OrderNo)
	}
}

// withBody puts another body into an SQS event's only record.
func withBody(t *testing.T, payload []byte, body string) []byte {
	t.Helper()
	var e events.SQSEvent
	if err := json.Unmarshal(payload, &e); err != nil {
		t.Fatal(err)
	}
	e.Records[0].Body = body
	return encode(t, e)
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The sample message names a job as wake.Wake does.
func TestSampleMessagesAreWakes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"worker", "deadletter"} {
		var e events.SQSEvent
		if err := json.Unmarshal(event(t, name, ""), &e); err != nil {
			t.Fatal(err)
		}
		for _, record := range e.Records {
			w, err := wake.Parse(record.Body)
			if err != nil || w.JobID != sampleJob || w.WokenAt == 0 {
				t.Errorf("%s.json: %+v, %v", name, w, err)
			}
		}
	}
}
