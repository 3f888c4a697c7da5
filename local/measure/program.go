package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/procfs"
)

// killAfter is how long a server may take to end.
const killAfter = 20 * time.Second

// program is haexcel's local program, with a folder in which it runs.
type program struct {
	folder, binary string
	environment    []string
	demoRows       int // of the demo that is there
}

// buildProgram compiles the program into a folder of its own.
func buildProgram(ctx context.Context, environment []string) (*program, error) {
	folder, err := os.MkdirTemp("", "haexcel-measure-")
	if err != nil {
		return nil, err
	}
	p := &program{folder: folder, binary: filepath.Join(folder, "haexcel"), environment: environment}
	build := exec.CommandContext(ctx, "go", "build", "-o", p.binary, "github.com/haexcel/haexcel/local")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("build the program: %w\n%s", err, output), p.remove())
	}
	return p, nil
}

func (p *program) remove() error { return os.RemoveAll(p.folder) }

func (p *program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.binary, args...)
	// An orderly end: a killed server's last request to a queue would take a
	// message along.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = killAfter
	cmd.Dir = p.folder
	cmd.Env = append(slices.Clone(p.environment), "HAEXCEL_LISTEN=127.0.0.1:0")
	return cmd
}

// makeDemo makes the demo orders in a process of its own, so that the peak of a
// serving one is that of its exports alone.
func (p *program) makeDemo(ctx context.Context, rows int) error {
	if p.demoRows == rows {
		return nil
	}
	cmd := p.command(ctx, "demo", "--rows", strconv.Itoa(rows))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("make the demo: %w", err)
	}
	p.demoRows = rows
	return nil
}

// server is a process that serves the demo.
type server struct {
	api  string
	pid  int
	stop func()
}

// serve starts a server with further settings and waits until it serves.
func (p *program) serve(ctx context.Context, settings ...string) (*server, error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := p.command(ctx, "serve", "--demo", "--demo-rows", strconv.Itoa(p.demoRows))
	cmd.Env = append(cmd.Env, settings...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s := &server{pid: cmd.Process.Pid, stop: func() {
		cancel()
		_ = cmd.Wait() // it was told to end
	}}
	if s.api, err = address(out); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

var serving = regexp.MustCompile(`haexcel serves (http://\S+)`)

// address waits for the line that says where the server is.
func address(out io.Reader) (string, error) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := serving.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], nil
		}
	}
	return "", errors.New("the server ended before it served")
}

const mib = 1 << 20

// peakMiB is the server's greatest resident memory so far.
func (s *server) peakMiB() (float64, error) {
	process, err := procfs.NewProc(s.pid)
	if err != nil {
		return 0, err
	}
	status, err := process.NewStatus()
	return float64(status.VmHWM) / mib, err
}
