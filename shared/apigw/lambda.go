package apigw

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
)

// MaxInlineBytes is the largest file that goes into a Lambda reply, whose limit
// of 6 MB counts base64.
const MaxInlineBytes = 4 << 20

// Lambda answers a REST proxy event of API Gateway. Its error is always nil:
// whatever goes wrong is an answer.
func (rt *Router) Lambda(ctx context.Context, e events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
	r, err := rt.eventRequest(e)
	var reply *Reply
	if err != nil {
		reply = problemReply(ctx, rt.log, r, err)
		reply.Header.Set("X-Request-Id", r.ID)
	} else {
		reply = rt.serve(ctx, r)
	}
	binary := reply.Open != nil
	if binary {
		if reply, err = inline(ctx, reply, r.Method == http.MethodHead); err != nil {
			binary = false
			reply = problemReply(ctx, rt.log, r, err)
			reply.Header.Set("X-Request-Id", r.ID)
		}
	}
	out := events.APIGatewayProxyResponse{StatusCode: reply.Status, Headers: map[string]string{}}
	for name := range reply.Header {
		out.Headers[name] = reply.Header.Get(name)
	}
	switch {
	case r.Method == http.MethodHead:
	case binary:
		out.IsBase64Encoded = true
		out.Body = base64.StdEncoding.EncodeToString(reply.Body)
	default:
		out.Body = string(reply.Body)
	}
	return out, nil
}

// inline reads a file into the reply.
func inline(ctx context.Context, reply *Reply, headOnly bool) (*Reply, error) {
	if reply.Bytes > MaxInlineBytes {
		return nil, fault.New(fault.Unavailable, fmt.Sprintf(
			"The file is larger than %d bytes and its storage cannot sign links: use a storage that can, or the HTTP server.", MaxInlineBytes))
	}
	if headOnly {
		return reply, nil
	}
	src, err := reply.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	body, err := io.ReadAll(io.LimitReader(src, MaxInlineBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if int64(len(body)) != reply.Bytes {
		return nil, fmt.Errorf("read file: %d bytes instead of %d", len(body), reply.Bytes)
	}
	reply.Body = body
	return reply, nil
}

// eventRequest reads the event. The request in the answer is complete enough for
// an error's answer, too.
func (rt *Router) eventRequest(e events.APIGatewayProxyRequest) (*Request, error) {
	r := &Request{
		Method: e.HTTPMethod,
		Prefix: eventPrefix(e),
		Query:  url.Values{},
		Header: http.Header{},
		Authorizer: &AuthorizerContext{
			Authorizer: e.RequestContext.Authorizer,
			UserARN:    e.RequestContext.Identity.UserArn,
			Caller:     e.RequestContext.Identity.Caller,
		},
		ID: e.RequestContext.RequestID,
	}
	r.Path, r.Raw = pathOf(e.Path)
	if r.ID == "" {
		r.ID = uuid.NewString()
	}
	for name, value := range e.QueryStringParameters {
		r.Query.Set(name, value)
	}
	for name, values := range e.MultiValueQueryStringParameters {
		r.Query[name] = values
	}
	for name, values := range e.MultiValueHeaders {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
	for name, value := range e.Headers {
		if len(r.Header.Values(name)) == 0 {
			r.Header.Set(name, value)
		}
	}
	r.Body = []byte(e.Body)
	if e.IsBase64Encoded {
		body, err := base64.StdEncoding.DecodeString(e.Body)
		if err != nil {
			return r, fault.Wrap(fault.Invalid, err, "The body is not valid base64.")
		}
		r.Body = body
	}
	return r, nil
}

// eventPrefix is what the client's address has before BasePath: the stage, which
// only the request context's path shows, or a custom domain's base path.
func eventPrefix(e events.APIGatewayProxyRequest) string {
	if full := e.RequestContext.Path; strings.HasSuffix(full, e.Path) {
		return prefixOf(full)
	}
	return prefixOf(e.Path)
}
