// Package httpfront serves an HTTP handler on a local address until it is told
// to stop.
//
// Guarantees: a request whose headers exceed 16 KiB never reaches the handler;
// when the server stops, requests under way may finish within a grace period.
//
// Known limits: net/http itself answers headers beyond 1 MiB, in plain text
// (still 431). There is no TLS: put a proxy before it.
package httpfront

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// MaxHeaderBytes bounds a request's line and headers together.
const MaxHeaderBytes = 16 << 10

const (
	// headerTimeout frees connections that never finish their headers.
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	// grace is how long downloads under way may go on once the server stops.
	grace = 5 * time.Second
	// readLimit leaves net/http room to read headers that are too large, so that
	// the answer is this package's.
	readLimit = 1 << 20
)

// Listen opens a listener. Its error names the address and, where the port is
// taken, says so.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: end it, or set HAEXCEL_LISTEN to another address", address)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s (HAEXCEL_LISTEN): %w", address, err)
	}
	return l, nil
}

// Front is an HTTP server.
type Front struct {
	Handler http.Handler
	// HeadersTooLarge answers a request whose headers exceed MaxHeaderBytes.
	HeadersTooLarge http.Handler
	Logger          *slog.Logger
}

// Serve answers requests on l until ctx ends, then takes no more connections,
// lets the requests under way finish for a few seconds, and returns nil.
func (f Front) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           f.limitHeaders(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    readLimit,
		ErrorLog:          slog.NewLogLogger(f.Logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		f.Logger.Warn("requests were cut off", "reason", err)
		return server.Close()
	}
	return nil
}

func (f Front) limitHeaders() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if headerBytes(r) > MaxHeaderBytes {
			// The client may still be sending a body that nobody will read.
			w.Header().Set("Connection", "close")
			f.HeadersTooLarge.ServeHTTP(w, r)
			return
		}
		f.Handler.ServeHTTP(w, r)
	})
}

// headerBytes is the size of the request's line and headers as HTTP/1.1 writes
// them.
func headerBytes(r *http.Request) int {
	const lineEnd = len("\r\n")
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("  ") + lineEnd
	add := func(name, value string) { n += len(name) + len(": ") + len(value) + lineEnd }
	add("Host", r.Host) // net/http takes it out of the headers
	for name, values := range r.Header {
		for _, value := range values {
			add(name, value)
		}
	}
	return n
}
