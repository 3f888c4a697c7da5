package apigw

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestBodyThatNeverEndsIsRefused(t *testing.T) {
	router := NewRouter(HeaderIdentity{}, 1<<20, slog.New(slog.DiscardHandler))
	router.bodyTimeout = 10 * time.Millisecond
	server := httptest.NewServer(router)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST /api/excel/orders HTTP/1.1\r\nHost: local\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusBadRequest || !resp.Close {
		t.Errorf("status %d, closed %t, want 400 and the connection closed", resp.StatusCode, resp.Close)
	}
}
