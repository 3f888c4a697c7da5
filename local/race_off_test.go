//go:build !race

package main

// buildFlags build the program under test as the tests themselves are.
var buildFlags []string
