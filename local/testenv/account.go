//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// An account is who a database server runs as. Both servers refuse to run as
// root, so root starts them under the accounts that their packages made;
// anyone else runs them as themselves.
type account struct {
	credential *syscall.Credential // nil: as testenv itself
}

// accountOf returns the account named, for a server that may not run as root.
func accountOf(name string) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	found, err := user.Lookup(name)
	if err != nil {
		return account{}, fmt.Errorf("the server can't run as root: %w", err)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return account{}, err
	}
	return account{credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// folder makes a folder of the account's own inside the environment's.
func (a account) folder(env *environment, name string) (string, error) {
	path := filepath.Join(env.folder, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	if a.credential != nil {
		return path, os.Chown(path, int(a.credential.Uid), int(a.credential.Gid))
	}
	return path, nil
}

// command prepares a program of the account, at home in a folder of its own,
// with nothing in its environment that could change what it does.
func (a account) command(home, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LC_ALL=C.UTF-8", "TZ=UTC"}
	if a.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	}
	return cmd
}

// findProgram returns the path of the first program that is there, looked for
// on the PATH and then in the folders matching the patterns, where the highest
// version wins. It returns an empty text when none is.
func findProgram(names []string, patterns ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		for _, pattern := range patterns {
			if path := highestVersion(pattern, name); path != "" {
				return path
			}
		}
	}
	return ""
}
