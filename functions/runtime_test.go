// Package functions_test runs the Lambda functions as Lambda does: the compiled
// binaries, as processes, fed with the sample events over the Lambda Runtime API,
// on real databases, queues and buckets.
package functions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds everything that a test waits for. It is generous: the machine
// may be small and busy.
const patience = 60 * time.Second

// binaries is the folder of the compiled functions.
var binaries string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "haexcel-functions-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./...")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the functions:", err)
		return 1
	}
	binaries = dir
	return m.Run()
}

// function is a running function: the real binary as a process, served by this
// test as Lambda does, over the Lambda Runtime API.
type function struct {
	name    string
	pending chan invocation // next one for the runtime to fetch
	exited  chan struct{}   // closed when the process has ended
	exit    int             // its code; read after exited

	mu      sync.Mutex
	waiting map[string]chan reply // request id → who waits
	count   int
	output  bytes.Buffer
}

type invocation struct {
	id       string
	payload  []byte
	deadline time.Time
}

type reply struct {
	payload []byte
	failed  bool
}

// start starts a function with the given variables ("NAME=value") and nothing
// else of the test's environment but the path. It ends with the test.
func start(t *testing.T, name string, environment ...string) *function {
	t.Helper()
	f := &function{name: name, pending: make(chan invocation), exited: make(chan struct{}), waiting: map[string]chan reply{}}
	server := httptest.NewServer(f.runtimeAPI())

	cmd := exec.Command(filepath.Join(binaries, name))
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"),
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(server.URL, "http://"),
		"AWS_LAMBDA_FUNCTION_NAME=haexcel-" + name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512",
		"AWS_LAMBDA_LOG_STREAM_NAME=2024/01/01/[$LATEST]" + name,
		"_LAMBDA_SERVER_PORT=",
	}, environment...)
	cmd.Stdout, cmd.Stderr = &lockedWriter{f: f}, &lockedWriter{f: f}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		err := cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			f.exit = exit.ExitCode()
		}
		close(f.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-f.exited
		server.CloseClientConnections()
		server.Close()
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, f.log())
		}
	})
	return f
}

// runtimeAPI answers what github.com/aws/aws-lambda-go asks for.
func (f *function) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case i := <-f.pending:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", i.id)
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:haexcel-"+f.name)
			_, _ = w.Write(i.payload)
		case <-r.Context().Done():
		}
	})
	answer := func(failed bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			payload, err := io.ReadAll(r.Body)
			f.mu.Lock()
			to := f.waiting[r.PathValue("id")]
			delete(f.waiting, r.PathValue("id"))
			f.mu.Unlock()
			if err == nil && to != nil {
				to <- reply{payload: payload, failed: failed}
			}
			w.WriteHeader(http.StatusAccepted)
		}
	}
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", answer(false))
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", answer(true))
	return mux
}

// invoke sends one event and returns the answer. A function that ends, or that
// answers with an error, fails the test.
func (f *function) invoke(t *testing.T, event []byte) []byte {
	t.Helper()
	r := f.try(t, event, patience)
	if r.failed {
		t.Fatalf("%s failed: %s", f.name, r.payload)
	}
	return r.payload
}

// try sends one event whose invocation may last as long as given.
func (f *function) try(t *testing.T, event []byte, timeout time.Duration) reply {
	t.Helper()
	f.mu.Lock()
	f.count++
	i := invocation{id: fmt.Sprintf("%s-%d", f.name, f.count), payload: event, deadline: time.Now().Add(timeout)}
	answer := make(chan reply, 1)
	f.waiting[i.id] = answer
	f.mu.Unlock()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case f.pending <- i:
	case <-f.exited:
		t.Fatalf("%s ended with code %d", f.name, f.exit)
	case <-ctx.Done():
		t.Fatalf("%s does not fetch its event", f.name)
	}
	select {
	case r := <-answer:
		return r
	case <-f.exited:
		t.Fatalf("%s ended with code %d", f.name, f.exit)
	case <-ctx.Done():
		t.Fatalf("%s does not answer", f.name)
	}
	return reply{}
}

// ended waits until the process has ended by itself and returns its exit code
// and what it wrote.
func (f *function) ended(t *testing.T) (code int, output string) {
	t.Helper()
	select {
	case <-f.exited:
		return f.exit, f.log()
	case <-time.After(patience):
		t.Fatalf("%s goes on running", f.name)
		return 0, ""
	}
}

func (f *function) log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.output.String()
}

type lockedWriter struct{ f *function }

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	return w.f.output.Write(p)
}

// sampleJob is the job that the sample events name.
const sampleJob = "3f0e7a52-8f5e-4c1b-9a55-0d7d6b1c2e10"

// event reads a sample event, with another job's id in it where one is given.
func event(t *testing.T, name, jobID string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "events", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if jobID != "" {
		b = bytes.ReplaceAll(b, []byte(sampleJob), []byte(jobID))
	}
	return b
}

// changed returns the event with one member of its top level replaced.
func changed(t *testing.T, event []byte, member string, value any) []byte {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(event, &members); err != nil {
		t.Fatal(err)
	}
	members[member] = value
	b, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
