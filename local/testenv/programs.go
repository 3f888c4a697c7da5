//go:build unix

package main

import "context"

// programs are what tests run beside the servers: what a user types, and what
// other readers of the files run on.
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
		missing:  func() string { return lackOfPrograms(name) },
		start:    func(context.Context, *environment) (string, error) { return "", nil },
	}
}
