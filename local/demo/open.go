package demo

import (
	"database/sql"
	"errors"
	"net/url"
	"strings"

	mysqldriver "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
	_ "modernc.org/sqlite"             // registers sqlite
)

// open connects to a database URL of the settings' three forms.
func open(databaseURL string) (*sql.DB, dialect, error) {
	if path, ok := strings.CutPrefix(databaseURL, "sqlite:"); ok {
		// The job table may live in the same file, in use by running workers: wait
		// for their short writes.
		name := "file:" + (&url.URL{Path: path}).EscapedPath() +
			"?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
		db, err := sql.Open("sqlite", name)
		return db, sqlite, err
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		return nil, 0, errors.New("its URL is malformed") // the error would show the password
	}
	switch u.Scheme {
	case "mysql":
		c := mysqldriver.NewConfig()
		c.Net, c.Addr, c.User, c.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
		c.Passwd, _ = u.User.Password()
		connector, err := mysqldriver.NewConnector(c)
		if err != nil {
			return nil, 0, err
		}
		return sql.OpenDB(connector), mysql, nil
	case "postgres", "postgresql":
		db, err := sql.Open("pgx", databaseURL)
		return db, postgres, err
	default:
		return nil, 0, errors.New("its URL is none of mysql://, postgres:// and sqlite:")
	}
}
