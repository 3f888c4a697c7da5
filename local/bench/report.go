package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// introduction is the head of bench.md.
func introduction(s settings) string {
	return fmt.Sprintf("# Benchmark\n\nMedians of %d rounds, each writer once a round and each run a process of its own; "+
		"%d cores, %s, %s/%s.\nThe ratios compare with excelize, those of -1core with excelize-1core: below 1 is faster or smaller.\n",
		s.rounds, runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// section is what bench.md says of one case.
func (c benchCase) section(results []result) string {
	summaries := summarise(results)
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s: %s rows × %d columns\n\n", c.shape, humanize.Comma(c.rows), c.cols)
	b.WriteString("| writer | wall s | wall, fastest–slowest | CPU s | peak MiB | above idle MiB | MB out | wall ratio | size ratio |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, w := range c.writers {
		b.WriteString(line(w, summaries))
	}
	for _, note := range c.notes(summaries, results) {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}

// line is one writer's row of the table.
func line(w writer, summaries map[string]summary) string {
	s := summaries[w.name]
	fields := []string{
		w.name,
		fmt.Sprintf("%.3f", s.wall),
		fmt.Sprintf("%.3f–%.3f", s.fastest, s.slowest),
		fmt.Sprintf("%.3f", s.cpu),
		fmt.Sprintf("%.1f", s.peakMiB),
		"", "", "", "",
	}
	if resting, there := summaries[idle]; there {
		fields[5] = fmt.Sprintf("%.1f", s.peakMiB-resting.peakMiB)
	}
	if s.fileBytes > 0 {
		fields[6] = fmt.Sprintf("%.2f", s.fileBytes/1e6)
	}
	if other, there := summaries[rival(w)]; there && w.file {
		fields[7] = fmt.Sprintf("%.3f", s.wall/other.wall)
		fields[8] = fmt.Sprintf("%.3f", s.fileBytes/other.fileBytes)
	}
	return "| " + strings.Join(fields, " | ") + " |\n"
}

// rival is the writer to compare with.
func rival(w writer) string {
	if w.oneCore {
		return excelizeOneCore
	}
	return excelizeStream
}

// notes are what the table alone does not say.
func (c benchCase) notes(summaries map[string]summary, results []result) (notes []string) {
	for _, pipeline := range []struct{ name, read string }{{pipelineMariaDB, readMariaDB}, {pipelinePG, readPostgres}} {
		if note := bar(summaries, pipeline.name, pipeline.read); note != "" {
			notes = append(notes, note)
		}
	}
	if slices.ContainsFunc(c.writers, writer.remote) {
		notes = append(notes, serversNote(results))
	}
	if n := restless(results); n > 0 {
		notes = append(notes, fmt.Sprintf("Before %d runs the servers were still busy after %s.", n, restPatience))
	}
	return notes
}

// pipelineSlack is how much longer a pipeline may take than its parts need on all
// cores.
const pipelineSlack = 1.15

// bar compares a pipeline with its parts: it is good when it keeps all cores busy
// and does nothing beyond them.
func bar(summaries map[string]summary, pipeline, read string) string {
	whole, hasWhole := summaries[pipeline]
	reading, hasRead := summaries[read]
	writing, hasWrite := summaries[haexcel]
	upload, hasUpload := summaries[uploadS3]
	if !hasWhole || !hasRead || !hasWrite || !hasUpload {
		return ""
	}
	cores := runtime.NumCPU()
	most := pipelineSlack * (reading.cpu + writing.cpu + upload.cpu) / float64(cores)
	verdict := "met"
	if whole.wall > most {
		verdict = "missed"
	}
	return fmt.Sprintf("%s: %.3f s; the bar is %.2f × (%.3f read + %.3f write + %.3f upload) CPU s ÷ %d cores = %.3f s: %s.",
		pipeline, whole.wall, pipelineSlack, reading.cpu, writing.cpu, upload.cpu, cores, most, verdict)
}

// serversNote says whose time is in the CPU seconds.
func serversNote(results []result) string {
	var names []string
	for _, r := range results {
		names = append(names, r.servers...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return "No server runs below the benchmark's parent: the CPU seconds of reading, storing and the pipelines are those of this program alone."
	}
	return "The CPU seconds of reading, storing and the pipelines include those of: " + strings.Join(names, ", ") + "."
}

func restless(results []result) (n int) {
	for _, r := range results {
		if r.restless {
			n++
		}
	}
	return n
}

// growthNote says how the peak grows with the rows in the shape memory.
func growthNote(results []result) string {
	var sizes []int64
	peaks := map[int64][]float64{}
	for _, r := range results {
		if r.Shape != memoryShape || r.Writer != haexcel {
			continue
		}
		if peaks[r.Rows] == nil {
			sizes = append(sizes, r.Rows)
		}
		peaks[r.Rows] = append(peaks[r.Rows], r.PeakMiB)
	}
	if len(sizes) < 2 {
		return ""
	}
	least, most := sizes[0], sizes[len(sizes)-1]
	return fmt.Sprintf("\nFrom %s to %s rows the peak of %s goes from %.1f to %.1f MiB.\n",
		humanize.Comma(least), humanize.Comma(most), haexcel, median(peaks[least]), median(peaks[most]))
}
