package cases

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// patience bounds everything that a test waits for. It is generous: the machine
// may be small and busy.
const patience = 2 * time.Minute

// binary is the program as a user builds it.
var binary string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	// The tests wait for other programs most of the time.
	flag.Parse()
	if atOnce := flag.Lookup("test.parallel"); atOnce.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		if err := atOnce.Value.Set("8"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	dir, err := os.MkdirTemp("", "haexcel-cases-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "haexcel")
	build := exec.Command("go", "build", "-o", binary, "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	return m.Run()
}
