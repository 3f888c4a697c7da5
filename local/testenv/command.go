//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/term"
)

// runCommand runs the command with testenv's own input and output and returns
// its exit code (128 plus the signal's number when a signal ended it, as shells
// do). A signal to testenv is passed on to the command's whole group; when that
// does not end it in time, or a second signal comes, the group is killed.
func (e *environment) runCommand(command []string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = e.variables()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if stdin := int(os.Stdin.Fd()); term.IsTerminal(stdin) {
		// Only the terminal's foreground group may read from it, and gets its
		// Ctrl-C.
		cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: stdin}
	}
	if err := e.spawn.start(cmd, syscall.SIGKILL); err != nil {
		return exitFailed, err
	}
	group := -cmd.Process.Pid
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()

	var patience <-chan time.Time
	for {
		select {
		case received := <-signals:
			signal := received.(syscall.Signal)
			if patience != nil {
				signal = syscall.SIGKILL
			}
			_ = syscall.Kill(group, signal)
			patience = time.After(stopPatience)
		case <-patience:
			_ = syscall.Kill(group, syscall.SIGKILL)
		case err := <-done:
			_ = syscall.Kill(group, syscall.SIGKILL) // children that the command left behind
			return exitCode(cmd, err)
		}
	}
}

func exitCode(cmd *exec.Cmd, err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return exitFailed, err
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}

// watchParent reports a SIGTERM when the program that started testenv is gone:
// `go run` and make don't pass on a signal that ends them.
func watchParent(signals chan<- os.Signal) {
	parent := os.Getppid()
	for os.Getppid() == parent {
		time.Sleep(200 * time.Millisecond)
	}
	signals <- syscall.SIGTERM
}
