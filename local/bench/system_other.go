//go:build !linux

package main

import (
	"errors"
	"os/exec"
	"time"
)

var errLinuxOnly = errors.New("the benchmark runs on Linux only")

func ownCPU() (time.Duration, error) { return 0, errLinuxOnly }

func startOnOneCore(*exec.Cmd) error { return errLinuxOnly }
