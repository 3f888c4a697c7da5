package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestResultsAreWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	w, _ := writerNamed("excelize-1core")
	c := benchCase{shape: "wide", rows: 200, cols: 50}
	r := newResult(c, w, 1, measurement{Wall: 1500 * time.Millisecond, CPU: 2 * time.Second, PeakBytes: 3 << 19, FileBytes: 1234})
	if err := writeResults(folder, []result{r}, "a report\n"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bench.json": `[
 {
  "shape": "wide",
  "writer": "excelize-1core",
  "rows": 200,
  "cols": 50,
  "round": 2,
  "wall_s": 1.5,
  "cpu_s": 2,
  "peak_mib": 1.5,
  "file_bytes": 1234
 }
]
`,
		"bench.md": "a report\n",
	} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
			t.Errorf("%s is\n%s(%v), want\n%s", name, got, err, want)
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{9, 1, 5}, 5}, {[]float64{8, 1, 2, 4}, 3}} {
		given := append([]float64{}, c.values...)
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v = %v, want %v", c.values, got, c.want)
		}
		for i, v := range given {
			if c.values[i] != v {
				t.Errorf("%v was sorted in place", given)
			}
		}
	}
}

func TestSummariesAreByWriter(t *testing.T) {
	t.Parallel()
	got := summarise([]result{
		{Writer: "haexcel", Wall: 3, CPU: 30, PeakMiB: 300, FileBytes: 3000},
		{Writer: "idle", Wall: 9, CPU: 9, PeakMiB: 9},
		{Writer: "haexcel", Wall: 1, CPU: 20, PeakMiB: 100, FileBytes: 3000},
		{Writer: "haexcel", Wall: 2, CPU: 10, PeakMiB: 200, FileBytes: 3000},
	})
	if want := (summary{wall: 2, cpu: 20, peakMiB: 200, fileBytes: 3000, fastest: 1, slowest: 3}); len(got) != 2 || got["haexcel"] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
