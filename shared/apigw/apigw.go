// Package apigw carries the REST API: requests of API Gateway (REST proxy
// events) and of plain HTTP come in, go through one router to the use cases of
// shared/app, and leave as JSON, problem+json, redirects or streamed files.
//
// Guarantees. Both carriers give the same answers. Every error is
// application/problem+json (RFC 9457) with a safe text; what is internal is only
// logged, with the request's id. No identity is taken from a header unless
// HAEXCEL_AUTH=header says so. No panic leaves the router, except the one that
// breaks off an HTTP answer whose bytes cannot be read to their end.
//
// Known limits. A Lambda reply holds at most MaxInlineBytes of a file that
// cannot be signed. There are no range requests, and no CORS headers of our own.
package apigw

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// BasePath is where the API begins.
const BasePath = "/api/excel"

// MaxHeaderBytes is the largest sum of a request's headers.
const MaxHeaderBytes = 16 << 10

// Request is one request, from whichever carrier.
type Request struct {
	Method string
	Path   string // decoded, from the host on
	Raw    string // the same, percent-encoded as the client sent it
	Prefix string // what stands before BasePath in the client's address: a stage, a base path
	Query  url.Values
	Header http.Header
	Body   []byte // cut one byte after the largest allowed size

	// Authorizer is API Gateway's word on who asks; nil over plain HTTP.
	Authorizer *AuthorizerContext
	// ID goes into logs, rows and the answer's X-Request-Id.
	ID string

	params map[string]string
}

// Param is a variable of the matched route.
func (r *Request) Param(name string) string { return r.params[name] }

// address is a path of the API as the client reaches it. Two slashes at its start
// would make a host of what follows them.
func (r *Request) address(path string) string {
	return (&url.URL{Path: "/" + strings.TrimLeft(r.Prefix+BasePath+path, "/")}).EscapedPath()
}

// Reply is one answer: Body, or a stream of Bytes bytes from Open.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte

	Open  func(ctx context.Context) (io.ReadCloser, error) // nil: Body
	Bytes int64
}

// jsonReply answers with a JSON body.
func jsonReply(status int, body any) (*Reply, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r := newReply(status)
	r.Header.Set("Content-Type", "application/json")
	r.Body = b
	return r, nil
}

// newReply has the headers of every answer: each one is for one caller and one
// moment.
func newReply(status int) *Reply {
	return &Reply{Status: status, Header: http.Header{
		"Cache-Control":          {"no-store"},
		"X-Content-Type-Options": {"nosniff"},
	}}
}

// prefixOf is what stands before BasePath in a path.
func prefixOf(path string) string {
	i := strings.Index(path+"/", BasePath+"/")
	if i < 0 {
		return ""
	}
	return path[:i]
}

// pathOf reads a path as an event has it. One that is not percent-encoded well
// is taken literally.
func pathOf(sent string) (path, raw string) {
	decoded, err := url.PathUnescape(sent)
	if err != nil {
		return sent, (&url.URL{Path: sent}).EscapedPath()
	}
	return decoded, (&url.URL{Path: decoded, RawPath: sent}).EscapedPath()
}
