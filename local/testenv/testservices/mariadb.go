package testservices

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-sql-driver/mysql"
)

// unknownThread is MariaDB's error number for KILL on a connection that has
// ended by itself.
const unknownThread = 1094

func createMariaDB(ctx context.Context, server *url.URL, name string) error {
	db, err := openMariaDB(server)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4")
	return err
}

// dropMariaDB drops a database. Connections go first: one that was leaked
// inside a transaction would hold the drop up by its metadata lock.
func dropMariaDB(ctx context.Context, server *url.URL, name string) error {
	db, err := openMariaDB(server)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()

	ids, err := connections(ctx, db, name)
	if err != nil {
		return fmt.Errorf("list connections: %w", err)
	}
	for _, id := range ids {
		_, err := db.ExecContext(ctx, fmt.Sprintf("KILL %d", id))
		var refused *mysql.MySQLError
		if err != nil && (!errors.As(err, &refused) || refused.Number != unknownThread) {
			return fmt.Errorf("kill connection %d: %w", id, err)
		}
	}
	_, err = db.ExecContext(ctx, "DROP DATABASE "+name)
	return err
}

func connections(ctx context.Context, db *sql.DB, database string) ([]int64, error) {
	rows, err := db.QueryContext(ctx, "SELECT id FROM information_schema.processlist WHERE db = ?", database)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func openMariaDB(server *url.URL) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = server.Host
	config.User = server.User.Username()
	config.Passwd, _ = server.User.Password()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
