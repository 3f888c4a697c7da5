package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	code, stdout, _ := run(t, t.TempDir(), nil, "--help")
	if code != exitDone {
		t.Errorf("exit code %d", code)
	}
	for _, s := range config.Settings() {
		if !strings.Contains(stdout, s.Name+" ") {
			t.Errorf("the help does not name %s", s.Name)
		}
	}
	for _, command := range []string{"serve", "export", "migrate", "demo"} {
		code, stdout, _ := run(t, t.TempDir(), nil, command, "--help")
		if code != exitDone || !strings.Contains(stdout, "Usage: haexcel "+command) {
			t.Errorf("%s --help: code %d\n%s", command, code, stdout)
		}
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no command":       {},
		"unknown command":  {"explode"},
		"unknown flag":     {"serve", "--fast"},
		"argument":         {"export", "orders"},
		"params no JSON":   {"export", "--params", "status=01"},
		"rows no number":   {"demo", "--rows", "many"},
		"rows below zero":  {"serve", "--demo", "--demo-rows", "-1"},
		"rows by variable": {"demo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var environment []string
			if name == "rows by variable" {
				environment = []string{"DEMO_ROWS=many"}
			}
			folder := t.TempDir()
			code, _, stderr := run(t, folder, environment, args...)
			if code != exitMisused || stderr == "" {
				t.Errorf("code %d: %s", code, stderr)
			}
			if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

func TestWrongSettingsAreNamedTogether(t *testing.T) {
	t.Parallel()
	code, _, stderr := run(t, t.TempDir(), []string{"HAEXCEL_LEASE=soon", "HAEXCEL_WAKE=bell", "HAEXCEL_TYPO=1"}, "serve", "--demo")
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	for _, name := range []string{"HAEXCEL_LEASE", "HAEXCEL_WAKE", "HAEXCEL_TYPO"} {
		if !strings.Contains(stderr, name) {
			t.Errorf("%s is not named:\n%s", name, stderr)
		}
	}
}

func TestServeNeedsAnIdentity(t *testing.T) {
	t.Parallel()
	code, _, stderr := run(t, t.TempDir(), nil, "serve")
	if code != exitFailed || !strings.Contains(stderr, "HAEXCEL_AUTH") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	code, _, stderr := run(t, t.TempDir(), []string{"HAEXCEL_LISTEN=" + taken.Addr().String()}, "serve", "--demo", "--demo-rows", "1")
	if code != exitFailed || !strings.Contains(stderr, taken.Addr().String()+" is in use") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestFaultyDatasetFileEndsTheStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "broken.yaml"), "name: broken\nselct: {id: o.id}\nfrom: o\n")
	code, _, stderr := run(t, folder, []string{"HAEXCEL_DATASET_DIR=" + folder}, "serve", "--demo", "--demo-rows", "1")
	if code != exitFailed || !strings.Contains(stderr, "broken.yaml:2") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(testing.TB) string{
		"mariadb":  testservices.MariaDB,
		"postgres": testservices.Postgres,
		"sqlite":   func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "jobs.db") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := create(t)
			environment := []string{"HAEXCEL_DATABASE_URL=" + databaseURL}
			code, stdout, _ := run(t, t.TempDir(), environment, "migrate")
			if code != exitDone || !strings.Contains(stdout, "applied 00001_") {
				t.Errorf("code %d: %s", code, stdout)
			}
			code, stdout, _ = run(t, t.TempDir(), environment, "migrate")
			if code != exitDone || !strings.Contains(stdout, "up to date") {
				t.Errorf("the second time: code %d: %s", code, stdout)
			}
			store, err := jobsql.Open(t.Context(), databaseURL, jobsql.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			if err := store.CheckVersion(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMigrateWithoutADatabaseServer(t *testing.T) {
	t.Parallel()
	code, _, stderr := run(t, t.TempDir(), []string{"HAEXCEL_DATABASE_URL=mysql://root:secret@127.0.0.1:1/nowhere"}, "migrate")
	if code != exitFailed || stderr == "" || strings.Contains(stderr, "secret") {
		t.Errorf("code %d: %s", code, stderr)
	}
}
