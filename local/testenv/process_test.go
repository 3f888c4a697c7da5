//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServeWaitsUntilTheServerAnswers(t *testing.T) {
	t.Parallel()
	env := newTestEnvironment(t)
	answers := 0
	port, err := env.serve(t.Context(), server{
		log:     "slow.log",
		command: func(int) *exec.Cmd { return exec.Command("sleep", "600") },
		probe: func(context.Context, int) error {
			if answers++; answers < 3 {
				return errors.New("not yet")
			}
			return nil
		},
		patience: time.Minute,
		stopping: syscall.SIGTERM,
		orphaned: syscall.SIGKILL,
	})
	if err != nil {
		t.Fatal(err)
	}
	if answers != 3 || port == 0 {
		t.Errorf("returned port %d after %d probes", port, answers)
	}
}

func TestServeTellsWhyAServerEnded(t *testing.T) {
	t.Parallel()
	env := newTestEnvironment(t)
	ports := map[int]bool{}
	_, err := env.serve(t.Context(), server{
		log: "broken.log",
		command: func(port int) *exec.Cmd {
			ports[port] = true
			return exec.Command("sh", "-c", "echo no room on port "+strconv.Itoa(port)+"; exit 3")
		},
		probe:    func(context.Context, int) error { return errors.New("refused") },
		patience: time.Minute,
		stopping: syscall.SIGTERM,
		orphaned: syscall.SIGKILL,
	})
	if err == nil || !strings.Contains(err.Error(), "no room on port") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("said %v", err)
	}
	if len(ports) < 2 {
		t.Errorf("tried %d ports; another program may have had the first", len(ports))
	}
}

func TestServeGivesUpOnASilentServer(t *testing.T) {
	t.Parallel()
	env := newTestEnvironment(t)
	var started *exec.Cmd
	_, err := env.serve(t.Context(), server{
		log: "silent.log",
		command: func(int) *exec.Cmd {
			started = exec.Command("sh", "-c", "echo still loading; exec sleep 600")
			return started
		},
		probe: func(_ context.Context, port int) error {
			_, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
			return err
		},
		patience: time.Second,
		stopping: syscall.SIGTERM,
		orphaned: syscall.SIGKILL,
	})
	if err == nil || !strings.Contains(err.Error(), "no answer in 1s") || !strings.Contains(err.Error(), "still loading") {
		t.Errorf("said %v", err)
	}
	if started.ProcessState == nil {
		t.Error("the server was left running")
	}
}

func TestRunIsEndedWithItsContext(t *testing.T) {
	t.Parallel()
	env := newTestEnvironment(t)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.Command("sh", "-c", "sleep 600 & wait")
	done := make(chan error, 1)
	go func() { done <- env.run(ctx, cmd, "install.log") }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("returned %v", err)
	}
	if cmd.ProcessState == nil {
		t.Error("the command was left running")
	}
}

func TestLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	env := newTestEnvironment(t)
	path := filepath.Join(env.folder, "lock")
	unlock, err := lock(t.Context(), env, path)
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lock(ctx, env, path); !errors.Is(err, context.Canceled) {
		t.Fatalf("a lock that is held: %v, want to wait until the context ends", err)
	}

	unlock()
	again, err := lock(t.Context(), env, path)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestTailIsShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.log")
	if got := tail(path); got != "" {
		t.Errorf("a file that is not there ends with %q", got)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("noise\n", 1000)+"the reason\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(tail(path), "\n")
	if len(got) != 25 || got[24] != "the reason" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}

func TestFolderIsPassable(t *testing.T) {
	t.Parallel()
	open, err := os.MkdirTemp("/tmp", "testenv-open-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(open) })
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if !passable(open) {
		t.Errorf("%s lets everyone through", open)
	}
	closed := filepath.Join(open, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(closed, "inside")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if passable(inside) {
		t.Errorf("%s is below a folder that is closed to others", inside)
	}
}

func newTestEnvironment(t *testing.T) *environment {
	t.Helper()
	env, err := newEnvironment(&bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.close(); err != nil {
			t.Error(err)
		}
	})
	return env
}
