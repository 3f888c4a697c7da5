package httpfront

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// start serves the handler on a free port and returns its address and a stop
// that waits for the end.
func start(t *testing.T, handler http.HandlerFunc) (address string, stop func()) {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	f := Front{
		Handler: handler,
		HeadersTooLarge: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestHeaderFieldsTooLarge)
			_, _ = io.WriteString(w, "ours")
		}),
		Logger: slog.New(slog.DiscardHandler),
	}
	go func() { done <- f.Serve(ctx, l) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		done <- nil
	}
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

func TestHeadersAboveTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	address, _ := start(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "handled") })
	for name, test := range map[string]struct {
		header, value string
		status        int
		body          string
	}{
		"small":            {"X-Filler", "x", http.StatusOK, "handled"},
		"below the limit":  {"X-Filler", strings.Repeat("x", MaxHeaderBytes-1024), http.StatusOK, "handled"},
		"one header":       {"X-Filler", strings.Repeat("x", MaxHeaderBytes), http.StatusRequestHeaderFieldsTooLarge, "ours"},
		"hundreds of KiB":  {"Cookie", strings.Repeat("x", 400<<10), http.StatusRequestHeaderFieldsTooLarge, "ours"},
		"beyond all reads": {"Cookie", strings.Repeat("x", 2<<20), http.StatusRequestHeaderFieldsTooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := request(t, address, "GET / HTTP/1.1\r\nHost: local\r\nConnection: close\r\n"+test.header+": "+test.value+"\r\n\r\n")
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			if test.body != "" && body != test.body {
				t.Errorf("body %q, want %q", body, test.body)
			}
		})
	}
	t.Run("many headers", func(t *testing.T) {
		t.Parallel()
		status, body := request(t, address, "GET / HTTP/1.1\r\nHost: local\r\nConnection: close\r\n"+strings.Repeat("X-Filler: y\r\n", 2000)+"\r\n")
		if status != http.StatusRequestHeaderFieldsTooLarge || body != "ours" {
			t.Errorf("answer %d %q, want 431 of ours", status, body)
		}
	})
	t.Run("long request line", func(t *testing.T) {
		t.Parallel()
		status, body := request(t, address, "GET /?"+strings.Repeat("q", MaxHeaderBytes)+" HTTP/1.1\r\nHost: local\r\nConnection: close\r\n\r\n")
		if status != http.StatusRequestHeaderFieldsTooLarge || body != "ours" {
			t.Errorf("answer %d %q, want 431 of ours", status, body)
		}
	})
}

// request sends raw text, since a client library may refuse such headers itself.
func request(t *testing.T, address, text string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(conn, text) }() // the server may answer before it has read all
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	answer, err := io.ReadAll(conn)
	if len(answer) == 0 {
		t.Fatalf("no answer: %v", err)
	}
	head, body, _ := strings.Cut(string(answer), "\r\n\r\n")
	if _, err := fmt.Sscanf(head, "HTTP/1.1 %d", &status); err != nil {
		t.Fatalf("answer %q: %v", head, err)
	}
	return status, body
}

func TestRequestsUnderWayMayFinish(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	address, stop := start(t, func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		_, _ = io.WriteString(w, "whole")
	})
	body := make(chan string, 1)
	go func() {
		_, text := request(t, address, "GET / HTTP/1.1\r\nHost: local\r\nConnection: close\r\n\r\n")
		body <- text
	}()
	<-entered
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	waitUntilClosed(t, address)
	close(leave)
	if got := <-body; got != "whole" {
		t.Errorf("body %q, want it whole", got)
	}
	<-stopped
}

// waitUntilClosed waits until the address takes no more connections.
func waitUntilClosed(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
	}
	t.Fatal("the server goes on taking connections")
}

func TestPortInUseIsNamed(t *testing.T) {
	t.Parallel()
	address, _ := start(t, func(http.ResponseWriter, *http.Request) {})
	_, err := Listen(t.Context(), address)
	if err == nil || !strings.Contains(err.Error(), address+" is in use") || !strings.Contains(err.Error(), "HAEXCEL_LISTEN") {
		t.Errorf("err = %v, want it to name the address and the setting", err)
	}
}
