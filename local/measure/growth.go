package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// figures are what one size gave.
type figures struct {
	fileBytes int64
	took      time.Duration
	peakMiB   float64
}

// measureGrowth exports each size and compares the peaks of the first and the
// last.
func (p *program) measureGrowth(ctx context.Context, sizes []int, limit float64, stdout io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rows\tseconds\tfile MiB\tpeak memory MiB\t")
	var all []figures
	for _, rows := range sizes {
		f, err := p.measureSize(ctx, rows)
		if err != nil {
			return fmt.Errorf("%d rows: %w", rows, err)
		}
		all = append(all, f)
		fmt.Fprintf(table, "%d\t%.1f\t%.1f\t%.1f\t\n", rows, f.took.Seconds(), float64(f.fileBytes)/mib, f.peakMiB)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	growth := 100 * (all[len(all)-1].peakMiB/all[0].peakMiB - 1)
	fmt.Fprintf(stdout, "the peak grows by %.1f %%\n", growth)
	if growth > limit {
		return fmt.Errorf("the peak grows by %.1f %%, the limit is %.1f %%", growth, limit)
	}
	return nil
}

// measureSize exports one demo.
func (p *program) measureSize(ctx context.Context, rows int) (f figures, err error) {
	if err := p.makeDemo(ctx, rows); err != nil {
		return f, err
	}
	s, err := p.serve(ctx)
	if err != nil {
		return f, err
	}
	defer s.stop()
	started := time.Now()
	if f.fileBytes, err = export(ctx, client{s.api, "measure"}); err != nil {
		return f, err
	}
	f.took = time.Since(started)
	f.peakMiB, err = s.peakMiB()
	return f, err
}

// export runs one export to its end and returns the file's size.
func export(ctx context.Context, c client) (int64, error) {
	s, err := c.submit(ctx, "orders", request{})
	for err == nil && s.Status != "DONE" {
		if err = pause(ctx, 100*time.Millisecond); err == nil {
			s, err = c.status(ctx, s.JobID)
		}
	}
	return s.Bytes, err
}
