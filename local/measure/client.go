package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// client asks a server as one requester.
type client struct{ api, user string }

// request is a submit's body.
type request struct {
	FileName  string         `json:"fileName,omitempty"`
	Params    map[string]any `json:"params,omitempty"`
	Packaging string         `json:"packaging,omitempty"`
	TotalCnt  int            `json:"totalCnt,omitempty"`
}

// state is what the API tells of a job.
type state struct {
	JobID, Status, ErrorMsg string
	Bytes                   int64
}

func (s state) active() bool { return s.Status == "PENDING" || s.Status == "RUNNING" }

// failed is the reason when the job has ended without a file.
func (s state) failed() error {
	if s.Status == "FAIL" {
		return fmt.Errorf("job %s failed: %s", s.JobID, s.ErrorMsg)
	}
	return nil
}

func (c client) submit(ctx context.Context, dataset string, r request) (s state, err error) {
	return s, c.call(ctx, http.MethodPost, "/"+dataset, r, &s)
}

// status is an error too when the job has failed.
func (c client) status(ctx context.Context, jobID string) (s state, err error) {
	if err = c.call(ctx, http.MethodGet, "/"+jobID+"/status", nil, &s); err == nil {
		err = s.failed()
	}
	return s, err
}

// newest are the requester's last jobs, at most limit, all read at one moment.
func (c client) newest(ctx context.Context, limit int) ([]state, error) {
	var page struct{ Jobs []state }
	err := c.call(ctx, http.MethodGet, fmt.Sprintf("/jobs?limit=%d", limit), nil, &page)
	return page.Jobs, err
}

func (c client) call(ctx context.Context, method, path string, body, into any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, c.api+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	r.Header.Set("X-User-Id", c.user)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// pause waits between two polls.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
