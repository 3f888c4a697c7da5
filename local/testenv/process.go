//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A spawner starts all processes on one operating-system thread that lives as
// long as testenv does: Linux sends a parent-death signal when the thread that
// started the process ends, not when its program does.
type spawner chan func()

func newSpawner() spawner {
	s := make(spawner)
	go func() {
		runtime.LockOSThread()
		for start := range s {
			start()
		}
	}()
	return s
}

// start starts cmd in a process group of its own, which is what is signalled
// to stop it with all its children. The kernel sends it orphaned when testenv
// dies without stopping it, where the system can do that.
func (s spawner) start(cmd *exec.Cmd, orphaned syscall.Signal) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	signalOnParentDeath(cmd.SysProcAttr, orphaned)
	result := make(chan error, 1)
	s <- func() { result <- cmd.Start() }
	return <-result
}

func (s spawner) close() { close(s) }

// run runs a short-lived command, such as an installer, with its output in a
// log file, and ends it with its children when ctx ends. The error carries the
// end of the log.
func (e *environment) run(ctx context.Context, cmd *exec.Cmd, log string) error {
	p, err := e.launch(cmd, log, syscall.SIGTERM, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		if p.err != nil {
			return p.failure()
		}
		return nil
	case <-ctx.Done():
		p.stop()
		return ctx.Err()
	}
}

// A process is a running program whose output goes to a file.
type process struct {
	cmd      *exec.Cmd
	log      string
	stopping syscall.Signal
	done     chan struct{} // closed when it has ended
	err      error         // why it ended; read it after done
}

// launch starts cmd with its output appended to the file named log in the
// environment's folder. The signal stopping asks it to end.
func (e *environment) launch(cmd *exec.Cmd, log string, stopping, orphaned syscall.Signal) (*process, error) {
	path := filepath.Join(e.folder, log)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the process has its own descriptor
	cmd.Stdout, cmd.Stderr = file, file
	if err := e.spawn.start(cmd, orphaned); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, log: path, stopping: stopping, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// stopPatience is how long a process may take to end when asked; after that
// its group is killed. Nothing it holds is worth waiting for.
const stopPatience = 10 * time.Second

// stop ends the process and its group, and returns when the process is gone.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(p.stopping)
	select {
	case <-p.done:
	case <-time.After(stopPatience):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // no such group when all have ended
	<-p.done
}

// failure describes a process that ended although it should run, or failed.
func (p *process) failure() error {
	reason := "ended"
	if p.err != nil {
		reason = p.err.Error()
	}
	if end := tail(p.log); end != "" {
		return fmt.Errorf("%s: %s; its output ends:\n%s", filepath.Base(p.cmd.Path), reason, end)
	}
	return fmt.Errorf("%s: %s, without output", filepath.Base(p.cmd.Path), reason)
}

// A server describes how one of the servers is run.
type server struct {
	log      string
	command  func(port int) *exec.Cmd
	probe    func(ctx context.Context, port int) error // nil once it answers
	patience time.Duration                             // how long it may take to answer
	stopping syscall.Signal                            // asks it to end
	orphaned syscall.Signal                            // what it gets when testenv dies
}

// serve starts a server on a free port and waits until it answers. Another
// program may take the port in between, so a server that ends at once is given
// another one, twice.
func (e *environment) serve(ctx context.Context, s server) (port int, err error) {
	for range 3 {
		if port, err = freePort(); err != nil {
			return 0, err
		}
		var p *process
		if p, err = e.launch(s.command(port), s.log, s.stopping, s.orphaned); err != nil {
			return 0, err
		}
		err = await(ctx, p, s, port)
		if err == nil {
			e.keep(&running{env: e, server: s, port: port, process: p})
			return port, nil
		}
		p.stop()
		if !errors.Is(err, errEnded) {
			return 0, err
		}
	}
	return 0, err
}

// errEnded marks a server that ended before it answered.
var errEnded = errors.New("did not stay up")

func await(ctx context.Context, p *process, s server, port int) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	var probed error
	for {
		once, cancelOnce := context.WithTimeout(ctx, 5*time.Second)
		err := s.probe(once, port)
		cancelOnce()
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			probed = err
		}
		select {
		case <-p.done:
			return fmt.Errorf("%w: %w", errEnded, p.failure())
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			return fmt.Errorf("no answer in %s (%w); its output ends:\n%s", s.patience, probed, tail(p.log))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// freePort finds a loopback port that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// tail returns the last lines of a log file, or nothing where there are none.
func tail(path string) string {
	const lines = 25
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	all := strings.Split(string(bytes.TrimSpace(content)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
