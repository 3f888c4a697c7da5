package apigw_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
)

func TestMappingHasTheLastWord(t *testing.T) {
	kim := http.Header{"X-User-Id": {"kim"}, "X-User-Roles": {"sales"}}
	asked := 0
	for name, tc := range map[string]struct {
		header  http.Header
		mapping func(app.Caller) (app.Caller, error)
		want    app.Caller
		code    fault.Code
	}{
		"none": {header: kim, want: app.Caller{Subject: "kim", Roles: []string{"sales"}}},
		"a team": {header: kim, mapping: func(c app.Caller) (app.Caller, error) {
			c.Subject = "team of " + c.Subject
			return c, nil
		}, want: app.Caller{Subject: "team of kim", Roles: []string{"sales"}}},
		"refuses": {header: kim, mapping: func(app.Caller) (app.Caller, error) {
			return app.Caller{}, fault.New(fault.Forbidden, "Your account is closed.")
		}, code: fault.Forbidden},
		"names nobody": {header: kim, mapping: func(app.Caller) (app.Caller, error) {
			return app.Caller{Roles: []string{"boss"}}, nil
		}, code: fault.Unauthenticated},
		"is not asked without a sign-in": {mapping: func(app.Caller) (app.Caller, error) {
			asked++
			return app.Caller{Subject: "anyone"}, nil
		}, code: fault.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := apigw.NewIdentity(config.Config{Auth: config.AuthHeader}, tc.mapping).Identify(&apigw.Request{Header: tc.header})
			if fault.CodeOf(err) != tc.code {
				t.Fatalf("got %v, want %q", err, tc.code)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if asked != 0 {
		t.Error("a mapping was asked about a request without a sign-in")
	}
}
