//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// endCheck compares the table with what the clients were told, once everything has
// ended.
func (h *harness) endCheck(ctx context.Context, cs *clients, tr *trouble) error {
	t, d := h.tally, h.database
	rows, err := d.jobs(ctx)
	if err != nil {
		return fmt.Errorf("read the jobs: %w", err)
	}
	histories, err := d.history(ctx)
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for id, e := range cs.exports {
		row, there := rows[id]
		if !there {
			t.violate("job %s was accepted and is not in the table", id)
			continue
		}
		checkEnd(t, *e, row)
		for _, fault := range checkJob(histories[place{jobID: id}], e.retries) {
			t.violate("job %s: %s", id, fault)
		}
	}
	for id, row := range rows {
		if ids := cs.named[row.fileName]; len(ids) > 0 && !slices.Contains(ids, id) {
			t.violate("job %s is one of %s, of which its client was told %s", id, row.fileName, strings.Join(ids, ", "))
		}
	}
	for p, history := range histories {
		if p.chunk == 0 {
			continue
		}
		for _, fault := range checkChunk(history) {
			t.violate("%s: %s", p, fault)
		}
	}
	tr.countResumed(histories)
	if t.done.Load() == 0 {
		t.violate("no job is DONE")
	}
	h.tellFailures(rows)
	return nil
}

// tellFailures names the reasons of failed jobs: none of them is a violation, but
// many may be a sign of one.
func (h *harness) tellFailures(rows map[string]jobRow) {
	reasons := map[string]int{}
	for _, r := range rows {
		if r.status == failed {
			reasons[r.errorMsg]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		h.stderr("%d jobs failed: %s", reasons[reason], reason)
	}
}

// jobRow is a job as it stands in the table at the end.
type jobRow struct {
	status, errorMsg, fileName string
	cancelled                  bool
	processed, total           int
}

func (d *database) jobs(ctx context.Context) (map[string]jobRow, error) {
	rows, err := d.QueryContext(ctx, `SELECT job_id, status, COALESCE(error_msg, ''), file_name, cancel_yn, processed_rows, total_rows FROM ha_excel_job`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]jobRow{}
	for rows.Next() {
		var id, cancelled string
		var r jobRow
		if err := rows.Scan(&id, &r.status, &r.errorMsg, &r.fileName, &cancelled, &r.processed, &r.total); err != nil {
			return nil, err
		}
		r.cancelled = cancelled == "Y"
		all[id] = r
	}
	return all, rows.Err()
}

// checkEnd compares one job's end with what its client knows.
func checkEnd(t *tally, e export, r jobRow) {
	switch {
	case e.cancelled && (r.status != failed || !r.cancelled):
		t.violate("job %s: its cancel was accepted, the table says %s", e.jobID, r.status)
	case r.status == done:
		t.done.Add(1)
		if !e.checked {
			t.violate("job %s is DONE, its client never got the file", e.jobID)
		}
		if r.processed != e.rows || r.total != e.rows {
			t.violate("job %s is DONE with %d rows of %d, asked for were %d", e.jobID, r.processed, r.total, e.rows)
		}
	case r.status == failed && !r.cancelled:
		// A reason that tells of a defect, or none at all, is no end to accept.
		if r.errorMsg == "" || strings.Contains(r.errorMsg, "unexpected") {
			t.violate("job %s failed with the reason %q", e.jobID, r.errorMsg)
		}
	}
}

// troubleInLogs are the words by which a process's log tells of a defect.
var troubleInLogs = []string{"panicked", "panic:", "DATA RACE", "fatal error:"}

// checkLogs reads the processes' logs.
func checkLogs(t *tally, folder string) error {
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil {
		return err
	}
	for _, path := range logs {
		if err := checkLog(t, path); err != nil {
			return err
		}
	}
	return nil
}

func checkLog(t *tally, path string) error {
	f, err := os.Open(path) //nolint:gosec // the harness's own
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		for _, word := range troubleInLogs {
			if strings.Contains(lines.Text(), word) {
				t.violate("%s:%d: %s", path, n, lines.Text())
			}
		}
	}
	return lines.Err()
}
