package jobsql_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

var files = []string{"00001_java_job_table.sql", "00002_haexcel.sql"}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := open(t, newURL(t), jobsql.Options{})

			wantVersion := func(missing string) {
				t.Helper()
				err := s.CheckVersion(ctx)
				if missing == "" {
					if err != nil {
						t.Errorf("version: %v", err)
					}
					return
				}
				if !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.SafeMessage(err), missing) {
					t.Errorf("version: error %v does not name %s", err, missing)
				}
			}
			exec := func(statement string) {
				t.Helper()
				if _, err := s.DB().ExecContext(ctx, statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}

			wantVersion(files[0])
			applied, err := s.Migrate(ctx)
			if err != nil || !slices.Equal(applied, files) {
				t.Fatalf("applied %v, %v", applied, err)
			}
			wantVersion("")
			applied, err = s.Migrate(ctx)
			if err != nil || len(applied) != 0 {
				t.Errorf("applied again %v, %v", applied, err)
			}

			// One file behind, and one ahead as in a rolling deployment.
			exec("DELETE FROM ha_excel_version WHERE version_id = 2")
			wantVersion(files[1])
			exec("INSERT INTO ha_excel_version (version_id, is_applied) VALUES (99, '1')")
			wantVersion("")
		})
	}
}

// TestMigrateAtOnce: several processes start on an empty database.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := newURL(t)
			var mu sync.Mutex
			var applied []string
			var processes sync.WaitGroup
			for range 4 {
				s := open(t, databaseURL, jobsql.Options{MaxConns: 1})
				processes.Go(func() {
					names, err := s.Migrate(t.Context())
					if err != nil {
						t.Errorf("migrate: %v", err)
					}
					if err := s.CheckVersion(t.Context()); err != nil {
						t.Errorf("version: %v", err)
					}
					mu.Lock()
					defer mu.Unlock()
					applied = append(applied, names...)
				})
			}
			processes.Wait()
			if !slices.Equal(applied, files) {
				t.Errorf("applied %v, want each file once", applied)
			}
		})
	}
}

// javaTable is the Java library's own DDL, per engine.
func javaTable(d *jobsql.Dialect) []string {
	long, indexes, suffix := "TEXT", "", ""
	var more []string
	if d == jobsql.MySQL {
		long = "LONGTEXT"
		indexes = `, INDEX idx_ha_excel_status_created (status, created_at),
			INDEX idx_ha_excel_active_check (worker, biz_nm, status, created_at),
			INDEX idx_ha_excel_server_status (server_id, status)`
		suffix = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci"
	} else {
		more = []string{
			"CREATE INDEX idx_ha_excel_status_created ON ha_excel_job (status, created_at)",
			"CREATE INDEX idx_ha_excel_active_check ON ha_excel_job (worker, biz_nm, status, created_at)",
			"CREATE INDEX idx_ha_excel_server_status ON ha_excel_job (server_id, status)",
		}
	}
	return append([]string{`CREATE TABLE ha_excel_job (
		job_id VARCHAR(64) NOT NULL, biz_nm VARCHAR(128) NOT NULL, file_name VARCHAR(256) NOT NULL, worker VARCHAR(64) NOT NULL,
		server_id VARCHAR(128) NULL, status VARCHAR(20) NOT NULL, processed_rows INT NOT NULL DEFAULT 0, total_rows INT NOT NULL DEFAULT 0,
		file_path VARCHAR(512) NULL, params_json ` + long + ` NULL, columns_json ` + long + ` NULL, template_id VARCHAR(128) NULL,
		error_msg VARCHAR(1000) NULL, cancel_yn CHAR(1) NULL DEFAULT 'N', created_at BIGINT NOT NULL, started_at BIGINT NULL,
		completed_at BIGINT NULL, PRIMARY KEY (job_id)` + indexes + `)` + suffix}, more...)
}

// TestAdoptsTheJavaTable: the table of the Java library, with rows in every
// state, goes on as it is.
func TestAdoptsTheJavaTable(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := open(t, newURL(t), jobsql.Options{})
			for _, statement := range javaTable(s.Dialect()) {
				if _, err := s.DB().ExecContext(ctx, statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			rows := rowsOf{store: s}
			insert := func(id, status string, cancel any, started, completed any, path any) {
				t.Helper()
				var marks []string
				args := []any{
					id, "orderList", "주문 목록", "kim", "server-1", status, 3, 10, path,
					`{"status":"PAID"}`, `[{"field":"a"}]`, nil, nil, cancel, int64(1000), started, completed,
				}
				for i := range args {
					marks = append(marks, rows.placeholder(i+1))
				}
				if _, err := s.DB().ExecContext(ctx, "INSERT INTO ha_excel_job VALUES ("+strings.Join(marks, ", ")+")", args...); err != nil {
					t.Fatalf("insert %s: %v", id, err)
				}
			}
			insert("java-pending", "PENDING", "N", nil, nil, nil)
			insert("java-pending-null", "PENDING", nil, nil, nil, nil)
			insert("java-pending-cancelled", "PENDING", "Y", nil, nil, nil)
			insert("java-running", "RUNNING", "N", int64(1500), nil, nil)
			insert("java-running-cancelled", "RUNNING", "Y", int64(1500), nil, nil)
			insert("java-done", "DONE", "N", int64(1500), int64(2500), "exports/java.xlsx")
			insert("java-fail", "FAIL", "N", int64(1500), int64(2500), nil)
			insert("java-cancelled", "FAIL", "Y", nil, int64(2500), nil)
			before := javaColumns(t, s)

			applied, err := s.Migrate(ctx)
			if err != nil || !slices.Equal(applied, files) {
				t.Fatalf("applied %v, %v", applied, err)
			}
			if after := javaColumns(t, s); !slices.Equal(after, before) {
				t.Errorf("the Java library's columns changed:\nbefore %q\nafter  %q", before, after)
			}

			get := func(id string) job.Job {
				t.Helper()
				j, err := s.Get(ctx, id)
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				return j
			}
			want := job.Job{
				ID: "java-done", Dataset: "orderList", FileName: "주문 목록", Requester: "kim", Token: "server-1", Status: job.Done,
				ProcessedRows: 3, TotalRows: 10, FilePath: "exports/java.xlsx", ParamsJSON: `{"status":"PAID"}`, ColumnsJSON: `[{"field":"a"}]`,
				CreatedAt: 1000, StartedAt: 1500, CompletedAt: 2500, Queue: job.Normal,
			}
			if got := get("java-done"); got != want {
				t.Errorf("row %+v, want %+v", got, want)
			}

			page, err := s.List(ctx, "kim", 100, "")
			if err != nil || len(page.Jobs) != 8 {
				t.Errorf("%d jobs listed, %v", len(page.Jobs), err)
			}
			woken, err := s.Rewake(ctx, 10*time.Minute, 100)
			if err != nil || len(woken) != 2 {
				t.Errorf("%d jobs woken, %v", len(woken), err)
			}
			for _, id := range []string{"java-pending", "java-pending-null"} {
				if _, claimed, err := s.Claim(ctx, id, "host", lease); err != nil || !claimed {
					t.Errorf("%s: claimed %v, %v", id, claimed, err)
				}
			}
			recovered, err := s.Recover(ctx, 3, 100)
			if err != nil || len(recovered) != 3 {
				t.Errorf("%d jobs recovered, %v", len(recovered), err)
			}
			for id, status := range map[string]job.Status{
				"java-running": job.Pending, "java-running-cancelled": job.Fail, "java-pending-cancelled": job.Fail,
			} {
				if got := get(id).Status; got != status {
					t.Errorf("%s is %s, want %s", id, got, status)
				}
			}
			if _, err := s.Reopen(ctx, "java-fail"); err != nil {
				t.Errorf("reopen: %v", err)
			}
			if _, err := s.Reopen(ctx, "java-cancelled"); !fault.Is(err, fault.Conflict) {
				t.Errorf("reopen a cancelled job: %v", err)
			}
			keys, swept, err := s.MarkSwept(ctx, "java-done", time.Hour)
			if err != nil || !swept || !slices.Equal(keys, []string{"exports/java.xlsx"}) {
				t.Errorf("swept %v, keys %q, %v", swept, keys, err)
			}
		})
	}
}

// javaColumns describes the 17 columns as the engine declares them.
func javaColumns(t *testing.T, s *jobsql.Store) []string {
	t.Helper()
	query := map[*jobsql.Dialect]string{
		jobsql.MySQL: `SELECT column_name, column_type, is_nullable, COALESCE(column_default, '-') FROM information_schema.columns
			WHERE table_schema = DATABASE() AND table_name = 'ha_excel_job' ORDER BY ordinal_position`,
		jobsql.Postgres: `SELECT column_name, CONCAT(data_type, '/', character_maximum_length), is_nullable, COALESCE(column_default, '-')
			FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = 'ha_excel_job' ORDER BY ordinal_position`,
		jobsql.SQLite: `SELECT name, type, "notnull", COALESCE(dflt_value, '-') FROM pragma_table_info('ha_excel_job') ORDER BY cid`,
	}[s.Dialect()]
	rows, err := s.DB().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	var columns []string
	for rows.Next() {
		var name, kind, null, value sql.Null[string]
		if err := rows.Scan(&name, &kind, &null, &value); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, fmt.Sprint(name.V, " ", kind.V, " ", null.V, " ", value.V))
	}
	if err := rows.Err(); err != nil || len(columns) < 17 {
		t.Fatalf("%d columns, %v", len(columns), err)
	}
	return columns[:17]
}

// TestTablesAreTheSameEverywhere: the three folders make the same columns, in
// the same order, and the fresh table starts like the Java library's.
func TestTablesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"ha_excel_job", "ha_excel_chunk"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			columns := map[string][]string{}
			for name, newURL := range engines {
				t.Run(name, func(t *testing.T) {
					s := open(t, newURL(t), jobsql.Options{})
					if _, err := s.Migrate(t.Context()); err != nil {
						t.Fatal(err)
					}
					rows, err := s.DB().QueryContext(t.Context(), "SELECT * FROM "+table)
					if err != nil {
						t.Fatal(err)
					}
					defer func() {
						if err := rows.Close(); err != nil {
							t.Error(err)
						}
					}()
					if columns[name], err = rows.Columns(); err != nil {
						t.Error(err)
					}
					if err := rows.Err(); err != nil {
						t.Error(err)
					}
				})
			}
			for name, got := range columns {
				if !slices.Equal(got, columns["SQLite"]) {
					t.Errorf("%s has the columns\n%q, SQLite\n%q", name, got, columns["SQLite"])
				}
			}
		})
	}
}
