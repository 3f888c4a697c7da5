package jobsql

import (
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/haexcel/haexcel/shared/fault"
)

// Postgres is PostgreSQL. A failed statement aborts its transaction there, so
// the store only ever goes on after a duplicate outside of one.
var Postgres = &Dialect{
	name: "postgres",
	// statement_timestamp moves on within a transaction, unlike now(), and is
	// stable within a statement, unlike clock_timestamp(), so indexes are used.
	now:         "CAST(FLOOR(EXTRACT(EPOCH FROM statement_timestamp()) * 1000) AS BIGINT)",
	share:       "FOR SHARE",
	update:      "FOR UPDATE",
	integer:     "CAST(%s AS BIGINT)", // a bare parameter in a SELECT list is text
	numbered:    true,
	tableExists: "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1",
	same:        plainComparison,
	classify:    classifyPostgres,
	connector:   connectPostgres,
	maxConns:    8,
}

// plainComparison is for engines whose text comparison is by bytes.
func plainComparison(column, parameter string) string { return column + " = " + parameter }

// connectPostgres reads postgres://user:pass@host:port/db?params with the
// parameters of libpq and pgx.
func connectPostgres(databaseURL string) (driver.Connector, error) {
	cfg, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The database URL is not of the form postgres://user:pass@host:port/db.")
	}
	return stdlib.GetConnector(*cfg), nil
}

// classifyPostgres decides by SQLSTATE.
func classifyPostgres(err error) outcome {
	var dial *pgconn.ConnectError
	if errors.As(err, &dial) || pgconn.SafeToRetry(err) {
		return outcomeUnavailable // also a refused sign-in: nothing was executed
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return outcomeUnknownKind
	}
	switch e.Code {
	case "40001", "40P01", "55P03": // serialisation, deadlock, lock not available
		return outcomeBusy
	case "23505":
		return outcomeDuplicate
	case "53300", "53400", "57P03", // too many connections, starting up
		"28000", "28P01", "3D000", // sign-in refused, no such database
		"25006", // read-only
		"57014": // cancelled, e.g. statement timeout: rolled back
		return outcomeUnavailable
	case "57P01", "57P02", "57P05": // the server closed the connection
		return outcomeLost
	case "22021", "22P05", "22001", "22003": // bad bytes such as U+0000, too long, out of range
		return outcomeInvalid
	}
	if strings.HasPrefix(e.Code, "08") {
		return outcomeLost
	}
	return outcomeDefect
}
