//go:build unix

// Command testenv runs a command beside the real servers that the tests need:
//
//	go run ./local/testenv -- go test ./...
//	go run ./local/testenv -only mariadb,postgres -- go test ./shared/job/...
//
// It starts MariaDB, PostgreSQL and LocalStack on free loopback ports, with
// their data in one temporary folder, waits until each answers, sees to it that
// the programs which tests run are there, and gives the command the servers'
// addresses in the environment:
//
//	HAEXCEL_TEST_MARIADB_URL   mysql://root@127.0.0.1:PORT/
//	HAEXCEL_TEST_POSTGRES_URL  postgres://postgres@127.0.0.1:PORT/postgres?sslmode=disable
//	HAEXCEL_TEST_AWS_ENDPOINT  http://127.0.0.1:PORT (us-east-1, keys test/test)
//
// The programs and libraries that read workbooks are installed too, and named in
// the environment:
//
//	HAEXCEL_TEST_SOFFICE          LibreOffice's program
//	HAEXCEL_TEST_OPENPYXL_PYTHON  a Python that has openpyxl
//	HAEXCEL_TEST_POI_CLASSPATH    the jars of Apache POI, for java -cp
//	HAEXCEL_TEST_EXCELJS          a folder whose node_modules has exceljs
//
// With -control the command may stop, kill and start those of the servers that
// run on this machine, on the same ports and data, through HTTP at the address in
// HAEXCEL_TEST_CONTROL:
//
//	POST /mariadb/kill   ends it by SIGKILL; stop ends it as it likes best
//	POST /mariadb/start  starts it and answers once it does
//
// When the command ends, is interrupted, or the program that started testenv
// is gone, the servers are stopped and the folder is removed. The exit code is
// the command's.
//
// What the machine has is used. On Debian, root has what is missing installed with
// apt-get (no service of the machine is started by that). Libraries are installed
// into the user's cache folder, once: LocalStack and openpyxl with pip, where
// there is a Python 3.13, POI with Maven, exceljs with npm. A server that can't be
// had in this way runs in a container where a container engine answers. What
// can't be had in any way is named on standard error, with the reason; the
// command runs without it, except with CI=true, where that is an error.
//
// Known limits: Linux and macOS only. When testenv itself is ended by SIGKILL,
// the servers end too on Linux, but the temporary folder stays.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// Exit codes of testenv itself; any other is the command's.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, messages io.Writer) int {
	services := allServices()
	flags := flag.NewFlagSet("testenv", flag.ContinueOnError)
	flags.SetOutput(messages)
	only := flags.String("only", "", fmt.Sprintf("comma-separated services to start: %s (default all)",
		strings.Join(names(services), ", ")))
	control := flags.Bool("control", false, "let the command stop, kill and start the servers")
	flags.Usage = func() {
		fmt.Fprintf(messages, "usage: testenv [-only SERVICES] [-control] -- COMMAND [ARGUMENT…]\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return exitUsage
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitUsage
	}
	services, err := selectServices(services, *only)
	if err != nil {
		fmt.Fprintln(messages, "testenv:", err)
		return exitUsage
	}

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go watchParent(signals)

	code, err := runBeside(services, *control, flags.Args(), signals, messages)
	if err != nil {
		fmt.Fprintln(messages, "testenv:", err)
	}
	return code
}

// runBeside starts the services, runs the command, which may control them, and
// stops everything.
func runBeside(services []service, control bool, command []string, signals <-chan os.Signal, messages io.Writer) (code int, err error) {
	env, err := newEnvironment(messages)
	if err != nil {
		return exitFailed, err
	}
	defer func() {
		if closeErr := env.close(); closeErr != nil && err == nil {
			err = closeErr
			code = max(code, exitFailed)
		}
	}()

	if control {
		if err := env.openControl(); err != nil {
			return exitFailed, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := make(chan error, 1)
	go func() { started <- env.startAll(ctx, services) }()
	select {
	case <-signals:
		cancel()
		if err := <-started; !errors.Is(err, context.Canceled) {
			return exitInterrupted, err
		}
		return exitInterrupted, nil
	case err := <-started:
		if err != nil {
			return exitFailed, err
		}
	}
	return env.runCommand(command, signals)
}

// selectServices keeps the services named in a comma-separated list; an empty
// list keeps all.
func selectServices(all []service, list string) ([]service, error) {
	if list == "" {
		return all, nil
	}
	wanted := strings.Split(list, ",")
	for _, name := range wanted {
		if !slices.Contains(names(all), name) {
			return nil, fmt.Errorf("unknown service %q; there are %s", name, strings.Join(names(all), ", "))
		}
	}
	return slices.DeleteFunc(all, func(s service) bool { return !slices.Contains(wanted, s.name) }), nil
}

func names(services []service) []string {
	var list []string
	for _, s := range services {
		list = append(list, s.name)
	}
	return list
}
