//go:build unix && race

package main

// buildFlags build the programs under test as the tests themselves are.
var buildFlags = []string{"-race"}
