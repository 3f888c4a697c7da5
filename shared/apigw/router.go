package apigw

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/fault"
)

// Endpoint is one use case behind a method and a path. The path begins after
// BasePath; its segments are words or {variables}.
type Endpoint struct {
	Method string
	Path   string
	// Public endpoints are answered without an identity; their caller is empty.
	Public bool
	Do     func(ctx context.Context, c app.Caller, r *Request) (*Reply, error)
}

// Router leads requests to endpoints. It is safe for concurrent use.
type Router struct {
	identity  Identity
	maxBody   int64
	log       *slog.Logger
	endpoints []Endpoint
	// bodyTimeout bounds how long a client of ServeHTTP may take to send a body.
	bodyTimeout time.Duration
}

const defaultBodyTimeout = time.Minute

// NewRouter makes a router over the endpoints that a function or the local
// server offers. Bodies are read up to one byte more than maxBody. A nil logger
// is the default one.
func NewRouter(id Identity, maxBody int64, log *slog.Logger, endpoints ...Endpoint) *Router {
	if log == nil {
		log = slog.Default()
	}
	return &Router{identity: id, maxBody: maxBody, log: log, endpoints: endpoints, bodyTimeout: defaultBodyTimeout}
}

// serve answers one request, whatever happens.
func (rt *Router) serve(ctx context.Context, r *Request) (reply *Reply) {
	defer func() {
		if p := recover(); p != nil {
			rt.log.ErrorContext(ctx, "request panicked", "requestId", r.ID, "method", r.Method, "path", r.Path,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			reply = problemOf(http.StatusInternalServerError, internalText, r)
		}
		reply.Header.Set("X-Request-Id", r.ID)
	}()
	if headerBytes(r.Header) > MaxHeaderBytes {
		return problemReply(ctx, rt.log, r, headersTooLarge())
	}
	e, allowed := rt.match(r)
	switch {
	case e == nil && len(allowed) == 0:
		return problemReply(ctx, rt.log, r, fault.New(fault.NotFound, "There is no such address."))
	case e == nil:
		reply = problemOf(http.StatusMethodNotAllowed, "This address does not take "+cutMethod(r.Method)+".", r)
		reply.Header.Set("Allow", strings.Join(allowed, ", "))
		return reply
	}
	var caller app.Caller
	if !e.Public {
		var err error
		if caller, err = rt.identity.Identify(r); err == nil && caller.Subject == "" {
			err = noIdentity()
		}
		if err != nil {
			return problemReply(ctx, rt.log, r, err)
		}
	}
	reply, err := e.Do(ctx, caller, r)
	if err != nil {
		return problemReply(ctx, rt.log, r, err)
	}
	return reply
}

// match finds the endpoint and sets the request's variables. Where the path is
// known but the method is not, it names the methods. A path that is all words
// hides those with variables.
func (rt *Router) match(r *Request) (*Endpoint, []string) {
	path, ok := strings.CutPrefix(r.Path, prefixOf(r.Path)+BasePath)
	if !ok || path == r.Path {
		return nil, nil
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var found *Endpoint
	var allowed []string
	best := -1
	for i := range rt.endpoints {
		e := &rt.endpoints[i]
		params, words, ok := matchPath(e.Path, path)
		if !ok || words < best {
			continue
		}
		if words > best {
			best, found, allowed = words, nil, nil
		}
		allowed = append(allowed, e.Method)
		if e.Method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
		if e.Method == method {
			found = e
			r.params = params
		}
	}
	slices.Sort(allowed)
	return found, slices.Compact(allowed)
}

// matchPath compares a pattern with a path, segment by segment. words counts the
// equal words, the first ones most.
func matchPath(pattern, path string) (params map[string]string, words int, ok bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, 0, false
	}
	params = map[string]string{}
	for i, segment := range want {
		words *= 2
		if name, isVar := strings.CutPrefix(segment, "{"); isVar {
			if got[i] == "" {
				return nil, 0, false
			}
			params[strings.TrimSuffix(name, "}")] = got[i]
			continue
		}
		if segment != got[i] {
			return nil, 0, false
		}
		words++
	}
	return params, words, true
}

// cutMethod keeps what a client sent as its method short.
func cutMethod(method string) string {
	return method[:min(len(method), 16)]
}

// headerBytes is the size of headers as HTTP/1.1 writes them.
func headerBytes(h http.Header) int {
	n := 0
	for name, values := range h {
		for _, v := range values {
			n += len(name) + len(v) + len(": \r\n")
		}
	}
	return n
}

func headersTooLarge() error {
	return fault.New(fault.HeadersTooLarge, fmt.Sprintf("The request's headers are larger than %d bytes.", MaxHeaderBytes))
}
