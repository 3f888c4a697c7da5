//go:build unix

package main

const openpyxlVersion = "3.1.5"

// openpyxl is a Python that has that library.
func openpyxl() service {
	return service{
		name:     "openpyxl",
		variable: "HAEXCEL_TEST_OPENPYXL_PYTHON",
		missing:  lackOfPython,
		start: virtualEnvironment{
			title:        "openpyxl",
			name:         "openpyxl-" + openpyxlVersion,
			requirement:  "openpyxl==" + openpyxlVersion,
			constraints:  []byte("et_xmlfile==2.0.0\n"),
			installation: "some seconds",
		}.install,
	}
}
