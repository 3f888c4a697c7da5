package dataset_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
	"go.uber.org/goleak"
	_ "modernc.org/sqlite" // registers sqlite

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

func TestMain(m *testing.M) {
	if request := os.Getenv(sheetVariable); request != "" {
		os.Exit(sheetProcess(request))
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// engine is one database that a test reads from.
type engine struct {
	name string
	url  string
	db   *sql.DB // for what the test itself does there
}

// onEach runs a test on all three databases.
func onEach(t *testing.T, test func(t *testing.T, e engine)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, onSQLite(t)) })
	t.Run("mariadb", func(t *testing.T) { test(t, onMariaDB(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, onPostgres(t)) })
}

func onSQLite(t testing.TB) engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source.db")
	return admin(t, "sqlite", "sqlite:"+path, "sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)")
}

func onMariaDB(t testing.TB) engine {
	t.Helper()
	address := testservices.MariaDB(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
	return admin(t, "mariadb", address, "mysql", c.FormatDSN())
}

func onPostgres(t testing.TB) engine {
	t.Helper()
	address := testservices.Postgres(t)
	return admin(t, "postgres", address, "pgx", address)
}

func admin(t testing.TB, name, address, driver, dsn string) engine {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return engine{name: name, url: address, db: db}
}

func (e engine) exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := e.db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// sources opens the engine's database as "".
func (e engine) sources(t testing.TB, o dataset.SourceOptions) *dataset.Sources {
	t.Helper()
	s, err := dataset.NewSources(map[string]string{"": e.url}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the sources: %v", err)
		}
	})
	return s
}

// load reads one dataset file.
func load(t testing.TB, s *dataset.Sources, text string) *dataset.SQL {
	t.Helper()
	sets, err := dataset.LoadFS(fstest.MapFS{"set.yaml": {Data: []byte(text)}}, s)
	if err != nil {
		t.Fatal(err)
	}
	return sets[0]
}

// row is one row in readable form: Kind:text for each value.
type row []string

func readAll(ctx context.Context, d dataset.Dataset, q dataset.Query) ([]cell.Field, []row, error) {
	rows, err := d.Open(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	var out []row
	for rows.Next() {
		out = append(out, show(rows.Values()))
	}
	fields, err := rows.Fields(), rows.Err()
	if closing := rows.Close(); err == nil {
		err = closing
	}
	return fields, out, err
}

func mustRead(t *testing.T, d dataset.Dataset, q dataset.Query) ([]cell.Field, []row) {
	t.Helper()
	fields, rows, err := readAll(t.Context(), d, q)
	if err != nil {
		t.Fatal(err)
	}
	return fields, rows
}

var kindNames = map[cell.Kind]string{
	cell.Null: "null", cell.Text: "text", cell.Integer: "integer", cell.Decimal: "decimal", cell.Float: "float",
	cell.Float32: "float32", cell.Bool: "bool", cell.Date: "date", cell.DateTime: "datetime", cell.Instant: "instant",
	cell.Time: "time", cell.Binary: "binary", cell.Bits: "bits", cell.JSON: "json", cell.Other: "other",
}

func show(values []cell.Value) row {
	out := make(row, len(values))
	for i, v := range values {
		text := string(v.Bytes)
		if v.Kind == cell.Binary || v.Kind == cell.Bits {
			text = fmt.Sprintf("%X", v.Bytes)
		}
		out[i] = kindNames[v.Kind] + ":" + text
		if v.Kind == cell.Null {
			out[i] = "null"
		}
	}
	return out
}
