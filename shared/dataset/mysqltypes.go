package dataset

import (
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// How MySQL's and MariaDB's types become kinds. All come by the binary
// protocol.
//
//	TINYINT … BIGINT, also UNSIGNED; YEAR     Integer (TINYINT(1) is one too)
//	DECIMAL(p,s)                              Decimal with s places
//	FLOAT, DOUBLE                             Float32, Float
//	CHAR, VARCHAR, TEXT, ENUM, SET            Text
//	DATE                                      Date (zero dates as they are)
//	DATETIME                                  DateTime (likewise)
//	TIMESTAMP                                 Instant, with an offset; the zero
//	                                          timestamp is NULL
//	TIME                                      Time, perhaps negative or beyond a day
//	BINARY, VARBINARY, BLOB, GEOMETRY, VECTOR Binary
//	BIT                                       Bits
//	JSON                                      JSON on MySQL; MariaDB's JSON is a LONGTEXT: Text
//	UUID, INET4, INET6 (MariaDB)              Text
func mysqlType(name string) cell.Kind {
	switch strings.TrimPrefix(name, "UNSIGNED ") {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "YEAR":
		return cell.Integer
	case "DECIMAL":
		return cell.Decimal
	case "FLOAT":
		return cell.Float32
	case "DOUBLE":
		return cell.Float
	case "DATE":
		return cell.Date
	case "DATETIME":
		return cell.DateTime
	case "TIMESTAMP":
		return cell.Instant
	case "TIME":
		return cell.Time
	case "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "GEOMETRY", "VECTOR":
		return cell.Binary
	case "BIT":
		return cell.Bits
	case "JSON":
		return cell.JSON
	case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET":
		return cell.Text
	}
	return cell.Other
}
