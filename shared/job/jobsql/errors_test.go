package jobsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/haexcel/haexcel/shared/fault"
)

// TestErrorsAreToldApartByCode covers the codes that a test can't provoke on a
// shared server, besides those that the suite meets.
func TestErrorsAreToldApartByCode(t *testing.T) {
	t.Parallel()
	onMySQL := func(number uint16) error { return &mysql.MySQLError{Number: number, Message: "secret"} }
	onPostgres := func(code string) error { return &pgconn.PgError{Code: code, Message: "secret"} }
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, c := range []struct {
		dialect *Dialect
		err     error
		want    fault.Code
	}{
		{MySQL, onMySQL(1213), fault.Unavailable},
		{MySQL, onMySQL(1205), fault.Unavailable},
		{MySQL, onMySQL(1020), fault.Unavailable},
		{MySQL, onMySQL(1040), fault.Unavailable},
		{MySQL, onMySQL(1290), fault.Unavailable},
		{MySQL, onMySQL(1062), fault.Duplicate},
		{MySQL, onMySQL(1406), fault.Invalid},
		{MySQL, onMySQL(1927), fault.UnknownOutcome},
		{MySQL, mysql.ErrInvalidConn, fault.UnknownOutcome},
		{MySQL, onMySQL(1146), fault.Internal},
		{MySQL, refused, fault.Unavailable},
		{Postgres, onPostgres("40001"), fault.Unavailable},
		{Postgres, onPostgres("40P01"), fault.Unavailable},
		{Postgres, onPostgres("53300"), fault.Unavailable},
		{Postgres, onPostgres("57P03"), fault.Unavailable},
		{Postgres, onPostgres("23505"), fault.Duplicate},
		{Postgres, onPostgres("22021"), fault.Invalid},
		{Postgres, onPostgres("57P01"), fault.UnknownOutcome},
		{Postgres, onPostgres("08006"), fault.UnknownOutcome},
		{Postgres, onPostgres("42P01"), fault.Internal},
		{Postgres, refused, fault.Unavailable},
		{SQLite, io.ErrUnexpectedEOF, fault.UnknownOutcome},
		{SQLite, driver.ErrBadConn, fault.Unavailable},
		{SQLite, syscall.ECONNRESET, fault.UnknownOutcome},
		{SQLite, context.DeadlineExceeded, fault.UnknownOutcome},
		{SQLite, errors.New("something"), fault.Internal},
	} {
		s := &Store{dialect: c.dialect}
		got := s.translate("test", fmt.Errorf("wrapped: %w", c.err))
		if !fault.Is(got, c.want) {
			t.Errorf("%s %v: %s, want %s", c.dialect.name, c.err, fault.CodeOf(got), c.want)
		}
		if !errors.Is(got, c.err) {
			t.Errorf("%s %v: the cause is lost", c.dialect.name, c.err)
		}
		if message := fault.SafeMessage(got); message == "" || strings.Contains(message, "secret") {
			t.Errorf("%s %v: message %q", c.dialect.name, c.err, message)
		}
	}
}
