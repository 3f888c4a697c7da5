package dataset

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/haexcel/haexcel/shared/fault"
)

func TestLimitsOfConnections(t *testing.T) {
	onMySQL := func(number uint16) error { return &mysql.MySQLError{Number: number} }
	onPostgres := func(code string) error { return &pgconn.PgError{Code: code} }
	for _, c := range []struct {
		e    engine
		err  error
		want fault.Code
	}{
		{&mysqlEngine{}, onMySQL(1040), fault.Busy},
		{&mysqlEngine{}, onMySQL(1203), fault.Busy},
		{&mysqlEngine{}, onMySQL(1226), fault.Busy},
		{&mysqlEngine{}, onMySQL(1045), fault.Unavailable},
		{&mysqlEngine{}, onMySQL(1064), fault.Unprocessable},
		{&postgresEngine{}, onPostgres("53300"), fault.Busy},
		{&postgresEngine{}, onPostgres("53200"), fault.Unavailable},
		{&postgresEngine{}, onPostgres("42601"), fault.Unprocessable},
		// Waiting for a connection of our own is neither.
		{&mysqlEngine{}, context.DeadlineExceeded, fault.Unavailable},
		{&postgresEngine{}, context.DeadlineExceeded, fault.Unavailable},
	} {
		if got := c.e.classify(fmt.Errorf("wrapped: %w", c.err)); got != c.want {
			t.Errorf("%T: %v: %s, want %s", c.e, c.err, got, c.want)
		}
	}
}
