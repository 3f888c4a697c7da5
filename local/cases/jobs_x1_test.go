package cases

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
)

// X1: somebody else's job looks like one that is not there, whatever is asked of
// it, and stays as it was.
func TestCase_X1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		table := newJobTable(t, d)
		p := table.start(t, []string{d.sales(t, 10), d.held(t)}, "HAEXCEL_LEASE=2s")
		done, running := p.submit(t, "sales", "{}"), p.submit(t, "held", "{}")
		p.await(t, done)
		table.running(t, running)
		before, file := table.row(t, done), p.do(t, http.MethodGet, done+"/file", "")

		requests := map[string]struct {
			method, path string
			foreign      int
		}{
			"status": {http.MethodGet, "/status", http.StatusNotFound},
			"file":   {http.MethodGet, "/file", http.StatusNotFound},
			"link":   {http.MethodGet, "/file?redirect=false", http.StatusNotFound},
			"cancel": {http.MethodDelete, "/cancel", http.StatusForbidden},
			"retry":  {http.MethodPost, "/retry", http.StatusForbidden},
		}
		for name, r := range requests {
			for _, id := range []string{done, running} {
				absent := uuid.NewString()
				foreign := p.ask(t, r.method, id+r.path, "", "X-User-Id", "lee")
				unknown := p.ask(t, r.method, absent+r.path, "", "X-User-Id", "lee")
				if foreign.code != r.foreign || unknown.code != r.foreign {
					t.Errorf("%s: %d, of a job that is not there %d, want %d", name, foreign.code, unknown.code, r.foreign)
				}
				if same := strings.ReplaceAll(string(unknown.body), absent, id); string(foreign.body) != same {
					t.Errorf("%s tells what is there: %s, of a job that is not there: %s", name, foreign.body, same)
				}
				if diff := cmp.Diff(named(unknown.header), named(foreign.header)); diff != "" {
					t.Errorf("the headers of %s tell what is there: %s", name, diff)
				}
			}
			for user, headers := range map[string][]string{
				"no identity": nil, "an empty one": {"X-User-Id", ""}, "a blank one": {"X-User-Id", " \t "}, "only roles": {"X-User-Roles", "admin"},
			} {
				if a := p.ask(t, r.method, done+r.path, "", headers...); a.code != http.StatusUnauthorized {
					t.Errorf("%s with %s: %d %s", name, user, a.code, a.body)
				}
			}
		}
		if list := p.ask(t, http.MethodGet, "jobs", "", "X-User-Id", "lee"); list.code != http.StatusOK || strings.Contains(string(list.body), done) {
			t.Errorf("lee's jobs: %d %s", list.code, list.body)
		}

		if diff := cmp.Diff(before, table.row(t, done)); diff != "" {
			t.Errorf("the row was changed: %s", diff)
		}
		if again := p.do(t, http.MethodGet, done+"/file", ""); again.code != http.StatusOK || string(again.body) != string(file.body) {
			t.Errorf("the file afterwards: %d, %d bytes of %d", again.code, len(again.body), len(file.body))
		}
		if j := table.row(t, running); j.CancelWanted || j.Status != "RUNNING" {
			t.Errorf("the running job: %s, cancel %t", j.Status, j.CancelWanted)
		}
		if code := p.cancel(t, running); code != http.StatusOK {
			t.Errorf("its own cancel: %d", code)
		}
	})
}

// named are the headers of an answer but for what differs in each.
func named(h http.Header) http.Header {
	h = maps.Clone(h)
	h.Del("Date")
	h.Del("X-Request-Id")
	return h
}

// X1: behind an authorizer the client's own headers and cookies are nobody's
// word. functions/ has the same with the compiled functions.
func TestCase_X1_Authorizer(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d, "HAEXCEL_AUTH_COOKIE=uid")
		accepted, err := p.export(t.Context(), "good", "mine") // kim's
		if err != nil {
			t.Fatal(err)
		}
		cfg := p.boot.Config()
		router := apigw.NewRouter(apigw.NewIdentity(cfg, p.boot.Identity()), cfg.MaxBody, p.boot.Logger(),
			apigw.Status(&app.Status{Store: p.store, Config: cfg}), apigw.Cancel(p.cancel), apigw.Submit(p.submit))
		send := func(method, path string, authorizer map[string]any, body string) events.APIGatewayProxyResponse {
			t.Helper()
			answer, err := router.Lambda(t.Context(), events.APIGatewayProxyRequest{
				HTTPMethod: method, Path: "/api/excel/" + path, Body: body,
				MultiValueHeaders: map[string][]string{
					"X-User-Id": {"kim"}, "x-user-id": {"kim"}, "X-User-Roles": {"admin"}, "Cookie": {"uid=kim"}, "Content-Type": {"application/json"},
				},
				Headers:        map[string]string{"X-User-Id": "kim", "X-User-Roles": "admin", "Cookie": "uid=kim", "Content-Type": "application/json"},
				RequestContext: events.APIGatewayProxyRequestContext{Authorizer: authorizer},
			})
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		lee := map[string]any{"claims": map[string]any{"sub": "lee"}}
		for _, c := range []struct {
			method, path string
			authorizer   map[string]any
			want         int
		}{
			{http.MethodGet, accepted.JobID + "/status", lee, http.StatusNotFound},
			{http.MethodDelete, accepted.JobID + "/cancel", lee, http.StatusForbidden},
			{http.MethodGet, accepted.JobID + "/status", nil, http.StatusUnauthorized},
			{http.MethodDelete, accepted.JobID + "/cancel", map[string]any{}, http.StatusUnauthorized},
			{http.MethodGet, accepted.JobID + "/status", map[string]any{"claims": map[string]any{"sub": "kim"}}, http.StatusOK},
		} {
			if a := send(c.method, c.path, c.authorizer, ""); a.StatusCode != c.want {
				t.Errorf("%s %s as %v: %d %s, want %d", c.method, c.path, c.authorizer, a.StatusCode, a.Body, c.want)
			}
		}
		a := send(http.MethodPost, "good", lee, "{}")
		var reply app.SubmitReply
		if err := json.Unmarshal([]byte(a.Body), &reply); err != nil || a.StatusCode != http.StatusAccepted {
			t.Fatalf("submit: %d %s, %v", a.StatusCode, a.Body, err)
		}
		if j := p.row(t, reply.JobID); j.Requester != "lee" {
			t.Errorf("the job is %s's", j.Requester)
		}
		if j := p.row(t, accepted.JobID); j.CancelWanted || j.Requester != "kim" {
			t.Errorf("kim's job: %s's, cancel %t", j.Requester, j.CancelWanted)
		}
	})
}
