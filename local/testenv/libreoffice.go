//go:build unix

package main

import "context"

// libreOffice is Calc without its windows, which converts workbooks.
func libreOffice() service {
	return service{
		name:     "libreoffice",
		variable: "HAEXCEL_TEST_SOFFICE",
		packages: []string{"libreoffice-calc-nogui"},
		missing: func() string {
			if findSOffice() == "" {
				return "soffice is not on this machine"
			}
			return ""
		},
		start: func(context.Context, *environment) (string, error) { return findSOffice(), nil },
	}
}

// findSOffice returns LibreOffice's program, or an empty text.
func findSOffice() string {
	return findProgram([]string{"soffice"}, "/usr/lib/libreoffice/program", "/opt/libreoffice*/program", "/Applications/LibreOffice.app/Contents/MacOS")
}
