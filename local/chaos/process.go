//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// place of work: a slot is one of the processes that there are to be at any time,
// whichever it is at the moment.
type slot struct {
	name  string
	start func(server string) (*process, error)
	tally *tally

	mu      sync.Mutex
	process *process // nil while there is none
	births  int
	paused  bool
	since   time.Time // of the last start or the end of the last pause
	closed  bool
}

// A process is the harness's own program in another role.
type process struct {
	server string // names it in the job table
	cmd    *exec.Cmd
	exited chan struct{}
}

// crew starts processes of one role.
type crew struct {
	program     string // the harness's own
	role        string
	args        func() []string
	environment []string
	files       []*os.File
	logs        string
}

// spawn starts a process that names itself server; its log is appended to a file
// of the slot's.
func (c *crew) spawn(slotName, server string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(c.logs, slotName+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // for the user to read
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the process has its own descriptor
	p := &process{server: server, cmd: exec.Command(c.program, append([]string{c.role}, c.args()...)...), exited: make(chan struct{})}
	p.cmd.Env = append([]string{"HAEXCEL_SERVER_ID=" + server}, c.environment...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.ExtraFiles = c.files
	// Of its own: a Ctrl-C is for the harness, which ends the others in order.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a %s: %w", c.role, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in its state
		close(p.exited)
	}()
	return p, nil
}

func (c *crew) slot(name string, t *tally) *slot {
	return &slot{name: name, tally: t, start: func(server string) (*process, error) { return c.spawn(name, server) }}
}

// fill starts a process where there is none, and watches over its end.
func (s *slot) fill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil || s.closed {
		return nil
	}
	s.births++
	p, err := s.start(fmt.Sprintf("%s-%d", s.name, s.births))
	if err != nil {
		return err
	}
	s.process, s.paused, s.since = p, false, time.Now()
	go s.watch(p)
	return nil
}

// watch starts another process when one has ended that nobody has killed, which
// none should.
func (s *slot) watch(p *process) {
	<-p.exited
	s.mu.Lock()
	unasked := s.process == p && !s.closed
	if unasked {
		s.process = nil
	}
	s.mu.Unlock()
	if !unasked {
		return
	}
	s.tally.violate("the process %s ended by itself: %s", p.server, p.cmd.ProcessState)
	time.Sleep(time.Second)
	if err := s.fill(); err != nil {
		s.tally.violate("%v", err)
	}
}

// kill ends the process by SIGKILL and tells which it was, "" for none. It is gone
// when kill returns.
func (s *slot) kill() (server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process
	if p == nil {
		return ""
	}
	s.process, s.paused = nil, false
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.exited
	return p.server
}

// retire kills the process and lets no other take its place.
func (s *slot) retire() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.kill()
}

// pause stops the process for a while. It reports false where there is none, or
// one that stands still already.
func (s *slot) pause(d time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process
	if p == nil || s.paused || p.cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return false
	}
	s.paused = true
	time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.process == p {
			s.resume()
		}
	})
	return true
}

// resume lets a process go on; the slot is locked.
func (s *slot) resume() {
	_ = s.process.cmd.Process.Signal(syscall.SIGCONT) // it may have ended by itself
	s.paused, s.since = false, time.Now()
}

// calm lets a process that stands still go on, and starts one where there is none.
func (s *slot) calm() error {
	s.mu.Lock()
	if s.process != nil && s.paused {
		s.resume()
	}
	s.mu.Unlock()
	return s.fill()
}

// current is the process's name in the job table, "" while none can work.
func (s *slot) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil || s.paused {
		return ""
	}
	return s.process.server
}

// up reports that a process has been able to work for so long.
func (s *slot) up(d time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process != nil && !s.paused && time.Since(s.since) > d
}

// stopPatience is how long a process may take to give its jobs back.
const stopPatience = 2 * time.Minute

// close ends the process in order; one that does not is killed and named.
func (s *slot) close() error {
	s.mu.Lock()
	p := s.process
	s.closed = true
	if p != nil && s.paused {
		s.resume()
	}
	s.mu.Unlock()
	if p == nil {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-p.exited:
	case <-time.After(stopPatience):
		_ = p.cmd.Process.Kill()
		<-p.exited
		return fmt.Errorf("the process %s did not end when it was told to", p.server)
	}
	if !p.cmd.ProcessState.Success() {
		return errors.New("the process " + p.server + " ended badly when it was told to end: " + p.cmd.ProcessState.String())
	}
	return nil
}
