package apigw_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/memwake"
)

// site is the whole API over a real table, queues and storage, reached over
// HTTP and as Lambda events.
type site struct {
	cfg    config.Config
	store  *jobsql.Store
	seen   *counting // what the use cases see of the store
	driver *filestore.Store
	bucket *storage.Bucket
	work   *app.Work
	router *apigw.Router
	server *httptest.Server
	client *http.Client
	logs   *bytes.Buffer
}

// counting counts the readings of single jobs.
type counting struct {
	job.Store
	gets int
	fail error // answered instead
}

func (c *counting) Get(ctx context.Context, id string) (job.Job, error) {
	c.gets++
	if c.fail != nil {
		return job.Job{}, c.fail
	}
	return c.Store.Get(ctx, id)
}

// setup makes a site with HAEXCEL_AUTH=header unless the settings say otherwise.
func setup(t *testing.T, settings ...string) *site {
	t.Helper()
	cfg, err := config.Load(append([]string{"HAEXCEL_SERVER_ID=test", "HAEXCEL_AUTH=header"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{cfg: cfg, logs: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	if s.store, err = jobsql.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "jobs.db"), jobsql.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.store.Close() })
	if _, err := s.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.seen = &counting{Store: s.store}
	if s.driver, err = filestore.New(filepath.Join(t.TempDir(), "files")); err != nil {
		t.Fatal(err)
	}
	s.bucket = storage.NewBucket(s.driver)
	catalog := dataset.NewCatalog()
	if err := catalog.Add(orders{}, orders{name: "secret", allow: []string{"sales"}}, orders{name: "scoped", claims: []string{"tenant"}}); err != nil {
		t.Fatal(err)
	}
	queue := func() *memwake.Queue {
		q, err := memwake.New(memwake.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	wakes := app.Wakes{Normal: queue(), Large: queue()}
	s.work = &app.Work{
		Store: s.store, Catalog: catalog, Bucket: s.bucket, Wakes: wakes, Config: cfg, Logger: log,
		Exporter: export.New(export.Settings{Bucket: s.bucket, ZipThreshold: cfg.ZipThreshold, ChunkSize: cfg.ChunkSize,
			CountTimeout: 30 * time.Second, Zone: cfg.ReportZone, Now: time.Now, Logger: log}),
	}
	s.route(log, catalog, wakes)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }))
	t.Cleanup(s.server.Close)
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

func (s *site) route(log *slog.Logger, catalog *dataset.Catalog, wakes app.Wakes) {
	s.router = apigw.NewRouter(apigw.NewIdentity(s.cfg, nil), s.cfg.MaxBody, log,
		apigw.Submit(&app.Submit{Store: s.seen, Catalog: catalog, Wakes: wakes, Config: s.cfg, Logger: log}),
		apigw.Status(&app.Status{Store: s.seen, Config: s.cfg}),
		apigw.Jobs(&app.Jobs{Store: s.seen, Config: s.cfg}),
		apigw.Cancel(&app.Cancel{Store: s.seen, Config: s.cfg, Logger: log}),
		apigw.Retry(&app.Retry{Store: s.seen, Wakes: wakes, Config: s.cfg, Logger: log}),
		apigw.Download(&app.Download{Store: s.seen, Bucket: s.bucket, Config: s.cfg}),
		apigw.ClientConfig(&app.ClientConfig{Config: s.cfg}),
		apigw.Datasets(&app.Datasets{Catalog: catalog}),
		apigw.Template(&app.Template{}),
		apigw.Endpoint{Method: http.MethodGet, Path: "/{id}/panic", Do: func(context.Context, app.Caller, *apigw.Request) (*apigw.Reply, error) {
			panic("secret detail")
		}},
		apigw.Endpoint{Method: http.MethodGet, Path: "/{id}/boom", Do: func(context.Context, app.Caller, *apigw.Request) (*apigw.Reply, error) {
			return nil, errDetail
		}},
	)
}

// call is one request.
type call struct {
	method, path, body string
	header             http.Header
}

// as adds X-User-Id.
func (c call) as(user string) call {
	return c.with("X-User-Id", user)
}

func (c call) with(name, value string) call {
	c.header = c.header.Clone()
	if c.header == nil {
		c.header = http.Header{}
	}
	c.header.Add(name, value)
	return c
}

func get(path string) call { return call{method: "GET", path: path} }
func del(path string) call { return call{method: "DELETE", path: path} }
func post(path, body string) call {
	return call{method: "POST", path: path, body: body}.with("Content-Type", "application/json")
}

// answer is what a client sees.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// http sends the call over a socket.
func (s *site) http(t *testing.T, c call) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), c.method, s.server.URL+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, body}
}

// event is the call as API Gateway sends it.
func event(t *testing.T, c call) events.APIGatewayProxyRequest {
	t.Helper()
	path, query, _ := strings.Cut(c.path, "?")
	e := events.APIGatewayProxyRequest{HTTPMethod: c.method, Path: path, Body: c.body, Headers: map[string]string{}, MultiValueHeaders: map[string][]string{}}
	e.RequestContext.RequestID = "gw-request"
	e.RequestContext.Path = "/prod" + path
	for name, values := range c.header {
		e.Headers[name] = values[len(values)-1]
		e.MultiValueHeaders[name] = values
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://x/?"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	e.MultiValueQueryStringParameters = req.URL.Query()
	return e
}

// lambda sends the call as an event.
func (s *site) lambda(t *testing.T, e events.APIGatewayProxyRequest) (answer, events.APIGatewayProxyResponse) {
	t.Helper()
	// Through JSON, as the Lambda runtime does.
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var decoded events.APIGatewayProxyRequest
	if err := json.Unmarshal(raw, &decoded); err != nil {
		t.Fatal(err)
	}
	out, err := s.router.Lambda(t.Context(), decoded)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: out.StatusCode, header: http.Header{}, body: []byte(out.Body)}
	for name, value := range out.Headers {
		a.header.Set(name, value)
	}
	return a, out
}

// json decodes an answer.
func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(a.body, &m); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	return m
}

// submit submits a body as u1 and returns the job id.
func (s *site) submit(t *testing.T, body string) string {
	t.Helper()
	a := s.http(t, post("/api/excel/orders", body).as("u1"))
	if a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return a.json(t)["jobId"].(string)
}

// finish works on a job.
func (s *site) finish(t *testing.T, id string) job.Job {
	t.Helper()
	j, err := s.store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := s.work.Do(t.Context(), wake.Wake{JobID: id, Attempt: j.Attempt, WokenAt: j.WokenAt}); err != nil || out.Verdict != app.Consumed {
		t.Fatal(out, err)
	}
	if j, err = s.store.Get(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return j
}

// set changes a row behind the store's back.
func (s *site) set(t *testing.T, id, assignment string) {
	t.Helper()
	if _, err := s.store.DB().ExecContext(t.Context(), "UPDATE ha_excel_job SET "+assignment+" WHERE job_id = ?", id); err != nil {
		t.Fatal(err)
	}
}

// orders is a dataset of three rows.
type orders struct {
	name   string
	allow  []string
	claims []string
}

func (o orders) Info() dataset.Info {
	if o.name == "" {
		o.name = "orders"
	}
	return dataset.Info{Name: o.name, Title: "주문", Allow: o.allow, Caller: o.claims, Columns: []cell.ColumnDef{{Field: "id"}},
		Params: []dataset.Param{{Name: "status", Type: dataset.StringParam}, {Name: "fail", Type: dataset.BooleanParam}}}
}

func (o orders) Count(context.Context, dataset.Query) (int64, bool, error) { return 3, true, nil }

func (o orders) Open(_ context.Context, q dataset.Query) (dataset.Rows, error) {
	if _, fail := q.Params["fail"]; fail {
		return nil, errBroken
	}
	return &rows{}, nil
}

type rows struct{ n int }

func (r *rows) Fields() []cell.Field { return []cell.Field{{Name: "id", Kind: cell.Integer}} }
func (r *rows) Next() bool           { r.n++; return r.n <= 3 }
func (r *rows) Values() []cell.Value {
	return []cell.Value{{Kind: cell.Integer, Bytes: []byte(strconv.Itoa(r.n))}}
}
func (r *rows) Err() error   { return nil }
func (r *rows) AsOf() int64  { return time.Date(2026, 9, 2, 5, 30, 25, 0, time.UTC).UnixMilli() }
func (r *rows) Close() error { return nil }
