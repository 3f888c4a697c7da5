//go:build unix

package main

import (
	"context"
	"os/exec"
)

// programs are what tests run beside the servers: other readers of the files
// that are written, and what a user types.
func programs() []service {
	return []service{
		programService("curl", "curl"),
		programService("java", "default-jdk-headless"),
		programService("python3", "python3"),
		programService("unzip", "unzip"),
	}
}

// programService is a service that only has to be on the machine.
func programService(name, debianPackage string) service {
	return service{
		name:     name,
		packages: []string{debianPackage},
		missing: func() string {
			if _, err := exec.LookPath(name); err != nil {
				return name + " is not on this machine"
			}
			return ""
		},
		start: func(context.Context, *environment) (string, error) { return "", nil },
	}
}
