package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/haexcel/haexcel/local/readers"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// program is one run with everything from outside.
type program struct {
	soffice, python string // paths, empty where there is none
	stdout, stderr  io.Writer
}

// maxNormalRows is what openpyxl reads in its normal mode, which holds all cells
// in memory.
const maxNormalRows = 200_000

// readerNames are what a file can be read by.
var readerNames = []string{"structure", "openpyxl", "libreoffice"}

func (p program) run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("benchcheck", flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	list := flags.String("readers", strings.Join(readerNames, ","), "`names` of the readers")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return exitUsage
	}
	wanted := strings.Split(*list, ",")
	if err := p.usable(wanted); err != nil || flags.NArg() != 1 {
		if err == nil {
			err = errors.New("name one folder")
		}
		fmt.Fprintln(p.stderr, "benchcheck:", err)
		return exitUsage
	}
	if err := p.checkFolder(ctx, flags.Arg(0), wanted); err != nil {
		fmt.Fprintln(p.stderr, "benchcheck:", err)
		return exitFailed
	}
	return 0
}

// usable says why a reader that was asked for can't be had.
func (p program) usable(wanted []string) error {
	for _, name := range wanted {
		if !slices.Contains(readerNames, name) {
			return fmt.Errorf("unknown reader %q; there are %s", name, strings.Join(readerNames, ", "))
		}
	}
	if slices.Contains(wanted, "openpyxl") && p.python == "" {
		return errors.New("HAEXCEL_TEST_OPENPYXL_PYTHON is not set: run `make bench-check`")
	}
	if slices.Contains(wanted, "libreoffice") && p.soffice == "" {
		return errors.New("HAEXCEL_TEST_SOFFICE is not set: run `make bench-check`")
	}
	return nil
}

func (p program) checkFolder(ctx context.Context, folder string, wanted []string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	checked := 0
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".xlsx" {
			continue
		}
		f, err := parseName(e.Name())
		if err != nil {
			return err
		}
		if !f.ours() {
			fmt.Fprintf(p.stdout, "%s: left out, haexcel did not write it\n", e.Name())
			continue
		}
		f.path = filepath.Join(folder, e.Name())
		if err := p.checkFile(ctx, f, wanted); err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
		checked++
	}
	if checked == 0 {
		return fmt.Errorf("there is no workbook to check in %s that haexcel wrote", folder)
	}
	return nil
}

// checkFile reads a file with one reader after the other.
func (p program) checkFile(ctx context.Context, f file, wanted []string) error {
	for _, r := range []struct {
		name   string
		fits   bool
		reader readers.Reader
	}{
		{"structure", true, readers.Structure()},
		{"openpyxl", true, readers.Openpyxl(p.python, true)},
		{"openpyxl", f.rows <= maxNormalRows, readers.Openpyxl(p.python, false)},
		{"libreoffice", true, readers.LibreOffice(p.soffice)},
	} {
		if !slices.Contains(wanted, r.name) || !r.fits {
			continue
		}
		begun := time.Now()
		c := newCursor(f)
		if err := r.reader.Read(ctx, f.path, c.row); err != nil {
			return fmt.Errorf("%s: %w", r.reader.Name(), err)
		}
		if err := c.end(); err != nil {
			return fmt.Errorf("%s: %w", r.reader.Name(), err)
		}
		fmt.Fprintf(p.stdout, "%s: %s: %d rows in %d sheets, %d cells agree (%.0f s)\n",
			filepath.Base(f.path), r.reader.Name(), c.next, c.sheets, c.cells, time.Since(begun).Seconds())
	}
	return nil
}
