package testservices_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// Each reader is there in its version.
func TestReadersAreThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command func(t *testing.T) *exec.Cmd
		says    string
	}{
		"LibreOffice": {func(t *testing.T) *exec.Cmd {
			return exec.Command(testservices.LibreOffice(t), "-env:UserInstallation=file://"+t.TempDir(), "--version")
		}, `^LibreOffice \d+`},
		"openpyxl": {func(t *testing.T) *exec.Cmd {
			return exec.Command(testservices.OpenpyxlPython(t), "-I", "-c", "import openpyxl; print(openpyxl.__version__)")
		}, `^3\.1\.5$`},
		"exceljs": {func(t *testing.T) *exec.Cmd {
			cmd := exec.Command(testservices.Program(t, "node"), "-p", `require("exceljs"); require("exceljs/package.json").version`)
			cmd.Dir = testservices.Exceljs(t)
			return cmd
		}, `^4\.4\.0$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := c.command(t).Output()
			if said := strings.TrimSpace(string(output)); err != nil || !regexp.MustCompile(c.says).MatchString(said) {
				t.Errorf("said %q, %v, want %s", said, err, c.says)
			}
		})
	}
}

// All schemas are there, and not the part of them that POI brings by itself.
func TestPOIHasAllSchemas(t *testing.T) {
	t.Parallel()
	var names []string
	for _, jar := range filepath.SplitList(testservices.POIClasspath(t)) {
		if _, err := os.Stat(jar); err != nil {
			t.Error(err)
		}
		names = append(names, filepath.Base(jar))
	}
	all := " " + strings.Join(names, " ") + " "
	for _, jar := range []string{"poi-5.5.1.jar", "poi-ooxml-5.5.1.jar", "poi-ooxml-full-5.5.1.jar"} {
		if !strings.Contains(all, " "+jar+" ") {
			t.Errorf("%s is not among%s", jar, all)
		}
	}
	if strings.Contains(all, "poi-ooxml-lite") {
		t.Errorf("the lite schemas are among%s", all)
	}
}
