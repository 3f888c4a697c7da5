//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A service is one server that tests talk to, or a program that they run.
type service struct {
	name     string   // as -only takes it
	variable string   // what the command finds its address in; empty for a program on the PATH
	packages []string // the Debian packages that bring its programs

	// missing says what the machine lacks to run the server itself, or returns
	// an empty text.
	missing func() string
	// start runs the server on this machine and returns its address.
	start func(ctx context.Context, env *environment) (address string, err error)
	// startContainer runs the server in a container and returns its address; nil
	// for a program, which has to be on the machine itself.
	startContainer func(ctx context.Context, env *environment) (address string, err error)
}

func allServices() []service {
	return slices.Concat([]service{mariaDB(), postgres(), localStack()}, programs(), readers())
}

// An environment is what one run of testenv has started.
type environment struct {
	folder   string // readable by the servers' accounts; removed at the end
	messages io.Writer
	spawn    spawner

	mu        sync.Mutex
	stops     []func()
	addresses map[string]string   // by variable
	running   map[string]*running // by the service's name
}

func newEnvironment(messages io.Writer) (*environment, error) {
	folder, err := newFolder()
	if err != nil {
		return nil, err
	}
	return &environment{
		folder:    folder,
		messages:  messages,
		spawn:     newSpawner(),
		addresses: map[string]string{},
		running:   map[string]*running{},
	}, nil
}

// say prints one line of testenv's own.
func (e *environment) say(format string, args ...any) {
	fmt.Fprintf(e.messages, "testenv: "+format+"\n", args...)
}

// onClose remembers what stops a server.
func (e *environment) onClose(stop func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stops = append(e.stops, stop)
}

// keep remembers a server that runs on this machine.
func (e *environment) keep(r *running) {
	e.onClose(func() { r.end(false) })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running[strings.TrimSuffix(r.server.log, ".log")] = r
}

// startAll starts the services side by side. It fails when one could not be
// had and CI=true, or when ctx ends; otherwise what is missing is reported and
// left out.
func (e *environment) startAll(ctx context.Context, services []service) error {
	begun := time.Now()
	install := sync.OnceValue(func() error { return installPackages(ctx, e, services) })

	failures := make([]error, len(services))
	var wg sync.WaitGroup
	for i, s := range services {
		wg.Go(func() {
			address, err := e.startOne(ctx, s, install)
			if err != nil {
				failures[i] = fmt.Errorf("%s can't be had: %w", s.name, err)
				return
			}
			if s.variable == "" {
				return
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			e.addresses[s.variable] = address
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := errors.Join(failures...)
	if err != nil && os.Getenv("CI") == "true" {
		return err
	}
	var ready []string
	for i, s := range services {
		if failures[i] == nil {
			ready = append(ready, s.name)
		} else {
			e.say("%v", failures[i])
			e.say("tests that need %s are skipped (with CI=true they fail)", s.name)
		}
	}
	if len(ready) > 0 {
		e.say("%s ready after %.0f s", strings.Join(ready, ", "), time.Since(begun).Seconds())
	}
	return nil
}

// startOne starts a service in the best way there is: the machine's own
// program, else Debian's packages, else a container.
func (e *environment) startOne(ctx context.Context, s service, install func() error) (string, error) {
	lack := s.missing()
	if lack == "" {
		return s.start(ctx, e)
	}
	if len(s.packages) > 0 {
		if err := install(); err != nil {
			lack += "; " + err.Error()
		} else if lack = s.missing(); lack == "" {
			return s.start(ctx, e)
		}
	}
	if s.startContainer == nil {
		return "", errors.New(lack)
	}
	if err := containerEngine(ctx); err != nil {
		return "", fmt.Errorf("%s; no container engine answers: %w", lack, err)
	}
	e.say("%s runs in a container: %s", s.name, lack)
	return s.startContainer(ctx, e)
}

// variables returns the command's environment: testenv's own, in which the
// addresses of services that were not started are taken out.
func (e *environment) variables() []string {
	var list []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "HAEXCEL_TEST_") {
			list = append(list, entry)
		}
	}
	for variable, address := range e.addresses {
		list = append(list, variable+"="+address)
	}
	return list
}

// close stops all servers at once and removes the folder.
func (e *environment) close() error {
	e.mu.Lock()
	stops := e.stops
	e.stops = nil
	e.mu.Unlock()
	var wg sync.WaitGroup
	for _, stop := range stops {
		wg.Go(stop)
	}
	wg.Wait()
	e.spawn.close()
	return removeFolder(e.folder)
}

// newFolder makes the folder that holds all data. Servers run under accounts
// of their own when testenv runs as root, so each of them must be able to pass
// through; a TMPDIR private to root is not used for that reason.
func newFolder() (string, error) {
	parent := os.TempDir()
	if os.Geteuid() == 0 && !passable(parent) {
		parent = "/tmp"
	}
	folder, err := os.MkdirTemp(parent, "haexcel-testenv-")
	if err != nil {
		return "", err
	}
	return folder, os.Chmod(folder, 0o755)
}

// passable reports whether any account may pass through a folder and those
// above it.
func passable(folder string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return true
		}
		folder = parent
	}
}

// removeFolder removes the folder. A server's last helper process may still be
// writing for a moment, so a folder that is not empty yet is tried again.
func removeFolder(folder string) error {
	var err error
	for range 20 {
		if err = os.RemoveAll(folder); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}
