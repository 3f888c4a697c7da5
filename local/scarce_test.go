package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// scarce is a database server as its administrator sees it, with one database.
type scarce struct {
	kind  string
	url   string // of the administrator
	name  string // of the database
	admin *sql.DB
	pause string // an expression that takes the seconds in %s
}

// onScarce runs a test on the databases that count connections.
func onScarce(t *testing.T, test func(t *testing.T, create func() scarce)) {
	t.Helper()
	for kind, create := range map[string]func(testing.TB) string{"mariadb": testservices.MariaDB, "postgres": testservices.Postgres} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, func() scarce { return newScarce(t, kind, create(t)) })
		})
	}
}

func newScarce(t *testing.T, kind, address string) scarce {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := scarce{kind: kind, url: address, name: strings.TrimPrefix(u.Path, "/"), pause: "SLEEP(%s)"}
	if kind == "postgres" {
		s.pause = "pg_sleep(%s)::text"
	}
	s.admin = s.dial(t, u, 4)
	return s
}

// dial opens a pool of connections to the database as the user of the URL.
func (s scarce) dial(t *testing.T, u *url.URL, size int) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", u.String()
	if s.kind == "mariadb" {
		c := mysql.NewConfig()
		c.Net, c.Addr, c.User, c.DBName = "tcp", u.Host, u.User.Username(), s.name
		driver, dsn = "mysql", c.FormatDSN()
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(size)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (s scarce) exec(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := s.admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// connections counts the others of its database.
func (s scarce) connections(t *testing.T) (n int) {
	t.Helper()
	query := "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"
	if s.kind == "postgres" {
		query = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	}
	if err := s.admin.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// limited makes a user of the database who may have so many connections, and
// answers the URL with it.
func (s scarce) limited(t *testing.T, limit int) *url.URL {
	t.Helper()
	user := "u" + s.name[len(s.name)-min(16, len(s.name)):]
	if s.kind == "mariadb" {
		s.exec(t, fmt.Sprintf("CREATE USER '%s'@'%%' WITH MAX_USER_CONNECTIONS %d", user, limit), fmt.Sprintf("GRANT ALL ON %s.* TO '%s'@'%%'", s.name, user))
	} else {
		s.exec(t, fmt.Sprintf(`CREATE ROLE "%s" LOGIN CONNECTION LIMIT %d`, user, limit), fmt.Sprintf(`GRANT ALL ON SCHEMA public TO "%s"`, user),
			fmt.Sprintf(`GRANT ALL ON ALL TABLES IN SCHEMA public TO "%s"`, user))
	}
	t.Cleanup(func() { s.drop(t, user) })
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(user)
	return u
}

// drop removes a user, with what it owns.
func (s scarce) drop(t *testing.T, user string) {
	statements := []string{fmt.Sprintf("DROP USER '%s'@'%%'", user)}
	if s.kind == "postgres" {
		statements = []string{fmt.Sprintf(`DROP OWNED BY "%s" CASCADE`, user), fmt.Sprintf(`DROP ROLE "%s"`, user)}
	}
	u, err := url.Parse(s.url)
	if err != nil {
		t.Error(err)
		return
	}
	admin := s.dial(t, u, 1)
	for _, statement := range statements {
		if _, err := admin.Exec(statement); err != nil { //nolint:noctx // the test's context has ended
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// occupy holds so many connections of a user until the returned function ends
// them.
func (s scarce) occupy(t *testing.T, user *url.URL, n int) (leave func()) {
	t.Helper()
	db := s.dial(t, user, n)
	var held []*sql.Conn
	for range n {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.PingContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	leave = func() {
		for _, conn := range held {
			_ = conn.Close() // the second time it is closed already
		}
		_ = db.Close()
	}
	t.Cleanup(leave)
	return leave
}
