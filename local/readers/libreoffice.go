package readers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// csvFilter writes all sheets as CSV in UTF-8, cells as they are shown.
const csvFilter = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,true,false,false,-1"

// LibreOffice has LibreOffice, whose program is at the path, convert every sheet
// to CSV: all cells, the empty ones too, are what they show. Its language is
// English. Line breaks in a text come out as \n.
//
// A reading starts a program of its own, at home in a fresh folder, so that
// nobody's settings count and several can run.
func LibreOffice(soffice string) Reader { return libreOffice{soffice} }

type libreOffice struct{ soffice string }

func (libreOffice) Name() string { return "LibreOffice" }

func (r libreOffice) Read(ctx context.Context, path string, visit Visit) error {
	return LibreOfficeAll(ctx, r.soffice, []Workbook{{path, visit}})
}

// Workbook is the path of a workbook and who is shown its rows.
type Workbook struct {
	Path  string
	Visit Visit
}

// LibreOfficeAll reads several workbooks as LibreOffice's Read does, with one start
// of the program, which takes longer than many small workbooks. The first fault
// ends the reading of all.
func LibreOfficeAll(ctx context.Context, soffice string, books []Workbook) (err error) {
	folder, err := os.MkdirTemp("", "haexcel-libreoffice-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return err
	}
	args := []string{"--headless", "--norestore", "-env:UserInstallation=file://" + filepath.Join(folder, "profile"),
		"--convert-to", csvFilter, "--outdir", folder}
	for i, b := range books {
		path, err := filepath.Abs(b.Path)
		if err != nil {
			return err
		}
		// The files that it writes are called after the workbook.
		if err := os.Symlink(path, bookPath(folder, i)+".xlsx"); err != nil {
			return err
		}
		args = append(args, bookPath(folder, i)+".xlsx")
	}
	// It may end well without having written anything; what it said tells.
	said, err := convert(ctx, soffice, folder, args)
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	for i, b := range books {
		sheets := convertedSheets(said, bookPath(folder, i)+"-")
		if len(sheets) == 0 {
			return fmt.Errorf("it converted no sheet: %s", said)
		}
		s := steps{visit: b.Visit}
		for _, sheet := range sheets {
			s.begin(sheet.name)
			if err := showCSV(ctx, sheet.path, &s); err != nil {
				return err
			}
		}
	}
	return nil
}

func bookPath(folder string, i int) string { return filepath.Join(folder, fmt.Sprintf("book%d", i)) }

func convert(ctx context.Context, soffice, folder string, args []string) (said string, err error) {
	cmd := exec.CommandContext(ctx, soffice, args...)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder, "TMPDIR=" + folder, "LC_ALL=C.UTF-8", "TZ=UTC"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

type convertedSheet struct{ name, path string }

// convertedSheets finds the sheets of a workbook and their files, which begin with
// the prefix, in its order, in what the program said. It makes a file's name of the
// sheet's in its own way.
func convertedSheets(said, prefix string) (sheets []convertedSheet) {
	for line := range strings.Lines(said) {
		rest, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "Writing sheet ")
		if !found {
			continue
		}
		if name, file, found := strings.Cut(rest, " -> "+prefix); found {
			sheets = append(sheets, convertedSheet{name, prefix + file})
		}
	}
	return sheets
}
