//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal: what is written to user is collected.
func terminal(t *testing.T) (user *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("this machine gives no terminal: %v", err)
		}
		t.Skipf("this machine gives no terminal: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	user, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Close() })
	size := unix.Winsize{Row: 24, Col: 100}
	if err := unix.IoctlSetWinsize(int(user.Fd()), unix.TIOCSWINSZ, &size); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	var text bytes.Buffer
	go func() {
		block := make([]byte, 4096)
		for {
			n, err := master.Read(block)
			mu.Lock()
			text.Write(block[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return user, func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	user, shown := terminal(t)
	cmd := exec.CommandContext(t.Context(), binary, "export", "--demo-rows", "20000", "--out", "orders.xlsx")
	cmd.Dir = folder
	cmd.Env = []string{"HOME=" + folder, "TERM=xterm"}
	cmd.Stderr = user
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, shown())
	}
	eventually(t, "the bars are shown", func() bool {
		text := shown()
		return bytes.Contains([]byte(text), []byte("demo orders")) && bytes.Contains([]byte(text), []byte("%"))
	})

	// TestExportUnderTheProposedName looks at the other side: nothing on a pipe.
	m := newMeter(&bytes.Buffer{})
	m.show("rows", 1, 2)
	m.clear()
	if m.bar != nil {
		t.Error("a bar is drawn into a buffer")
	}
}

func TestMeterSurvivesEveryTotal(t *testing.T) {
	t.Parallel()
	user, shown := terminal(t)
	m := newMeter(user)
	for _, step := range []struct{ done, total int64 }{{0, 0}, {5, 0}, {5, 10}, {10, 10}, {20, 10}, {0, 10}} {
		m.show("export", step.done, step.total)
		time.Sleep(time.Millisecond)
	}
	m.clear()
	eventually(t, "something is drawn", func() bool { return shown() != "" })
}
