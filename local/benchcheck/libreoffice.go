package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// csvFilter writes all sheets as CSV in UTF-8, cells as they are shown.
const csvFilter = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,true,false,false,-1"

// libreOffice reads a file by having LibreOffice convert it, and compares what
// its cells show.
func (p program) libreOffice(ctx context.Context, f file, c *cursor) (err error) {
	book, err := eachRow(f, nil)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "haexcel-benchcheck-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	said, err := p.convert(ctx, f.path, folder)
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	base := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	for _, sheet := range book.Sheets {
		path := filepath.Join(folder, base+"-"+sheet.Name+".csv")
		if err := compareCSV(ctx, path, sheet.Name, c); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("it did not convert the sheet %q: %s", sheet.Name, said)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// convert runs LibreOffice, with a profile and a home of its own, so that nobody's
// settings count and several can run. It may end well without having written
// anything; what it said is returned.
func (p program) convert(ctx context.Context, path, folder string) (said string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, p.soffice, "--headless", "--norestore",
		"-env:UserInstallation=file://"+filepath.Join(folder, "profile"),
		"--convert-to", csvFilter, "--outdir", folder, path)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder, "LC_ALL=C.UTF-8", "TZ=UTC"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func compareCSV(ctx context.Context, path, sheet string, c *cursor) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := csv.NewReader(in)
	lines.FieldsPerRecord = -1
	lines.ReuseRecord = true
	var row []found
	for line := 1; ; line++ {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row = row[:0]
		for _, field := range fields {
			row = append(row, found{shown, field})
		}
		if err := c.row(sheet, line, row); err != nil {
			return err
		}
	}
}
