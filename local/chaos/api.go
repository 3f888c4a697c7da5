//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/haexcel/haexcel/shared/apigw"
)

// api calls the front as a client does that does not give up: it repeats what got
// no answer, or one that says to come again.
type api struct {
	address string
	chance  *chance
	client  *http.Client
}

func newAPI(address string, seed uint64) *api {
	return &api{
		address: address + apigw.BasePath,
		chance:  newChance(seed, "api"),
		// A front that stands still is given up after a while.
		client: &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// reply is what came back.
type reply struct {
	status int
	body   []byte
}

func (r reply) String() string { return fmt.Sprintf("%d %s", r.status, bytes.TrimSpace(r.body)) }

// state is the body of a submit's, a retry's and a status's answer.
type state struct {
	JobID     string `json:"jobId"`
	Status    string `json:"status"`
	Processed int64  `json:"processedRows"`
	Phase     string `json:"phase"`
}

func (r reply) state() (s state, err error) {
	err = json.Unmarshal(r.body, &s)
	return s, err
}

// do repeats the request until it is answered, or ctx ends. sent is how often it
// may have reached the server.
func (a *api) do(ctx context.Context, method, path, user string, body []byte, headers ...string) (r reply, sent int, err error) {
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		sent++
		r, err = a.once(ctx, method, a.address+path, user, body, headers...)
		if err == nil && r.status < http.StatusInternalServerError && r.status != http.StatusTooManyRequests {
			return r, sent, nil
		}
		if !wait(ctx, a.chance.about(pause)) {
			if err == nil {
				err = fmt.Errorf("%s %s: %s", method, path, r)
			}
			return reply{}, sent, fmt.Errorf("no answer until the end: %w", err)
		}
	}
}

func (a *api) once(ctx context.Context, method, address, user string, body []byte, headers ...string) (reply, error) {
	q, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if user != "" {
		q.Header.Set("X-User-Id", user)
	}
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	response, err := a.client.Do(q)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, body: content}, err
}
