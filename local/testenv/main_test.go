//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestMain lets the test binary stand in for the program itself, so that the
// tests below run it as a process of its own, as users do.
func TestMain(m *testing.M) {
	if os.Getenv("TESTENV_TEST_AS_PROGRAM") != "" {
		main()
	}
	m.Run()
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"no command":      {nil, "usage: testenv"},
		"unknown flag":    {[]string{"-nosuch", "--", "true"}, "-nosuch"},
		"unknown service": {[]string{"-only", "oracle", "--", "true"}, `unknown service "oracle"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := newProgram(t, test.args...)
			if code := program.run(t); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if !strings.Contains(program.messages.String(), test.says) {
				t.Errorf("said %q, want a word on %q", program.messages.String(), test.says)
			}
		})
	}
}

func TestCommandGetsServersAndItsExitCodeIsKept(t *testing.T) {
	t.Parallel()
	needServers(t)
	program := newProgram(t, "-only", "mariadb,postgres", "--", "sh", "-c", `echo "$HAEXCEL_TEST_MARIADB_URL|$HAEXCEL_TEST_POSTGRES_URL|$HAEXCEL_TEST_AWS_ENDPOINT"; exit 7`)
	program.cmd.Env = append(program.cmd.Env, "HAEXCEL_TEST_AWS_ENDPOINT=http://stale")
	if code := program.run(t); code != 7 {
		t.Errorf("exit code %d, want the command's 7; messages:\n%s", code, program.messages)
	}
	addresses := strings.Split(strings.TrimSpace(program.output.String()), "|")
	if len(addresses) != 3 || !strings.HasPrefix(addresses[0], "mysql://root@127.0.0.1:") || !strings.HasPrefix(addresses[1], "postgres://postgres@127.0.0.1:") {
		t.Fatalf("the command saw %q", addresses)
	}
	if addresses[2] != "" {
		t.Errorf("a server that was not started has the address %s", addresses[2])
	}
	for _, address := range addresses[:2] {
		expectGone(t, address)
	}
	program.expectNothingLeft(t)
}

func TestMissingCommandFails(t *testing.T) {
	t.Parallel()
	needServers(t)
	program := newProgram(t, "-only", "postgres", "--", "no-such-program")
	if code := program.run(t); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if !strings.Contains(program.messages.String(), "no-such-program") {
		t.Errorf("said %q", program.messages)
	}
	program.expectNothingLeft(t)
}

func TestTerminationLeavesNothing(t *testing.T) {
	t.Parallel()
	needServers(t)
	// The command starts a child that outlives it unless its group is killed,
	// and answers the signal only by ending.
	program := newProgram(t, "-only", "postgres", "--", "sh", "-c", `sleep 600 & echo "$HAEXCEL_TEST_POSTGRES_URL|$!"; wait`)
	reader, writer := net.Pipe()
	program.cmd.Stdout = writer
	if err := program.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1024)
	if err := reader.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	n, err := reader.Read(line)
	if err != nil {
		t.Fatalf("the command did not start: %v; messages:\n%s", err, program.messages)
	}
	address, child, _ := strings.Cut(strings.TrimSpace(string(line[:n])), "|")

	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("the server does not answer while the command runs: %v", err)
	}
	defer func() { _ = conn.Close(context.Background()) }()

	if err := program.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := program.wait(t); code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d, want 143", code)
	}
	expectGone(t, address)
	program.expectNothingLeft(t)
	deadline := time.Now().Add(30 * time.Second)
	for exec.Command("kill", "-0", child).Run() == nil {
		if time.Now().After(deadline) {
			t.Fatalf("process %s, which the command started, is still there", child)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"":                     "mariadb postgres localstack curl java python3 unzip libreoffice openpyxl poi exceljs",
		"openpyxl":             "openpyxl",
		"libreoffice,postgres": "postgres libreoffice",
	} {
		chosen, err := selectServices(allServices(), list)
		if got := strings.Join(names(chosen), " "); err != nil || got != want {
			t.Errorf("%q selects %q, %v, want %q", list, got, err, want)
		}
	}
}

// A program that was asked for is named to the command by its path; one that was
// not is not.
func TestCommandFindsPrograms(t *testing.T) {
	t.Parallel()
	folder := onlyTrue(t)
	soffice := filepath.Join(folder, "soffice")
	if err := os.WriteFile(soffice, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	program := newProgram(t, "-only", "libreoffice", "--", "/bin/sh", "-c", `echo "$HAEXCEL_TEST_SOFFICE|$HAEXCEL_TEST_OPENPYXL_PYTHON"`)
	program.cmd.Env = append(program.cmd.Env, "PATH="+folder, "HAEXCEL_TEST_OPENPYXL_PYTHON=stale")
	if code := program.run(t); code != 0 {
		t.Errorf("exit code %d; messages:\n%s", code, program.messages)
	}
	if got := strings.TrimSpace(program.output.String()); got != soffice+"|" {
		t.Errorf("the command saw %q", got)
	}
	program.expectNothingLeft(t)
}

func TestMissingServiceIsAnErrorOnlyInCI(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ci   string
		code int
	}{
		"by hand": {"", 0},
		"in CI":   {"true", exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := newProgram(t, "-only", "localstack", "--", "true")
			// No Python and no container engine can be found.
			program.cmd.Env = append(program.cmd.Env, "CI="+test.ci, "PYENV_ROOT="+t.TempDir(), "DOCKER_HOST=tcp://127.0.0.1:1", "PATH="+onlyTrue(t))
			if code := program.run(t); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.Contains(program.messages.String(), "localstack can't be had: Python") {
				t.Errorf("said %q", program.messages)
			}
			program.expectNothingLeft(t)
		})
	}
}

func TestHighestVersionWins(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, version := range []string{"9.6", "15", "16.2"} {
		folder := filepath.Join(root, version, "bin")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o755)
		if version == "16.2" {
			mode = 0o644 // not a program
		}
		if err := os.WriteFile(filepath.Join(folder, "postgres"), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(root, "15", "bin", "postgres")
	if got := highestVersion(filepath.Join(root, "*", "bin"), "postgres"); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	if got := highestVersion(filepath.Join(root, "*", "bin"), "initdb"); got != "" {
		t.Errorf("found %s, which is not there", got)
	}
}

// A program is one run of testenv in a process of its own, whose folder for
// temporary files is watched.
type program struct {
	cmd              *exec.Cmd
	output, messages *bytes.Buffer
	temporary        string
}

func newProgram(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: the servers' accounts must be able to pass through it.
	temporary, err := os.MkdirTemp("/tmp", "testenv-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	if err := os.Chmod(temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: exec.Command(self, args...), output: &bytes.Buffer{}, messages: &bytes.Buffer{}, temporary: temporary}
	p.cmd.Env = append(os.Environ(), "TESTENV_TEST_AS_PROGRAM=1", "TMPDIR="+temporary)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.messages
	p.cmd.WaitDelay = time.Minute
	return p
}

func (p *program) run(t *testing.T) (code int) {
	t.Helper()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p.wait(t)
}

func (p *program) wait(t *testing.T) (code int) {
	t.Helper()
	stuck := time.AfterFunc(3*time.Minute, func() { _ = p.cmd.Process.Kill() })
	defer stuck.Stop()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v; messages:\n%s", err, p.messages)
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *program) expectNothingLeft(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(p.temporary)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("%s was left behind", entry.Name())
	}
}

// expectGone fails the test when something still listens at the address.
func expectGone(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.DialTimeout("tcp", u.Host, 5*time.Second)
	if err == nil {
		_ = conn.Close()
		t.Errorf("a server still listens on %s", u.Host)
	}
}

// needServers skips a test where the programs of the database servers are not
// on the machine; with CI=true that is a failure.
func needServers(t *testing.T) {
	t.Helper()
	for _, s := range []service{mariaDB(), postgres()} {
		if lack := s.missing(); lack != "" {
			if os.Getenv("CI") == "true" {
				t.Fatal(lack)
			}
			t.Skip(lack)
		}
	}
}

// onlyTrue makes a folder for PATH in which there is nothing but true.
func onlyTrue(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	path, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(folder, "true")); err != nil {
		t.Fatal(err)
	}
	return folder
}
