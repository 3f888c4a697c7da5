package inprocess

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const host = "in.process"

func client(handler http.HandlerFunc) *http.Client {
	return &http.Client{Transport: Transport{Host: host, Handler: handler, Next: refuse{}}}
}

// refuse stands for the network.
type refuse struct{}

var errNetwork = errors.New("the network was asked")

func (refuse) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNetwork }

func TestAnswersComeThrough(t *testing.T) {
	c := client(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Seen", r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery+" "+r.Header.Get("X-User-Id")+" "+string(body))
		w.WriteHeader(http.StatusAccepted)
		w.Header().Set("X-Late", "never sent")
		_, _ = io.WriteString(w, "answer")
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+"/a%20b?c=d", strings.NewReader("question"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-User-Id", "local")
	answer, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || string(body) != "answer" || answer.StatusCode != http.StatusAccepted {
		t.Errorf("answer %d %q, %v", answer.StatusCode, body, err)
	}
	if got, want := answer.Header.Get("X-Seen"), "POST /a b?c=d local question"; got != want {
		t.Errorf("the handler saw %q, want %q", got, want)
	}
	if answer.Header.Get("X-Late") != "" {
		t.Error("a header set after WriteHeader was sent")
	}
}

func TestEmptyAnswerIs200(t *testing.T) {
	answer, err := client(func(http.ResponseWriter, *http.Request) {}).Get("http://" + host + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d, want 200", answer.StatusCode)
	}
}

func TestRedirectsLeaveTheProcess(t *testing.T) {
	_, err := client(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.example/file", http.StatusFound)
	}).Get("http://" + host + "/")
	if !errors.Is(err, errNetwork) {
		t.Errorf("err = %v, want the network to be asked", err)
	}
}

func TestPanicBreaksOffTheAnswer(t *testing.T) {
	_, err := client(func(http.ResponseWriter, *http.Request) { panic("before") }).Get("http://" + host + "/")
	if !errors.Is(err, errAborted) {
		t.Errorf("err = %v, want the answer broken off", err)
	}
	answer, err := client(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic("in the middle")
	}).Get("http://" + host + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if string(body) != "half" || !errors.Is(err, errAborted) {
		t.Errorf("body %q, err = %v; want half of it and an error", body, err)
	}
}

// A client that closes the body early must not leave the handler writing.
func TestClosedBodyEndsTheHandler(t *testing.T) {
	ended := make(chan error, 1)
	answer, err := client(func(w http.ResponseWriter, r *http.Request) {
		block := bytes.Repeat([]byte("x"), 1<<16)
		for {
			if _, err := w.Write(block); err != nil {
				<-r.Context().Done()
				ended <- r.Context().Err()
				return
			}
		}
	}).Get("http://" + host + "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, answer.Body, 1<<20); err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the context to end", err)
	}
}

func TestCancelledRequestReturns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		close(release)
	}).Do(request)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the context's", err)
	}
	<-release
}
