package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds everything that a test waits for. It is generous: the machine
// may be small and busy.
const patience = 60 * time.Second

// binary is the program as a user builds it.
var binary string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "haexcel-local-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "haexcel")
	build := exec.Command("go", append(append([]string{"build", "-o", binary}, buildFlags...), ".")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	return m.Run()
}

// process is a running program in a folder of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *output
	stderr *output
	exited chan struct{}
	code   int // read after exited
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// launch starts the program in folder with the given variables and none of the
// test's own settings. It is killed at the end of the test.
func launch(t *testing.T, folder string, environment []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, args...), stdout: &output{}, stderr: &output{}, exited: make(chan struct{})}
	p.cmd.Dir = folder
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder}, environment...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		err := p.cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			p.code = exit.ExitCode() // -1 after a signal
		}
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("%s:\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "), p.stdout, p.stderr)
		}
		if strings.Contains(p.stderr.String(), "DATA RACE") {
			t.Errorf("%s: a data race:\n%s", strings.Join(args, " "), p.stderr)
		}
	})
	return p
}

// run starts the program and waits for its end.
func run(t *testing.T, folder string, environment []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := launch(t, folder, environment, args...)
	code = p.wait()
	return code, p.stdout.String(), p.stderr.String()
}

// wait returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.exited:
		return p.code
	case <-time.After(patience):
		p.t.Fatalf("the program goes on running:\n%s\n%s", p.stdout, p.stderr)
		return 0
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("it never came to this: %s", what)
}

// server is a running `serve`.
type server struct {
	*process
	api string // http://…/api/excel
}

var serving = regexp.MustCompile(`haexcel serves (http://\S+)`)

// serve starts a server on a free port and waits until it listens.
func serve(t *testing.T, folder string, environment []string, args ...string) server {
	t.Helper()
	s := server{process: launch(t, folder, append(environment, "HAEXCEL_LISTEN=127.0.0.1:0"), append([]string{"serve"}, args...)...)}
	s.awaitAddress(t)
	return s
}

// awaitAddress waits until the server says where it is.
func (s *server) awaitAddress(t *testing.T) {
	t.Helper()
	eventually(t, "the server says where it is", func() bool {
		select {
		case <-s.exited:
			t.Fatalf("the server ended with code %d:\n%s", s.code, s.stderr)
		default:
		}
		found := serving.FindStringSubmatch(s.stdout.String())
		if found != nil {
			s.api = found[1]
		}
		return found != nil
	})
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request as the user; headers come in pairs.
func (s server) do(t *testing.T, method, path, user, body string, headers ...string) answer {
	t.Helper()
	a, err := s.try(t, method, path, user, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s server) try(t *testing.T, method, path, user, body string, headers ...string) (answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.api+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		r.Header.Set("X-User-Id", user)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{status: response.StatusCode, header: response.Header, body: content}, err
}

// json reads the answer's body.
func (a answer) json(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

// submit starts an export and returns its job's id.
func (s server) submit(t *testing.T, user, body string) string {
	t.Helper()
	a := s.do(t, http.MethodPost, "/orders", user, body)
	if a.status != http.StatusAccepted {
		t.Fatalf("submit: %d %s", a.status, a.body)
	}
	var accepted state
	a.json(t, &accepted)
	return accepted.JobID
}

// status asks for a job once.
func (s server) status(t *testing.T, user, jobID string) state {
	t.Helper()
	a := s.do(t, http.MethodGet, "/"+jobID+"/status", user, "")
	if a.status != http.StatusOK {
		t.Fatalf("status: %d %s", a.status, a.body)
	}
	var found state
	a.json(t, &found)
	return found
}

// finish waits until the job has ended.
func (s server) finish(t *testing.T, user, jobID string) state {
	t.Helper()
	var end state
	eventually(t, "the job "+jobID+" ends", func() bool {
		end = s.status(t, user, jobID)
		return end.finished()
	})
	return end
}
