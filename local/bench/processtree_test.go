package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// busyChild starts a shell that works for a while in a process of its own, which
// ends, says so and then waits until the test is over.
func busyChild(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", `(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done); echo; read wait`)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // read fails at the end of the input
	})
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return cmd
}

// The time of processes counts, also after they have ended.
func TestProcessTreeCountsCPU(t *testing.T) {
	tree, err := newProcessTree(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := tree.cpu()
	if err != nil {
		t.Fatal(err)
	}
	child := busyChild(t)
	after, names, err := tree.cpu()
	if err != nil || after <= before || !slices.Contains(names, "sh") {
		t.Errorf("%v before and %v after, of %q, %v", before, after, names, err)
	}

	// The benchmark itself, here the shell, does not belong to the servers.
	tree.except = child.Process.Pid
	if without, names, err := tree.cpu(); err != nil || without >= after || slices.Contains(names, "sh") {
		t.Errorf("without the shell %v, of %q, %v", without, names, err)
	}

	// The shell itself has nothing below it any more.
	tree = processTree{root: child.Process.Pid, proc: tree.proc}
	if total, names, err := tree.cpu(); err != nil || total != 0 || names != nil {
		t.Errorf("below the shell %v, of %q, %v", total, names, err)
	}
	if restless, err := tree.settle(t.Context()); err != nil || restless {
		t.Errorf("no process is restless: %v, %v", restless, err)
	}
}

func TestNoTreeUsesNothing(t *testing.T) {
	tree, err := newProcessTree(0)
	if err != nil {
		t.Fatal(err)
	}
	if total, names, err := tree.cpu(); err != nil || total != 0 || names != nil {
		t.Errorf("%v of %q, %v", total, names, err)
	}
}

func TestPeakMemory(t *testing.T) {
	if peak, err := peakMemory(); err != nil || peak < 1<<20 {
		t.Errorf("a peak of %d bytes, %v", peak, err)
	}
}
