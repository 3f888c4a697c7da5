package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// measured runs the command and returns what it prints.
func measured(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, messages bytes.Buffer
	code = run(ctx, args, &out, &messages)
	return code, out.String(), messages.String()
}

func TestMeasurePrintsOneLineForEachSize(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := measured(t.Context(), "--only", "growth", "--rows", "200, 400", "--limit", "1000")
	if code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 4 || !regexp.MustCompile(`^\s*200\s+\d+\.\d\s+\d+\.\d\s+[1-9]\d*\.\d$`).MatchString(strings.TrimRight(lines[1], " ")) {
		t.Errorf("it prints:\n%s", stdout)
	}
}

func TestMeasureFailsBeyondItsLimit(t *testing.T) {
	t.Parallel()
	if code, _, stderr := measured(t.Context(), "--only", "growth", "--rows", "100", "--limit", "-1"); code != 1 || !strings.Contains(stderr, "limit") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

// The jobs are just large enough to be seen at work together.
func TestMeasureRunsJobsAtOnce(t *testing.T) {
	t.Parallel()
	args := []string{"--only", "together", "--normal", "60000", "--large", "400000", "--ceiling", "1"}
	code, stdout, stderr := measured(t.Context(), args...)
	if code != 1 || !strings.Contains(stderr, "the ceiling 1.0 MiB") {
		t.Errorf("code %d: %s", code, stderr)
	}
	want := regexp.MustCompile(`^4 normal jobs of 60000 rows and 2 large ones of 400000 rows at once: \d+ normal jobs in \d+\.\d s, peak memory \d\d+\.\d MiB\n$`)
	if !want.MatchString(stdout) {
		t.Errorf("it prints:\n%s", stdout)
	}
}

func TestMeasureOnTheTestServers(t *testing.T) {
	t.Parallel()
	testservices.MariaDB(t)
	testservices.AWSEndpoint(t)
	code, stdout, stderr := measured(t.Context(), "--testenv", "--only", "growth", "--rows", "200", "--limit", "1000")
	if code != 0 || !strings.Contains(stdout, " 200 ") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--only", "speed"}, {"--rows", "1,many"}, {"--rows", "0"}, {"--normal", "0"}, {"--normal", "10", "--large", "10"},
	} {
		if code, stdout, stderr := measured(t.Context(), args...); code != 2 || stdout != "" || !strings.Contains(stderr, strings.TrimPrefix(args[0], "--")) {
			t.Errorf("%v: code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

func TestTestServersMustBeThere(t *testing.T) {
	t.Setenv(endpointVariable, "")
	if code, _, stderr := measured(t.Context(), "--testenv"); code != 1 || !strings.Contains(stderr, endpointVariable) {
		t.Errorf("code %d: %s", code, stderr)
	}
}

// The smallest demo that is split has two parts.
func TestMeasureSplitComparesTheFiles(t *testing.T) {
	t.Parallel()
	testservices.MariaDB(t)
	testservices.AWSEndpoint(t)
	code, stdout, stderr := measured(t.Context(), "--testenv", "--only", "split", "--split", "100000")
	want := regexp.MustCompile(`(?m)^split, 2 processes +\d+\.\d +[1-9]\d*\.\d +2 +every sheet as in one go$`)
	if code != 0 || !want.MatchString(stdout) {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
}

func TestMeasureSplitNeedsQueues(t *testing.T) {
	t.Parallel()
	if code, _, stderr := measured(t.Context(), "--only", "split"); code != 2 || !strings.Contains(stderr, "-testenv") {
		t.Errorf("code %d: %s", code, stderr)
	}
}
