package demo

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// open connects to a database of the settings' three forms, as the job table
// does: the demo orders usually live beside it.
func open(databaseURL string) (*sql.DB, dialect, error) {
	connector, d, err := jobsql.Connector(databaseURL)
	if err != nil {
		return nil, 0, err
	}
	return sql.OpenDB(connector), map[*jobsql.Dialect]dialect{
		jobsql.SQLite:   sqlite,
		jobsql.MySQL:    mysql,
		jobsql.Postgres: postgres,
	}[d], nil
}

// prepare makes a connection wait for the locks of running workers, which are
// short, and of another build, which may take longer.
func prepare(ctx context.Context, conn *sql.Conn, d dialect) error {
	if d != sqlite {
		return nil
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 600000"); err != nil {
		return fmt.Errorf("prepare the connection: %w", err)
	}
	return nil
}
