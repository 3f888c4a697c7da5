package jobsql

import (
	"database/sql/driver"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/haexcel/haexcel/shared/fault"
)

// MySQL is MySQL 8 and MariaDB: one SQL text for both, so no RETURNING, no FOR
// SHARE (MariaDB has only the older spelling) and no subquery on an updated
// table.
var MySQL = &Dialect{
	name: "mysql",
	// UTC_TIMESTAMP does not depend on the session's zone, unlike
	// UNIX_TIMESTAMP(NOW(3)), which is off in the hour a zone repeats.
	now:         "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)",
	share:       "LOCK IN SHARE MODE",
	update:      "FOR UPDATE",
	integer:     "%s",
	tableExists: "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?",
	// utf8mb4_bin ignores trailing blanks. The plain comparison uses the index,
	// the second one decides.
	same: func(column, parameter string) string {
		return column + " = " + parameter + " AND CAST(" + column + " AS BINARY) = CAST(" + parameter + " AS BINARY)"
	},
	classify:  classifyMySQL,
	connector: connectMySQL,
	maxConns:  8,
}

// connectMySQL reads mysql://user:pass@host:port/db?params, where params are
// those of go-sql-driver/mysql (tls, timeout, …). What the store depends on is
// set last and can't be overridden.
func connectMySQL(databaseURL string) (driver.Connector, error) {
	u, err := url.Parse(databaseURL)
	if err != nil || u.Hostname() == "" {
		return nil, fault.New(fault.Invalid, "The database URL is not of the form mysql://user:pass@host:port/db.")
	}
	cfg, err := mysql.ParseDSN("/?" + u.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The database URL has a parameter that the MySQL driver does not know.")
	}
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.Net = "tcp"
	port := u.Port()
	if port == "" {
		port = "3306"
	}
	cfg.Addr = net.JoinHostPort(u.Hostname(), port)
	if len(u.Path) > 1 {
		cfg.DBName = u.Path[1:]
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Second
	}
	cfg.Logger = &mysql.NopLogger{} // its errors come back to the caller anyway
	cfg.ClientFoundRows = true      // the count is of rows that matched, not of rows that changed
	cfg.InterpolateParams = true    // one round trip instead of three
	cfg.MultiStatements = false
	cfg.ParseTime = false
	cfg.RejectReadOnly = true // after a failover the old writer refuses: dial again
	if err := cfg.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "The MySQL driver refused its settings.")
	}
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	// Text that does not fit is an error, never cut, whatever the server's mode.
	cfg.Params["sql_mode"] = "'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'"
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The MySQL driver does not accept the parameters of the database URL.")
	}
	return c, nil
}

// classifyMySQL decides by the server's error numbers, which MySQL and MariaDB
// share unless noted.
func classifyMySQL(err error) outcome {
	if errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, mysql.ErrMalformPkt) ||
		errors.Is(err, mysql.ErrPktSync) || errors.Is(err, mysql.ErrBusyBuffer) {
		return outcomeLost
	}
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return outcomeUnknownKind
	}
	switch e.Number {
	case 1213, // deadlock: the transaction was rolled back
		1205, // lock wait timeout
		1020: // MariaDB: record has changed since last read
		return outcomeBusy
	case 1062, 1586: // duplicate entry
		return outcomeDuplicate
	case 1040, 1203, 1226, // too many connections, of all or of this user
		1129,             // host blocked
		1044, 1045, 1049, // sign-in refused, no such database
		1290, 1792, 1836, // read-only
		1317, 1969, 3024: // interrupted, statement timeout: rolled back
		return outcomeUnavailable
	case 1053, 1927: // server shutdown, MariaDB: connection killed
		return outcomeLost
	case 1406, 1366, 1264, 1292: // too long, bad character, out of range, bad value
		return outcomeInvalid
	default:
		return outcomeDefect
	}
}
