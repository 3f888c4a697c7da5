//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// behind is a server that remembers what reached it.
func behind(t *testing.T) (address string, seen *[]string) {
	t.Helper()
	seen = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		*seen = append(*seen, r.Host)
		_, _ = io.WriteString(w, strings.Repeat("content ", 1000))
	}))
	t.Cleanup(s.Close)
	return s.URL, seen
}

func newTestProxy(t *testing.T, target string) *storageProxy {
	t.Helper()
	p, err := newStorageProxy(&tally{}, 1, target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

// The signature of a request covers the host that its client knows.
func TestProxyKeepsTheHost(t *testing.T) {
	t.Parallel()
	address, seen := behind(t)
	p := newTestProxy(t, address)
	response, err := http.Get(p.address + "/bucket/key")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || len(content) != 8000 || response.StatusCode != http.StatusOK {
		t.Errorf("%s, %d bytes, %v", response.Status, len(content), err)
	}
	if want := strings.TrimPrefix(p.address, "http://"); len(*seen) != 1 || (*seen)[0] != want {
		t.Errorf("the server saw %q, want %q", *seen, want)
	}
}

// Each fault is counted, and each is one to its client: an error, a cut reply, or
// a wait.
func TestStormIsCounted(t *testing.T) {
	t.Parallel()
	address, _ := behind(t)
	p := newTestProxy(t, address)
	p.faulty.Store(true)
	p.stormy.Store(true)
	// On a connection of its own each, since http repeats what a used one has lost.
	client := &http.Client{Timeout: 5 * lease, Transport: &http.Transport{DisableKeepAlives: true}}
	kinds := map[string]int{}
	for range 50 {
		begun, before := time.Now(), p.tally.faults.Load()
		kind := ""
		response, err := client.Get(p.address + "/bucket/key")
		switch {
		case err != nil:
			kind = "no answer"
		case response.StatusCode != http.StatusOK:
			kind = response.Status
		}
		if err == nil {
			if content, err := io.ReadAll(response.Body); kind == "" && (err != nil || len(content) != 8000) {
				kind = "cut"
			}
			_ = response.Body.Close()
		}
		if kind == "" && time.Since(begun) > 400*time.Millisecond {
			kind = "slow"
		}
		if kind != "" {
			kinds[kind]++
		}
		if counted := p.tally.faults.Load() > before; counted != (kind != "") && kind != "slow" {
			t.Errorf("a request ended with %q; counted as a fault: %t", kind, counted)
		}
	}
	for _, kind := range []string{"500 Internal Server Error", "503 Service Unavailable", "no answer"} {
		if kinds[kind] == 0 {
			t.Errorf("no request ended with %q: %v", kind, kinds)
		}
	}
}
