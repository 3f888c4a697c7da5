package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// A job is what a process of the benchmark is to run once.
type job struct {
	Writer string
	Shape  string
	Rows   int64
	Cols   int
	// File is where the writer's workbook goes; "" where it is not kept.
	File string
	// Source is the finished workbook that upload-s3 stores.
	Source string
	// Database is the URL of the database with the table of the rows.
	Database string
	S3       string // endpoint
	Bucket   string
	// Watch is the process that the servers run below; 0 when there are none.
	Watch int
}

// A measurement is what a process tells of its job.
type measurement struct {
	Wall, CPU time.Duration
	PeakBytes uint64
	FileBytes int64
	Servers   []string // the processes whose time was counted too
	Restless  bool     // they did not come to rest before
}

// runChild runs one job and prints its measurement.
func runChild(ctx context.Context, text string, out io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	w, known := writerNamed(j.Writer)
	if !known {
		return fmt.Errorf("unknown writer %q", j.Writer)
	}
	if w.oneCore && runtime.GOMAXPROCS(0) != 1 {
		return errors.New("the process has more than one processor")
	}
	s, err := w.open(ctx, j)
	if err != nil {
		return err
	}
	m, err := measure(ctx, s, j.Watch, w.remote())
	if closeErr := s.close(ctx); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(m)
}

// measure runs a subject. The servers' time counts when they work for it.
func measure(ctx context.Context, s subject, watch int, remote bool) (m measurement, err error) {
	tree, err := newProcessTree(watch)
	if err != nil {
		return m, err
	}
	runtime.GC() // of what getting ready has left
	if m.Restless, err = tree.settle(ctx); err != nil {
		return m, err
	}
	before, err := takeReading(tree, remote)
	if err != nil {
		return m, err
	}
	begun := time.Now()
	m.FileBytes, err = s.run(ctx)
	m.Wall = time.Since(begun)
	if err != nil {
		return m, err
	}
	after, err := takeReading(tree, remote)
	if err != nil {
		return m, err
	}
	m.CPU, m.Servers = after.cpu-before.cpu, after.servers
	m.PeakBytes, err = peakMemory()
	return m, err
}

// A reading is the CPU time used so far.
type reading struct {
	cpu     time.Duration
	servers []string
}

func takeReading(tree processTree, remote bool) (r reading, err error) {
	if r.cpu, err = ownCPU(); err != nil || !remote {
		return r, err
	}
	cpu, names, err := tree.cpu()
	r.cpu, r.servers = r.cpu+cpu, names
	return r, err
}
