//go:build unix

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// The databases.
const (
	mariaDB  = "mariadb"
	postgres = "postgres"
)

// database is the server under test with a connection of the harness's own.
type database struct {
	*sql.DB
	kind    string
	url     string // of the job database
	control string // of testenv, which runs the server
}

const databaseName = "haexcel_chaos"

// openDatabase makes an empty database on the server.
func openDatabase(ctx context.Context, kind, server, control string) (*database, error) {
	if server == "" || control == "" {
		return nil, fmt.Errorf("no %s to restart: run `make chaos`, or `testenv -control -only %s,localstack -- chaos …`", kind, kind)
	}
	address, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	create := "CREATE DATABASE " + databaseName
	if kind == mariaDB {
		address.Path = "/mysql"
		create += " CHARACTER SET utf8mb4"
	}
	admin, err := connect(address.String())
	if err != nil {
		return nil, err
	}
	_, err = admin.ExecContext(ctx, create)
	if err = errors.Join(err, admin.Close()); err != nil {
		return nil, fmt.Errorf("make the database: %w", err)
	}
	address.Path = "/" + databaseName
	db, err := connect(address.String())
	if err != nil {
		return nil, err
	}
	return &database{DB: db, kind: kind, url: address.String(), control: control}, nil
}

func connect(address string) (*sql.DB, error) {
	connector, _, err := jobsql.Connector(address)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// marks turns the question marks of a statement into what the database wants.
func (d *database) marks(statement string) string {
	if d.kind != postgres {
		return statement
	}
	var b strings.Builder
	n := 0
	for _, r := range statement {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		fmt.Fprintf(&b, "$%d", n)
	}
	return b.String()
}

// now is the database's clock in epoch milliseconds.
func (d *database) now() string {
	if d.kind == postgres {
		return "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
	}
	return "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
}

// fill makes the exported table.
func (d *database) fill(ctx context.Context) error {
	create := `CREATE TABLE chaos_rows (id BIGINT NOT NULL PRIMARY KEY, n INTEGER NOT NULL, grp INTEGER NOT NULL,
label VARCHAR(60) NOT NULL, amount DECIMAL(14,2) NOT NULL, filler VARCHAR(900) NOT NULL)`
	if _, err := d.ExecContext(ctx, create); err != nil {
		return fmt.Errorf("make the exported table: %w", err)
	}
	const batch = 250
	for first := 1; first <= tableRows; first += batch {
		var values []any
		var text strings.Builder
		for n := first; n < first+batch && n <= tableRows; n++ {
			if n > first {
				text.WriteString(", ")
			}
			text.WriteString("(?, ?, ?, ?, ?, ?)")
			r := rowOf(n)
			values = append(values, r.id, r.n, r.group, r.label, r.amount, filler(n))
		}
		_, err := d.ExecContext(ctx, d.marks("INSERT INTO chaos_rows (id, n, grp, label, amount, filler) VALUES "+text.String()), values...)
		if err != nil {
			return fmt.Errorf("fill the exported table: %w", err)
		}
	}
	_, err := d.ExecContext(ctx, map[string]string{mariaDB: "ANALYZE TABLE chaos_rows", postgres: "ANALYZE chaos_rows"}[d.kind])
	return err
}

// do has testenv stop, kill or start the server and waits until it has.
func (d *database) do(ctx context.Context, action string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.control+"/"+d.kind+"/"+action, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("%s the database: %w", action, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s the database: %s", action, response.Status)
	}
	return nil
}
