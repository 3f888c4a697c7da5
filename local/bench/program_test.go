package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want settings
	}{
		{"", settings{rows: 1_000_000, cols: 10, out: "build/bench", rounds: 3}},
		{"-rows 5 -cols 3 -out x -rounds 4 -shapes wide,text -writers idle", settings{
			rows: 5, cols: 3, out: "x", rounds: 4, shapes: []string{"wide", "text"}, writers: []string{"idle"},
		}},
		{"-shapes memory -writers all", settings{rows: 1_000_000, cols: 10, out: "build/bench", rounds: 3, shapes: []string{"memory"}}},
	} {
		got, child, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil || child != "" {
			t.Errorf("%q: child %q, %v", c.args, child, err)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(settings{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"-rows 0":              "0 rows",
		"-cols 0":              "0 columns",
		"-cols 1001":           "1001 columns",
		"-rounds 2":            "2 rounds",
		"-shapes round":        `unknown shape "round"; there are mixed, wide, text, numbers, memory`,
		"-writers haexcel,pen": `unknown writer "pen"; there are haexcel, `,
		"-writers ,":           `unknown writer ""`,
		"more":                 `"more"`,
		"-rows many":           "many",
	} {
		if _, _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", args, err, says)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{
		"-h":                             0,
		"-rounds 1":                      2,
		"-child {":                       1,
		`-child {"Writer":"pen"}`:        1,
		"-out /dev/null/x -writers idle": 1,
	} {
		var messages strings.Builder
		if got := (program{stdout: io.Discard, stderr: &messages}).run(t.Context(), strings.Fields(args)); got != want {
			t.Errorf("%q ends with %d, want %d: %s", args, got, want, &messages)
		}
		if messages.Len() == 0 {
			t.Errorf("%q ends without a word", args)
		}
	}
}

func TestNothingToMeasure(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var messages bytes.Buffer
	p := program{stdout: io.Discard, stderr: &messages}
	code := p.run(t.Context(), []string{"-shapes", "wide", "-writers", readMariaDB, "-out", filepath.Join(folder, "out")})
	if code != 1 || !strings.Contains(messages.String(), "none of the chosen writers") {
		t.Errorf("code %d: %s", code, messages.String())
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
	}
}
