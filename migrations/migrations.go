// Package migrations holds the SQL that makes and changes the job table, in one
// folder per database with the same numbers and names. jobsql applies them with
// goose; nothing else does.
//
// 00001 is the table of the Java library ha-excel-job-engine as it stands, and
// leaves an existing one alone. 00002 adds what haexcel needs, each column with
// a default, so that a table with rows in it is adopted where it is.
//
// Known limit: MySQL and MariaDB commit each DDL statement by itself. 00002
// changes the job table in one ALTER, so a crash leaves it either as it was or
// done; a crash in the moment between that ALTER and the version record makes
// the next run fail on an existing column, and version 2 then has to be
// recorded by hand.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed mysql/*.sql postgres/*.sql sqlite/*.sql
var files embed.FS

// Dialects names the folders.
func Dialects() []string { return []string{"mysql", "postgres", "sqlite"} }

// FS returns the migrations of one dialect: mysql (MariaDB, too), postgres or
// sqlite. Any other name is an error.
func FS(dialect string) (fs.FS, error) {
	for _, known := range Dialects() {
		if dialect == known {
			return fs.Sub(files, dialect)
		}
	}
	return nil, fmt.Errorf("no migrations for the dialect %q", dialect)
}
