package main

import (
	"errors"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// ownCPU is the CPU time that this process has used so far.
func ownCPU() (time.Duration, error) {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0, err
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

// startOnOneCore starts a process that runs on one processor only. A process is
// born with the processors of the thread that starts it, so one is used up for
// that.
func startOnOneCore(cmd *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := keepLastProcessor()
		if err == nil {
			err = cmd.Start()
		}
		started <- err
	}()
	return <-started
}

// keepLastProcessor leaves the calling thread the last of its processors: the
// first ones serve most interrupts.
func keepLastProcessor() error {
	var has, keeps unix.CPUSet
	if err := unix.SchedGetaffinity(0, &has); err != nil {
		return err
	}
	for cpu := 64*len(has) - 1; cpu >= 0; cpu-- {
		if has.IsSet(cpu) {
			keeps.Set(cpu)
			return unix.SchedSetaffinity(0, &keeps)
		}
	}
	return errors.New("the thread has no processor")
}
