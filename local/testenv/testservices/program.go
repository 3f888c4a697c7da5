package testservices

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program that a test runs, such as unzip or
// java, or ends the test where the machine lacks it.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lacks(t, "%s is not on this machine: `make test` installs it on Debian", name)
	}
	return path
}

// named returns what a variable names, or ends the test where nothing is.
func named(t testing.TB, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		lacks(t, "%s is not set: run `make test`, or `go run ./local/testenv -- go test ./...`", variable)
	}
	return value
}

// lacks ends a test that can't run here: it is skipped, or with CI=true fails.
func lacks(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
