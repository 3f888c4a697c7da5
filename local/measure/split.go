package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

// wholeDataset is the measured one without its key, so that one worker makes the
// file in one go.
func wholeDataset() []byte {
	text := strings.Replace(string(measuredDataset), "name: measured", "name: whole", 1)
	text = strings.Replace(text, "key: id\n", "", 1)
	return []byte(text)
}

// run is one way to make the same file.
type splitRun struct {
	name      string
	dataset   string
	processes int
}

// measureSplit makes one large file in one go, and split over one and two
// processes with a single worker each, and compares the files entry by entry.
// Several processes find the work by SQS, so it needs -testenv.
func (p *program) measureSplit(ctx context.Context, rows int, stdout io.Writer) error {
	if err := p.makeDemo(ctx, rows); err != nil {
		return err
	}
	sets := filepath.Join(p.folder, "datasets")
	err := os.MkdirAll(sets, 0o700)
	for name, text := range map[string][]byte{"measured.yaml": measuredDataset, "whole.yaml": wholeDataset()} {
		err = errors.Join(err, os.WriteFile(filepath.Join(sets, name), text, 0o600))
	}
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%d rows\tseconds\tfile MiB\tparts\t\n", rows)
	var first []entry
	for _, r := range []splitRun{{"in one go", "whole", 1}, {"split, 1 process", "measured", 1}, {"split, 2 processes", "measured", 2}} {
		took, file, err := p.runSplit(ctx, r, sets, rows)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		entries, err := entriesOf(file)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		verdict := ""
		if first == nil {
			first = entries
		} else if verdict, err = compareEntries(first, entries); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%d\t%s\n", r.name, took.Seconds(), float64(len(file))/mib, parts(entries), verdict)
	}
	return table.Flush()
}

// runSplit makes the file with so many processes and downloads it.
func (p *program) runSplit(ctx context.Context, r splitRun, sets string, rows int) (took time.Duration, file []byte, err error) {
	var first *server
	for range r.processes {
		s, err := p.serve(ctx, "HAEXCEL_DATASET_DIR="+sets, "HAEXCEL_WORKER_COUNT=1", "HAEXCEL_LARGE_WORKER_COUNT=1")
		if err != nil {
			return 0, nil, err
		}
		defer s.stop()
		if first == nil {
			first = s
		}
	}
	c := client{first.api, "split"}
	started := time.Now()
	s, err := c.submit(ctx, r.dataset, request{FileName: "orders", TotalCnt: rows, Packaging: "zip"})
	for err == nil && s.Status != "DONE" {
		if err = pause(ctx, 50*time.Millisecond); err == nil {
			s, err = c.status(ctx, s.JobID)
		}
	}
	took = time.Since(started)
	if err == nil {
		file, err = c.download(ctx, s.JobID)
	}
	return took, file, err
}

// download fetches a finished file; a signed link is followed.
func (c client) download(ctx context.Context, jobID string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.api+"/"+jobID+"/file", nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-User-Id", c.user)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("download: %s", answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// entry is one part of one of the workbooks in a zip.
type entry struct {
	workbook, name string
	sum            [sha256.Size]byte
}

// entriesOf lists what is in all workbooks of a zip. Two files whose entries are
// equal have equal cells, of equal types and formats.
func entriesOf(file []byte) ([]entry, error) {
	var all []entry
	err := eachEntry(file, func(workbook string, content []byte) error {
		return eachEntry(content, func(name string, content []byte) error {
			all = append(all, entry{workbook, name, sha256.Sum256(content)})
			return nil
		})
	})
	return all, err
}

func eachEntry(archive []byte, do func(name string, content []byte) error) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(in)
		if err = errors.Join(err, in.Close()); err == nil {
			err = do(f.Name, content)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// parts is the number of workbooks.
func parts(entries []entry) int {
	names := map[string]bool{}
	for _, e := range entries {
		names[e.workbook] = true
	}
	return len(names)
}

func compareEntries(want, got []entry) (verdict string, err error) {
	if len(got) != len(want) {
		return "", fmt.Errorf("%d entries, in one go there are %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return "", fmt.Errorf("%s: %s differs from %s: %s of the file made in one go", got[i].workbook, got[i].name, want[i].workbook, want[i].name)
		}
	}
	return "every sheet as in one go", nil
}
