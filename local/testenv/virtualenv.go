//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A virtualEnvironment is a Python of its own with one package in it.
type virtualEnvironment struct {
	title        string // what messages call the package
	name         string // of the folder, with the version
	requirement  string // as pip takes it
	constraints  []byte // pins what the package pulls in
	installation string // how long that takes
}

// install returns the Python of the environment. It is made once and kept in the
// user's cache folder, under a name that changes with what goes into it. A
// virtual environment can't be moved, so it is made in its place: a lock keeps
// other runs out meanwhile, and a mark, written last, tells a finished one.
func (v virtualEnvironment) install(ctx context.Context, env *environment) (python string, err error) {
	base := findPython()
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(base+"\n"), v.constraints...))
	folder := filepath.Join(cache, v.name+"-"+hex.EncodeToString(sum[:6]))

	unlock, err := lock(ctx, env, folder+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()

	python = filepath.Join(folder, "bin", "python")
	mark := filepath.Join(folder, "complete")
	if _, err := os.Stat(mark); err == nil {
		return python, nil
	}
	env.say("installing %s into %s, once; this takes %s", v.title, folder, v.installation)
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	constraints := filepath.Join(env.folder, v.name+"-constraints.txt")
	if err := os.WriteFile(constraints, v.constraints, 0o644); err != nil {
		return "", err
	}
	for _, command := range [][]string{
		{base, "-m", "venv", folder},
		{python, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet",
			"--constraint", constraints, v.requirement},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = pythonEnvironment()
		if err := env.run(ctx, cmd, v.name+"-install.log"); err != nil {
			return "", fmt.Errorf("install %s: %w", v.title, err)
		}
	}
	return python, os.WriteFile(mark, nil, 0o644)
}

// cacheFolder is the user's cache folder; where there is none (no HOME), the
// environment is made below the folder for temporary files.
func cacheFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "haexcel")
	return folder, os.MkdirAll(folder, 0o755)
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

// lackOfPython says that there is no Python for virtual environments, or returns an
// empty text.
func lackOfPython() string {
	if findPython() == "" {
		return "Python 3.13 or later is neither on the PATH nor under pyenv's versions"
	}
	return ""
}

// findPython returns a Python that virtual environments are made of, or an empty
// text. 3.13 comes first, being what LocalStack's constraints were tried with. Each is asked for
// its version: pyenv's stand-ins on the PATH fail where that version is not
// switched on.
func findPython() string {
	var candidates []string
	for _, name := range []string{"python3.13", "python3.14", "python3"} {
		if path, err := exec.LookPath(name); err == nil {
			candidates = append(candidates, path)
		}
	}
	root := os.Getenv("PYENV_ROOT")
	if root == "" {
		home, _ := os.UserHomeDir() // an empty one matches nothing below
		root = filepath.Join(home, ".pyenv")
	}
	for _, pattern := range []string{"3.13.*", "3.14.*"} {
		if path := highestVersion(filepath.Join(root, "versions", pattern, "bin"), "python3"); path != "" {
			candidates = append(candidates, path)
		}
	}
	const check = "import sys, venv, ensurepip; assert sys.version_info >= (3, 13); print(sys.executable)"
	for _, path := range candidates {
		cmd := exec.Command(path, "-c", check)
		cmd.Env = pythonEnvironment()
		if output, err := cmd.Output(); err == nil {
			return strings.TrimSpace(string(output))
		}
	}
	return ""
}

// pythonEnvironment is testenv's own environment without what would change
// a Python, LocalStack's settings or its credentials.
func pythonEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		for _, prefix := range []string{"AWS_", "LOCALSTACK_", "PYTHON", "TMPDIR=", "VIRTUAL_ENV="} {
			if strings.HasPrefix(entry, prefix) {
				return true
			}
		}
		return false
	})
}
