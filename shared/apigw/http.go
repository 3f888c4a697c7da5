package apigw

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// ServeHTTP answers a plain HTTP request. Files are streamed; an answer whose
// bytes cannot be read to their end is broken off, so that no client takes half
// a file for a whole one.
func (rt *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r := requestOf(req)
	body, err := io.ReadAll(io.LimitReader(req.Body, rt.maxBody+1))
	if err != nil {
		return // the client is gone
	}
	r.Body = body
	reply := rt.serve(req.Context(), r)
	if reply.Open == nil {
		writeReply(w, req, reply)
		return
	}
	rt.stream(w, req, r, reply)
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
