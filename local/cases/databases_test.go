package cases

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
	_ "modernc.org/sqlite"             // registers sqlite

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// database is an empty database of one test.
type database struct {
	name string // mariadb, postgres or sqlite; also the name of its source
	url  string // as in HAEXCEL_SOURCE_…_URL
	db   *sql.DB
}

// everywhere runs a test on all three databases side by side.
func everywhere(t *testing.T, test func(t *testing.T, d database)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) database{"mariadb": onMariaDB, "postgres": onPostgres, "sqlite": onSQLite} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func onSQLite(t testing.TB) database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source.db")
	return openDatabase(t, "sqlite", "sqlite:"+path, "sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)")
}

// onMariaDB opens a session that stores zero dates, half of them, and what else
// the strict mode refuses, with instants given in UTC.
func onMariaDB(t testing.TB) database {
	t.Helper()
	address := testservices.MariaDB(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
	c.Params = map[string]string{"time_zone": "'+00:00'", "sql_mode": "''"}
	return openDatabase(t, "mariadb", address, "mysql", c.FormatDSN())
}

func onPostgres(t testing.TB) database {
	t.Helper()
	address := testservices.Postgres(t)
	return openDatabase(t, "postgres", address, "pgx", address)
}

// onPostgresEncoded opens a database of another encoding than UTF8. One that is
// SQL_ASCII takes any bytes for text.
func onPostgresEncoded(t testing.TB, encoding string) database {
	t.Helper()
	usual := onPostgres(t)
	u, err := url.Parse(usual.url)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/") + "_encoded"
	usual.exec(t, "CREATE DATABASE "+name+" ENCODING '"+encoding+"' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	t.Cleanup(func() {
		if _, err := usual.db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	u.Path = "/" + name
	address := u.String()
	if encoding != "SQL_ASCII" { // what the test itself writes is UTF-8
		u.RawQuery += "&client_encoding=UTF8"
	}
	return openDatabase(t, "postgres", address, "pgx", u.String())
}

func openDatabase(t testing.TB, name, address, driver, dsn string) database {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return database{name: name, url: address, db: db}
}

// pick chooses what is written differently in the three.
func (d database) pick(mariadb, postgres, sqlite string) string {
	return map[string]string{"mariadb": mariadb, "postgres": postgres, "sqlite": sqlite}[d.name]
}

func (d database) exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := d.db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %s: %v", d.name, s, err)
		}
	}
}

// insert adds rows, bound, in one transaction.
func (d database) insert(t testing.TB, table string, rows ...[]any) {
	t.Helper()
	tx, err := d.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		places := make([]string, len(row))
		for i := range row {
			places[i] = "?"
			if d.name == "postgres" {
				places[i] = fmt.Sprintf("$%d", i+1)
			}
		}
		statement := "INSERT INTO " + table + " VALUES (" + strings.Join(places, ", ") + ")"
		if _, err := tx.ExecContext(t.Context(), statement, row...); err != nil {
			t.Fatalf("%s: %s %v: %v", d.name, statement, row, err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// column makes the table items(id, v) with one value a row, in their order.
func (d database) column(t testing.TB, declared string, values ...any) {
	t.Helper()
	d.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, v "+declared+")")
	for i, v := range values {
		d.insert(t, "items", []any{i + 1, v})
	}
}

// items is the dataset of that table: "v" in the order of the ids.
func (d database) items(more string) string {
	return "name: items\nsource: " + d.name + "\nkey: id\nselect: {id: i.id, v: i.v}\nfrom: items i\ncolumns: [{field: v, headerName: 값}]\n" + more
}

// typed is one value in a column of its type, and what its cell has to be. In each
// database it is "type: literal"; where that is empty the database has none such.
type typed struct {
	mariadb, postgres, sqlite string
	want                      want
	more                      string // further members of the column
}

// everywhereTyped is a value that all three write alike.
func everywhereTyped(declared string, w want) typed {
	return typed{declared, declared, declared, w, ""}
}

// with adds members to the column.
func (v typed) with(members string) typed {
	v.more = ", " + members
	return v
}

// kinds makes a table of one row with the values, and answers the dataset of it,
// also named kinds, with what its row has to be.
func (d database) kinds(t testing.TB, values []typed) (dataset string, row [][]want) {
	t.Helper()
	create, insert := "CREATE TABLE kinds (id INTEGER NOT NULL PRIMARY KEY", "INSERT INTO kinds VALUES (1"
	chosen, columns := "", ""
	var wants []want
	for i, v := range values {
		declared, literal, ok := strings.Cut(d.pick(v.mariadb, v.postgres, v.sqlite), ": ")
		if !ok {
			continue
		}
		name := fmt.Sprintf("v%d", i)
		create += ", " + name + " " + declared
		insert += ", " + literal
		chosen += ", " + name + ": k." + name
		columns += "\n  - {field: " + name + ", headerName: " + strconv.Quote(declared) + v.more + "}"
		wants = append(wants, v.want)
	}
	d.exec(t, create+")", insert+")")
	return "name: kinds\nsource: " + d.name + "\nkey: id\nselect: {id: k.id" + chosen + "}\nfrom: kinds k\ncolumns:" + columns + "\n", [][]want{wants}
}

// expressions is the dataset, named kinds, of one row with the values of SQL
// expressions, and what this row has to be.
func (d database) expressions(values []typed) (dataset string, row [][]want) {
	var chosen []string
	columns := ""
	var wants []want
	for i, v := range values {
		expression := d.pick(v.mariadb, v.postgres, v.sqlite)
		if expression == "" {
			continue
		}
		name := fmt.Sprintf("v%d", i)
		chosen = append(chosen, expression+" AS "+name)
		columns += "\n  - {field: " + name + v.more + "}"
		wants = append(wants, v.want)
	}
	return "name: kinds\nsource: " + d.name + "\nsql: |\n  SELECT " + strings.Join(chosen, ",\n    ") + "\ncolumns:" + columns + "\n", [][]want{wants}
}
