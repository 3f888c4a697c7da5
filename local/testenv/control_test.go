//go:build unix

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A server that was killed, or stopped, comes back on its port with what was
// committed.
func TestServersComeBackWithTheirData(t *testing.T) {
	t.Parallel()
	needServers(t)
	program := newProgram(t, "-only", "postgres,mariadb", "-control", "--",
		"sh", "-c", `echo "$HAEXCEL_TEST_POSTGRES_URL|$HAEXCEL_TEST_MARIADB_URL|$HAEXCEL_TEST_CONTROL"; exec cat`)
	output, input := pipes(t, program.cmd)
	if err := program.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1024)
	if err := output.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	n, err := output.Read(line)
	if err != nil {
		t.Fatalf("the command did not start: %v; messages:\n%s", err, program.messages)
	}
	addresses := strings.Split(strings.TrimSpace(string(line[:n])), "|")
	control := addresses[2]

	statement(t, addresses[0], "CREATE TABLE kept (n integer)")
	for _, action := range []string{"kill", "stop"} {
		statement(t, addresses[0], "INSERT INTO kept VALUES (1)")
		for i, service := range []string{"postgres", "mariadb"} {
			order(t, control+"/"+service+"/"+action, http.StatusNoContent)
			expectGone(t, addresses[i])
			order(t, control+"/"+service+"/start", http.StatusNoContent)
			order(t, control+"/"+service+"/start", http.StatusNoContent) // it runs already
			expectThere(t, addresses[i])
		}
	}
	if rows := statement(t, addresses[0], "DELETE FROM kept"); rows != 2 {
		t.Errorf("%d rows are left of 2", rows)
	}
	order(t, control+"/localstack/kill", http.StatusNotFound)
	order(t, control+"/postgres/explode", http.StatusNotFound)

	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if code := program.wait(t); code != 0 {
		t.Errorf("exit code %d; messages:\n%s", code, program.messages)
	}
	for _, address := range addresses {
		expectGone(t, address)
	}
	program.expectNothingLeft(t)
}

// pipes connects a command's output and input.
func pipes(t *testing.T, cmd *exec.Cmd) (output *os.File, input io.Closer) {
	t.Helper()
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = writer
	t.Cleanup(func() { _, _ = output.Close(), writer.Close() })
	return output, input
}

// order posts to the control and wants that status.
func order(t *testing.T, address string, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != want {
		t.Fatalf("%s: %s %s, %v", address, response.Status, text, err)
	}
}

// statement runs one on a connection of its own and returns the rows that it
// changed.
func statement(t *testing.T, address, text string) int64 {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	tag, err := conn.Exec(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return tag.RowsAffected()
}

// expectThere fails the test when nothing listens at the address.
func expectThere(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.DialTimeout("tcp", u.Host, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
