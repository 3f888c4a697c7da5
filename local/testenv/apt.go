//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// policyFile is what Debian's packages ask before they start their services.
const policyFile = "/usr/sbin/policy-rc.d"

// installPackages installs the Debian packages of all services that lack their
// programs. It fails where this is not Debian or testenv is not root.
func installPackages(ctx context.Context, env *environment, services []service) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("there is no apt-get to install it with")
	}
	var packages []string
	for _, s := range services {
		if s.missing() != "" {
			packages = append(packages, s.packages...)
		}
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	if os.Geteuid() != 0 {
		return fmt.Errorf("install it as root with: apt-get install %s", strings.Join(packages, " "))
	}
	unlock, err := lock(ctx, env, "/run/lock/haexcel-testenv-apt.lock")
	if err != nil {
		return err
	}
	defer unlock()
	restore, err := forbidServices()
	if err != nil {
		return err
	}
	defer restore()

	env.say("installing %s", strings.Join(packages, ", "))
	for _, args := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-y", "-qq", "--no-install-recommends"}, packages...),
	} {
		cmd := exec.Command(apt, append([]string{"-o", "DPkg::Lock::Timeout=300"}, args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "LC_ALL=C.UTF-8")
		if err := env.run(ctx, cmd, "apt.log"); err != nil {
			return fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	return nil
}

// forbidServices keeps packages from starting the services they bring: tests
// use servers of their own. A policy that the machine has already is left as
// it is.
func forbidServices() (restore func(), err error) {
	file, err := os.OpenFile(policyFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if errors.Is(err, os.ErrExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString("#!/bin/sh\nexit 101\n")
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	restore = func() { _ = os.Remove(policyFile) }
	if err != nil {
		restore()
		return nil, err
	}
	return restore, nil
}
