package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haexcel/haexcel/local/inprocess"
)

// inProcessHost is the name by which the client means this process.
const inProcessHost = "haexcel.internal"

// pollInterval is short, since nobody else shares this server.
const pollInterval = 200 * time.Millisecond

// client speaks the API as any user's program does; only the way there is
// shorter.
type client struct {
	http   *http.Client
	header http.Header // sent with every request
}

// identity is who the exports are for.
type identity struct{ user, roles, tenant string }

func newClient(handler http.Handler, who identity) client {
	header := http.Header{"X-User-Id": {who.user}}
	if who.roles != "" {
		header.Set("X-User-Roles", who.roles)
	}
	if who.tenant != "" {
		header.Set("X-User-Tenant", who.tenant)
	}
	transport := inprocess.Transport{Host: inProcessHost, Handler: handler, Next: http.DefaultTransport}
	return client{http: &http.Client{Transport: transport}, header: header}
}

// submission is the part of a submit body that the command line can say.
type submission struct {
	FileName  string          `json:"fileName,omitempty"`
	Packaging string          `json:"packaging,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
}

// state is the part of the status body that is looked at here.
type state struct {
	JobID         string `json:"jobId"`
	Status        string `json:"status"`
	ProcessedRows int64  `json:"processedRows"`
	TotalRows     int64  `json:"totalRows"`
	ErrorMsg      string `json:"errorMsg"`
	Bytes         int64  `json:"bytes"`

	Warnings       []string `json:"warnings"`
	TruncatedCells int64    `json:"truncatedCells"`
}

func (s state) finished() bool { return s.Status == "DONE" || s.Status == "FAIL" }

// submit starts an export and returns its job's id.
func (c client) submit(ctx context.Context, dataset string, s submission) (string, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	var answer state
	if err := c.call(ctx, http.MethodPost, url.PathEscape(dataset), body, &answer); err != nil {
		return "", err
	}
	return answer.JobID, nil
}

// status asks once.
func (c client) status(ctx context.Context, jobID string) (state, error) {
	var s state
	err := c.call(ctx, http.MethodGet, jobID+"/status", nil, &s)
	return s, err
}

// await polls until the job has ended and tells each answer to seen.
func (c client) await(ctx context.Context, jobID string, seen func(state)) (state, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		s, err := c.status(ctx, jobID)
		if err != nil {
			return state{}, err
		}
		seen(s)
		if s.finished() {
			return s, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return state{}, context.Cause(ctx)
		}
	}
}

// cancel asks the job to end. One that has ended already needs nothing.
func (c client) cancel(ctx context.Context, jobID string) error {
	err := c.call(ctx, http.MethodDelete, jobID+"/cancel", nil, nil)
	var refused refusal
	if errors.As(err, &refused) && refused.status == http.StatusConflict {
		return nil
	}
	return err
}

// download copies the file and returns the name that the API proposes and the
// number of bytes. It follows a redirect to the storage.
func (c client) download(ctx context.Context, jobID string, to io.Writer) (name string, n int64, err error) {
	answer, err := c.do(ctx, http.MethodGet, jobID+"/file", nil)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	if n, err = io.Copy(to, answer.Body); err != nil {
		return "", 0, fmt.Errorf("download: %w", err)
	}
	_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
	if err != nil || params["filename"] == "" {
		return "", 0, errors.New("the download names no file")
	}
	return params["filename"], n, nil
}

// call makes one request and reads its JSON answer into out, unless that is nil.
func (c client) call(ctx context.Context, method, path string, body []byte, out any) error {
	answer, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if out == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	return json.NewDecoder(answer.Body).Decode(out)
}

// do makes one request. An answer other than 2xx is a refusal.
func (c client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+inProcessHost+"/api/excel/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		defer func() { _ = answer.Body.Close() }()
		return nil, readRefusal(answer)
	}
	return answer, nil
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	detail string
}

func (r refusal) Error() string { return r.detail }

// readRefusal takes the text of a problem+json body; a storage answers in its
// own way.
func readRefusal(answer *http.Response) error {
	var problem struct {
		Detail string            `json:"detail"`
		Fields map[string]string `json:"fields"`
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil || json.Unmarshal(text, &problem) != nil || problem.Detail == "" {
		return refusal{answer.StatusCode, "the answer is " + answer.Status}
	}
	var detail strings.Builder
	detail.WriteString(problem.Detail)
	for _, path := range slices.Sorted(maps.Keys(problem.Fields)) {
		fmt.Fprintf(&detail, "\n  %s: %s", path, problem.Fields[path])
	}
	return refusal{answer.StatusCode, detail.String()}
}
