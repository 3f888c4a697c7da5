package cases

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// jobTable is a job table and a folder of files that several programs share and
// the test reads too. The datasets read the same database.
type jobTable struct {
	database
	store *jobsql.Store
	files string
}

func newJobTable(t testing.TB, d database) jobTable {
	t.Helper()
	store, err := jobsql.Open(t.Context(), d.url, jobsql.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return jobTable{d, store, t.TempDir()}
}

// program is a running `serve` as a process that the test may stop and kill.
type program struct {
	*site
	process *os.Process
	said    *lockedText // its log
	exited  chan struct{}
}

// start starts a program on the job table. The environment may override what is
// set here.
func (j jobTable) start(t testing.TB, datasets []string, environment ...string) program {
	t.Helper()
	folder, sets := t.TempDir(), t.TempDir()
	for i, text := range datasets {
		if err := os.WriteFile(filepath.Join(sets, fmt.Sprintf("set%d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "serve")
	cmd.Dir = folder
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "HAEXCEL_LISTEN=127.0.0.1:0", "HAEXCEL_AUTH=header",
		"HAEXCEL_DATASET_DIR=" + sets, "HAEXCEL_DATABASE_URL=" + j.url, "HAEXCEL_LOCAL_STORAGE_PATH=" + j.files,
		"HAEXCEL_RETRY_BACKOFF=1s",
	}, environment...)
	out, in := io.Pipe()
	p := program{said: &lockedText{}, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = in, p.said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.process = cmd.Process
	go func() {
		_ = cmd.Wait() // mostly a kill
		_ = in.Close()
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = p.process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("the program said:\n%s", p.said)
		}
	})
	p.site = &site{t: t, base: address(t, out, p.said), client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return p
}

// kill ends the program as a machine that fails does.
func (p program) kill(t testing.TB) {
	t.Helper()
	if err := p.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.exited
}

// freeze stops the program in the middle of whatever it does; thaw lets it go on.
// A process that is stopped in the middle of a write to an SQLite file would keep
// everybody out, so then it is stopped a moment later.
func (p program) freeze(t testing.TB, d database) {
	t.Helper()
	for {
		if err := p.process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if d.name != "sqlite" {
			return
		}
		if _, err := d.db.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS frozen (no INTEGER)"); err == nil {
			return
		}
		p.thaw(t)
		time.Sleep(10 * time.Millisecond)
	}
}

func (p program) thaw(t testing.TB) {
	t.Helper()
	if err := p.process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// ask sends a request with the given headers, in pairs, and no others.
func (s *site) ask(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	a, err := s.try(t, method, path, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// try is ask for goroutines of a test, which must not end it.
func (s *site) try(t testing.TB, method, path, body string, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, content}, err
}

// submit submits an export as kim and answers its job's id.
func (s *site) submit(t testing.TB, dataset, body string) string {
	t.Helper()
	return s.submitAs(t, "kim", dataset, body)
}

func (s *site) submitAs(t testing.TB, user, dataset, body string) string {
	t.Helper()
	a := s.ask(t, http.MethodPost, dataset, body, "X-User-Id", user)
	if a.code != http.StatusAccepted {
		t.Fatalf("submit %s: %d %s", dataset, a.code, a.body)
	}
	return decoded[status](t, a.body).JobID
}

// row reads a job's row.
func (j jobTable) row(t testing.TB, jobID string) job.Job {
	t.Helper()
	row, err := j.store.Get(t.Context(), jobID)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// count is the result of a query of one number.
func (d database) count(t testing.TB, query string) (n int) {
	t.Helper()
	if err := d.db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// until waits for a condition.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("it never came to this: %s", what)
}

// running waits until a worker has a job.
func (j jobTable) running(t testing.TB, jobID string) {
	t.Helper()
	until(t, "the job runs", func() bool { return j.row(t, jobID).Status == job.Running })
}

// stored are the objects in the folder, by their keys, with digests of their
// bytes.
func (j jobTable) stored(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(j.files, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if errors.Is(err, fs.ErrNotExist) { // removed while we look
				return nil
			}
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		key, relErr := filepath.Rel(j.files, path)
		found[filepath.ToSlash(key)] = fmt.Sprintf("%x", sha256.Sum256(content))
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// slow is a dataset, with its table, whose rows come one by one, about fifty in a
// second. The count before them takes no time.
func (d database) slow(t testing.TB, rows int) (dataset string) {
	t.Helper()
	d.exec(t, "CREATE TABLE slow (id INTEGER NOT NULL PRIMARY KEY)")
	list := make([][]any, rows)
	for i := range list {
		list[i] = []any{i + 1}
	}
	d.insert(t, "slow", list...)
	pause := d.pick("SLEEP(0.02)", "pg_sleep(0.02)::text",
		"(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20000 + s.id) SELECT COUNT(*) FROM c)")
	return "name: slow\nkey: id\nselect:\n  id: s.id\n  pause: \"" + pause + "\"\nfrom: slow s\ncolumns: [{field: id}, {field: pause}]\n"
}

// held is a dataset, with its table, whose only row does not come before the job
// is cancelled.
func (d database) held(t testing.TB) (dataset string) {
	t.Helper()
	d.exec(t, "CREATE TABLE held (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO held VALUES (1)")
	pause := d.pick("SLEEP(3600)", "pg_sleep(3600)::text",
		"(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000000000 + h.id) SELECT COUNT(*) FROM c)")
	return "name: held\nkey: id\nselect:\n  id: h.id\n  pause: \"" + pause + "\"\nfrom: held h\ncolumns: [{field: id}, {field: pause}]\n"
}

// sales is a dataset, with its table, of as many rows.
func (d database) sales(t testing.TB, rows int) (dataset string) {
	t.Helper()
	d.exec(t, "CREATE TABLE sales (id INTEGER NOT NULL PRIMARY KEY, status VARCHAR(20) NOT NULL, amount DECIMAL(12,2) NOT NULL)")
	list := make([][]any, rows)
	for i := range list {
		list[i] = []any{i + 1, []string{"PAID", "OPEN"}[i%2], "12.50"}
	}
	d.insert(t, "sales", list...)
	return "name: sales\nkey: id\nselect: {id: o.id, status: o.status, amount: o.amount}\nfrom: sales o\n" +
		"where:\n  - {sql: \"o.status = :status\", when: status}\n  - {sql: \"o.id >= :first\", when: first}\n  - {sql: \"o.id IN (:ids)\", when: ids}\n" +
		"params: {status: {type: string}, first: {type: integer}, ids: {type: '[integer]'}}\nsort: [id, amount]\n" +
		"columns: [{field: id, headerName: No}, {field: status}, {field: amount}]\n"
}
