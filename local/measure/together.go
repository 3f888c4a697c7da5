package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The jobs at work at once, which are the default numbers of workers.
const (
	normalJobs = 4
	largeJobs  = 2
)

// backlog is how many normal jobs wait beside those at work, so that a worker
// that is done has its next one at once.
const backlog = 2

// lookEvery is the pause between two looks at the jobs.
const lookEvery = 50 * time.Millisecond

// largePackagings are those of the large jobs.
var largePackagings = [largeJobs]string{"zip", "workbook"}

//go:embed measured.yaml
var measuredDataset []byte

// together says how large the jobs are.
type together struct{ normalRows, largeRows int }

// measureTogether runs normal and large jobs at once.
func (p *program) measureTogether(ctx context.Context, t together, ceiling float64, stdout io.Writer) error {
	if err := p.makeDemo(ctx, t.largeRows); err != nil {
		return err
	}
	sets := filepath.Join(p.folder, "datasets")
	if err := os.MkdirAll(sets, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(sets, "measured.yaml"), measuredDataset, 0o600); err != nil {
		return err
	}
	s, err := p.serve(ctx, "HAEXCEL_DATASET_DIR="+sets,
		fmt.Sprintf("HAEXCEL_WORKER_COUNT=%d", normalJobs), fmt.Sprintf("HAEXCEL_LARGE_WORKER_COUNT=%d", largeJobs),
		fmt.Sprintf("HAEXCEL_ZIP_THRESHOLD=%d", t.normalRows+1)) // what is more belongs to the large queue
	if err != nil {
		return err
	}
	defer s.stop()
	started := time.Now()
	r := &crowd{together: t, normal: client{s.api, "normal"}, large: client{s.api, "large"}}
	if err := r.run(ctx); err != nil {
		return err
	}
	took := time.Since(started)
	peak, err := s.peakMiB()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d normal jobs of %d rows and %d large ones of %d rows at once: %d normal jobs in %.1f s, peak memory %.1f MiB\n",
		normalJobs, t.normalRows, largeJobs, t.largeRows, r.submitted, took.Seconds(), peak)
	return r.verdict(peak, ceiling)
}

// crowd is the jobs while they run. Normal and large ones have a requester each,
// so that a list shows normal ones only.
type crowd struct {
	together
	normal, large client
	largeIDs      []string
	submitted     int // normal jobs
	most          int // jobs seen at work at one moment
}

// run submits the jobs and returns when all have ended. One that fails ends it.
func (c *crowd) run(ctx context.Context) error {
	for _, packaging := range largePackagings {
		s, err := c.large.submit(ctx, "measured", request{
			FileName: packaging, Packaging: packaging, TotalCnt: c.largeRows, Params: map[string]any{"rows": c.largeRows},
		})
		if err != nil {
			return err
		}
		c.largeIDs = append(c.largeIDs, s.JobID)
	}
	for {
		active, err := c.look(ctx)
		if err != nil || active == 0 {
			return err
		}
		if err := pause(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// look notes how many jobs are at work, sees to it that normal ones are while a
// large one is not done, and answers how many have not ended. A large job that is
// at work before and after the list was so when it was read.
func (c *crowd) look(ctx context.Context) (active int, err error) {
	before, err := c.largeStates(ctx)
	if err != nil {
		return 0, err
	}
	jobs, err := c.normal.newest(ctx, 10*(normalJobs+backlog))
	if err != nil {
		return 0, err
	}
	after, err := c.largeStates(ctx)
	if err != nil {
		return 0, err
	}
	running, waiting := 0, 0
	for _, j := range jobs {
		switch {
		case j.failed() != nil:
			return 0, j.failed()
		case j.Status == "RUNNING":
			running++
		case j.active():
			waiting++
		}
	}
	active = running + waiting
	largeActive := 0
	for i := range c.largeIDs {
		if before[i].Status == "RUNNING" && after[i].Status == "RUNNING" {
			running++
		}
		if after[i].active() {
			largeActive++
		}
	}
	c.most = max(c.most, running)
	if largeActive > 0 {
		err = c.topUp(ctx, normalJobs+backlog-active)
	}
	return active + largeActive, err
}

func (c *crowd) largeStates(ctx context.Context) (states []state, err error) {
	for _, id := range c.largeIDs {
		s, err := c.large.status(ctx, id)
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return states, nil
}

// topUp submits n more normal jobs. Each has a name of its own: the same export
// submitted again would be answered with the one under way.
func (c *crowd) topUp(ctx context.Context, n int) error {
	for range n {
		_, err := c.normal.submit(ctx, "measured", request{
			FileName: fmt.Sprintf("normal-%d", c.submitted+1), TotalCnt: c.normalRows, Params: map[string]any{"rows": c.normalRows},
		})
		if err != nil {
			return err
		}
		c.submitted++
	}
	return nil
}

// verdict says which bound was not kept.
func (c *crowd) verdict(peak, ceiling float64) error {
	if c.most < normalJobs+largeJobs {
		return fmt.Errorf("at most %d of %d jobs were seen at work at one moment: larger ones are needed (-normal, -large)", c.most, normalJobs+largeJobs)
	}
	if peak > ceiling {
		return fmt.Errorf("the peak of the jobs at once is %.1f MiB, the ceiling %.1f MiB", peak, ceiling)
	}
	return nil
}
