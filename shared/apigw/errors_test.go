package apigw_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/fault"
)

var (
	errDetail = errors.New("dial tcp db.internal: password hunter2")
	errBroken = fault.New(fault.Unprocessable, `Dataset "orders": the query is broken.`)
)

// problemCall is a call and the error it must get.
type problemCall struct {
	call
	status int
	fields []string
	header map[string]string
}

// checkProblem demands the form of every error.
func checkProblem(t *testing.T, a answer, want problemCall) {
	t.Helper()
	if a.status != want.status {
		t.Fatalf("status %d, want %d: %s", a.status, want.status, a.body)
	}
	if ct := a.header.Get("Content-Type"); ct != "application/problem+json" {
		t.Errorf("content type %q", ct)
	}
	if a.header.Get("X-Request-Id") == "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.header)
	}
	for name, value := range want.header {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
	m := a.json(t)
	path, _, _ := strings.Cut(want.path, "?")
	if m["type"] != "about:blank" || m["title"] != http.StatusText(want.status) || m["status"] != float64(want.status) ||
		m["detail"] == "" || m["error"] != m["detail"] || m["instance"] != path {
		t.Errorf("body %s", a.body)
	}
	fields, _ := m["fields"].(map[string]any)
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want.fields) {
		t.Errorf("fields %v, want %v", got, want.fields)
	}
	for _, secret := range []string{"hunter2", "db.internal", "secret detail", "SELECT", "goroutine"} {
		if strings.Contains(string(a.body), secret) {
			t.Errorf("the body shows %q: %s", secret, a.body)
		}
	}
}

// both sends a call over HTTP and as an event.
func both(t *testing.T, s *site, want problemCall) {
	t.Helper()
	t.Run("http", func(t *testing.T) { checkProblem(t, s.http(t, want.call), want) })
	t.Run("lambda", func(t *testing.T) {
		a, _ := s.lambda(t, event(t, want.call))
		checkProblem(t, a, want)
	})
}

func TestErrors(t *testing.T) {
	s := setup(t, "HAEXCEL_MAX_BODY=1KiB")
	own, someone := s.submit(t, `{"fileName":"own"}`), uuid.NewString()
	failed := s.submit(t, `{"fileName":"failed","params":{"fail":true}}`)
	s.finish(t, failed)
	done := s.submit(t, `{"fileName":"done"}`)
	s.finish(t, done)
	cancelled := s.submit(t, `{"fileName":"cancelled"}`)
	if a := s.http(t, del("/api/excel/"+cancelled+"/cancel").as("u1")); a.status != http.StatusOK {
		t.Fatal(a.status)
	}
	for name, want := range map[string]problemCall{
		"400 malformed":       {call: post("/api/excel/orders", `{"a"`).as("u1"), status: 400},
		"400 empty":           {call: post("/api/excel/orders", ``).as("u1"), status: 400},
		"400 fields":          {call: post("/api/excel/orders", `{"columns":{},"packaging":"x"}`).as("u1"), status: 400, fields: []string{"columns", "packaging"}},
		"400 order":           {call: post("/api/excel/orders", `{"sort":[{"field":"(CASE WHEN 1=1 THEN id END)"}]}`).as("u1"), status: 400, fields: []string{"sort[0].field"}},
		"400 idempotency key": {call: post("/api/excel/orders", `{}`).as("u1").with("Idempotency-Key", ""), status: 400, fields: []string{"Idempotency-Key"}},
		"400 limit 0":         {call: get("/api/excel/jobs?limit=0").as("u1"), status: 400, fields: []string{"limit"}},
		"400 limit 101":       {call: get("/api/excel/jobs?limit=101").as("u1"), status: 400, fields: []string{"limit"}},
		"400 limit text":      {call: get("/api/excel/jobs?limit=all").as("u1"), status: 400, fields: []string{"limit"}},
		"400 limit blank":     {call: get("/api/excel/jobs?limit=").as("u1"), status: 400, fields: []string{"limit"}},
		"400 cursor":          {call: get("/api/excel/jobs?cursor=%27OR+1").as("u1"), status: 400, fields: []string{"cursor"}},
		"400 redirect":        {call: get("/api/excel/" + done + "/file?redirect=maybe").as("u1"), status: 400, fields: []string{"redirect"}},
		"400 template name":   {call: get("/api/excel/template/a.xlsx").as("u1"), status: 400, fields: []string{"templateId"}},
		"400 user too long":   {call: get("/api/excel/datasets").as(strings.Repeat("u", 65)), status: 400, fields: []string{"X-User-Id"}},
		"400 two users":       {call: get("/api/excel/datasets").as("u1").as("u2"), status: 400, fields: []string{"X-User-Id"}},
		"401 submit":          {call: post("/api/excel/nope", `{`), status: 401},
		"401 blank":           {call: get("/api/excel/" + own + "/status").as("  "), status: 401},
		"401 status":          {call: get("/api/excel/" + own + "/status"), status: 401},
		"401 file":            {call: get("/api/excel/" + own + "/file"), status: 401},
		"401 cancel":          {call: del("/api/excel/" + own + "/cancel"), status: 401},
		"401 retry":           {call: post("/api/excel/"+own+"/retry", ""), status: 401},
		"401 jobs":            {call: get("/api/excel/jobs"), status: 401},
		"401 datasets":        {call: get("/api/excel/datasets"), status: 401},
		"401 template":        {call: get("/api/excel/template/x"), status: 401},
		"403 dataset":         {call: post("/api/excel/secret", `{`).as("u1"), status: 403},
		"403 claim":           {call: post("/api/excel/scoped", `{}`).as("u1"), status: 403},
		"403 cancel":          {call: del("/api/excel/" + own + "/cancel").as("u2"), status: 403},
		"403 cancel no uuid":  {call: del("/api/excel/12/cancel").as("u1"), status: 403},
		"403 retry":           {call: post("/api/excel/"+failed+"/retry", "").as("u2"), status: 403},
		"403 retry absent":    {call: post("/api/excel/"+someone+"/retry", "").as("u1"), status: 403},
		"404 dataset":         {call: post("/api/excel/nope", `{`).as("u1"), status: 404},
		"404 status":          {call: get("/api/excel/" + someone + "/status").as("u1"), status: 404},
		"404 status no uuid":  {call: get("/api/excel/'%20OR%201/status").as("u1"), status: 404},
		"404 upper-case uuid": {call: get("/api/excel/" + strings.ToUpper(own) + "/status").as("u1"), status: 404},
		"404 file":            {call: get("/api/excel/" + someone + "/file").as("u1"), status: 404},
		"404 template":        {call: get("/api/excel/template/monthly").as("u1"), status: 404},
		"404 route":           {call: get("/api/excel/" + own + "/nothing").as("u1"), status: 404},
		"404 deeper":          {call: get("/api/excel/" + own + "/status/x"), status: 404},
		"404 outside":         {call: get("/api/excels/config"), status: 404},
		"404 base":            {call: get("/api/excel"), status: 404},
		"404 root":            {call: get("/"), status: 404},
		"405 get dataset":     {call: get("/api/excel/orders"), status: 405, header: map[string]string{"Allow": "POST"}},
		"405 post status":     {call: post("/api/excel/"+own+"/status", ""), status: 405, header: map[string]string{"Allow": "GET, HEAD"}},
		"405 get cancel":      {call: get("/api/excel/" + own + "/cancel"), status: 405, header: map[string]string{"Allow": "DELETE"}},
		"405 post config":     {call: post("/api/excel/config", "{}"), status: 405, header: map[string]string{"Allow": "GET, HEAD"}},
		"409 file pending":    {call: get("/api/excel/" + own + "/file").as("u1"), status: 409},
		"409 file failed":     {call: get("/api/excel/" + failed + "/file").as("u1"), status: 409},
		"409 cancel done":     {call: del("/api/excel/" + done + "/cancel").as("u1"), status: 409},
		"409 cancel failed":   {call: del("/api/excel/" + failed + "/cancel").as("u1"), status: 409},
		"409 retry done":      {call: post("/api/excel/"+done+"/retry", "").as("u1"), status: 409},
		"409 retry cancelled": {call: post("/api/excel/"+cancelled+"/retry", "").as("u1"), status: 409},
		"413":                 {call: post("/api/excel/orders", `{"x":"`+strings.Repeat("x", 1024)+`"}`).as("u1"), status: 413},
		"415 no type":         {call: call{method: "POST", path: "/api/excel/orders", body: "{}"}.as("u1"), status: 415},
		"415 form":            {call: call{method: "POST", path: "/api/excel/orders", body: "{}"}.as("u1").with("Content-Type", "application/x-www-form-urlencoded"), status: 415},
		"431":                 {call: get("/api/excel/config").with("X-Big", strings.Repeat("x", 16<<10)), status: 431},
		"500 panic":           {call: get("/api/excel/x/panic").as("u1"), status: 500},
		"500 unknown error":   {call: get("/api/excel/x/boom").as("u1"), status: 500},
	} {
		t.Run(name, func(t *testing.T) { both(t, s, want) })
	}
	if !strings.Contains(s.logs.String(), "hunter2") || !strings.Contains(s.logs.String(), "gw-request") || !strings.Contains(s.logs.String(), "secret detail") {
		t.Error("internal errors are not logged with the request's id")
	}
}

func TestBodyIsAcceptedUpToTheLimit(t *testing.T) {
	s := setup(t)
	frame := `{"x":""}`
	body := `{"x":"` + strings.Repeat("x", 1<<20-len(frame)) + `"}`
	if a := s.http(t, post("/api/excel/orders", body).as("u1")); a.status != http.StatusAccepted {
		t.Errorf("1 MiB: %d %s", a.status, a.body)
	}
	if a := s.http(t, post("/api/excel/orders", body+" ").as("u1")); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("one byte more: %d", a.status)
	}
}

func TestAbsentAndSomeoneElsesLookTheSame(t *testing.T) {
	s := setup(t)
	own, absent := s.submit(t, `{}`), uuid.NewString()
	s.finish(t, own)
	for _, c := range []call{get("/status"), get("/file"), del("/cancel"), post("/retry", "")} {
		t.Run(c.method+c.path, func(t *testing.T) {
			ask := func(id string) string {
				one := c
				one.path = "/api/excel/" + id + c.path
				a := s.http(t, one.as("u2"))
				return fmt.Sprint(a.status, " ", strings.ReplaceAll(string(a.body), id, "ID"))
			}
			theirs, none, garbage := ask(own), ask(absent), ask("no-uuid")
			if theirs != none || theirs != garbage {
				t.Errorf("answers differ:\n%s\n%s\n%s", theirs, none, garbage)
			}
		})
	}
	if a := s.http(t, get("/api/excel/"+own+"/status").as("u1")); a.json(t)["status"] != "DONE" {
		t.Errorf("the job was touched: %s", a.body)
	}
}

func TestIdsThatAreNoUUIDNeverReachTheTable(t *testing.T) {
	s := setup(t)
	for _, id := range []string{"12", "orders", "%27", "urn:uuid:" + uuid.NewString(), "{" + uuid.NewString() + "}", strings.ReplaceAll(uuid.NewString(), "-", ""), strings.Repeat("a", 5000)} {
		for _, c := range []call{get("/status"), get("/file"), del("/cancel"), post("/retry", "")} {
			c.path = "/api/excel/" + id + c.path
			if a := s.http(t, c.as("u1")); a.status != http.StatusNotFound && a.status != http.StatusForbidden {
				t.Errorf("%s: %d", c.path, a.status)
			}
		}
	}
	if s.seen.gets != 0 {
		t.Errorf("the table was asked %d times", s.seen.gets)
	}
}

func TestLimitsAnswerWithAWait(t *testing.T) {
	s := setup(t, "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=1", "HAEXCEL_MAX_PENDING=2")
	s.submit(t, `{}`)
	both(t, s, problemCall{call: post("/api/excel/orders", `{"fileName":"2"}`).as("u1"), status: 429, header: map[string]string{"Retry-After": "5"}})
	if a := s.http(t, post("/api/excel/orders", `{}`).as("u2")); a.status != http.StatusAccepted {
		t.Fatal(a.status)
	}
	both(t, s, problemCall{call: post("/api/excel/orders", `{}`).as("u3"), status: 503, header: map[string]string{"Retry-After": "30"}})
}

func TestIdempotencyKeyOfAnotherBody(t *testing.T) {
	s := setup(t)
	if a := s.http(t, post("/api/excel/orders", `{}`).as("u1").with("Idempotency-Key", "k")); a.status != http.StatusAccepted {
		t.Fatal(a.status)
	}
	both(t, s, problemCall{call: post("/api/excel/orders", `{"fileName":"x"}`).as("u1").with("Idempotency-Key", "k"), status: 422})
}

func TestTableAway(t *testing.T) {
	s := setup(t)
	s.seen.fail = fault.Wrap(fault.Unavailable, errDetail, "The job table can't be reached.")
	both(t, s, problemCall{call: get("/api/excel/" + uuid.NewString() + "/status").as("u1"), status: 503, header: map[string]string{"Retry-After": "5"}})
	s.seen.fail = errDetail
	both(t, s, problemCall{call: get("/api/excel/" + uuid.NewString() + "/status").as("u1"), status: 500})
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	for code, status := range map[fault.Code]int{
		fault.Invalid: 400, fault.Unauthenticated: 401, fault.Forbidden: 403, fault.NotFound: 404, fault.Conflict: 409, fault.Gone: 410,
		fault.TooLarge: 413, fault.UnsupportedMedia: 415, fault.Unprocessable: 422, fault.TooManyRequests: 429, fault.HeadersTooLarge: 431,
		fault.Internal: 500, fault.Unavailable: 503, fault.Busy: 503, fault.UnknownOutcome: 503, fault.Lost: 500, fault.Cancelled: 500, fault.Duplicate: 500,
	} {
		s := setup(t)
		s.seen.fail = fault.New(code, "text of the code")
		a := s.http(t, get("/api/excel/"+uuid.NewString()+"/status").as("u1"))
		if a.status != status {
			t.Errorf("%s: %d, want %d", code, a.status, status)
		}
		if internal := bytes.Contains(a.body, []byte("An internal error occurred.")); internal != (status == 500) {
			t.Errorf("%s: %s", code, a.body)
		}
	}
}

func TestHeadersTooLargeHandler(t *testing.T) {
	w := httptest.NewRecorder()
	apigw.HeadersTooLarge(w, httptest.NewRequest("GET", "/api/excel/config", http.NoBody))
	a := answer{w.Code, w.Header(), w.Body.Bytes()}
	checkProblem(t, a, problemCall{call: get("/api/excel/config"), status: 431})
}

func TestBrokenBase64(t *testing.T) {
	s := setup(t)
	c := post("/api/excel/orders", "***").as("u1")
	e := event(t, c)
	e.IsBase64Encoded = true
	a, _ := s.lambda(t, e)
	checkProblem(t, a, problemCall{call: c, status: 400})
	e.Body = base64.StdEncoding.EncodeToString([]byte(`{"fileName":"가"}`))
	if a, _ := s.lambda(t, e); a.status != http.StatusAccepted {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestMuchTooLargeBody(t *testing.T) {
	s := setup(t)
	c := post("/api/excel/orders", `{"x":"`+strings.Repeat("x", 8<<20)+`"}`).as("u1")
	both(t, s, problemCall{call: c, status: 413})
}

// A client that breaks its body off must not read an empty 200.
func TestBodyThatDoesNotArriveWhole(t *testing.T) {
	s := setup(t)
	head := "POST /api/excel/orders HTTP/1.1\r\nHost: local\r\nX-User-Id: u1\r\nContent-Type: application/json\r\n"
	for name, rest := range map[string]string{
		"malformed chunk": "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
		"too short":       "Content-Length: 100\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := io.WriteString(conn, head+rest); err != nil {
				t.Fatal(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			checkProblem(t, answer{resp.StatusCode, resp.Header, body}, problemCall{call: post("/api/excel/orders", ""), status: 400})
		})
	}
	page, err := s.store.List(t.Context(), "u1", 1, "")
	if err != nil || len(page.Jobs) != 0 {
		t.Errorf("jobs %v (%v), want none", page.Jobs, err)
	}
}

func TestTwoIdempotencyKeys(t *testing.T) {
	s := setup(t)
	c := post("/api/excel/orders", `{}`).as("u1").with("Idempotency-Key", "a").with("Idempotency-Key", "b")
	both(t, s, problemCall{call: c, status: 400, fields: []string{"Idempotency-Key"}})
}
