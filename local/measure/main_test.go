package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func TestMeasurePrintsOneLineForEachSize(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--rows", "200, 400", "--limit", "1000"}, &stdout, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(lines) != 4 || !regexp.MustCompile(`^\s*200\s+\d+\.\d\s+\d+\.\d\s+[1-9]\d*\.\d$`).MatchString(strings.TrimRight(lines[1], " ")) {
		t.Errorf("it prints:\n%s", &stdout)
	}
}

func TestMeasureFailsBeyondItsLimit(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--rows", "100", "--limit", "-1"}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "limit") {
		t.Errorf("code %d: %s", code, &stderr)
	}
}
