//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// The programs, as users build them: the harness and what runs its database. With
// the race detector their work would be most of what all tests cost; the tests of
// their parts run with it.
var harnessBinary, testenvBinary string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "haexcel-chaos-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	harnessBinary, testenvBinary = filepath.Join(dir, "chaos"), filepath.Join(dir, "testenv")
	for path, source := range map[string]string{harnessBinary: ".", testenvBinary: "../testenv"} {
		build := exec.Command("go", "build", "-o", path, source)
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build", source+":", err)
			return 1
		}
	}
	return m.Run()
}

// outcome is what a run has told.
type outcome struct {
	code   int
	counts map[string]int
	output string
}

var (
	lastLine = regexp.MustCompile(`^chaos: jobs=\d+ done=\d+ kills=\d+ resumed=\d+ pauses=\d+ duplicates=\d+ lost=\d+ faults=\d+ restarts=\d+ violations=\d+$`)
	count    = regexp.MustCompile(`(\w+)=(\d+)`)
)

// unleash runs the harness on a database server of its own, which it may kill, and
// on LocalStack.
func unleash(t *testing.T, database string, needs func(testing.TB) string, args ...string) outcome {
	t.Helper()
	needs(t) // the test ends here where the machine has no such database
	endpoint := testservices.AWSEndpoint(t)
	out := t.TempDir()
	cmd := exec.Command(testenvBinary, append([]string{
		"-control", "-only", database, "--", harnessBinary,
		"-database", database, "-s3", endpoint, "-out", out,
		// The machine may be small, and busy with other tests.
		"-slack", "90s", "-job-ttl", "10m",
	}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{code: cmd.ProcessState.ExitCode(), counts: map[string]int{}, output: stdout.String() + stderr.String()}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	last := lines[len(lines)-1]
	if !lastLine.MatchString(last) {
		t.Fatalf("exit code %d, the last line is %q\n%s", o.code, last, o.output)
	}
	for _, m := range count.FindAllStringSubmatch(last, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		o.counts[m[1]] = n
	}
	if violations := strings.Count(stdout.String(), "violation: "); violations != o.counts["violations"] || violations != len(lines)-1 {
		t.Errorf("%d violations are named, %d counted:\n%s", violations, o.counts["violations"], stdout.String())
	}
	t.Cleanup(func() {
		if t.Failed() {
			logWarnings(t, out)
		}
	})
	return o
}

// logWarnings shows what the processes had to complain of.
func logWarnings(t *testing.T, folder string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(folder, "*", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		content, err := os.ReadFile(path) //nolint:gosec // the test's own
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(content), "\n")
		t.Logf("%s ends:\n%s", filepath.Base(path), strings.Join(lines[max(0, len(lines)-60):], "\n"))
	}
}

// Whatever goes wrong, nothing is lost.
func TestChaos(t *testing.T) {
	t.Parallel()
	for database, needs := range map[string]func(testing.TB) string{mariaDB: testservices.MariaDB, postgres: testservices.Postgres} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			o := unleash(t, database, needs, "-minutes", "1", "-jobs", "45", "-seed", "7")
			if o.code != exitKept || o.counts["violations"] != 0 {
				t.Errorf("exit code %d:\n%s", o.code, o.output)
			}
			if o.counts["jobs"] < 45 { // and those that were submitted again
				t.Errorf("%d jobs were accepted", o.counts["jobs"])
			}
			for _, name := range []string{"done", "kills", "resumed", "pauses", "duplicates", "lost", "faults", "restarts"} {
				if o.counts[name] == 0 {
					t.Errorf("%s=0: this run shows nothing\n%s", name, o.output)
				}
			}
		})
	}
}

// A job table whose claim has no guard is found out.
func TestUnguardedClaimIsFoundOut(t *testing.T) {
	t.Parallel()
	o := unleash(t, mariaDB, testservices.MariaDB, "-minutes", "0.6", "-jobs", "60", "-seed", "3", "-broken-claim")
	if o.code != exitBroken || o.counts["violations"] == 0 {
		t.Errorf("exit code %d, %d violations:\n%s", o.code, o.counts["violations"], o.output)
	}
	if !strings.Contains(o.output, "taken from its owner") && !strings.Contains(o.output, "no way for a job") {
		t.Errorf("no violation tells of a claim:\n%s", o.output)
	}
}
