//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A virtualEnvironment is a Python of its own with one package in it.
type virtualEnvironment struct {
	title        string // what messages call the package
	name         string // of the folder, with the version
	requirement  string // as pip takes it
	constraints  []byte // pins what the package pulls in
	installation string // how long that takes
}

// install returns the Python of the environment. A virtual environment can't be
// moved: it is made in its place.
func (v virtualEnvironment) install(ctx context.Context, env *environment) (python string, err error) {
	base := findPython()
	folder, err := cached{
		title:   v.title,
		name:    v.name,
		content: append([]byte(base+"\n"), v.constraints...),
		takes:   v.installation,
		fill: func(ctx context.Context, env *environment, folder string) error {
			return v.fill(ctx, env, base, folder)
		},
	}.install(ctx, env)
	return environmentPython(folder), err
}

func (v virtualEnvironment) fill(ctx context.Context, env *environment, base, folder string) error {
	constraints := filepath.Join(env.folder, v.name+"-constraints.txt")
	if err := os.WriteFile(constraints, v.constraints, 0o644); err != nil {
		return err
	}
	for _, command := range [][]string{
		{base, "-m", "venv", folder},
		{environmentPython(folder), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet",
			"--constraint", constraints, v.requirement},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = pythonEnvironment()
		if err := env.run(ctx, cmd, v.name+"-install.log"); err != nil {
			return err
		}
	}
	return nil
}

func environmentPython(folder string) string { return filepath.Join(folder, "bin", "python") }

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
