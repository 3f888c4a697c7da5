package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// scripted is an API whose large jobs end after a number of looks. Of the normal
// ones, workers many are at work.
type scripted struct {
	workers int
	looks   int    // until the large jobs end
	end     string // how they end

	seen  int
	names []string // file names of the normal jobs, in order
	ended int      // how many of them have ended
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer any
	switch {
	case r.Method == http.MethodPost && r.Header.Get("X-User-Id") == "large":
		answer = state{JobID: "large", Status: "PENDING"}
	case r.Method == http.MethodPost:
		var body request
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.names = append(s.names, body.FileName)
		answer = state{JobID: body.FileName, Status: "PENDING"}
	case strings.HasSuffix(r.URL.Path, "/jobs"):
		answer = s.list()
	case s.seen > s.looks:
		answer = state{JobID: "large", Status: s.end, ErrorMsg: "why"}
	default:
		answer = state{JobID: "large", Status: "RUNNING"}
	}
	_ = json.NewEncoder(w).Encode(answer) // the client sees a cut answer
}

// list is one look: a normal job ends at each.
func (s *scripted) list() any {
	s.seen++
	s.ended = min(s.ended+1, len(s.names))
	jobs := []state{}
	for i, name := range s.names {
		j := state{JobID: name, Status: "DONE"}
		switch {
		case i >= s.ended+s.workers:
			j.Status = "PENDING"
		case i >= s.ended:
			j.Status = "RUNNING"
		}
		jobs = append(jobs, j)
	}
	return map[string]any{"jobs": jobs}
}

func (s *scripted) run(t *testing.T) (*crowd, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := &crowd{together: together{10, 100}, normal: client{server.URL, "normal"}, large: client{server.URL, "large"}}
	return c, c.run(t.Context())
}

func TestNormalJobsFollowOnEachOther(t *testing.T) {
	t.Parallel()
	s := &scripted{workers: normalJobs, looks: 20, end: "DONE"}
	c, err := s.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.verdict(100, 256); err != nil || c.most != normalJobs+largeJobs {
		t.Errorf("%d jobs were seen at once: %v", c.most, err)
	}
	if s.ended != len(s.names) || len(s.names) <= normalJobs+backlog || c.submitted != len(s.names) {
		t.Errorf("%d of %d normal jobs have ended, %d are counted", s.ended, len(s.names), c.submitted)
	}
	if names := slices.Compact(slices.Sorted(slices.Values(s.names))); len(names) != len(s.names) {
		t.Errorf("some jobs are the same: %v", s.names)
	}
}

func TestJobsThatDoNotOverlapProveNothing(t *testing.T) {
	t.Parallel()
	c, err := (&scripted{workers: 1, looks: 5, end: "DONE"}).run(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.verdict(100, 256); err == nil || !strings.Contains(err.Error(), "3 of 6") {
		t.Errorf("got %v", err)
	}
}

func TestAFailedJobEndsTheMeasurement(t *testing.T) {
	t.Parallel()
	_, err := (&scripted{workers: 4, looks: 2, end: "FAIL"}).run(t)
	if want := "job large failed: why"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCeiling(t *testing.T) {
	t.Parallel()
	c := &crowd{most: normalJobs + largeJobs}
	if err := c.verdict(256.1, 256); err == nil || !strings.Contains(err.Error(), "256.1 MiB") {
		t.Errorf("above: %v", err)
	}
	if err := c.verdict(256, 256); err != nil {
		t.Errorf("at it: %v", err)
	}
}
