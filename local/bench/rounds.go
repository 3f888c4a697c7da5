package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// endPatience is how long an interrupted process may take to remove what it made.
const endPatience = 20 * time.Second

// measureCase runs all rounds of a case. The files of the first round stay.
func (p program) measureCase(ctx context.Context, s settings, c benchCase) (results []result, err error) {
	site, err := openSite(ctx, p.servers, c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := site.close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
	}()
	for round := range s.rounds {
		for _, w := range order(c.writers, round, s.rounds) {
			p.say("%s of %d rows, round %d: %s", c.shape, c.rows, round+1, w.name)
			m, err := p.measureRun(ctx, s, c, w, site, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			results = append(results, newResult(c, w, round, m))
		}
	}
	return results, nil
}

// measureRun runs one writer in a process of its own.
func (p program) measureRun(ctx context.Context, s settings, c benchCase, w writer, site site, round int) (measurement, error) {
	j := site.job(c, w)
	if p.servers != (servers{}) {
		j.Watch = p.watch
	}
	kept := filepath.Join(s.out, c.fileName(w.name))
	if w.name == uploadS3 {
		j.Source = filepath.Join(s.out, c.fileName(haexcel))
	}
	// Each round writes a file that is not there yet: emptying an old one takes
	// time.
	if w.file && (round == 0 || !w.remote()) {
		j.File = kept + ".part"
	}
	m, err := p.runJob(ctx, j, w.oneCore)
	if j.File == "" {
		return m, err
	}
	if err != nil || round > 0 {
		return m, errors.Join(err, removeFile(j.File))
	}
	return m, os.Rename(j.File, kept)
}

// removeFile removes a file that need not be there.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (c benchCase) fileName(writer string) string {
	return fmt.Sprintf("%s-%dx%d-%s.xlsx", c.shape, c.rows, c.cols, writer)
}

// runJob starts this program anew for one job and waits for what it measured.
func (p program) runJob(ctx context.Context, j job, oneCore bool) (m measurement, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return m, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "-child", string(text))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endPatience
	cmd.Env = p.environment
	cmd.Stdout, cmd.Stderr = &out, p.stderr
	start := cmd.Start
	if oneCore {
		cmd.Env = append(cmd.Environ(), "GOMAXPROCS=1")
		start = func() error { return startOnOneCore(cmd) }
	}
	if err := start(); err != nil {
		return m, err
	}
	if err := cmd.Wait(); err != nil {
		return m, err
	}
	return m, json.Unmarshal(out.Bytes(), &m)
}
