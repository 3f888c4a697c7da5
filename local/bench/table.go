package main

import (
	"net/url"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// columnTypes are a database's types for the kinds of the rows.
type columnTypes map[cell.Kind]string

// createTable is the statement that makes the table; its first column is the key.
func createTable(fields []cell.Field, types columnTypes) string {
	var columns []string
	for _, f := range fields {
		columns = append(columns, f.Name+" "+types[f.Kind])
	}
	columns[0] += " NOT NULL PRIMARY KEY"
	return "CREATE TABLE " + tableName + " (" + strings.Join(columns, ", ") + ")"
}

// withDatabase gives the URL of another database of a server.
func withDatabase(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}
