package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// A result is one run, as bench.json has it.
type result struct {
	Shape  string  `json:"shape"`
	Writer string  `json:"writer"`
	Rows   int64   `json:"rows"`
	Cols   int     `json:"cols"`
	Round  int     `json:"round"` // from 1
	Wall   float64 `json:"wall_s"`
	CPU    float64 `json:"cpu_s"`
	// PeakMiB is the greatest resident memory of the run's process.
	PeakMiB float64 `json:"peak_mib"`
	// FileBytes are the bytes that came out; 0 where none do.
	FileBytes int64 `json:"file_bytes"`

	servers  []string // the processes whose CPU time is in CPU
	restless bool     // they were busy already when the run began
}

func newResult(c benchCase, w writer, round int, m measurement) result {
	return result{
		Shape: c.shape, Writer: w.name, Rows: c.rows, Cols: c.cols, Round: round + 1,
		Wall: m.Wall.Seconds(), CPU: m.CPU.Seconds(), PeakMiB: float64(m.PeakBytes) / (1 << 20), FileBytes: m.FileBytes,
		servers: m.Servers, restless: m.Restless,
	}
}

// writeResults writes bench.json and bench.md.
func writeResults(folder string, results []result, report string) error {
	text, err := json.MarshalIndent(results, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "bench.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "bench.md"), []byte(report), 0o644)
}

// A summary is what the rounds of one writer say together.
type summary struct {
	wall, cpu, peakMiB, fileBytes float64 // medians
	fastest, slowest              float64 // wall
}

// summarise takes the results of one case apart by writer.
func summarise(results []result) map[string]summary {
	byWriter := map[string][]result{}
	for _, r := range results {
		byWriter[r.Writer] = append(byWriter[r.Writer], r)
	}
	summaries := map[string]summary{}
	for name, runs := range byWriter {
		walls := figures(runs, func(r result) float64 { return r.Wall })
		summaries[name] = summary{
			wall:      median(walls),
			cpu:       median(figures(runs, func(r result) float64 { return r.CPU })),
			peakMiB:   median(figures(runs, func(r result) float64 { return r.PeakMiB })),
			fileBytes: median(figures(runs, func(r result) float64 { return float64(r.FileBytes) })),
			fastest:   slices.Min(walls),
			slowest:   slices.Max(walls),
		}
	}
	return summaries
}

func figures(runs []result, figure func(result) float64) []float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = figure(r)
	}
	return values
}

// median is the middle value, or the mean of the middle two. There must be one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
