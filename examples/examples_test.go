// Package examples_test keeps the example modules working. They are outside this
// module, as their readers' own programs are.
package examples_test

import (
	"os"
	"os/exec"
	"testing"
)

// Whatever is exported from here must go on compiling for others, and the
// example's own test must pass. When this fails on go.mod, run `go mod tidy` in
// the example.
func TestCustomWorker(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-count=1", "./..."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = "custom-worker"
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %v: %v\n%s", args, err, output)
		}
	}
}
