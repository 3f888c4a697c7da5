//go:build unix && !linux

package main

import "syscall"

// signalOnParentDeath does nothing: only Linux can signal a process when its
// parent dies.
func signalOnParentDeath(*syscall.SysProcAttr, syscall.Signal) {}
