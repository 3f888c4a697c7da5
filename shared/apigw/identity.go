package apigw

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
)

// Identity tells who asks.
type Identity interface {
	// Identify answers fault.Unauthenticated when nobody is named, fault.Invalid
	// when the name is malformed.
	Identify(r *Request) (app.Caller, error)
}

// NewIdentity is the identity that the settings ask for: headers where
// HAEXCEL_AUTH=header, else API Gateway's authorizer. mapping has the last word:
// it turns the caller whom the sign-in named into the requester whom jobs belong
// to. Every program passes boot's, so that none can forget a user's own; nil
// changes nothing.
func NewIdentity(cfg config.Config, mapping func(signedIn app.Caller) (app.Caller, error)) Identity {
	var signIn Identity = AuthorizerIdentity{RoleClaim: cfg.RoleClaim, TenantClaim: cfg.TenantClaim}
	if cfg.Auth == config.AuthHeader {
		signIn = HeaderIdentity{Cookie: cfg.AuthCookie}
	}
	if mapping == nil {
		return signIn
	}
	return mappedIdentity{signIn: signIn, mapping: mapping}
}

// HeaderIdentity believes X-User-Id, X-User-Roles (comma list) and
// X-User-Tenant. It is for local runs and LocalStack only: anyone can send them.
type HeaderIdentity struct {
	// Cookie names a cookie whose percent-decoded value stands for X-User-Id
	// where that header is absent or blank: plain links and the Java library's
	// hook send no headers. Such a caller has no roles and no tenant. "" for none.
	Cookie string
}

// maxHeaderUser bounds X-User-Id, in characters.
const maxHeaderUser = 64

// Identify implements Identity.
func (h HeaderIdentity) Identify(r *Request) (app.Caller, error) {
	user, err := single(r, "X-User-Id")
	if err != nil {
		return app.Caller{}, err
	}
	fromCookie := user == "" && h.Cookie != ""
	if fromCookie {
		user = r.cookie(h.Cookie)
	}
	if user == "" {
		return app.Caller{}, noIdentity()
	}
	if !printable(user) || utf8.RuneCountInString(user) > maxHeaderUser {
		return app.Caller{}, badHeader("X-User-Id", "must have 1 to 64 printable characters")
	}
	c := app.Caller{Subject: user}
	if fromCookie {
		return c, nil
	}
	if c.Tenant, err = single(r, "X-User-Tenant"); err != nil {
		return app.Caller{}, err
	}
	if !printable(c.Tenant) {
		return app.Caller{}, badHeader("X-User-Tenant", "must have printable characters only")
	}
	for _, list := range r.Header.Values("X-User-Roles") {
		if !printable(list) {
			return app.Caller{}, badHeader("X-User-Roles", "must have printable characters only")
		}
		c.Roles = append(c.Roles, commaList(list)...)
	}
	return c, nil
}

// single is the trimmed value of a header. Two different values are refused:
// which of them a proxy in front has looked at is unknown.
func single(r *Request, name string) (string, error) {
	var value string
	for i, v := range r.Header.Values(name) {
		v = strings.TrimSpace(v)
		if i > 0 && v != value {
			return "", badHeader(name, "is sent twice with different values")
		}
		value = v
	}
	return value, nil
}

// cookie is the trimmed, percent-decoded value of a cookie, "" for none. Two
// cookies of one name are none.
func (r *Request) cookie(name string) string {
	value, seen := "", false
	for _, line := range r.Header.Values("Cookie") {
		for part := range strings.SplitSeq(line, ";") {
			key, v, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok || key != name {
				continue
			}
			if seen {
				return ""
			}
			value, seen = strings.Trim(v, `"`), true
		}
	}
	decoded, err := url.PathUnescape(value)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(decoded)
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// commaList splits at commas and leaves blanks and empty entries out.
func commaList(s string) []string {
	var out []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

func noIdentity() error {
	return fault.New(fault.Unauthenticated, "Sign in first: the request has no identity.")
}

func badHeader(name, reason string) error {
	return fault.New(fault.Invalid, "The request is not valid: "+name+".").WithField(name, reason)
}
