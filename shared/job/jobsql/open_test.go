package jobsql_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

const lease = time.Minute

func newJob() job.New {
	id := uuid.NewString()
	return job.New{ID: id, Dataset: "orders", FileName: "orders", Requester: "kim"}
}

func TestOpenRefusesMalformedURLs(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "orders.db", "oracle://u:hunter2@h/db", "mysql://", "mysql:///db", "mysql://u:hunter2@h:port/db",
		"mysql://u:hunter2%zz@h/db", "mysql://u:hunter2@h/db?parseTime=perhaps", "postgres://u:hunter2@h:port/db",
		"postgres://u:hunter2%zz@h/db", "postgres://u:hunter2@h/db?sslmode=perhaps", "sqlite:", "sqlite::memory:",
	} {
		_, err := jobsql.Open(t.Context(), bad, jobsql.Options{})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: error %v, want invalid", bad, err)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error shows the password: %v", bad, err)
		}
	}
}

func TestOpenDoesNotDial(t *testing.T) {
	t.Parallel()
	// A port that was just free: nothing listens there.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"mysql", "postgres"} {
		s := open(t, scheme+"://u:hunter2@"+address+"/db", jobsql.Options{})
		for name, call := range map[string]func(context.Context) error{
			"get":     func(ctx context.Context) error { _, err := s.Get(ctx, "x"); return err },
			"submit":  func(ctx context.Context) error { _, err := s.Submit(ctx, newJob(), job.SubmitLimits{}); return err },
			"version": s.CheckVersion,
			"migrate": func(ctx context.Context) error { _, err := s.Migrate(ctx); return err },
		} {
			err := call(t.Context())
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s %s: error %v (%s), want unavailable", scheme, name, err, fault.CodeOf(err))
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s %s: the error shows the password: %v", scheme, name, err)
			}
		}
	}
}

func TestSQLitePaths(t *testing.T) {
	// Not parallel: it changes the working directory.
	t.Chdir(t.TempDir())
	abs := filepath.Join(t.TempDir(), "a", "b.db")
	for _, databaseURL := range []string{"sqlite:x.db", "sqlite:sub/folder/x.db", "sqlite://y.db", "sqlite:" + abs, "sqlite://" + abs + "2"} {
		s := open(t, databaseURL, jobsql.Options{})
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Errorf("%s: %v", databaseURL, err)
		}
	}
	for _, path := range []string{"x.db", "sub/folder/x.db", "y.db", abs, abs + "2"} {
		if matches, err := filepath.Glob(path); err != nil || len(matches) != 1 {
			t.Errorf("%s is not there", path)
		}
	}
}

// withPassword makes a user with a password full of characters that URLs
// escape, and a limit of one connection.
func withPassword(t *testing.T, databaseURL string, setUp func(user, password string) []string, tearDown func(user string) []string) string {
	t.Helper()
	const password = `p@ss/w?rd#:%'x`
	admin := open(t, databaseURL, jobsql.Options{})
	user := "u" + strings.ReplaceAll(uuid.NewString(), "-", "")[:16]
	run := func(statements []string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := admin.DB().ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
	run(setUp(user, strings.ReplaceAll(password, "'", "''")))
	t.Cleanup(func() { run(tearDown(user)) })
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, password)
	return u.String()
}

func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	limited := map[string]func(t *testing.T) string{
		"MariaDB": func(t *testing.T) string {
			return withPassword(t, testservices.MariaDB(t), func(user, password string) []string {
				// Both hosts: an anonymous user of localhost would come before '%'.
				var statements []string
				for _, host := range []string{"localhost", "%"} {
					statements = append(statements,
						fmt.Sprintf("CREATE USER '%s'@'%s' IDENTIFIED BY '%s' WITH MAX_USER_CONNECTIONS 1", user, host, password),
						fmt.Sprintf("GRANT ALL ON *.* TO '%s'@'%s'", user, host))
				}
				return statements
			}, func(user string) []string {
				return []string{fmt.Sprintf("DROP USER '%s'@'localhost', '%s'@'%%'", user, user)}
			})
		},
		"PostgreSQL": func(t *testing.T) string {
			return withPassword(t, testservices.Postgres(t), func(user, password string) []string {
				return []string{
					fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s' CONNECTION LIMIT 1", user, password),
					fmt.Sprintf("GRANT ALL ON SCHEMA public TO %s", user),
				}
			}, func(user string) []string {
				return []string{"DROP OWNED BY " + user + " CASCADE", "DROP ROLE " + user}
			})
		},
	}
	for name, newURL := range limited {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := newURL(t)
			first := open(t, databaseURL, jobsql.Options{MaxConns: 1})
			if _, err := first.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			second := open(t, databaseURL, jobsql.Options{})
			_, err := second.Get(t.Context(), uuid.NewString())
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("error %v (%s), want unavailable", err, fault.CodeOf(err))
			}
			if err := first.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOneConnection: no step of the store needs a second connection while it
// holds one.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			s := open(t, newURL(t), jobsql.Options{MaxConns: 1})
			if _, err := s.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			if err := s.CheckVersion(ctx); err != nil {
				t.Fatal(err)
			}
			n := newJob()
			n.ExportHash, n.IdempotencyKey = strings.Repeat("a", 64), strings.Repeat("b", 64)
			submit := func(n job.New) job.Job {
				answer, err := s.Submit(ctx, n, job.SubmitLimits{Window: time.Hour, MaxActive: 5, MaxPending: 5})
				if err != nil {
					t.Fatal(err)
				}
				return answer.Job
			}
			submit(n)
			j, _, err := s.Claim(ctx, n.ID, "host", lease)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Fail(ctx, j.Fence(), "broken"); err != nil {
				t.Fatal(err)
			}
			n.IdempotencyKey = ""
			first := n.ID
			n.ID = uuid.NewString()
			submit(n)
			if _, err := s.Reopen(ctx, first); !fault.Is(err, fault.Conflict) {
				t.Errorf("reopen against a rival: %v", err)
			}
			if _, err := s.Cancel(ctx, n.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Reopen(ctx, first); err != nil {
				t.Errorf("reopen: %v", err)
			}
			if _, swept, err := s.MarkSwept(ctx, n.ID, -time.Hour); err != nil || !swept {
				t.Errorf("swept %v, %v", swept, err)
			}
			if purged, err := s.Purge(ctx, -time.Hour, 10); err != nil || purged != 1 {
				t.Errorf("purged %d, %v", purged, err)
			}
		})
	}
}

// TestBusyIsNeverShown holds a lock longer than the engine waits for it: the
// store tries again until it gets through.
func TestBusyIsNeverShown(t *testing.T) {
	t.Parallel()
	impatient := map[string]func(t *testing.T) (patient, impatient string){
		"MariaDB": func(t *testing.T) (string, string) {
			u := testservices.MariaDB(t)
			return u, u + "?innodb_lock_wait_timeout=1"
		},
		"PostgreSQL": func(t *testing.T) (string, string) {
			u := testservices.Postgres(t)
			return u, u + "&lock_timeout=100"
		},
		"SQLite": func(t *testing.T) (string, string) { u := sqliteURL(t); return u, u },
	}
	for name, urls := range impatient {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patientURL, impatientURL := urls(t)
			admin := open(t, patientURL, jobsql.Options{})
			if _, err := admin.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := open(t, impatientURL, jobsql.Options{MaxConns: 1})
			if name == "SQLite" {
				if _, err := s.DB().ExecContext(t.Context(), "PRAGMA busy_timeout = 1"); err != nil {
					t.Fatal(err)
				}
			}
			n := newJob()
			if _, err := s.Submit(t.Context(), n, job.SubmitLimits{}); err != nil {
				t.Fatal(err)
			}

			tx, err := admin.DB().BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), "UPDATE ha_excel_job SET total_rows = 5"); err != nil {
				t.Fatal(err)
			}
			released := make(chan error, 1)
			timer := time.AfterFunc(1500*time.Millisecond, func() { released <- tx.Commit() })
			defer timer.Stop()
			j, claimed, err := s.Claim(t.Context(), n.ID, "host", lease)
			if err != nil || !claimed || j.TotalRows != 5 {
				t.Errorf("claimed %v, total %d, error %v", claimed, j.TotalRows, err)
			}
			if err := <-released; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestContextEndsTheWait: a caller that gives up is not kept.
func TestContextEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, newURL := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, newURL(t), jobsql.Options{})
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			n := newJob()
			if _, err := s.Submit(t.Context(), n, job.SubmitLimits{}); err != nil {
				t.Fatal(err)
			}
			tx, err := s.DB().BeginTx(t.Context(), &sql.TxOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), "UPDATE ha_excel_job SET total_rows = 5"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, _, err = s.Claim(ctx, n.ID, "host", lease)
			if !fault.Is(err, fault.UnknownOutcome) && !fault.Is(err, fault.Unavailable) {
				t.Errorf("error %v (%s)", err, fault.CodeOf(err))
			}
			if err := tx.Rollback(); err != nil {
				t.Error(err)
			}
			if _, claimed, err := s.Claim(t.Context(), n.ID, "host", lease); err != nil {
				t.Errorf("claimed %v, %v", claimed, err)
			}
		})
	}
}

// TestClockThatStandsStill freezes the clock of a session, so that a statement
// writes what the row holds already: it still counts as moved (clientFoundRows),
// and two wakes still differ.
func TestClockThatStandsStill(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, testservices.MariaDB(t), jobsql.Options{MaxConns: 1})
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB().ExecContext(ctx, "SET timestamp = 1800000000.123"); err != nil {
		t.Fatal(err)
	}
	if now, err := s.Now(ctx); err != nil || now != 1_800_000_000_123 {
		t.Fatalf("the clock says %d, %v", now, err)
	}
	n := newJob()
	answer, err := s.Submit(ctx, n, job.SubmitLimits{})
	if err != nil {
		t.Fatal(err)
	}
	wokenAt := answer.Job.WokenAt
	for range 3 {
		j, claimed, err := s.Claim(ctx, n.ID, "host", lease)
		if err != nil || !claimed {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		for range 3 {
			if _, err := s.Beat(ctx, j.Fence(), job.Progress{ProcessedRows: 1, TotalRows: 1}, lease); err != nil {
				t.Errorf("beat: %v", err)
			}
		}
		j, retried, err := s.Retry(ctx, j.Fence(), 10)
		if err != nil || !retried {
			t.Fatalf("retried %v, %v", retried, err)
		}
		if j.WokenAt <= wokenAt {
			t.Errorf("woken at %d, then at %d", wokenAt, j.WokenAt)
		}
		wokenAt = j.WokenAt
	}
}
