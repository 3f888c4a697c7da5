package customworker_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/sqsevent"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"

	customworker "example.com/custom-worker"
)

// One export of the module's own dataset, from the request to the file. The
// parts are the real ones, with SQLite, a folder and wakes in memory in place of
// a server, a bucket and SQS.
func TestExportOfTheCalendar(t *testing.T) {
	folder := t.TempDir()
	cfg, err := config.Load([]string{
		"HAEXCEL_DATABASE_URL=sqlite:" + filepath.Join(folder, "jobs.db"),
		"HAEXCEL_LOCAL_STORAGE_PATH=" + filepath.Join(folder, "files"),
		"HAEXCEL_AUTH=header",
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	b := boot.Open(cfg, append(customworker.Options(), boot.WithBucketFrom(bootstore.Open))...)
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := b.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	router, err := customworker.Router(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(router)
	defer api.Close()

	// A user without a team is refused, a year is required.
	call(t, api.URL, http.MethodPost, "/calendar", "kim", "", `{"params":{"year":2024}}`, http.StatusForbidden)
	call(t, api.URL, http.MethodPost, "/calendar", "kim", "sales", `{}`, http.StatusBadRequest)
	accepted := call(t, api.URL, http.MethodPost, "/calendar", "kim", "sales", `{"params":{"year":2024}}`, http.StatusAccepted)
	jobID := regexp.MustCompile(`"jobId":"([^"]+)"`).FindStringSubmatch(string(accepted))[1]

	work, err := b.Work(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wakes, err := b.Wakes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	worker := sqsevent.Worker{Work: work, Config: cfg, Logger: b.Logger()}
	messages, err := wakes.Normal.Receive(ctx, 1, 0)
	if err != nil || len(messages) != 1 {
		t.Fatalf("messages %v, %v", messages, err)
	}
	if result := worker.Take(ctx, messages[0]); result.Again {
		t.Error("the worker gave the message back")
	}

	// A colleague sees the job and fetches the file, another team does not.
	call(t, api.URL, http.MethodGet, "/"+jobID+"/status", "lee", "support", "", http.StatusNotFound)
	if state := call(t, api.URL, http.MethodGet, "/"+jobID+"/status", "lee", "sales", "", http.StatusOK); !strings.Contains(string(state), `"DONE"`) {
		t.Errorf("state %s", state)
	}
	call(t, api.URL, http.MethodGet, "/"+jobID+"/file", "lee", "support", "", http.StatusNotFound)
	file := call(t, api.URL, http.MethodGet, "/"+jobID+"/file", "lee", "sales", "", http.StatusOK)
	sheet := xlsxtest.Open(t, file).Sheet(0)
	if n := len(sheet.Rows()); n != 1+366 {
		t.Fatalf("%d rows, want a header and the days of 2024", n)
	}
	if header := strings.Join(sheet.Texts(1), " "); header != "날짜 요일 근무시간" {
		t.Errorf("header %q", header)
	}
	if day := sheet.At("A367"); day.NumFmt != "yyyy-mm-dd" || sheet.At("B367").Text != "화" || sheet.At("C367").Raw != "8.00" {
		t.Errorf("last row: %+v %+v %+v", day, sheet.At("B367"), sheet.At("C367"))
	}
}

// call makes one request and returns the answer's body.
func call(t *testing.T, address, method, path, user, team, body string, status int) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address+apigw.BasePath+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-User-Id", user)
	r.Header.Set("X-User-Tenant", team)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != status {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, answer.StatusCode, status, content)
	}
	return content
}
