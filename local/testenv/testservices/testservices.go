// Package testservices gives tests the real servers that the test command
// started: a fresh database on MariaDB or PostgreSQL for each test, and the
// address of LocalStack. It also tells where the programs and libraries are that
// read workbooks.
//
// The addresses and paths come from environment variables that local/testenv
// sets. Where one is missing, a test that asks for it is skipped with a word on
// how to run it; with CI=true it fails instead, so that a suite which did not run
// never reads as one that passed.
//
// Databases are private to a test and safe with t.Parallel. LocalStack is
// shared by all packages that run at the same time: tests there give each
// bucket and queue a random name.
package testservices

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"testing"
	"time"
)

// The variables set by local/testenv.
const (
	mariaDBVariable     = "HAEXCEL_TEST_MARIADB_URL"
	postgresVariable    = "HAEXCEL_TEST_POSTGRES_URL"
	awsEndpointVariable = "HAEXCEL_TEST_AWS_ENDPOINT"
)

// adminTimeout bounds each statement that creates or drops a database. It is
// generous: many packages share one server on a small machine.
const adminTimeout = 60 * time.Second

// MariaDB creates an empty database (utf8mb4) and returns its URL, such as
// mysql://root@127.0.0.1:40123/haexcel_1f2e3d4c5b6a. The database is dropped
// when t ends, after every connection that is still open to it was killed.
func MariaDB(t testing.TB) string {
	t.Helper()
	server := address(t, mariaDBVariable)
	name := randomName()

	ctx, cancel := context.WithTimeout(t.Context(), adminTimeout)
	defer cancel()
	if err := createMariaDB(ctx, server, name); err != nil {
		t.Fatalf("create a MariaDB database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
		defer cancel()
		if err := dropMariaDB(ctx, server, name); err != nil {
			t.Errorf("drop MariaDB database %s: %v", name, err)
		}
	})
	return withDatabase(server, name)
}

// Postgres creates an empty database (UTF8, C.UTF-8) and returns its URL, such
// as postgres://postgres@127.0.0.1:40124/haexcel_1f2e3d4c5b6a?sslmode=disable.
// The database is dropped when t ends, together with every connection that is
// still open to it.
func Postgres(t testing.TB) string {
	t.Helper()
	server := address(t, postgresVariable)
	name := randomName()

	ctx, cancel := context.WithTimeout(t.Context(), adminTimeout)
	defer cancel()
	if err := execPostgres(ctx, server, "CREATE DATABASE "+name); err != nil {
		t.Fatalf("create a PostgreSQL database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
		defer cancel()
		if err := execPostgres(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop PostgreSQL database %s: %v", name, err)
		}
	})
	return withDatabase(server, name)
}

// AWSEndpoint returns the address of LocalStack, such as http://127.0.0.1:4566.
// Its region is us-east-1, its access key and secret key are both "test", and
// S3 wants path-style addresses.
func AWSEndpoint(t testing.TB) string {
	t.Helper()
	return address(t, awsEndpointVariable).String()
}

// address reads a server's address, or ends the test where there is none.
func address(t testing.TB, variable string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(named(t, variable))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return parsed
}

// withDatabase returns the server's URL with the database's name in its path.
func withDatabase(server *url.URL, name string) string {
	database := *server
	database.Path = "/" + name
	return database.String()
}

// randomName returns a database name that is safe in SQL text without quotes.
func randomName() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return "haexcel_" + hex.EncodeToString(b[:])
}
