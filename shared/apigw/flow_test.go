package apigw_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
)

// keys demands the members of a JSON body, no more and no fewer.
func keys(t *testing.T, m map[string]any, want string) {
	t.Helper()
	names := strings.Fields(want)
	for _, name := range names {
		if _, ok := m[name]; !ok {
			t.Errorf("%s is missing in %v", name, m)
		}
	}
	if len(m) != len(names) {
		t.Errorf("members %v, want %s", m, want)
	}
}

const always = "jobId status processedRows totalRows createdAt startedAt completedAt "

// TestJavaClient follows the Java library's client: submit with X-User-Id, poll,
// open the file by a plain link, cancel without headers.
func TestJavaClient(t *testing.T) {
	s := setup(t, "HAEXCEL_AUTH_COOKIE=uid")
	a := s.http(t, call{method: "POST", path: "/api/excel/orders", body: `{"fileName":"매출 현황","totalCnt":3,"params":{"status":"PAID","page":1},"columns":[{"field":"id","headerName":"ID","width":100,"sortable":true}],"templateId":null}`}.
		as("홍길동").with("Content-Type", "application/json;charset=UTF-8"))
	if a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	m := a.json(t)
	keys(t, m, "jobId status")
	id := m["jobId"].(string)
	if _, err := uuid.Parse(id); err != nil || m["status"] != "PENDING" {
		t.Errorf("body %s", a.body)
	}
	if got := a.header.Get("Location"); got != "/api/excel/"+id+"/status" {
		t.Errorf("location %q", got)
	}

	a = s.http(t, get("/api/excel/"+id+"/status").as("홍길동"))
	m = a.json(t)
	keys(t, m, always+"queuePosition estimatedSeconds warnings")
	if a.header.Get("Retry-After") != "2" || m["queuePosition"] != 1.0 || m["estimatedSeconds"] != 30.0 || m["totalRows"] != 3.0 || m["startedAt"] != nil || m["completedAt"] != nil {
		t.Errorf("%v %s", a.header, a.body)
	}

	j := s.finish(t, id)
	a = s.http(t, get("/api/excel/"+id+"/status").as("홍길동"))
	m = a.json(t)
	keys(t, m, always+"bytes fileName expiresAt asOf warnings")
	if a.header.Get("Retry-After") != "" || m["status"] != "DONE" || m["processedRows"] != 3.0 || m["bytes"] != float64(j.FileBytes) || m["asOf"] != "2026-09-02T05:30:25.000Z" {
		t.Errorf("%v %s", a.header, a.body)
	}
	want := export.FileName("매출 현황", time.UnixMilli(j.CompletedAt), s.cfg.ReportZone, "xlsx")
	if m["fileName"] != want {
		t.Errorf("file name %v, want %s", m["fileName"], want)
	}
	if m["expiresAt"] != time.UnixMilli(j.CompletedAt).Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("expiresAt %v", m["expiresAt"])
	}

	link := get("/api/excel/"+id+"/file").with("Cookie", "other=1; uid=%ED%99%8D%EA%B8%B8%EB%8F%99")
	a = s.http(t, link)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != export.XLSXType || int64(len(a.body)) != j.FileBytes || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	if got := a.header.Values("Content-Disposition"); len(got) != 1 {
		t.Errorf("content disposition %q", got)
	} else if _, p, err := mime.ParseMediaType(got[0]); err != nil || p["filename"] != want {
		t.Errorf("content disposition %q: %v", got[0], err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := book.GetRows("Sheet1"); err != nil || len(rows) != 4 || rows[0][0] != "ID" || rows[3][0] != "3" {
		t.Errorf("rows %q, %v", rows, err)
	}
	head := s.http(t, call{method: "HEAD", path: link.path, header: link.header})
	if head.status != http.StatusOK || head.header.Get("Content-Length") != a.header.Get("Content-Length") || len(head.body) != 0 {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}

	other := s.http(t, post("/api/excel/orders", `{"fileName":"other"}`).as("홍길동")).json(t)["jobId"].(string)
	a = s.http(t, del("/api/excel/"+other+"/cancel").with("Cookie", `uid="%ED%99%8D%EA%B8%B8%EB%8F%99"`))
	if a.status != http.StatusOK || string(a.body) != `{"jobId":"`+other+`","message":"Cancel request accepted."}` {
		t.Errorf("%d %s", a.status, a.body)
	}
	m = s.http(t, get("/api/excel/"+other+"/status").as("홍길동")).json(t)
	keys(t, m, always+"errorMsg")
	if m["status"] != "FAIL" || m["errorMsg"] != job.CancelledMessage {
		t.Errorf("body %v", m)
	}
}

func TestStatusOfARunningJob(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{"totalCnt":3}`)
	if _, ok, err := s.store.Claim(t.Context(), id, "w", time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}
	a := s.http(t, get("/api/excel/"+id+"/status").as("u1"))
	m := a.json(t)
	keys(t, m, always+"progress rowsPerSecond estimatedSeconds phase")
	if a.header.Get("Retry-After") != "1" || m["phase"] != "working" || m["progress"] != 0.0 || m["startedAt"] == nil {
		t.Errorf("%v %s", a.header, a.body)
	}
	if a := s.http(t, del("/api/excel/"+id+"/cancel").as("u1")); a.status != http.StatusOK {
		t.Errorf("cancel: %d", a.status)
	}
	if a := s.http(t, del("/api/excel/"+id+"/cancel").as("u1")); a.status != http.StatusOK {
		t.Errorf("cancel again: %d", a.status)
	}
	if m := s.http(t, get("/api/excel/"+id+"/status").as("u1")).json(t); m["phase"] != "cancelling" || m["status"] != "RUNNING" {
		t.Errorf("body %v", m)
	}
	for phase, want := range map[job.Phase]string{job.PhaseChunks: "chunks", job.PhasePacking: "packing"} {
		s.set(t, id, "cancel_yn = 'N', phase = '"+string(phase)+"'")
		if m := s.http(t, get("/api/excel/"+id+"/status").as("u1")).json(t); m["phase"] != want {
			t.Errorf("body %v", m)
		}
	}
	s.set(t, id, "phase = NULL, processed_rows = 9")
	if m := s.http(t, get("/api/excel/"+id+"/status").as("u1")).json(t); m["progress"] != 100.0 || m["rowsPerSecond"] == 0.0 {
		t.Errorf("body %v", m)
	}
}

func TestSeveralSnapshots(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{}`)
	s.finish(t, id)
	s.set(t, id, "as_of_end = 1788327026000")
	if m := s.http(t, get("/api/excel/"+id+"/status").as("u1")).json(t); m["asOfEnd"] != "2026-09-02T05:30:26.000Z" {
		t.Errorf("body %v", m)
	}
}

func TestSubmitAgainWhileActive(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{"params":{"status":"PAID"},"fileName":"a"}`)
	if again := s.submit(t, `{"fileName":"a","params":{"status":"PAID"}}`); again != id {
		t.Errorf("another job %s", again)
	}
	if _, ok, err := s.store.Claim(t.Context(), id, "w", time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}
	a := s.http(t, post("/api/excel/orders", `{"params":{"status":"PAID"},"fileName":"a"}`).as("u1"))
	if m := a.json(t); a.status != http.StatusAccepted || m["jobId"] != id || m["status"] != "RUNNING" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestRetryEndpoint(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{"params":{"fail":true}}`)
	if j := s.finish(t, id); j.Status != job.Fail {
		t.Fatalf("row %+v", j)
	}
	m := s.http(t, get("/api/excel/"+id+"/status").as("u1")).json(t)
	if m["errorMsg"] != errBroken.Message {
		t.Errorf("body %v", m)
	}
	a := s.http(t, post("/api/excel/"+id+"/retry", "").as("u1"))
	if a.status != http.StatusAccepted || a.header.Get("Location") != "/api/excel/"+id+"/status" {
		t.Errorf("%d %v", a.status, a.header)
	}
	if m := a.json(t); m["jobId"] != id || m["status"] != "PENDING" {
		t.Errorf("body %s", a.body)
	}
	s.finish(t, id)
	active := s.submit(t, `{"params":{"fail":true}}`)
	a = s.http(t, post("/api/excel/"+id+"/retry", "").as("u1"))
	if a.status != http.StatusConflict || !strings.Contains(string(a.body), active) {
		t.Errorf("the active job is not named: %d %s", a.status, a.body)
	}
}

func TestFileIsGone(t *testing.T) {
	s := setup(t, "HAEXCEL_JOB_TTL=1h")
	for name, spoil := range map[string]func(t *testing.T, j job.Job){
		"expired":                  func(t *testing.T, j job.Job) { s.set(t, j.ID, "completed_at = completed_at - 3600000") },
		"made by the Java library": func(t *testing.T, j job.Job) { s.set(t, j.ID, "file_path = '/var/exports/a.xlsx'") },
		"swept":                    func(t *testing.T, j job.Job) { s.set(t, j.ID, "swept_at = 1, file_path = NULL") },
		"object missing": func(t *testing.T, j job.Job) {
			if err := s.bucket.Delete(t.Context(), j.FilePath); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			id := s.submit(t, `{"fileName":"`+name+`"}`)
			j := s.finish(t, id)
			c := get("/api/excel/" + id + "/file").as("u1")
			if a := s.http(t, c); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			spoil(t, j)
			both(t, s, problemCall{call: c, status: 410})
			c.path += "?redirect=false"
			both(t, s, problemCall{call: c, status: 410})
			if a := s.http(t, get("/api/excel/"+id+"/status").as("u1")); a.status != http.StatusOK {
				t.Errorf("status: %d", a.status)
			}
		})
	}
}

// signing is a storage that signs links.
type signing struct {
	storage.Driver
	asked *storage.SignOptions
}

func (s signing) SignedURL(_ context.Context, key string, opt storage.SignOptions) (storage.Link, error) {
	*s.asked = opt
	return storage.Link{URL: "https://files.example/" + key + "?sig=1", Expires: time.Date(2026, 9, 2, 5, 35, 0, 0, time.UTC)}, nil
}

func TestSignedDownload(t *testing.T) {
	s := setup(t, "HAEXCEL_LINK_TTL=2m")
	id := s.submit(t, `{"fileName":"매출 현황 (최종)"}`)
	j := s.finish(t, id)
	var asked storage.SignOptions
	router := apigw.NewRouter(apigw.NewIdentity(s.cfg, nil), s.cfg.MaxBody, nil,
		apigw.Download(&app.Download{Store: s.store, Bucket: storage.NewBucket(signing{s.driver, &asked}), Config: s.cfg}))
	s.router = router
	url := "https://files.example/" + j.FilePath + "?sig=1"
	c := get("/api/excel/" + id + "/file").as("u1")
	fromLambda, _ := s.lambda(t, event(t, c))
	for _, a := range []answer{s.http(t, c), fromLambda} {
		if a.status != http.StatusFound || a.header.Get("Location") != url || a.header.Get("Cache-Control") != "no-store" || len(a.body) != 0 {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
	}
	if asked.Expires != 2*time.Minute || asked.ContentType != export.XLSXType || !strings.Contains(asked.ContentDisposition, "filename*=UTF-8''%EB%A7%A4%EC%B6%9C%20%ED%98%84%ED%99%A9%20%28%EC%B5%9C%EC%A2%85%29_") {
		t.Errorf("asked %+v", asked)
	}
	c.path += "?redirect=false"
	a := s.http(t, c)
	m := a.json(t)
	keys(t, m, "url expiresAt fileName bytes asOf")
	if a.status != http.StatusOK || m["url"] != url || m["expiresAt"] != "2026-09-02T05:35:00.000Z" || m["bytes"] != float64(j.FileBytes) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestFileInfoWhereLinksCannotBeSigned(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{}`)
	s.finish(t, id)
	c := get("/api/excel/" + id + "/file?redirect=false").as("u1")
	if m := s.http(t, c).json(t); m["url"] != "/api/excel/"+id+"/file" {
		t.Errorf("body %v", m)
	}
	a, _ := s.lambda(t, event(t, c))
	if m := a.json(t); m["url"] != "/prod/api/excel/"+id+"/file" {
		t.Errorf("body %v", m)
	}
}

func TestLambdaStreamsSmallFilesOnly(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{}`)
	j := s.finish(t, id)
	e := event(t, get("/api/excel/"+id+"/file").as("u1"))
	a, raw := s.lambda(t, e)
	if a.status != http.StatusOK || !raw.IsBase64Encoded || a.header.Get("Content-Type") != export.XLSXType || a.header.Get("Content-Disposition") == "" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	data, err := base64.StdEncoding.DecodeString(raw.Body)
	if err != nil || int64(len(data)) != j.FileBytes {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if direct := s.http(t, get("/api/excel/"+id+"/file").as("u1")); !bytes.Equal(direct.body, data) {
		t.Error("HTTP and Lambda give different bytes")
	}
	for size, status := range map[int]int{apigw.MaxInlineBytes: 200, apigw.MaxInlineBytes + 1: 503} {
		w, err := s.bucket.NewWriter(t.Context(), j.FilePath, storage.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		a, raw := s.lambda(t, e)
		if a.status != status || raw.IsBase64Encoded != (status == 200) {
			t.Errorf("%d bytes: %d %v", size, a.status, a.header)
		}
		if direct := s.http(t, get("/api/excel/"+id+"/file").as("u1")); len(direct.body) != size {
			t.Errorf("HTTP gave %d bytes instead of %d", len(direct.body), size)
		}
	}
}

// short is a storage whose readers break in the middle.
type short struct{ storage.Driver }

func (d short) NewReader(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	r, err := d.Driver.NewReader(ctx, key, offset, length)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, 100), r}, nil
}

func TestHalfAFileIsNoFile(t *testing.T) {
	s := setup(t)
	id := s.submit(t, `{}`)
	s.finish(t, id)
	s.router = apigw.NewRouter(apigw.NewIdentity(s.cfg, nil), s.cfg.MaxBody, nil,
		apigw.Download(&app.Download{Store: s.store, Bucket: storage.NewBucket(short{s.driver}), Config: s.cfg}))
	c := get("/api/excel/" + id + "/file").as("u1")
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.server.URL+c.path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.header
	resp, err := s.client.Do(req)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil {
		t.Error("the client took half a file for a whole one")
	}
	a, _ := s.lambda(t, event(t, c))
	checkProblem(t, a, problemCall{call: c, status: 500})
}

func TestJobList(t *testing.T) {
	s := setup(t)
	empty := s.http(t, get("/api/excel/jobs").as("u1"))
	if string(empty.body) != `{"jobs":[],"nextCursor":null}` {
		t.Errorf("body %s", empty.body)
	}
	var ids []string
	for _, name := range []string{"a", "b", "c"} {
		ids = append(ids, s.submit(t, `{"fileName":"`+name+`"}`))
		time.Sleep(2 * time.Millisecond) // another created_at
	}
	s.http(t, post("/api/excel/orders", `{}`).as("u2"))
	s.finish(t, ids[0])
	first := s.http(t, get("/api/excel/jobs?limit=2").as("u1")).json(t)
	list := first["jobs"].([]any)
	if len(list) != 2 || list[0].(map[string]any)["jobId"] != ids[2] || list[1].(map[string]any)["jobId"] != ids[1] {
		t.Fatalf("first page %v", first)
	}
	keys(t, list[0].(map[string]any), always+"bizNm requestedName")
	second := s.http(t, get("/api/excel/jobs?limit=2&cursor="+first["nextCursor"].(string)).as("u1")).json(t)
	list = second["jobs"].([]any)
	if len(list) != 1 || second["nextCursor"] != nil {
		t.Fatalf("second page %v", second)
	}
	entry := list[0].(map[string]any)
	keys(t, entry, always+"bizNm requestedName bytes fileName expiresAt asOf")
	if entry["jobId"] != ids[0] || entry["bizNm"] != "orders" || entry["requestedName"] != "a" {
		t.Errorf("entry %v", entry)
	}
}

func TestConfigNeedsNoIdentity(t *testing.T) {
	s := setup(t)
	c := get("/api/excel/config")
	fromLambda, _ := s.lambda(t, event(t, c))
	for _, a := range []answer{s.http(t, c), fromLambda} {
		if m := a.json(t); a.status != http.StatusOK || m["clientThreshold"] != 10000.0 || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := s.http(t, call{method: "HEAD", path: "/api/excel/config"}); a.status != http.StatusOK || len(a.body) != 0 {
		t.Errorf("HEAD: %d %s", a.status, a.body)
	}
}

func TestDatasetList(t *testing.T) {
	s := setup(t)
	names := func(c call) string {
		var out []string
		for _, d := range s.http(t, c).json(t)["datasets"].([]any) {
			out = append(out, d.(map[string]any)["name"].(string))
		}
		return strings.Join(out, " ")
	}
	c := get("/api/excel/datasets").as("u1")
	if got := names(c); got != "orders" {
		t.Errorf("datasets %q", got)
	}
	if got := names(c.with("X-User-Roles", "x, sales").with("X-User-Tenant", "t")); got != "orders scoped secret" {
		t.Errorf("datasets %q", got)
	}
}

func TestLocationKnowsTheStage(t *testing.T) {
	s := setup(t)
	c := post("/api/excel/orders", `{}`).as("u1")
	e := event(t, c)
	a, _ := s.lambda(t, e)
	id := a.json(t)["jobId"].(string)
	if got := a.header.Get("Location"); got != "/prod/api/excel/"+id+"/status" {
		t.Errorf("location %q", got)
	}
	if got := a.header.Get("X-Request-Id"); got != "gw-request" {
		t.Errorf("request id %q", got)
	}
	if j, err := s.store.Get(t.Context(), id); err != nil || j.RequestID != "gw-request" {
		t.Errorf("row %+v, %v", j, err)
	}
	e.Path, e.RequestContext.Path = "/v1/api/excel/orders", ""
	if a, _ := s.lambda(t, e); a.header.Get("Location") != "/v1/api/excel/"+id+"/status" {
		t.Errorf("location %q", a.header.Get("Location"))
	}
}

// A path that begins with two slashes must not send the client to another host.
func TestLocationStaysOnTheHost(t *testing.T) {
	s := setup(t)
	c := post("//elsewhere.example/api/excel/orders", `{}`).as("u1")
	overEvent, _ := s.lambda(t, event(t, c))
	for name, a := range map[string]answer{"http": s.http(t, c), "lambda": overEvent} {
		if a.status != http.StatusAccepted {
			t.Errorf("%s: %d %s", name, a.status, a.body)
			continue
		}
		if location := a.header.Get("Location"); strings.HasPrefix(location, "//") || !strings.Contains(location, "/api/excel/") {
			t.Errorf("%s: location %q", name, location)
		}
	}
}

func TestHostileFileNameIsOneHeader(t *testing.T) {
	s := setup(t)
	for _, name := range []string{`a\"b`, `a\r\nSet-Cookie: x=1`, `../../etc/passwd`, `보고서/1월`, `a;b=c`, `100%`, ``, `   `} {
		id := s.submit(t, `{"fileName":"`+name+`"}`)
		s.finish(t, id)
		a := s.http(t, get("/api/excel/"+id+"/file").as("u1"))
		if a.status != http.StatusOK || len(a.header.Values("Content-Disposition")) != 1 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", name, a.status, a.header)
		}
		if _, p, err := mime.ParseMediaType(a.header.Get("Content-Disposition")); err != nil || strings.ContainsAny(p["filename"], "/\\\r\n") || p["filename"] == "" {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
}
