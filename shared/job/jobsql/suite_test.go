package jobsql_test

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
	"github.com/haexcel/haexcel/shared/job/jobtest"
)

// engines are the databases every test of this package runs on.
var engines = map[string]func(t testing.TB) string{
	"SQLite":     sqliteURL,
	"MariaDB":    testservices.MariaDB,
	"PostgreSQL": testservices.Postgres,
}

// sqliteURL names a file in a folder that does not exist yet and needs escaping.
func sqliteURL(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "주문 #1%?", "jobs.db")
}

func TestSQLite(t *testing.T)     { t.Parallel(); jobtest.Run(t, fixtureOn(engines["SQLite"])) }
func TestMariaDB(t *testing.T)    { t.Parallel(); jobtest.Run(t, fixtureOn(engines["MariaDB"])) }
func TestPostgreSQL(t *testing.T) { t.Parallel(); jobtest.Run(t, fixtureOn(engines["PostgreSQL"])) }

// fixtureOn makes migrated tables, each in a fresh database.
func fixtureOn(newURL func(t testing.TB) string) func(t testing.TB) jobtest.Fixture {
	return func(t testing.TB) jobtest.Fixture {
		t.Helper()
		url := newURL(t)
		store := open(t, url, jobsql.Options{})
		if _, err := store.Migrate(t.Context()); err != nil {
			t.Fatalf("migrate: %v", err)
		}
		rows := rowsOf{store: store}
		return jobtest.Fixture{
			Store: store,
			Open:  func(t testing.TB) job.Store { return open(t, url, jobsql.Options{}) },
			OpenFaulty: func(t testing.TB, faults *jobtest.Faults) job.Store {
				connector, dialect, err := jobsql.Connector(url)
				if err != nil {
					t.Fatalf("connector: %v", err)
				}
				return closing(t, jobsql.New(sql.OpenDB(jobtest.FaultyConnector(connector, faults)), dialect, jobsql.Options{}))
			},
			SetJob: func(t testing.TB, id string, columns map[string]any) {
				t.Helper()
				rows.set(t, "ha_excel_job", columns, "job_id", id)
			},
			SetChunk: func(t testing.TB, id string, no int, columns map[string]any) {
				t.Helper()
				rows.set(t, "ha_excel_chunk", columns, "job_id", id, "chunk_no", no)
			},
			CountJobs: rows.count,
		}
	}
}

func open(t testing.TB, url string, o jobsql.Options) *jobsql.Store {
	t.Helper()
	s, err := jobsql.Open(t.Context(), url, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return closing(t, s)
}

func closing(t testing.TB, s *jobsql.Store) *jobsql.Store {
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// rowsOf writes and counts rows behind the store's back.
type rowsOf struct{ store *jobsql.Store }

func (r rowsOf) placeholder(n int) string {
	if r.store.Dialect() == jobsql.Postgres {
		return fmt.Sprintf("$%d", n)
	}
	return "?"
}

func (r rowsOf) set(t testing.TB, table string, columns map[string]any, where ...any) {
	t.Helper()
	var sets, conditions []string
	var args []any
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		args = append(args, columns[name])
		sets = append(sets, name+" = "+r.placeholder(len(args)))
	}
	for i := 0; i < len(where); i += 2 {
		args = append(args, where[i+1])
		conditions = append(conditions, where[i].(string)+" = "+r.placeholder(len(args)))
	}
	text := "UPDATE " + table + " SET " + strings.Join(sets, ", ") + " WHERE " + strings.Join(conditions, " AND ")
	result, err := r.store.DB().ExecContext(t.Context(), text, args...)
	// The races of the suite hold the file for long on a busy machine.
	for range 60 {
		if err == nil || !strings.Contains(err.Error(), "SQLITE_BUSY") {
			break
		}
		result, err = r.store.DB().ExecContext(t.Context(), text, args...)
	}
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Errorf("%s: %d rows, %v", text, n, err)
	}
}

func (r rowsOf) count(t testing.TB, column string, value any) int {
	t.Helper()
	var n int
	text := "SELECT COUNT(*) FROM ha_excel_job WHERE " + column + " = " + r.placeholder(1)
	if err := r.store.DB().QueryRowContext(t.Context(), text, value).Scan(&n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}
