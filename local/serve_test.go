package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/local/demo"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/job"
)

// The whole way of a new user: start, paste the three lines, open the file.
func TestPrintedCurlLinesWork(t *testing.T) {
	t.Parallel()
	testservices.Program(t, "curl")
	for name, test := range map[string]struct {
		environment []string
		rows        int
		file        string
	}{
		"default size": {nil, demo.DefaultRows, "orders.xlsx"},
		"parts":        {[]string{"DEMO_ROWS=2500", "HAEXCEL_ZIP_THRESHOLD=2000", "HAEXCEL_CHUNK_SIZE=1000"}, 2500, "orders.zip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			s := serve(t, folder, test.environment, "--demo")
			var lines []string
			for line := range strings.Lines(s.stdout.String()) {
				if strings.Contains(line, "curl ") {
					lines = append(lines, line)
				}
			}
			if len(lines) != 3 {
				t.Fatalf("%d curl lines, want three:\n%s", len(lines), s.stdout)
			}
			shell := exec.CommandContext(t.Context(), "sh", "-e")
			shell.Dir = folder
			shell.Stdin = strings.NewReader(strings.Join(lines, ""))
			if printed, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(printed), `"DONE"`) {
				t.Fatalf("%v: %s", err, printed)
			}
			content := read(t, filepath.Join(folder, test.file))
			if strings.HasSuffix(test.file, ".zip") {
				checkParts(t, content, "export", 1000, test.rows)
				return
			}
			checkOrders(t, content, 1, test.rows)
		})
	}
}

// Databases of one's own are migrated before the server listens; without the
// demo a dataset of one's own works as well.
func TestServeOnEmptyDatabases(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(testing.TB) string{"mariadb": testservices.MariaDB, "postgres": testservices.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, sets := t.TempDir(), t.TempDir()
			write(t, filepath.Join(sets, "jobs.yaml"), "name: jobList\nsql: SELECT job_id, biz_nm FROM ha_excel_job\ncolumns: [{field: job_id}, {field: biz_nm}]\n")
			s := serve(t, folder, []string{"HAEXCEL_DATABASE_URL=" + create(t), "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets})
			if strings.Contains(s.stdout.String(), "curl") {
				t.Errorf("it offers a demo that is not there:\n%s", s.stdout)
			}
			a := s.do(t, http.MethodPost, "/jobList", "kim", "{}")
			if a.status != http.StatusAccepted {
				t.Fatalf("submit: %d %s", a.status, a.body)
			}
			var accepted state
			a.json(t, &accepted)
			if end := s.finish(t, "kim", accepted.JobID); end.Status != "DONE" || end.ProcessedRows != 1 {
				t.Errorf("the job ended %+v", end)
			}

			// The demo's table is missing: the job fails with a safe text and the
			// worker lives on.
			end := s.finish(t, "kim", s.submit(t, "kim", "{}"))
			if end.Status != "FAIL" || !strings.Contains(end.ErrorMsg, "orders") || strings.Contains(end.ErrorMsg, "demo_orders") {
				t.Errorf("without the demo's table: %+v", end)
			}
			a = s.do(t, http.MethodPost, "/jobList", "lee", "{}")
			a.json(t, &accepted)
			if end := s.finish(t, "lee", accepted.JobID); end.Status != "DONE" {
				t.Errorf("after a failed job: %+v", end)
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	sets := t.TempDir()
	write(t, filepath.Join(sets, "dated.yaml"), "name: dated\nkey: id\nselect: {id: o.id}\nfrom: demo_orders o\nwhere: [{sql: 'o.ordered_on >= :from'}]\n"+
		"params: {from: {type: date, required: true}}\ncolumns: [{field: id}]\n")
	write(t, filepath.Join(sets, "bare.yaml"), "name: bare\nkey: id\nselect: {id: o.id}\nfrom: demo_orders o\n")
	write(t, filepath.Join(sets, "chiefs.yaml"), "name: chiefs\nkey: id\nselect: {id: o.id}\nfrom: demo_orders o\ncolumns: [{field: id}]\nallow: [chief]\n")
	folder := t.TempDir()
	s := serve(t, folder, []string{"HAEXCEL_DATASET_DIR=" + sets}, "--demo", "--demo-rows", "10")
	mine := s.submit(t, "kim", "{}")
	s.finish(t, "kim", mine)

	deep := strings.Repeat(`{"children":[`, 17) + `{"field":"id"}` + strings.Repeat(`]}`, 17)
	nested := `{"params":` + strings.Repeat(`[`, 70) + strings.Repeat(`]`, 70) + `}`
	for name, test := range map[string]struct {
		method, path, user, body string
		headers                  []string
		status                   int
	}{
		"malformed JSON":          {http.MethodPost, "/orders", "kim", `{"params":`, nil, 400},
		"no object":               {http.MethodPost, "/orders", "kim", `[]`, nil, 400},
		"wrong type":              {http.MethodPost, "/orders", "kim", `{"columns":"all"}`, nil, 400},
		"too large":               {http.MethodPost, "/orders", "kim", `{"fileName":"` + strings.Repeat("x", 1<<20) + `"}`, nil, 413},
		"not JSON":                {http.MethodPost, "/orders", "kim", `{}`, []string{"Content-Type", "text/csv"}, 415},
		"unknown dataset":         {http.MethodPost, "/nope", "kim", `{}`, nil, 404},
		"name of an address":      {http.MethodPost, "/config", "kim", `{}`, nil, 405},
		"required parameter":      {http.MethodPost, "/dated", "kim", `{}`, nil, 400},
		"ill-typed parameter":     {http.MethodPost, "/dated", "kim", `{"params":{"from":"soon"}}`, nil, 400},
		"value as SQL":            {http.MethodPost, "/orders", "kim", `{"params":{"minAmount":"1 OR 1=1"}}`, nil, 400},
		"no columns":              {http.MethodPost, "/bare", "kim", `{}`, nil, 400},
		"role is missing":         {http.MethodPost, "/chiefs", "kim", `{}`, nil, 403},
		"header tree too deep":    {http.MethodPost, "/orders", "kim", `{"columns":[` + deep + `]}`, nil, 400},
		"JSON too deep":           {http.MethodPost, "/orders", "kim", nested, nil, 400},
		"packaging":               {http.MethodPost, "/orders", "kim", `{"packaging":"tar"}`, nil, 400},
		"no identity":             {http.MethodPost, "/orders", "", `{}`, nil, 401},
		"blank identity":          {http.MethodPost, "/orders", "  ", `{}`, nil, 401},
		"identity too long":       {http.MethodPost, "/orders", strings.Repeat("x", 65), `{}`, nil, 400},
		"no job id":               {http.MethodGet, "/12345/status", "kim", "", nil, 404},
		"SQL as job id":           {http.MethodGet, "/1'%20OR%20'1'='1/status", "kim", "", nil, 404},
		"absent job":              {http.MethodGet, "/" + uuid.NewString() + "/status", "kim", "", nil, 404},
		"someone else's status":   {http.MethodGet, "/" + mine + "/status", "lee", "", nil, 404},
		"someone else's file":     {http.MethodGet, "/" + mine + "/file", "lee", "", nil, 404},
		"cancel of someone else":  {http.MethodDelete, "/" + mine + "/cancel", "lee", "", nil, 403},
		"cancel of an absent job": {http.MethodDelete, "/" + uuid.NewString() + "/cancel", "kim", "", nil, 403},
		"retry of someone else":   {http.MethodPost, "/" + mine + "/retry", "lee", "", nil, 403},
		"retry of a done job":     {http.MethodPost, "/" + mine + "/retry", "kim", "", nil, 409},
		"cancel of a done job":    {http.MethodDelete, "/" + mine + "/cancel", "kim", "", nil, 409},
		"method":                  {http.MethodPut, "/orders", "kim", `{}`, nil, 405},
		"address":                 {http.MethodGet, "/a/b/c/d", "kim", "", nil, 404},
		"template":                {http.MethodGet, "/template/a%20b", "kim", "", nil, 400},
		"headers too large":       {http.MethodPost, "/orders", "kim", `{}`, []string{"X-Filler", strings.Repeat("x", 17<<10)}, 431},
		"headers far too large":   {http.MethodGet, "/config", "", "", []string{"X-Filler", strings.Repeat("x", 300<<10)}, 431},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.do(t, test.method, test.path, test.user, test.body, test.headers...)
			if a.status != test.status {
				t.Errorf("status %d, want %d: %s", a.status, test.status, a.body)
			}
			if got := a.header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
			var p struct {
				Status        int
				Title, Detail string
				Error, Type   string
				Instance      string
				Fields        map[string]string
			}
			a.json(t, &p)
			if p.Status != test.status || p.Detail == "" || p.Error != p.Detail || p.Title == "" || p.Instance == "" || p.Type == "" {
				t.Errorf("problem %s", a.body)
			}
		})
	}
	// Nothing of it was written.
	store := openStore(t, "sqlite:"+filepath.Join(folder, dataFolder, "haexcel.db"))
	var rows int
	if err := store.DB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM ha_excel_job").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d jobs in the table, want the one good one: %v", rows, err)
	}
}

// What is absent and what is someone else's must look the same.
func TestForeignJobsLookAbsent(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil, "--demo", "--demo-rows", "10")
	mine, absent := s.submit(t, "kim", "{}"), uuid.NewString()
	for _, request := range [][2]string{{http.MethodGet, "/status"}, {http.MethodGet, "/file"}, {http.MethodDelete, "/cancel"}, {http.MethodPost, "/retry"}} {
		foreign := s.do(t, request[0], "/"+mine+request[1], "lee", "")
		unknown := s.do(t, request[0], "/"+absent+request[1], "lee", "")
		a, b := string(foreign.body), strings.ReplaceAll(string(unknown.body), absent, mine)
		if foreign.status != unknown.status || a != b {
			t.Errorf("%s: %d %s, absent: %d %s", request[1], foreign.status, a, unknown.status, b)
		}
	}
	if end := s.finish(t, "kim", mine); end.Status != "DONE" {
		t.Errorf("the job ended %+v", end)
	}
}

// A field that the dataset lacks is a blank column with a warning.
func TestUnknownFieldIsABlankColumn(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil, "--demo", "--demo-rows", "10")
	id := s.submit(t, "kim", `{"columns":[{"field":"orderNo"},{"field":"password_hash","headerName":"?"}]}`)
	s.finish(t, "kim", id)
	a := s.do(t, http.MethodGet, "/"+id+"/status", "kim", "")
	if !bytes.Contains(a.body, []byte("warnings")) || !bytes.Contains(a.body, []byte("password_hash")) {
		t.Errorf("the status names no warning: %s", a.body)
	}
}

// A download is broken off rather than ended when the client reads slowly into a
// stop; a finished one is never held up by it.
func TestStopEndsInTime(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil, "--demo", "--demo-rows", "10")
	// A client that never finishes its request.
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.api, "http://"), apigw.BasePath))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "GET /api/excel/config HTTP/1.1\r\nHost: local\r\n"); err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// A stop gives a running job back without a failure, and the next start goes on
// with it at once.
func TestStopGivesTheJobBack(t *testing.T) {
	t.Parallel()
	folder, sets := t.TempDir(), t.TempDir()
	write(t, filepath.Join(sets, "endless.yaml"), endless)
	environment := []string{"HAEXCEL_DATASET_DIR=" + sets}
	first := serve(t, folder, environment, "--demo", "--demo-rows", "10")
	a := first.do(t, http.MethodPost, "/endless", "kim", `{"packaging":"zip"}`)
	if a.status != http.StatusAccepted {
		t.Fatalf("submit: %d %s", a.status, a.body)
	}
	var accepted state
	a.json(t, &accepted)
	eventually(t, "rows are written", func() bool { return first.status(t, "kim", accepted.JobID).ProcessedRows > 0 })
	first.signal(syscall.SIGTERM)
	if code := first.wait(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	store := openStore(t, "sqlite:"+filepath.Join(folder, dataFolder, "haexcel.db"))
	j, err := store.Get(t.Context(), accepted.JobID)
	if err != nil || j.Status != job.Pending || j.Failures != 0 || j.Hops != 2 { // the first hop was to the large queue
		t.Fatalf("after the stop: %s, %d failures, %d hops, %v", j.Status, j.Failures, j.Hops, err)
	}
	if objects := stored(t, filepath.Join(folder, dataFolder, "files")); len(objects) != 0 {
		t.Errorf("the storage holds %v", objects)
	}

	second := serve(t, folder, environment, "--demo", "--demo-rows", "10")
	eventually(t, "the job runs again", func() bool { return second.status(t, "kim", accepted.JobID).Status == "RUNNING" })
	if a := second.do(t, http.MethodDelete, "/"+accepted.JobID+"/cancel", "kim", ""); a.status != http.StatusOK {
		t.Errorf("cancel: %d %s", a.status, a.body)
	}
	if end := second.finish(t, "kim", accepted.JobID); end.Status != "FAIL" || end.ErrorMsg != job.CancelledMessage {
		t.Errorf("after the cancel: %+v", end)
	}
}

// A second signal ends the process at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil, "--demo", "--demo-rows", "10")
	// A download under way holds up an orderly end: its client does not read.
	id := s.submit(t, "kim", "{}")
	s.finish(t, "kim", id)
	host := strings.TrimSuffix(strings.TrimPrefix(s.api, "http://"), apigw.BasePath)
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// The body that never comes keeps the request under way.
	if _, err := fmt.Fprintf(conn, "POST %s/orders HTTP/1.1\r\nHost: local\r\nX-User-Id: kim\r\nContent-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n", apigw.BasePath); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	s.signal(syscall.SIGTERM)
	eventually(t, "the server takes no more connections", func() bool {
		c, err := net.Dial("tcp", host)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != -1 {
		t.Errorf("exit code %d, want the signal to end it", code)
	}
}
