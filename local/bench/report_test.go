package main

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// three are the same run three times.
func three(r result) []result { return []result{r, r, r} }

func TestTable(t *testing.T) {
	t.Parallel()
	c := benchCase{shape: "text", rows: 12345, cols: 10}
	var results []result
	for _, r := range []result{
		{Writer: haexcel, Wall: 0.5, CPU: 0.8, PeakMiB: 30, FileBytes: 1_500_000},
		{Writer: haexcelOneCore, Wall: 1.5, CPU: 1, PeakMiB: 25, FileBytes: 1_500_000},
		{Writer: excelizeStream, Wall: 4, CPU: 4.5, PeakMiB: 90, FileBytes: 1_000_000},
		{Writer: excelizeOneCore, Wall: 6, CPU: 5, PeakMiB: 90, FileBytes: 1_000_000},
		{Writer: idle, PeakMiB: 20},
		{Writer: floorXML, Wall: 0.25, CPU: 0.25, PeakMiB: 21, FileBytes: 9_000_000},
	} {
		w, _ := writerNamed(r.Writer)
		c.writers = append(c.writers, w)
		results = append(results, three(r)...)
	}
	results[0].Wall = 0.75
	want := `
## text: 12,345 rows × 10 columns

| writer | wall s | wall, fastest–slowest | CPU s | peak MiB | above idle MiB | MB out | wall ratio | size ratio |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| haexcel | 0.500 | 0.500–0.750 | 0.800 | 30.0 | 10.0 | 1.50 | 0.125 | 1.500 |
| haexcel-1core | 1.500 | 1.500–1.500 | 1.000 | 25.0 | 5.0 | 1.50 | 0.250 | 1.500 |
| excelize | 4.000 | 4.000–4.000 | 4.500 | 90.0 | 70.0 | 1.00 | 1.000 | 1.000 |
| excelize-1core | 6.000 | 6.000–6.000 | 5.000 | 90.0 | 70.0 | 1.00 | 1.000 | 1.000 |
| idle | 0.000 | 0.000–0.000 | 0.000 | 20.0 | 0.0 |  |  |  |
| floor-xml | 0.250 | 0.250–0.250 | 0.250 | 21.0 | 1.0 | 9.00 |  |  |
`
	if diff := cmp.Diff(want, c.section(results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without the writers to compare with, fields stay empty.
func TestTableOfOneWriter(t *testing.T) {
	t.Parallel()
	w, _ := writerNamed(haexcel)
	got := line(w, summarise([]result{{Writer: haexcel, Wall: 1, CPU: 2, PeakMiB: 3, FileBytes: 4_000_000}}))
	if want := "| haexcel | 1.000 | 1.000–1.000 | 2.000 | 3.0 |  | 4.00 |  |  |\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPipelineBar(t *testing.T) {
	t.Parallel()
	cores := float64(runtime.NumCPU())
	parts := []result{{Writer: haexcel, CPU: 1}, {Writer: readMariaDB, CPU: 0.5}, {Writer: uploadS3, CPU: 0.5}}
	for verdict, wall := range map[string]float64{": met.": 2.2 / cores, ": missed.": 2.4 / cores} {
		results := append([]result{{Writer: pipelineMariaDB, Wall: wall}}, parts...)
		note := bar(summarise(results), pipelineMariaDB, readMariaDB)
		if !strings.HasSuffix(note, verdict) || !strings.Contains(note, "1.15 × (0.500 read + 1.000 write + 0.500 upload) CPU s") {
			t.Errorf("a wall of %v s gives %q, want %q", wall, note, verdict)
		}
	}
	if note := bar(summarise(parts), pipelineMariaDB, readMariaDB); note != "" {
		t.Errorf("without a pipeline it says %q", note)
	}
}

func TestNotesNameTheServers(t *testing.T) {
	t.Parallel()
	reading, _ := writerNamed(readPostgres)
	c := benchCase{writers: []writer{reading}}
	results := []result{{servers: []string{"postgres", "python"}, restless: true}, {servers: []string{"postgres"}}}
	want := []string{
		"The CPU seconds of reading, storing and the pipelines include those of: postgres, python.",
		"Before 1 runs the servers were still busy after 2m0s.",
	}
	if diff := cmp.Diff(want, c.notes(nil, results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes := c.notes(nil, []result{{}}); len(notes) != 1 || !strings.HasPrefix(notes[0], "No server runs below") {
		t.Errorf("with servers elsewhere it says %q", notes)
	}
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	results := []result{
		{Shape: memoryShape, Writer: haexcel, Rows: 100_000, PeakMiB: 26},
		{Shape: memoryShape, Writer: idle, Rows: 100_000, PeakMiB: 20},
		{Shape: mixedShape, Writer: haexcel, Rows: 1_000_000, PeakMiB: 50},
		{Shape: memoryShape, Writer: haexcel, Rows: 5_000_000, PeakMiB: 27.5},
	}
	if got, want := growthNote(results), "\nFrom 100,000 to 5,000,000 rows the peak of haexcel goes from 26.0 to 27.5 MiB.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := growthNote(results[:3]); got != "" {
		t.Errorf("one size alone grows: %q", got)
	}
}
