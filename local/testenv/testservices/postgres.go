package testservices

import (
	"context"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// execPostgres runs one statement on a connection of its own. Statements on
// whole databases can't run inside a transaction, so it uses the simple
// protocol.
func execPostgres(ctx context.Context, server *url.URL, statement string) error {
	config, err := pgx.ParseConfig(server.String())
	if err != nil {
		return err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	if closeErr := conn.Close(ctx); err == nil {
		err = closeErr
	}
	return err
}
