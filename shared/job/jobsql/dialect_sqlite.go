package jobsql

import (
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/haexcel/haexcel/shared/fault"
)

// SQLite is a file that several processes of one machine may share. Row locks
// don't exist: every transaction takes the write lock at its start.
var SQLite = &Dialect{
	name: "sqlite",
	// ROUND, since the product is a double and 1 ms could be lost in a cut.
	now:         "CAST(ROUND(unixepoch('now', 'subsec') * 1000) AS INTEGER)",
	share:       "",
	update:      "",
	integer:     "%s",
	tableExists: "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
	same:        plainComparison,
	classify:    classifySQLite,
	connector:   connectSQLite,
	maxConns:    4,
}

// sqliteSettings apply to every connection: writers wait up to 1 s for each
// other before the store's own retries, readers never wait (WAL), and each
// commit is on disk before it is answered.
const sqliteSettings = "_busy_timeout=1000&_txlock=immediate" +
	"&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

// connectSQLite reads sqlite:path, relative or absolute.
func connectSQLite(databaseURL string) (driver.Connector, error) {
	path, err := sqlitePath(databaseURL)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The folder of the SQLite file can't be created.")
	}
	return openSQLite(path, sqliteSettings)
}

// sqlitePath is the file that the URL names.
func sqlitePath(databaseURL string) (string, error) {
	path := strings.TrimPrefix(databaseURL, "sqlite:")
	path = strings.TrimPrefix(path, "//")
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return "", fault.New(fault.Invalid, "The database URL is not of the form sqlite:path.")
	}
	return path, nil
}

func openSQLite(path, settings string) (driver.Connector, error) {
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	c, err := sqlite.NewConnector("file:" + escaped + "?" + settings)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The SQLite driver does not accept the path.")
	}
	return c, nil
}

// classifySQLite decides by the result code; its low byte is the primary one.
func classifySQLite(err error) outcome {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return outcomeUnknownKind
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return outcomeDuplicate
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return outcomeBusy
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT:
		return outcomeUnavailable // rolled back
	case sqlite3.SQLITE_IOERR:
		return outcomeLost
	case sqlite3.SQLITE_TOOBIG:
		return outcomeInvalid
	default:
		return outcomeDefect
	}
}
