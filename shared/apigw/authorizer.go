package apigw

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/shared/app"
)

// AuthorizerContext is what API Gateway's request context says of the caller.
type AuthorizerContext struct {
	Authorizer map[string]any // of a Cognito, JWT or Lambda authorizer
	UserARN    string         // of IAM
	Caller     string         // of IAM
}

// AuthorizerIdentity takes the caller from API Gateway's authorizer alone; no
// header or cookie that the client sends is looked at. The requester is the
// claim sub (Cognito, JWT), else principalId (Lambda authorizer), else the ARN
// or the access key's user (IAM).
type AuthorizerIdentity struct {
	RoleClaim   string
	TenantClaim string // "" for none
}

// Identify implements Identity.
func (a AuthorizerIdentity) Identify(r *Request) (app.Caller, error) {
	if r.Authorizer == nil {
		return app.Caller{}, noIdentity()
	}
	claims, principal := r.Authorizer.claims()
	c := app.Caller{Claims: map[string]string{}}
	for _, subject := range []string{text(claims["sub"]), principal, r.Authorizer.UserARN, r.Authorizer.Caller} {
		if subject = strings.TrimSpace(subject); subject != "" {
			c.Subject = subject
			break
		}
	}
	if c.Subject == "" || !printable(c.Subject) {
		return app.Caller{}, noIdentity()
	}
	for name, value := range claims {
		if t := text(value); t != "" && printable(t) {
			c.Claims[name] = t
		}
	}
	c.Roles = roles(claims[a.RoleClaim])
	if a.TenantClaim != "" {
		c.Tenant = c.Claims[a.TenantClaim]
	}
	return c, nil
}

// claims are the signed claims, or the flat context of a Lambda authorizer with
// its principal.
func (a AuthorizerContext) claims() (claims map[string]any, principal string) {
	if m, ok := a.Authorizer["claims"].(map[string]any); ok {
		return m, ""
	}
	if jwt, ok := a.Authorizer["jwt"].(map[string]any); ok {
		if m, ok := jwt["claims"].(map[string]any); ok {
			return m, ""
		}
	}
	principal = text(a.Authorizer["principalId"])
	claims = map[string]any{}
	for name, value := range a.Authorizer {
		if name != "sub" { // the principal is the subject here
			claims[name] = value
		}
	}
	return claims, principal
}

// text is the text of a scalar claim, "" for anything else.
func text(claim any) string {
	switch v := claim.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		return v.String()
	default:
		return ""
	}
}

// roles reads a claim of roles in the forms that authorizers give: a JSON list,
// a list as text ("[a b]" or ["a","b"]), or a comma list.
func roles(claim any) []string {
	if list, ok := claim.([]any); ok {
		var out []string
		for _, item := range list {
			if t := strings.TrimSpace(text(item)); t != "" {
				out = append(out, t)
			}
		}
		return out
	}
	s := strings.TrimSpace(text(claim))
	if !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") {
		return commaList(s)
	}
	var list []string
	if json.Unmarshal([]byte(s), &list) == nil {
		return list
	}
	return commaList(strings.Join(strings.Fields(s[1:len(s)-1]), ","))
}
