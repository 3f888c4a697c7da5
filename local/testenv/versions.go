//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

var digits = regexp.MustCompile(`\d+`)

// highestVersion returns the program called name from the folders that match
// the pattern (such as /usr/lib/postgresql/*/bin), taking the folder with the
// highest version number in its path, or an empty text.
func highestVersion(pattern, name string) string {
	matches, err := filepath.Glob(filepath.Join(pattern, name))
	if err != nil {
		return ""
	}
	matches = slices.DeleteFunc(matches, func(path string) bool {
		_, err := exec.LookPath(path)
		return err != nil
	})
	if len(matches) == 0 {
		return ""
	}
	return slices.MaxFunc(matches, func(a, b string) int {
		return slices.Compare(numbers(a), numbers(b))
	})
}

// numbers returns the numbers in a path, for comparing versions: 9.6 < 15.
func numbers(path string) []int {
	var list []int
	for _, text := range digits.FindAllString(path, -1) {
		if n, err := strconv.Atoi(text); err == nil {
			list = append(list, n)
		}
	}
	return list
}
