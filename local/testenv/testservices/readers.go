package testservices

import "testing"

// The variables in which local/testenv names other readers of workbooks.
const (
	sofficeVariable      = "HAEXCEL_TEST_SOFFICE"
	openpyxlVariable     = "HAEXCEL_TEST_OPENPYXL_PYTHON"
	poiClasspathVariable = "HAEXCEL_TEST_POI_CLASSPATH"
	exceljsVariable      = "HAEXCEL_TEST_EXCELJS"
)

// LibreOffice returns the path of LibreOffice's program, soffice.
func LibreOffice(t testing.TB) string {
	t.Helper()
	return named(t, sofficeVariable)
}

// OpenpyxlPython returns the path of a Python that has openpyxl 3.1.5.
func OpenpyxlPython(t testing.TB) string {
	t.Helper()
	return named(t, openpyxlVariable)
}

// POIClasspath returns the jars of Apache POI 5.5.1 with all OOXML schemas and
// what they need, as `java -cp` takes them.
func POIClasspath(t testing.TB) string {
	t.Helper()
	return named(t, poiClasspathVariable)
}

// Exceljs returns the folder in whose node_modules exceljs 4.4.0 stands.
func Exceljs(t testing.TB) string {
	t.Helper()
	return named(t, exceljsVariable)
}
