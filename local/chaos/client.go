//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// export is an accepted job as its client remembers it.
type export struct {
	jobID     string
	user      string
	kind      kind
	rows      int
	packaging string
	sorted    bool
	cancelled bool // a cancel was accepted
	retries   int  // requests for another try that may have been taken
	checked   bool // its file was read and is right
}

// clients submit the exports, follow them to their end, and remember all answers.
type clients struct {
	tally *tally
	seed  uint64
	api   *api
	sorts bool // the API takes an order

	checking chan struct{} // bounds the files that are checked at once

	mu      sync.Mutex
	exports map[string]*export  // by job id
	named   map[string][]string // job ids by the file name of the request
}

// How often a client does this or that.
const (
	earlyCancelShare = 0.1  // after some seconds
	lateCancelShare  = 0.12 // when the file is nearly finished
	resubmitShare    = 0.5  // of the cancelled
	repeatShare      = 0.15 // of the submits, with the same Idempotency-Key
	retryShare       = 0.6  // of the failed
	maxRetries       = 2
	sortShare        = 0.25
	users            = 12
	pollEvery        = 900 * time.Millisecond
	watchJobEvery    = 100 * time.Millisecond
)

func newClients(t *tally, seed uint64, a *api) *clients {
	return &clients{
		tally: t, seed: seed, api: a, checking: make(chan struct{}, 2),
		exports: map[string]*export{}, named: map[string][]string{},
	}
}

// submitAll lets n clients come one after another within the time and returns when
// each has seen the end of its export, or ctx ends.
func (cs *clients) submitAll(ctx context.Context, n int, within time.Duration) {
	var all sync.WaitGroup
	begin := time.Now()
	for i := range n {
		if !wait(ctx, time.Until(begin.Add(within*time.Duration(i)/time.Duration(n)))) {
			break
		}
		all.Go(func() { cs.one(ctx, i) })
	}
	all.Wait()
}

// one is the life of one client.
func (cs *clients) one(ctx context.Context, i int) {
	c := newChance(cs.seed, fmt.Sprintf("client %d", i))
	e := cs.choose(c)
	name := fmt.Sprintf("chaos-%d", i)
	body := e.body(name)
	key := fmt.Sprintf("key-%d", i)
	if !cs.submit(ctx, &e, name, body, key) {
		return
	}
	if c.happens(repeatShare) {
		cs.repeat(ctx, &e, body, key)
	}
	switch luck := c.roll(); {
	case luck < earlyCancelShare:
		wait(ctx, c.between(0, 6*time.Second))
		cs.cancel(ctx, &e)
	case luck < earlyCancelShare+lateCancelShare:
		cs.awaitNearEnd(ctx, c, &e)
		cs.cancel(ctx, &e)
	}
	cs.follow(ctx, c, &e)
	if !e.cancelled || !c.happens(resubmitShare) {
		return
	}
	again := e
	again.cancelled, again.checked, again.retries = false, false, 0
	if cs.submit(ctx, &again, name, body, key+"-again") {
		if again.jobID == e.jobID {
			cs.tally.violate("job %s was cancelled, and a new submit was answered with it", e.jobID)
		}
		cs.follow(ctx, c, &again)
	}
}

// choose makes a wish.
func (cs *clients) choose(c *chance) export {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	pick := c.below(total)
	var e export
	for _, k := range kinds {
		if pick -= k.weight; pick < 0 {
			e.kind = k
			break
		}
	}
	e.user = fmt.Sprintf("user-%d", c.below(users))
	e.rows = e.kind.sizes[c.below(len(e.kind.sizes))]
	e.packaging = []string{"auto", "workbook", "zip"}[c.below(3)]
	e.sorted = c.happens(sortShare) && e.kind.sorted && cs.sorts
	return e
}

func (e export) body(fileName string) []byte {
	wish := map[string]any{"fileName": fileName, "params": map[string]any{"rows": e.rows}, "packaging": e.packaging}
	if e.sorted {
		wish["sort"] = []map[string]string{{"field": "grp", "dir": "desc"}}
	}
	b, err := json.Marshal(wish)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return b
}

// submit sends the wish until it is answered and remembers the job.
func (cs *clients) submit(ctx context.Context, e *export, name string, body []byte, key string) bool {
	r, _, err := cs.api.do(ctx, http.MethodPost, "/"+e.kind.name, e.user, body, "Idempotency-Key", key)
	if err != nil {
		return false // nobody was told of a job
	}
	accepted, err := r.state()
	if r.status != http.StatusAccepted || err != nil || accepted.JobID == "" {
		cs.tally.violate("submit %s: %s", key, r)
		return false
	}
	e.jobID = accepted.JobID
	cs.tally.jobs.Add(1)
	cs.remember(*e)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.named[name] = append(cs.named[name], e.jobID)
	return true
}

// remember stores what is known of an export.
func (cs *clients) remember(e export) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.exports[e.jobID] = &e
}

// repeat sends a submit once more that was answered already.
func (cs *clients) repeat(ctx context.Context, e *export, body []byte, key string) {
	r, _, err := cs.api.do(ctx, http.MethodPost, "/"+e.kind.name, e.user, body, "Idempotency-Key", key)
	if err != nil {
		return
	}
	if again, err := r.state(); r.status != http.StatusAccepted || err != nil || again.JobID != e.jobID {
		cs.tally.violate("job %s: the same submit with its Idempotency-Key was answered %s", e.jobID, r)
	}
}

// awaitNearEnd returns when the job is about to end, for a cancel that comes just
// before its completion, or just after.
func (cs *clients) awaitNearEnd(ctx context.Context, c *chance, e *export) {
	for wait(ctx, c.about(watchJobEvery)) {
		r, _, err := cs.api.do(ctx, http.MethodGet, "/"+e.jobID+"/status", e.user, nil)
		if err != nil {
			return
		}
		now, err := r.state()
		small := e.rows < 5_000 && now.Status == running
		if err != nil || now.Status == done || now.Status == failed || small || now.Processed*10 > int64(e.rows)*9 || now.Phase == "packing" {
			return
		}
	}
}

func (cs *clients) cancel(ctx context.Context, e *export) {
	r, _, err := cs.api.do(ctx, http.MethodDelete, "/"+e.jobID+"/cancel", e.user, nil)
	if err != nil {
		return
	}
	switch r.status {
	case http.StatusOK:
		e.cancelled = true
		cs.remember(*e)
	case http.StatusConflict: // it had ended
	default:
		cs.tally.violate("job %s: its cancel was answered %s", e.jobID, r)
	}
}

// follow polls the job to its end, has a failed one tried again, and checks the
// file of one that is done.
func (cs *clients) follow(ctx context.Context, c *chance, e *export) {
	for wait(ctx, c.about(pollEvery)) {
		r, _, err := cs.api.do(ctx, http.MethodGet, "/"+e.jobID+"/status", e.user, nil)
		if err != nil {
			return
		}
		now, err := r.state()
		if r.status != http.StatusOK || err != nil {
			cs.tally.violate("job %s: its status was answered %s", e.jobID, r)
			return
		}
		switch now.Status {
		case done:
			if e.cancelled {
				cs.tally.violate("job %s: its cancel was accepted, its status says DONE", e.jobID)
			}
			cs.fetch(ctx, e)
			return
		case failed:
			if e.cancelled || e.retries >= maxRetries || !c.happens(retryShare) || !cs.retry(ctx, e) {
				return
			}
		}
	}
}

// retry asks for another try of a failed job and reports whether it was taken.
func (cs *clients) retry(ctx context.Context, e *export) bool {
	// Noted before: the answer may never come.
	e.retries++
	cs.remember(*e)
	r, sent, err := cs.api.do(ctx, http.MethodPost, "/"+e.jobID+"/retry", e.user, nil)
	if err != nil {
		return false
	}
	// Repeated requests may each have opened a job that failed again in between.
	e.retries += sent - 1
	cs.remember(*e)
	switch r.status {
	case http.StatusAccepted:
		return true
	case http.StatusConflict: // swept, cancelled after all, or a repeated request's first one was taken
		return sent > 1
	}
	cs.tally.violate("job %s: its retry was answered %s", e.jobID, r)
	return false
}

// fetch downloads the file as a browser does and checks it.
func (cs *clients) fetch(ctx context.Context, e *export) {
	cs.checking <- struct{}{}
	defer func() { <-cs.checking }()
	for {
		r, _, err := cs.api.do(ctx, http.MethodGet, "/"+e.jobID+"/file?redirect=false", e.user, nil)
		if err != nil {
			return
		}
		var link struct {
			URL   string `json:"url"`
			Bytes int64  `json:"bytes"`
		}
		if r.status != http.StatusOK || json.Unmarshal(r.body, &link) != nil || link.URL == "" {
			cs.tally.violate("job %s is DONE, its file was answered %s", e.jobID, r)
			return
		}
		file, err := cs.api.once(ctx, http.MethodGet, link.URL, "", nil)
		if err == nil && file.status == http.StatusOK {
			if int64(len(file.body)) != link.Bytes {
				cs.tally.violate("job %s: its file has %d bytes, the API says %d", e.jobID, len(file.body), link.Bytes)
			}
			if err := checkFile(file.body, *e); err != nil {
				cs.tally.violate("job %s (%s, %d rows, %s): its file: %v", e.jobID, e.kind.name, e.rows, e.packaging, err)
			}
			e.checked = true
			cs.remember(*e)
			return
		}
		// The storage fails too, or the link has died meanwhile.
		if !wait(ctx, 300*time.Millisecond) {
			return
		}
	}
}
