// Command benchcheck reads the workbooks that `make bench` left in a folder and
// compares every cell with the row it was made of (local/bench/rows):
//
//	benchcheck [-readers structure,openpyxl,libreoffice] DIR
//
// A file is read by xlsxtest, which also checks its structure as strictly as
// Excel does, by openpyxl in its read-only mode, of up to 200,000 rows also in its
// normal one, and by LibreOffice, whose displayed texts are compared. `make
// bench-check` runs it beside the last two, which local/testenv brings.
//
// It prints a line for each file and reader. At the first difference it names
// sheet, cell, what was expected and what was found, and ends with code 1, as it
// does where there is nothing to check. Files that haexcel did not write are left
// out.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{
		soffice: os.Getenv("HAEXCEL_TEST_SOFFICE"),
		python:  os.Getenv("HAEXCEL_TEST_OPENPYXL_PYTHON"),
		stdout:  os.Stdout,
		stderr:  os.Stderr,
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
