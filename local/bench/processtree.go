package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// tick is the unit of CPU times in /proc, on every architecture that Go runs on.
const tick = time.Second / 100

const (
	// quietFor is how long servers do nothing before they count as at rest, and
	// quietCPU what they may use in that time: they have clocks to look at.
	quietFor = 300 * time.Millisecond
	quietCPU = tick
	// restPatience is how long a measurement waits for that.
	restPatience = 2 * time.Minute
)

// processTree sums the CPU time of the processes below one, such as the servers
// that local/testenv has started. Those below the parent of this process, which
// is the benchmark itself, do not belong to it.
type processTree struct {
	root   int // 0: there is none
	except int
	proc   procfs.FS
}

func newProcessTree(root int) (processTree, error) {
	proc, err := procfs.NewDefaultFS()
	return processTree{root: root, except: os.Getppid(), proc: proc}, err
}

// cpu is the time used so far and the names of the processes. A process that
// ends in between passes its time on to the one that started it, so nothing is
// lost as long as that one is of the tree too.
func (t processTree) cpu() (total time.Duration, names []string, err error) {
	if t.root == 0 {
		return 0, nil, nil
	}
	children, err := t.children()
	if err != nil {
		return 0, nil, err
	}
	for below := children[t.root]; len(below) > 0; {
		p := below[0]
		below = below[1:]
		if p.PID == t.except {
			continue
		}
		below = append(below, children[p.PID]...)
		ticks := int(p.UTime+p.STime) + p.CUTime + p.CSTime
		total += time.Duration(ticks) * tick
		names = append(names, p.Comm)
	}
	slices.Sort(names)
	return total, slices.Compact(names), nil
}

// children lists the processes of the system by their parents.
func (t processTree) children() (map[int][]procfs.ProcStat, error) {
	processes, err := t.proc.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	children := map[int][]procfs.ProcStat{}
	for _, p := range processes {
		stat, err := p.Stat()
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has just ended
		}
		if err != nil {
			return nil, fmt.Errorf("look at process %d: %w", p.PID, err)
		}
		children[stat.PPID] = append(children[stat.PPID], stat)
	}
	return children, nil
}

// settle waits until the processes are at rest. restless is true when they were
// not in time.
func (t processTree) settle(ctx context.Context) (restless bool, err error) {
	if t.root == 0 {
		return false, nil
	}
	before, _, err := t.cpu()
	for end := time.Now().Add(restPatience); err == nil; {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(quietFor):
		}
		var now time.Duration
		if now, _, err = t.cpu(); err != nil {
			break
		}
		switch {
		case now-before <= quietCPU:
			return false, nil
		case time.Now().After(end):
			return true, nil
		}
		before = now
	}
	return false, err
}

// peakMemory is the greatest resident memory of this process so far.
func peakMemory() (uint64, error) {
	self, err := procfs.Self()
	if err != nil {
		return 0, err
	}
	status, err := self.NewStatus()
	return status.VmHWM, err
}
