package main

import "syscall"

// signalOnParentDeath makes the kernel signal the process when testenv dies.
func signalOnParentDeath(attributes *syscall.SysProcAttr, signal syscall.Signal) {
	attributes.Pdeathsig = signal
}
