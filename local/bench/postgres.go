package main

import (
	"bufio"
	"context"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/shared/cell"
)

var postgresTypes = columnTypes{
	cell.Integer: "bigint", cell.Text: "varchar(200)", cell.Decimal: "numeric(12,2)", cell.Float: "double precision",
	cell.Bool: "boolean", cell.Date: "date", cell.DateTime: "timestamp(0)",
}

// createPostgres makes a database and fills its table.
func createPostgres(ctx context.Context, server, name string, c benchCase) (d database, err error) {
	if d.url, err = withDatabase(server, name); err != nil {
		return d, err
	}
	if err := execPostgres(ctx, server, "CREATE DATABASE "+name); err != nil {
		return d, err
	}
	d.drop = func(ctx context.Context) error {
		return execPostgres(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)")
	}
	return d, onPostgres(ctx, d.url, func(conn *pgx.Conn) error {
		return fillPostgres(ctx, conn, rows.New(c.shape, c.cols), c.rows)
	})
}

func fillPostgres(ctx context.Context, conn *pgx.Conn, g *rows.Generator, n int64) error {
	if _, err := conn.Exec(ctx, createTable(g.Fields(), postgresTypes)); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(copyRows(writer, g, n)) }() // never fails
	_, err := conn.PgConn().CopyFrom(ctx, reader, "COPY "+tableName+" FROM STDIN")
	_ = reader.Close() // ends the goroutine where COPY failed; never fails
	if err != nil {
		return err
	}
	// As any table of some age is.
	_, err = conn.Exec(ctx, "VACUUM ANALYZE "+tableName)
	return err
}

// copyRows writes the rows in COPY's text format.
func copyRows(w io.Writer, g *rows.Generator, n int64) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var line []byte
	for i := range n {
		line = appendCopied(line[:0], g.Row(i))
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

func appendCopied(b []byte, row []cell.Value) []byte {
	for i, v := range row {
		if i > 0 {
			b = append(b, '\t')
		}
		if v.Kind == cell.Null {
			b = append(b, `\N`...)
			continue
		}
		for _, ch := range v.Bytes {
			switch ch {
			case '\\', '\t', '\n', '\r':
				b = append(b, '\\')
			}
			b = append(b, ch)
		}
	}
	return append(b, '\n')
}

// execPostgres runs one statement on a connection of its own. Statements on whole
// databases can't run inside a transaction: hence the simple protocol.
func execPostgres(ctx context.Context, address, statement string) error {
	return onPostgres(ctx, address, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

func onPostgres(ctx context.Context, address string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	err = do(conn)
	if closeErr := conn.Close(context.WithoutCancel(ctx)); err == nil {
		err = closeErr
	}
	return err
}
