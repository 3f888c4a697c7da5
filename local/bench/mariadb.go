package main

import (
	"context"
	"database/sql"
	"net/url"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/shared/cell"
)

var mariaDBTypes = columnTypes{
	cell.Integer: "BIGINT", cell.Text: "VARCHAR(200) CHARACTER SET utf8mb4", cell.Decimal: "DECIMAL(12,2)", cell.Float: "DOUBLE",
	cell.Bool: "BOOLEAN", cell.Date: "DATE", cell.DateTime: "DATETIME",
}

// insertRows is the number of rows of one INSERT.
const insertRows = 1000

// createMariaDB makes a database and fills its table.
func createMariaDB(ctx context.Context, server, name string, c benchCase) (d database, err error) {
	db, err := openMariaDB(server)
	if err != nil {
		return d, err
	}
	defer func() {
		if closeErr := db.Close(); err == nil {
			err = closeErr
		}
	}()
	if d.url, err = withDatabase(server, name); err != nil {
		return d, err
	}
	if _, err := db.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return d, err
	}
	d.drop = func(ctx context.Context) error { return dropMariaDB(ctx, server, name) }
	filled, err := openMariaDB(d.url)
	if err != nil {
		return d, err
	}
	defer func() {
		if closeErr := filled.Close(); err == nil {
			err = closeErr
		}
	}()
	return d, fillMariaDB(ctx, filled, rows.New(c.shape, c.cols), c.rows)
}

func fillMariaDB(ctx context.Context, db *sql.DB, g *rows.Generator, n int64) error {
	if _, err := db.ExecContext(ctx, createTable(g.Fields(), mariaDBTypes)); err != nil {
		return err
	}
	var statement []byte
	for i := range n {
		if i%insertRows == 0 {
			statement = append(statement[:0], "INSERT INTO "+tableName+" VALUES "...)
		}
		statement = appendTuple(statement, g.Row(i))
		if (i+1)%insertRows != 0 && i < n-1 {
			statement = append(statement, ',')
			continue
		}
		if _, err := db.ExecContext(ctx, string(statement)); err != nil {
			return err
		}
	}
	_, err := db.ExecContext(ctx, "ANALYZE TABLE "+tableName)
	return err
}

// appendTuple writes the values of a row as literals.
func appendTuple(b []byte, row []cell.Value) []byte {
	b = append(b, '(')
	for i, v := range row {
		if i > 0 {
			b = append(b, ',')
		}
		switch v.Kind {
		case cell.Null:
			b = append(b, "NULL"...)
		case cell.Integer, cell.Decimal, cell.Float, cell.Bool:
			b = append(b, v.Bytes...)
		default:
			b = appendQuoted(b, v.Bytes)
		}
	}
	return append(b, ')')
}

func appendQuoted(b, text []byte) []byte {
	b = append(b, '\'')
	for _, ch := range text {
		if ch == '\'' || ch == '\\' {
			b = append(b, '\\')
		}
		b = append(b, ch)
	}
	return append(b, '\'')
}

func dropMariaDB(ctx context.Context, server, name string) (err error) {
	db, err := openMariaDB(server)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := db.Close(); err == nil {
			err = closeErr
		}
	}()
	_, err = db.ExecContext(ctx, "DROP DATABASE "+name)
	return err
}

func openMariaDB(address string) (*sql.DB, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
