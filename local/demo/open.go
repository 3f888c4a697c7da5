package demo

import (
	"context"
	"database/sql"
	"errors"
	"time"

	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

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

// connect opens one connection, which waits for the locks of running workers,
// which are short, and of another build, which may take longer.
func connect(ctx context.Context, db *sql.DB, d dialect) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	for d == sqlite && busy(err) {
		// Several processes are opening a new file: one of them switches it to its
		// journal mode, and SQLite lets nobody wait for that.
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(openPause):
		}
		conn, err = db.Conn(ctx)
	}
	if err != nil || d != sqlite {
		return conn, err
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 600000"); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// openPause lies between two tries to open a busy file.
const openPause = 20 * time.Millisecond

// busy reports whether SQLite answers that someone else is at work.
func busy(err error) bool {
	var e *sqlitedriver.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
