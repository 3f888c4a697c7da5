//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgresSettings are given to the server wherever it runs. Data is thrown
// away, so nothing waits for the disk; many test packages connect at once.
var postgresSettings = []string{
	"-c", "fsync=off",
	"-c", "full_page_writes=off",
	"-c", "max_connections=300",
	"-c", "timezone=UTC",
}

func postgres() service {
	return service{
		name:     "postgres",
		variable: "HAEXCEL_TEST_POSTGRES_URL",
		packages: []string{"postgresql"},
		missing: func() string {
			if postgresProgram("postgres") == "" || postgresProgram("initdb") == "" {
				return "postgres or initdb is not on this machine"
			}
			return ""
		},
		start:          startPostgres,
		startContainer: startPostgresContainer,
	}
}

// postgresProgram finds a program of the server: Debian keeps those of each
// version off the PATH.
func postgresProgram(name string) string {
	return findProgram([]string{name}, "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
}

func startPostgres(ctx context.Context, env *environment) (string, error) {
	who, err := accountOf("postgres")
	if err != nil {
		return "", err
	}
	home, err := who.folder(env, "postgres")
	if err != nil {
		return "", err
	}
	data := filepath.Join(home, "data")
	install := who.command(home, postgresProgram("initdb"), "--pgdata="+data, "--username=postgres",
		"--auth=trust", "--encoding=UTF8", "--locale="+postgresLocale(), "--no-sync")
	if err := env.run(ctx, install, "postgres-install.log"); err != nil {
		return "", err
	}
	port, err := env.serve(ctx, server{
		log: "postgres.log",
		command: func(port int) *exec.Cmd {
			return who.command(home, postgresProgram("postgres"), append([]string{
				"-D", data, "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-k", "", // no socket file
			}, postgresSettings...)...)
		},
		probe:    pingPostgres,
		patience: 2 * time.Minute,
		stopping: syscall.SIGQUIT, // at once, without a checkpoint, but with shared memory given back
		orphaned: syscall.SIGQUIT,
	})
	if err != nil {
		return "", err
	}
	return postgresAddress("127.0.0.1", port), nil
}

// postgresLocale sorts by code point everywhere. The name with UTF-8 in it is
// Linux's.
func postgresLocale() string {
	if runtime.GOOS == "linux" {
		return "C.UTF-8"
	}
	return "C"
}

func pingPostgres(ctx context.Context, port int) error {
	conn, err := pgx.Connect(ctx, postgresAddress("127.0.0.1", port))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func postgresAddress(host string, port int) string {
	return fmt.Sprintf("postgres://postgres@%s:%d/postgres?sslmode=disable", host, port)
}
