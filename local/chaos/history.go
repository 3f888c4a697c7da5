//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
)

// The database itself writes down each change of a row's state and owner, in the
// transaction that makes it: no change goes unseen, and none is seen that was
// undone.

// historyStatements make the tables and triggers, after the migrations.
var historyStatements = map[string][]string{
	mariaDB: {
		`CREATE TABLE chaos_history (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, ` + historyColumns + `)`,
		`CREATE TRIGGER chaos_job_insert AFTER INSERT ON ha_excel_job FOR EACH ROW
INSERT INTO chaos_history (job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled)
VALUES (NEW.job_id, 0, '', NEW.status, '', COALESCE(NEW.phase, ''), '', COALESCE(NEW.server_id, ''), NEW.attempt, NEW.cancel_yn)`,
		`CREATE TRIGGER chaos_job_update AFTER UPDATE ON ha_excel_job FOR EACH ROW
IF NEW.status <> OLD.status OR COALESCE(NEW.server_id, '') <> COALESCE(OLD.server_id, '') OR COALESCE(NEW.phase, '') <> COALESCE(OLD.phase, '') OR NEW.attempt <> OLD.attempt THEN
INSERT INTO chaos_history (job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled)
VALUES (NEW.job_id, 0, OLD.status, NEW.status, COALESCE(OLD.phase, ''), COALESCE(NEW.phase, ''), COALESCE(OLD.server_id, ''), COALESCE(NEW.server_id, ''), NEW.attempt, NEW.cancel_yn);
END IF`,
		`CREATE TRIGGER chaos_chunk_update AFTER UPDATE ON ha_excel_chunk FOR EACH ROW
IF NEW.status <> OLD.status OR COALESCE(NEW.server_id, '') <> COALESCE(OLD.server_id, '') OR NEW.attempt <> OLD.attempt THEN
INSERT INTO chaos_history (job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled)
VALUES (NEW.job_id, NEW.chunk_no, OLD.status, NEW.status, '', '', COALESCE(OLD.server_id, ''), COALESCE(NEW.server_id, ''), NEW.attempt, 'N');
END IF`,
	},
	postgres: {
		`CREATE TABLE chaos_history (seq BIGSERIAL PRIMARY KEY, ` + historyColumns + `)`,
		`CREATE FUNCTION chaos_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
IF TG_OP = 'INSERT' THEN
INSERT INTO chaos_history (job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled)
VALUES (NEW.job_id, 0, '', NEW.status, '', COALESCE(NEW.phase, ''), '', COALESCE(NEW.server_id, ''), NEW.attempt, NEW.cancel_yn);
ELSIF NEW.status <> OLD.status OR COALESCE(NEW.server_id, '') <> COALESCE(OLD.server_id, '') OR COALESCE(NEW.phase, '') <> COALESCE(OLD.phase, '') OR NEW.attempt <> OLD.attempt THEN
INSERT INTO chaos_history (job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled)
VALUES (NEW.job_id, 0, OLD.status, NEW.status, COALESCE(OLD.phase, ''), COALESCE(NEW.phase, ''), COALESCE(OLD.server_id, ''), COALESCE(NEW.server_id, ''), NEW.attempt, NEW.cancel_yn);
END IF;
RETURN NULL;
END $$`,
		`CREATE FUNCTION chaos_chunk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
IF NEW.status <> OLD.status OR COALESCE(NEW.server_id, '') <> COALESCE(OLD.server_id, '') OR NEW.attempt <> OLD.attempt THEN
INSERT INTO chaos_history (job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled)
VALUES (NEW.job_id, NEW.chunk_no, OLD.status, NEW.status, '', '', COALESCE(OLD.server_id, ''), COALESCE(NEW.server_id, ''), NEW.attempt, 'N');
END IF;
RETURN NULL;
END $$`,
		`CREATE TRIGGER chaos_job AFTER INSERT OR UPDATE ON ha_excel_job FOR EACH ROW EXECUTE FUNCTION chaos_job()`,
		`CREATE TRIGGER chaos_chunk AFTER UPDATE ON ha_excel_chunk FOR EACH ROW EXECUTE FUNCTION chaos_chunk()`,
	},
}

const historyColumns = `job_id VARCHAR(64) NOT NULL, chunk_no INTEGER NOT NULL, was VARCHAR(20) NOT NULL, became VARCHAR(20) NOT NULL,
phase_was VARCHAR(20) NOT NULL, phase VARCHAR(20) NOT NULL, owner_was VARCHAR(128) NOT NULL, owner VARCHAR(128) NOT NULL, attempt INTEGER NOT NULL, cancelled VARCHAR(1) NOT NULL`

func (d *database) keepHistory(ctx context.Context) error {
	for _, statement := range historyStatements[d.kind] {
		if _, err := d.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("keep the history of rows: %w", err)
		}
	}
	return nil
}

// place is a row: a job's, or with a chunk's number that chunk's.
type place struct {
	jobID string
	chunk int // 0: the job itself
}

func (p place) String() string {
	if p.chunk == 0 {
		return "job " + p.jobID
	}
	return fmt.Sprintf("chunk %d of job %s", p.chunk, p.jobID)
}

// change is one line of the history.
type change struct {
	was, became     string
	phaseWas, phase string
	ownerWas, owner string
	attempt         int
	cancelled       bool
}

// history reads everything, row by row in the order of the changes.
func (d *database) history(ctx context.Context) (map[place][]change, error) {
	rows, err := d.QueryContext(ctx, `SELECT job_id, chunk_no, was, became, phase_was, phase, owner_was, owner, attempt, cancelled FROM chaos_history ORDER BY seq`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[place][]change{}
	for rows.Next() {
		var p place
		var c change
		var cancelled string
		if err := rows.Scan(&p.jobID, &p.chunk, &c.was, &c.became, &c.phaseWas, &c.phase, &c.ownerWas, &c.owner, &c.attempt, &cancelled); err != nil {
			return nil, err
		}
		c.cancelled = cancelled == "Y"
		all[p] = append(all[p], c)
	}
	return all, rows.Err()
}

// finished reports whether the row came to DONE at a later attempt than that.
func finished(history []change, after int) bool {
	return slices.ContainsFunc(history, func(c change) bool { return c.became == done && c.was != done && c.attempt > after })
}

// The states, as they stand in the table.
const (
	pending = "PENDING"
	running = "RUNNING"
	done    = "DONE"
	failed  = "FAIL"
)

// checkJob walks through a job's changes and tells what is no way for a row to go.
// retries is how often its clients may have had it opened again.
func checkJob(history []change, retries int) (faults []string) {
	state, attempt, reopened := "", 0, 0
	wrong := func(c change, reason string) {
		faults = append(faults, fmt.Sprintf("%s → %s at attempt %d (phase %q → %q, owner %q → %q): %s",
			c.was, c.became, c.attempt, c.phaseWas, c.phase, c.ownerWas, c.owner, reason))
	}
	for _, c := range history {
		if c.was != state {
			wrong(c, fmt.Sprintf("the row was %q", state))
		}
		if c.attempt < attempt {
			wrong(c, fmt.Sprintf("attempts went back from %d", attempt))
		}
		claimed := c.attempt > attempt
		switch c.was + " " + c.became {
		case " PENDING", " DONE": // submitted, or reused
		case "PENDING RUNNING":
			if c.attempt != attempt+1 || c.cancelled {
				wrong(c, "no claim of a waiting job")
			}
		case "RUNNING RUNNING":
			packing := c.phaseWas == "CHUNKS" && c.phase == "PACKING" && c.attempt == attempt+1 && c.ownerWas == ""
			planned := c.phase == "CHUNKS" && !claimed && c.owner == ""
			if !packing && !planned {
				wrong(c, "taken from its owner")
			}
		case "RUNNING PENDING", "RUNNING FAIL", "PENDING FAIL", "PENDING PENDING":
		case "RUNNING DONE":
			if c.cancelled {
				wrong(c, "its cancel was accepted")
			}
		case "FAIL PENDING":
			if reopened++; reopened > retries {
				wrong(c, fmt.Sprintf("opened again, though it was asked for %d times", retries))
			}
		case "FAIL FAIL", "DONE DONE":
			if claimed || c.owner != c.ownerWas {
				wrong(c, "the end was changed")
			}
		default:
			wrong(c, "no way for a job")
		}
		state, attempt = c.became, c.attempt
	}
	if state != done && state != failed {
		faults = append(faults, fmt.Sprintf("it has not ended: %q", state))
	}
	return faults
}

// checkChunk is checkJob for a chunk.
func checkChunk(history []change) (faults []string) {
	state, attempt := pending, 0
	for _, c := range history {
		reason := ""
		switch {
		case c.was != state:
			reason = fmt.Sprintf("the row was %q", state)
		case c.was == done:
			reason = "a finished chunk was changed"
		case c.became == running && c.was == running:
			reason = "taken from its owner"
		case c.became == running && (c.was != pending || c.attempt != attempt+1):
			reason = "no claim of a waiting chunk"
		case c.became == done && c.was != running:
			reason = "finished without a claim"
		}
		if reason != "" {
			faults = append(faults, fmt.Sprintf("%s → %s at attempt %d (owner %q → %q): %s", c.was, c.became, c.attempt, c.ownerWas, c.owner, reason))
		}
		state, attempt = c.became, c.attempt
	}
	return faults
}
