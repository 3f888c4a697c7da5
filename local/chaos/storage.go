//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// storageProxy stands before the S3 server. Its weather is good or, for a second
// or three at a time, so bad that whole writes fail.
type storageProxy struct {
	tally   *tally
	chance  *chance
	faulty  atomic.Bool
	stormy  atomic.Bool
	address string // http://127.0.0.1:PORT
	server  *http.Server
	pass    *httputil.ReverseProxy
	stop    chan struct{}
}

// How often a request goes wrong.
const (
	calmFaults  = 0.04
	stormFaults = 0.6
)

func newStorageProxy(t *tally, seed uint64, behind string) (*storageProxy, error) {
	target, err := url.Parse(behind)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &storageProxy{
		tally: t, chance: newChance(seed, "storage"), stop: make(chan struct{}),
		address: "http://" + listener.Addr().String(),
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	p.pass = &httputil.ReverseProxy{
		// The signatures cover the host that the client knows.
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		Transport:    transport,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

func (p *storageProxy) close() {
	close(p.stop)
	_ = p.server.Close()
}

// weather lets storms come and go until the proxy is closed.
func (p *storageProxy) weather(c *chance) {
	for {
		for _, phase := range []struct {
			stormy bool
			lasts  time.Duration
		}{{false, c.about(20 * time.Second)}, {true, c.about(2 * time.Second)}} {
			p.stormy.Store(phase.stormy)
			select {
			case <-p.stop:
				return
			case <-time.After(phase.lasts):
			}
		}
	}
}

// ServeHTTP implements http.Handler.
func (p *storageProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.faulty.Load() {
		p.pass.ServeHTTP(w, r)
		return
	}
	wrong := calmFaults
	if p.stormy.Load() {
		wrong = stormFaults
	}
	if !p.chance.happens(wrong) {
		sleep(r, p.chance.between(0, 200*time.Millisecond))
		p.pass.ServeHTTP(w, r)
		return
	}
	p.tally.faults.Add(1)
	switch luck := p.chance.roll(); {
	case luck < 0.25:
		failS3(w, http.StatusServiceUnavailable, "SlowDown")
	case luck < 0.50:
		failS3(w, http.StatusInternalServerError, "InternalError")
	case luck < 0.60: // the request never arrives
		panic(http.ErrAbortHandler)
	case luck < 0.75: // it arrives, its reply does not
		p.pass.ServeHTTP(&cutReply{ResponseWriter: w}, r)
	case luck < 0.85: // half of it does, where it has a body
		p.pass.ServeHTTP(&cutReply{ResponseWriter: w, some: r.Method == http.MethodGet}, r)
	case luck < 0.95: // it takes its time, perhaps longer than a lease
		sleep(r, p.chance.between(500*time.Millisecond, 2*lease))
		p.pass.ServeHTTP(w, r)
	default: // there is no answer at all
		_, _ = io.Copy(io.Discard, r.Body)
		sleep(r, p.chance.between(lease, 3*lease))
		panic(http.ErrAbortHandler)
	}
}

// sleep waits, but no longer than the client does.
func sleep(r *http.Request, d time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(d):
	}
}

func failS3(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, code)
}

// cutReply breaks the connection once the server has answered: before the first
// byte, or in the middle of the body.
type cutReply struct {
	http.ResponseWriter
	some bool
}

// WriteHeader implements http.ResponseWriter. Before the answer itself there may
// be a 100 Continue, which comes on another goroutine.
func (c *cutReply) WriteHeader(status int) {
	if !c.some && status >= http.StatusOK {
		panic(http.ErrAbortHandler)
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *cutReply) Write(b []byte) (int, error) {
	_, _ = c.ResponseWriter.Write(b[:len(b)/2])
	_ = http.NewResponseController(c.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}
