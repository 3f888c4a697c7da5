package dataset

import (
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
)

// TestMySQLTypeNames: the driver's names of types that only MySQL 8 has, or that no
// column has; a name that is not known is text.
func TestMySQLTypeNames(t *testing.T) {
	for name, want := range map[string]cell.Kind{
		"JSON": cell.JSON, "VECTOR": cell.Binary, "GEOMETRY": cell.Binary, "NULL": cell.Other, "": cell.Other, "NEW TYPE": cell.Other,
		"UNSIGNED BIGINT": cell.Integer, "TINYTEXT": cell.Text, "MEDIUMTEXT": cell.Text, "TINYBLOB": cell.Binary, "MEDIUMBLOB": cell.Binary,
	} {
		if got := mysqlType(name); got != want {
			t.Errorf("%q is of kind %d, want %d", name, got, want)
		}
	}
}
