// Package inprocess lets an HTTP client call a handler of the same process,
// without a listener.
//
// Guarantees: answers are streamed, never held in memory; a handler sees its
// request's context end when the client gives up or closes the body early.
//
// Known limits: a handler's trailers, hijacking and flushing have no effect.
package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// errAborted is what a client reads after a handler panicked: as over a
// network, the answer breaks off.
var errAborted = errors.New("the handler broke off its answer")

// Transport is an http.RoundTripper that gives requests for one host to a
// handler and all others to Next.
type Transport struct {
	Host    string
	Handler http.Handler
	Next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != t.Host {
		return t.Next.RoundTrip(r)
	}
	ctx, cancel := context.WithCancel(r.Context())
	request := r.Clone(ctx)
	request.RequestURI = r.URL.RequestURI()
	request.Host = t.Host
	request.RemoteAddr = "127.0.0.1:0"
	if request.Body == nil {
		request.Body = http.NoBody
	}

	reader, writer := io.Pipe()
	w := &responseWriter{header: http.Header{}, body: writer, started: make(chan struct{})}
	go func() {
		defer func() {
			_ = request.Body.Close()
			if p := recover(); p != nil {
				w.fail(fmt.Errorf("%w: %v", errAborted, p))
				return
			}
			w.WriteHeader(http.StatusOK) // does nothing when the handler wrote one
			_ = writer.Close()
		}()
		t.Handler.ServeHTTP(w, request)
	}()

	select {
	case <-w.started:
	case <-ctx.Done():
		cancel()
		_ = reader.CloseWithError(ctx.Err())
		return nil, ctx.Err()
	}
	if w.failure != nil {
		cancel()
		return nil, w.failure
	}
	return &http.Response{
		StatusCode:    w.status,
		Status:        fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          &responseBody{PipeReader: reader, cancel: cancel},
		ContentLength: -1,
		Request:       r,
	}, nil
}

// responseWriter hands the header over once and then pipes the body.
type responseWriter struct {
	header http.Header
	body   *io.PipeWriter

	once    sync.Once
	started chan struct{}
	// These are set before started is closed.
	status  int
	sent    http.Header
	failure error
}

// Header implements http.ResponseWriter.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(status int) {
	if status < http.StatusOK {
		return // informational answers have no receiver here
	}
	w.once.Do(func() {
		w.status = status
		w.sent = w.header.Clone()
		close(w.started)
	})
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// fail ends the answer with an error, whether it has begun or not.
func (w *responseWriter) fail(err error) {
	w.once.Do(func() {
		w.failure = err
		close(w.started)
	})
	_ = w.body.CloseWithError(err)
}

// responseBody ends the handler's context when it is closed.
type responseBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
