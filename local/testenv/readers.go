//go:build unix

package main

import (
	"os/exec"
	"strings"
)

// readers are what tests read workbooks with, beside the project's own checker.
func readers() []service {
	return []service{libreOffice(), openpyxl(), poi(), exceljs()}
}

// lackOfPrograms names those programs that are not on the PATH, or returns an empty
// text.
func lackOfPrograms(names ...string) string {
	var lacking []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			lacking = append(lacking, name)
		}
	}
	switch len(lacking) {
	case 0:
		return ""
	case 1:
		return lacking[0] + " is not on this machine"
	}
	return strings.Join(lacking, ", ") + " are not on this machine"
}
