package main

import (
	"context"
	"os"
	"slices"
	"testing"
)

// TestMain lets the test's own program be the processes that a benchmark starts.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-child") {
		p := program{stdout: os.Stdout, stderr: os.Stderr}
		os.Exit(p.run(context.Background(), os.Args[1:]))
	}
	os.Exit(m.Run())
}
