package apigw

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
)

// ServeHTTP answers a plain HTTP request. Files are streamed; an answer whose
// bytes cannot be read to their end is broken off, so that no client takes half
// a file for a whole one.
func (rt *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r := requestOf(req)
	if err := rt.readBody(w, req, r); err != nil {
		reply := problemReply(req.Context(), rt.log, r, err)
		reply.Header.Set("X-Request-Id", r.ID)
		reply.Header.Set("Connection", "close")
		writeReply(w, req, reply)
		return
	}
	reply := rt.serve(req.Context(), r)
	if reply.Open == nil {
		writeReply(w, req, reply)
		return
	}
	rt.stream(w, req, r, reply)
}

// readBody reads the body up to one byte more than the limit. A body that is cut
// short, malformed or too slow is the request's fault.
func (rt *Router) readBody(w http.ResponseWriter, req *http.Request, r *Request) error {
	connection := http.NewResponseController(w)
	// Not every writer knows deadlines; those that don't have no slow client.
	_ = connection.SetReadDeadline(time.Now().Add(rt.bodyTimeout))
	body, err := io.ReadAll(io.LimitReader(req.Body, rt.maxBody+1))
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "The body did not arrive whole.")
	}
	// A deadline left behind would end a long download.
	_ = connection.SetReadDeadline(time.Time{})
	r.Body = body
	return nil
}

// HeadersTooLarge answers a request whose headers a server in front has found
// larger than MaxHeaderBytes.
func HeadersTooLarge(w http.ResponseWriter, req *http.Request) {
	r := requestOf(req)
	reply := problemOf(http.StatusRequestHeaderFieldsTooLarge, headersTooLarge().Error(), r)
	reply.Header.Set("X-Request-Id", r.ID)
	writeReply(w, req, reply)
}

func requestOf(req *http.Request) *Request {
	return &Request{
		Method: req.Method,
		Path:   req.URL.Path,
		Raw:    req.URL.EscapedPath(),
		Prefix: prefixOf(req.URL.Path),
		Query:  req.URL.Query(),
		Header: req.Header,
		ID:     uuid.NewString(),
	}
}

func writeReply(w http.ResponseWriter, req *http.Request, reply *Reply) {
	copyHeader(w, reply)
	if reply.Status != http.StatusFound {
		w.Header().Set("Content-Length", strconv.Itoa(len(reply.Body)))
	}
	w.WriteHeader(reply.Status)
	if req.Method != http.MethodHead {
		_, _ = w.Write(reply.Body) // a client that is gone needs no answer
	}
}

func (rt *Router) stream(w http.ResponseWriter, req *http.Request, r *Request, reply *Reply) {
	ctx := req.Context()
	src, err := reply.Open(ctx)
	if err != nil {
		failed := problemReply(ctx, rt.log, r, err)
		failed.Header.Set("X-Request-Id", r.ID)
		writeReply(w, req, failed)
		return
	}
	defer func() { _ = src.Close() }()
	copyHeader(w, reply)
	w.Header().Set("Content-Length", strconv.FormatInt(reply.Bytes, 10))
	w.WriteHeader(reply.Status)
	if req.Method == http.MethodHead {
		return
	}
	n, err := io.Copy(w, src)
	if n == reply.Bytes && ctx.Err() != nil {
		return // the client left once it had the whole file
	}
	if err == nil && n != reply.Bytes {
		err = fmt.Errorf("the object has %d bytes instead of %d", n, reply.Bytes)
	}
	if err != nil {
		rt.log.WarnContext(ctx, "download broken off", "requestId", r.ID, "path", r.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
}

func copyHeader(w http.ResponseWriter, reply *Reply) {
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
}
