package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"time"

	"github.com/haexcel/haexcel/shared/config"
)

// cancelPatience is how long an interrupted export waits for its job to end.
const cancelPatience = 10 * time.Second

// stages are what a bar calls the states of a job.
var stages = map[string]string{"PENDING": "waiting", "RUNNING": "exporting", "DONE": "saving", "FAIL": "failed"}

// exportRequest is what the command line asks for.
type exportRequest struct {
	dataset, out, params string
	who                  identity
	demo                 *demoRows
}

// export runs one export through the API's handlers, with workers of its own.
func (p program) export(ctx context.Context, args []string) error {
	var r exportRequest
	set := flag.NewFlagSet("export", flag.ContinueOnError)
	set.StringVar(&r.dataset, "dataset", "orders", "`name` of the dataset")
	set.StringVar(&r.out, "out", "", "`file` to save: .xlsx asks for one workbook, .zip for parts (default: the name that the API proposes)")
	set.StringVar(&r.params, "params", "", "the dataset's parameters as a JSON `object`")
	set.StringVar(&r.who.user, "user", "local", "`name` of the requester")
	set.StringVar(&r.who.roles, "roles", "", "the requester's roles, comma `list`")
	set.StringVar(&r.who.tenant, "tenant", "", "the requester's `tenant`")
	r.demo = p.rowsFlag(set, "demo-rows")
	if err := p.parse(set, args); err != nil {
		return err
	}
	if err := p.fill(r.demo); err != nil {
		return err
	}
	if r.params != "" && !json.Valid([]byte(r.params)) {
		return misuse{"--params is no JSON"}
	}
	settings, ownDatabase, err := loadSettings(p.environment)
	if err != nil {
		return err
	}
	// There is no gateway here: this process says who asks, to itself only.
	settings.Auth = config.AuthHeader

	t, err := openTarget(r.out)
	if err != nil {
		return fmt.Errorf("dataset %q: %w", r.dataset, err)
	}
	defer t.discard()
	if err := p.runExport(ctx, settings, ownDatabase, r, t); err != nil {
		return fmt.Errorf("dataset %q: %w", r.dataset, err)
	}
	return nil
}

func (p program) runExport(ctx context.Context, settings config.Config, ownDatabase bool, r exportRequest, t *target) error {
	bar := newMeter(p.stderr)
	defer bar.clear()
	// Other databases are someone's own: the demo goes there only when asked for.
	if ownDatabase || r.demo.asked {
		if err := p.ensureDemo(ctx, settings.DatabaseURL, r.demo.rows, bar); err != nil {
			return err
		}
	}
	// This process's workers are for this export: wakes stay in its memory, and
	// waiting jobs of a database that others use are theirs.
	settings.Wake = config.WakeMemory
	s, err := openSite(ctx, settings, p.logger(slog.LevelWarn))
	if err != nil {
		return err
	}
	defer s.close()
	tasks := []func(context.Context){s.engine.Work}
	if ownDatabase {
		if err := s.engine.WakeAll(ctx); err != nil {
			return err
		}
		s.engine.Pregenerate = nil // only this export is waited for
		tasks = append(tasks, s.engine.Schedule)
	}
	stop := start(ctx, tasks...)
	defer stop()

	c := newClient(s.handler, r.who)
	jobID, err := c.submit(ctx, r.dataset, submission{FileName: t.baseName(), Packaging: t.packaging, Params: json.RawMessage(r.params)})
	if err != nil {
		return err
	}
	end, err := c.await(ctx, jobID, func(s state) { bar.show(stages[s.Status], s.ProcessedRows, s.TotalRows) })
	if ctx.Err() != nil {
		bar.clear()
		return abandon(ctx, c, jobID)
	}
	if err != nil {
		return err
	}
	if end.Status != "DONE" {
		return errors.New(end.ErrorMsg)
	}
	name, n, err := c.download(ctx, jobID, t)
	if err != nil {
		return err
	}
	if n != end.Bytes {
		return fmt.Errorf("the download has %d bytes instead of %d", n, end.Bytes)
	}
	path, err := t.commit(name)
	if err != nil {
		return err
	}
	bar.clear()
	p.warn(end)
	fmt.Fprintf(p.stdout, "%s: %d rows, %d bytes\n", path, end.ProcessedRows, end.Bytes)
	return nil
}

// warn tells what a complete file may not have as it was meant: a misspelt
// parameter restricts nothing.
func (p program) warn(end state) {
	for _, text := range end.Warnings {
		fmt.Fprintln(p.stderr, "warning:", text)
	}
	if end.TruncatedCells > 0 {
		fmt.Fprintf(p.stderr, "warning: %d cells are cut to the length that Excel allows\n", end.TruncatedCells)
	}
}

// abandon cancels the job of an interrupted export and waits for its end, so
// that nothing of it stays in the storage.
func abandon(ctx context.Context, c client, jobID string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	if err := c.cancel(ctx, jobID); err != nil {
		return fmt.Errorf("interrupted; cancelling the job %s failed: %w", jobID, err)
	}
	if _, err := c.await(ctx, jobID, func(state) {}); err != nil {
		return fmt.Errorf("interrupted; the job %s is still ending: %w", jobID, err)
	}
	return errors.New("interrupted; the job is cancelled")
}
