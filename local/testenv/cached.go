//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A cached installation is made once and kept in the user's cache folder.
type cached struct {
	title   string // what messages call it
	name    string // of the folder, with the version
	content []byte // what goes into it: the folder's name changes with it
	takes   string // how long it takes
	// fill makes the installation in the folder, which is not there yet. What it
	// makes need not be movable.
	fill func(ctx context.Context, env *environment, folder string) error
}

// install returns the folder. A lock keeps other runs out while it is filled, and
// a mark, written last, tells one that is finished.
func (c cached) install(ctx context.Context, env *environment) (folder string, err error) {
	if folder, err = c.folder(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, env, folder+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()

	if finished(folder) {
		return folder, nil
	}
	env.say("installing %s into %s, once; this takes %s", c.title, folder, c.takes)
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := c.fill(ctx, env, folder); err != nil {
		return "", fmt.Errorf("install %s: %w", c.title, err)
	}
	return folder, os.WriteFile(mark(folder), nil, 0o644)
}

// installed tells whether there is nothing left to install.
func (c cached) installed() bool {
	folder, err := c.folder()
	return err == nil && finished(folder)
}

// folder is in the user's cache folder; where there is none (no HOME), below the
// folder for temporary files.
func (c cached) folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(c.content)
	return filepath.Abs(filepath.Join(cache, "haexcel", c.name+"-"+hex.EncodeToString(sum[:6])))
}

func mark(folder string) string { return filepath.Join(folder, "complete") }

func finished(folder string) bool {
	_, err := os.Stat(mark(folder))
	return err == nil
}

// lock takes the lock file, waiting for another run that has it.
func lock(ctx context.Context, env *environment, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for told := false; ; told = true {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil // closing gives the lock back
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !told {
			env.say("waiting for another run that holds %s", path)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
}
