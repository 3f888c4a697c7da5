//go:build unix

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// How often things go wrong: on the average, in each span of time.
const (
	killEvery      = 2500 * time.Millisecond
	killFrontEvery = 25 * time.Second
	pauseEvery     = 8 * time.Second
	restartEvery   = 2 * time.Minute
	minRestarts    = 2
)

// trouble is what happens to processes and to the database.
type trouble struct {
	tally    *tally
	seed     uint64
	database *database
	workers  []*slot
	front    *slot
	down     atomic.Bool // whether the database is

	mu   sync.Mutex
	lost []lostAttempt
	errs []error
}

// lostAttempt is a claim whose process was killed.
type lostAttempt struct {
	place
	attempt int
}

// rage lets everything go wrong until ctx ends, and then puts all in order.
func (t *trouble) rage(ctx context.Context, length time.Duration) error {
	var all sync.WaitGroup
	all.Go(func() { t.killWorkers(ctx) })
	all.Go(func() { t.killFront(ctx) })
	all.Go(func() { t.pauseSome(ctx) })
	all.Go(func() { t.restartDatabase(ctx, length) })
	all.Wait()
	for _, s := range append(t.workers, t.front) {
		t.failed(s.calm())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.errs) > 0 {
		return t.errs[0]
	}
	return nil
}

func (t *trouble) failed(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errs = append(t.errs, err)
}

// wait reports whether the time has passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// killWorkers prefers those at work. What the killed one had claimed is read when
// it is gone: it cannot have finished any of it any more, but for a statement that
// was on its way.
func (t *trouble) killWorkers(ctx context.Context) {
	c := newChance(t.seed, "kill workers")
	for wait(ctx, c.about(killEvery)) {
		t.killOne(ctx, c)
	}
}

func (t *trouble) killOne(ctx context.Context, c *chance) {
	victim := t.workers[c.below(len(t.workers))]
	if c.happens(0.9) {
		busy := t.atWork(ctx)
		for end := time.Now().Add(killEvery); len(busy) == 0 && time.Now().Before(end) && wait(ctx, 50*time.Millisecond); {
			busy = t.atWork(ctx)
		}
		if len(busy) > 0 {
			victim = busy[c.below(len(busy))]
		}
	}
	server := victim.kill()
	if server == "" {
		return
	}
	later := c.between(0, 1500*time.Millisecond)
	time.AfterFunc(later, func() { t.failed(victim.fill()) })
	claims, err := t.claims(ctx)
	if err != nil {
		return // the database is down, or everything ends
	}
	lost := claims[server]
	if len(lost) == 0 {
		return
	}
	t.tally.kills.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost = append(t.lost, lost...)
}

// atWork are the slots whose processes have claims.
func (t *trouble) atWork(ctx context.Context) (busy []*slot) {
	claims, err := t.claims(ctx)
	if err != nil {
		return nil
	}
	for _, s := range t.workers {
		if len(claims[s.current()]) > 0 {
			busy = append(busy, s)
		}
	}
	return busy
}

// claims reads who works on what.
func (t *trouble) claims(ctx context.Context) (map[string][]lostAttempt, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	rows, err := t.database.QueryContext(ctx, `SELECT job_id, 0, attempt, server_id FROM ha_excel_job WHERE status = 'RUNNING' AND server_id IS NOT NULL
UNION ALL SELECT job_id, chunk_no, attempt, server_id FROM ha_excel_chunk WHERE status = 'RUNNING' AND server_id IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	claims := map[string][]lostAttempt{}
	for rows.Next() {
		var l lostAttempt
		var token string
		if err := rows.Scan(&l.jobID, &l.chunk, &l.attempt, &token); err != nil {
			return nil, err
		}
		server, _, _ := strings.Cut(token, "#")
		claims[server] = append(claims[server], l)
	}
	return claims, rows.Err()
}

// killFront kills the process that answers the clients, or lets it stand still.
func (t *trouble) killFront(ctx context.Context) {
	c := newChance(t.seed, "kill front")
	for wait(ctx, c.about(killFrontEvery)) {
		if c.happens(0.3) {
			t.front.pause(c.between(time.Second, 4*time.Second))
			continue
		}
		t.front.kill()
		wait(ctx, c.between(0, time.Second))
		t.failed(t.front.fill())
	}
}

// pauseSome lets processes stand still, most of them for longer than their lease.
func (t *trouble) pauseSome(ctx context.Context) {
	c := newChance(t.seed, "pause")
	for wait(ctx, c.about(pauseEvery)) {
		among := t.atWork(ctx)
		if len(among) == 0 {
			among = t.workers
		}
		length := c.between(200*time.Millisecond, time.Second)
		if c.happens(0.7) {
			length = c.between(lease+lease/10, 3*lease)
		}
		if among[c.below(len(among))].pause(length) {
			t.tally.pauses.Add(1)
		}
	}
}

// restartDatabase kills and stops the database in turn. Its times lie within
// equal parts of the whole.
func (t *trouble) restartDatabase(ctx context.Context, length time.Duration) {
	c := newChance(t.seed, "restart")
	n := max(minRestarts, int(length/restartEvery))
	part := length / time.Duration(n)
	begin := time.Now()
	for i := range n {
		at := begin.Add(part*time.Duration(i) + c.between(part/4, part*3/4))
		if !wait(ctx, time.Until(at)) {
			return
		}
		action := []string{"kill", "stop"}[i%2]
		t.down.Store(true)
		// Once down, it has to come up again, even when everything ends.
		ctx := context.WithoutCancel(ctx)
		if err := t.database.do(ctx, action); err != nil {
			t.failed(err)
			return
		}
		time.Sleep(c.between(300*time.Millisecond, 3*time.Second))
		if err := t.database.do(ctx, "start"); err != nil {
			t.failed(fmt.Errorf("after a %s: %w", action, err))
			return
		}
		t.down.Store(false)
		t.tally.restarts.Add(1)
	}
}

// countResumed counts the lost attempts that a later one has made good.
func (t *trouble) countResumed(histories map[place][]change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lost {
		if finished(histories[l.place], l.attempt) {
			t.tally.resumed.Add(1)
		}
	}
}
