package cases

import (
	"bufio"
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
	"testing"
	"time"
)

// site is a running program.
type site struct {
	t      testing.TB
	base   string // of its API
	client *http.Client
}

// serve starts the program with datasets, by any name, on the given databases.
// The environment may override what is set here; TZ is UTC unless it says else.
func serve(t testing.TB, datasets []string, environment []string, sources ...database) *site {
	t.Helper()
	folder, sets := t.TempDir(), t.TempDir()
	for i, text := range datasets {
		if err := os.WriteFile(filepath.Join(sets, fmt.Sprintf("set%d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "serve")
	cmd.Dir = folder
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TZ=UTC", "HAEXCEL_LISTEN=127.0.0.1:0",
		"HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
		// What the program keeps itself is a file of the test.
		"HAEXCEL_DATABASE_URL=sqlite:" + filepath.Join(folder, "jobs.db"),
	}
	for _, d := range sources {
		cmd.Env = append(cmd.Env, "HAEXCEL_SOURCE_"+strings.ToUpper(d.name)+"_URL="+d.url)
	}
	cmd.Env = append(cmd.Env, environment...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints lockedText
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its end was a kill
		if t.Failed() {
			t.Logf("the program said:\n%s", complaints.String())
		}
	})
	return &site{t: t, base: address(t, out, &complaints), client: &http.Client{Timeout: patience}}
}

// lockedText is a buffer that a process writes while a test reads.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// address reads where the program listens and lets it print on.
func address(t testing.TB, out io.Reader, complaints fmt.Stringer) string {
	t.Helper()
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if a := listening.FindString(lines.Text()); a != "" {
				select {
				case found <- a:
				default:
				}
			}
		}
		close(found)
	}()
	select {
	case a, ok := <-found:
		if ok {
			return a + "/api/excel/"
		}
	case <-time.After(patience):
	}
	t.Fatalf("the program does not listen:\n%s", complaints)
	return ""
}

// answer is an HTTP answer, read.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

func (s *site) do(t testing.TB, method, path, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-User-Id", "kim")
	r.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, content}
}

// status is what the status endpoint says of a finished job.
type status struct {
	JobID          string   `json:"jobId"`
	Status         string   `json:"status"`
	ProcessedRows  int64    `json:"processedRows"`
	TotalRows      int64    `json:"totalRows"`
	FileName       string   `json:"fileName"`
	Warnings       []string `json:"warnings"`
	TruncatedCells int64    `json:"truncatedCells"`
	ErrorMsg       string   `json:"errorMsg"`
}

// run submits an export and waits for its end.
func (s *site) run(t testing.TB, dataset, body string) status {
	t.Helper()
	a := s.do(t, http.MethodPost, dataset, body)
	if a.code != http.StatusAccepted {
		t.Fatalf("submit %s: %d %s", dataset, a.code, a.body)
	}
	return s.await(t, decoded[status](t, a.body).JobID)
}

// await polls until the job has ended.
func (s *site) await(t testing.TB, jobID string) status {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		a := s.do(t, http.MethodGet, jobID+"/status", "")
		if a.code != http.StatusOK {
			t.Fatalf("status: %d %s", a.code, a.body)
		}
		if now := decoded[status](t, a.body); now.Status == "DONE" || now.Status == "FAIL" {
			return now
		}
	}
	t.Fatalf("the job %s does not end", jobID)
	return status{}
}

// file is a finished export.
type file struct {
	status
	header  http.Header
	content []byte
}

// export runs an export that must end well and downloads its file.
func (s *site) export(t testing.TB, dataset, body string) file {
	t.Helper()
	end := s.run(t, dataset, body)
	if end.Status != "DONE" {
		t.Fatalf("the job of %s ended %s: %s", dataset, end.Status, end.ErrorMsg)
	}
	a := s.do(t, http.MethodGet, end.JobID+"/file", "")
	if a.code != http.StatusOK {
		t.Fatalf("download: %d %s", a.code, a.body)
	}
	return file{end, a.header, a.body}
}

func decoded[T any](t testing.TB, text []byte) (value T) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}
