package apigw_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
)

// noRequester stands for an answer of 401.
const noRequester = ""

func TestAuthorizerIdentity(t *testing.T) {
	for name, tc := range map[string]struct {
		ctx  events.APIGatewayProxyRequestContext
		want app.Caller
	}{
		"nothing": {},
		"cognito": {
			events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"claims": map[string]any{
				"sub": "c-1", "cognito:groups": "sales,boss", "custom:tenant": "t1", "email_verified": "true", "exp": 1788327025.0}}},
			app.Caller{Subject: "c-1", Roles: []string{"sales", "boss"}, Tenant: "t1", Claims: map[string]string{
				"sub": "c-1", "cognito:groups": "sales,boss", "custom:tenant": "t1", "email_verified": "true", "exp": "1788327025"}},
		},
		"cognito without sub": {ctx: events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"claims": map[string]any{"sub": " "}}}},
		"jwt": {
			events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"jwt": map[string]any{"claims": map[string]any{"sub": "j-1", "cognito:groups": "[sales boss]"}}}},
			app.Caller{Subject: "j-1", Roles: []string{"sales", "boss"}, Claims: map[string]string{"sub": "j-1", "cognito:groups": "[sales boss]"}},
		},
		"list of roles": {
			events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"claims": map[string]any{"sub": "j-2", "cognito:groups": []any{"a b", "c", ""}}}},
			app.Caller{Subject: "j-2", Roles: []string{"a b", "c"}, Claims: map[string]string{"sub": "j-2"}},
		},
		"lambda authorizer": {
			events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"principalId": "p-1", "sub": "forged", "cognito:groups": `["x","y"]`, "custom:tenant": "t2", "integrationLatency": 12.0}},
			app.Caller{Subject: "p-1", Roles: []string{"x", "y"}, Tenant: "t2", Claims: map[string]string{
				"principalId": "p-1", "cognito:groups": `["x","y"]`, "custom:tenant": "t2", "integrationLatency": "12"}},
		},
		"iam": {
			events.APIGatewayProxyRequestContext{Identity: events.APIGatewayRequestIdentity{UserArn: "arn:aws:iam::1:user/kim", Caller: "AIDA"}},
			app.Caller{Subject: "arn:aws:iam::1:user/kim", Claims: map[string]string{}},
		},
		"iam without arn": {
			events.APIGatewayProxyRequestContext{Identity: events.APIGatewayRequestIdentity{Caller: "AIDA"}},
			app.Caller{Subject: "AIDA", Claims: map[string]string{}},
		},
		"control characters": {ctx: events.APIGatewayProxyRequestContext{Authorizer: map[string]any{"principalId": "a\x00b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			id := apigw.AuthorizerIdentity{RoleClaim: "cognito:groups", TenantClaim: "custom:tenant"}
			got, err := id.Identify(&apigw.Request{
				Header: http.Header{"X-User-Id": {"attacker"}, "X-User-Roles": {"boss"}, "X-User-Tenant": {"t9"}, "Cookie": {"uid=attacker"}},
				Authorizer: &apigw.AuthorizerContext{Authorizer: tc.ctx.Authorizer, UserARN: tc.ctx.Identity.UserArn,
					Caller: tc.ctx.Identity.Caller},
			})
			if tc.want.Subject == noRequester {
				if !fault.Is(err, fault.Unauthenticated) {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeadersAreNotBelievedBehindAnAuthorizer(t *testing.T) {
	s := setup(t, "HAEXCEL_AUTH=", "HAEXCEL_AUTH_COOKIE=uid", "HAEXCEL_ROLE_CLAIM=roles")
	forged := post("/api/excel/orders", `{}`).as("u1").with("X-User-Roles", "sales").with("Cookie", "uid=u1")
	both(t, s, problemCall{call: forged, status: 401})
	e := event(t, forged)
	e.RequestContext.Authorizer = map[string]any{"claims": map[string]any{"sub": "real"}}
	a, _ := s.lambda(t, e)
	if a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	j, err := s.store.Get(t.Context(), a.json(t)["jobId"].(string))
	if err != nil || j.Requester != "real" {
		t.Errorf("row %+v, %v", j, err)
	}
	e.Path = "/api/excel/secret"
	if a, _ := s.lambda(t, e); a.status != http.StatusForbidden {
		t.Errorf("a forged role: %d", a.status)
	}
	e.RequestContext.Authorizer = map[string]any{"claims": map[string]any{"sub": "real", "roles": "sales"}}
	if a, _ := s.lambda(t, e); a.status != http.StatusAccepted {
		t.Errorf("a real role: %d", a.status)
	}
}

func TestHeaderIdentity(t *testing.T) {
	for name, tc := range map[string]struct {
		header http.Header
		want   app.Caller
		code   fault.Code
	}{
		"absent":             {code: fault.Unauthenticated},
		"blank":              {header: http.Header{"X-User-Id": {" "}}, code: fault.Unauthenticated},
		"64 characters":      {header: http.Header{"X-User-Id": {strings.Repeat("가", 64)}}, want: app.Caller{Subject: strings.Repeat("가", 64)}},
		"65 characters":      {header: http.Header{"X-User-Id": {strings.Repeat("a", 65)}}, code: fault.Invalid},
		"control character":  {header: http.Header{"X-User-Id": {"a\tb"}}, code: fault.Invalid},
		"invalid UTF-8":      {header: http.Header{"X-User-Id": {"a\xff"}}, code: fault.Invalid},
		"twice the same":     {header: http.Header{"X-User-Id": {"a", "a "}}, want: app.Caller{Subject: "a"}},
		"two users":          {header: http.Header{"X-User-Id": {"a", "b"}}, code: fault.Invalid},
		"blank and a user":   {header: http.Header{"X-User-Id": {"", "b"}}, code: fault.Invalid},
		"roles and tenant":   {header: http.Header{"X-User-Id": {" a "}, "X-User-Roles": {"x, y,,", "z"}, "X-User-Tenant": {"t"}}, want: app.Caller{Subject: "a", Roles: []string{"x", "y", "z"}, Tenant: "t"}},
		"bad roles":          {header: http.Header{"X-User-Id": {"a"}, "X-User-Roles": {"x\x01"}}, code: fault.Invalid},
		"bad tenant":         {header: http.Header{"X-User-Id": {"a"}, "X-User-Tenant": {"\u202e"}}, code: fault.Invalid},
		"cookie":             {header: http.Header{"Cookie": {"a=1; uid=%EA%B9%80;b=2"}, "X-User-Roles": {"boss"}, "X-User-Tenant": {"t"}}, want: app.Caller{Subject: "김"}},
		"header wins":        {header: http.Header{"Cookie": {"uid=c"}, "X-User-Id": {"h"}}, want: app.Caller{Subject: "h"}},
		"blank header":       {header: http.Header{"Cookie": {"uid=c"}, "X-User-Id": {" "}}, want: app.Caller{Subject: "c"}},
		"blank cookie":       {header: http.Header{"Cookie": {"uid="}}, code: fault.Unauthenticated},
		"two cookies":        {header: http.Header{"Cookie": {"uid=a; uid=b"}}, code: fault.Unauthenticated},
		"malformed cookie":   {header: http.Header{"Cookie": {"uid=%zz"}}, code: fault.Unauthenticated},
		"long cookie":        {header: http.Header{"Cookie": {"uid=" + strings.Repeat("a", 65)}}, code: fault.Invalid},
		"cookie of its name": {header: http.Header{"Cookie": {"xuid=a"}}, code: fault.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := apigw.NewIdentity(config.Config{Auth: config.AuthHeader, AuthCookie: "uid"}, nil).Identify(&apigw.Request{Header: tc.header})
			if fault.CodeOf(err) != tc.code {
				t.Fatalf("got %v, want %q", err, tc.code)
			}
			if diff := cmp.Diff(tc.want, got); tc.code == "" && diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := (apigw.HeaderIdentity{}).Identify(&apigw.Request{Header: http.Header{"Cookie": {"=x"}}}); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("no cookie is configured: %v", err)
	}
}

func TestAdminsMayActForOthers(t *testing.T) {
	s := setup(t, "HAEXCEL_ADMIN_ROLES=ops")
	id := s.submit(t, `{"params":{"fail":true}}`)
	admin := func(c call) call { return c.as("admin").with("X-User-Roles", "ops") }
	if a := s.http(t, admin(get("/api/excel/"+id+"/status"))); a.status != http.StatusOK {
		t.Errorf("status: %d", a.status)
	}
	if a := s.http(t, get("/api/excel/"+id+"/status").as("u2").with("X-User-Roles", "other")); a.status != http.StatusNotFound {
		t.Errorf("another role: %d", a.status)
	}
	s.finish(t, id)
	if a := s.http(t, admin(post("/api/excel/"+id+"/retry", ""))); a.status != http.StatusAccepted {
		t.Errorf("retry: %d", a.status)
	}
	if a := s.http(t, admin(del("/api/excel/"+id+"/cancel"))); a.status != http.StatusOK {
		t.Errorf("cancel: %d", a.status)
	}
	if m := s.http(t, admin(get("/api/excel/jobs"))).json(t); len(m["jobs"].([]any)) != 0 {
		t.Errorf("the list is the caller's own: %v", m)
	}
}
