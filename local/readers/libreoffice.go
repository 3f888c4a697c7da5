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

func (r libreOffice) Read(ctx context.Context, path string, visit Visit) (err error) {
	folder, err := os.MkdirTemp("", "haexcel-libreoffice-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return err
	}
	said, err := r.convert(ctx, path, folder)
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	sheets := convertedSheets(said, folder)
	if len(sheets) == 0 {
		return fmt.Errorf("it converted no sheet: %s", said)
	}
	s := steps{visit: visit}
	for _, sheet := range sheets {
		s.begin(sheet.name)
		if err := showCSV(ctx, sheet.path, &s); err != nil {
			return err
		}
	}
	return nil
}

// convert runs the program. It may end well without having written anything;
// what it said is returned.
func (r libreOffice) convert(ctx context.Context, path, folder string) (said string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, r.soffice, "--headless", "--norestore",
		"-env:UserInstallation=file://"+filepath.Join(folder, "profile"),
		"--convert-to", csvFilter, "--outdir", folder, path)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder, "TMPDIR=" + folder, "LC_ALL=C.UTF-8", "TZ=UTC"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

type convertedSheet struct{ name, path string }

// convertedSheets finds the sheets and their files, in the workbook's order, in
// what the program said. It makes a file's name of the sheet's in its own way.
func convertedSheets(said, folder string) (sheets []convertedSheet) {
	for line := range strings.Lines(said) {
		rest, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "Writing sheet ")
		if !found {
			continue
		}
		if name, file, found := strings.Cut(rest, " -> "+folder+string(filepath.Separator)); found {
			sheets = append(sheets, convertedSheet{name, filepath.Join(folder, file)})
		}
	}
	return sheets
}
