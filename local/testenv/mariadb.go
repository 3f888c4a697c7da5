//go:build unix

package main

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
)

// mariaDBSettings are given to the server wherever it runs. Data is thrown
// away, so a crash of the machine may lose it; many test packages connect at
// once.
var mariaDBSettings = []string{
	"--innodb-flush-log-at-trx-commit=2",
	"--skip-log-bin",
	"--max-connections=500",
	"--local-infile=0",
	"--character-set-server=utf8mb4",
}

func mariaDB() service {
	return service{
		name:     "mariadb",
		variable: "HAEXCEL_TEST_MARIADB_URL",
		packages: []string{"mariadb-server"},
		missing: func() string {
			if mariaDBServer() == "" || mariaDBInstaller() == "" {
				return "mariadbd or mariadb-install-db is not on this machine"
			}
			return ""
		},
		start:          startMariaDB,
		startContainer: startMariaDBContainer,
	}
}

func mariaDBServer() string {
	return findProgram([]string{"mariadbd"}, "/usr/sbin", "/usr/libexec", "/usr/local/sbin")
}

func mariaDBInstaller() string {
	return findProgram([]string{"mariadb-install-db"}, "/usr/bin", "/usr/local/bin")
}

func startMariaDB(ctx context.Context, env *environment) (string, error) {
	who, err := accountOf("mysql")
	if err != nil {
		return "", err
	}
	home, err := who.folder(env, "mariadb")
	if err != nil {
		return "", err
	}
	data := filepath.Join(home, "data")
	// "normal" sign-in lets root in over TCP without a password; the default
	// would ask for the account of the same name on the machine.
	install := who.command(home, mariaDBInstaller(), "--no-defaults", "--datadir="+data,
		"--auth-root-authentication-method=normal", "--skip-test-db")
	if err := env.run(ctx, install, "mariadb-install.log"); err != nil {
		return "", err
	}
	port, err := env.serve(ctx, server{
		log: "mariadb.log",
		command: func(port int) *exec.Cmd {
			return who.command(home, mariaDBServer(), append([]string{
				"--no-defaults", "--datadir=" + data, "--tmpdir=" + home,
				"--socket=" + filepath.Join(home, "mariadb.sock"), "--pid-file=" + filepath.Join(home, "mariadb.pid"),
				"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port), "--skip-name-resolve",
			}, mariaDBSettings...)...)
		},
		probe:    pingMariaDB,
		patience: 2 * time.Minute,
		stopping: syscall.SIGTERM,
		orphaned: syscall.SIGKILL,
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("mysql://root@127.0.0.1:%d/", port), nil
}

func pingMariaDB(ctx context.Context, port int) error {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = fmt.Sprintf("127.0.0.1:%d", port)
	config.User = "root"
	config.Logger = &mysql.NopLogger{} // refusals are expected until it is up
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { _ = db.Close() }()
	return db.PingContext(ctx)
}
