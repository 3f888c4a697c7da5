package dataset

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/haexcel/haexcel/shared/fault"
)

var mysqlDialect = &dialect{
	name:      "mysql",
	backslash: true,
	backtick:  true,
	hash:      true,
	dashBlank: true,
	foreign:   "?",
	quote:     '`',
	bind:      bindMySQL,
	placed:    mysqlPlaced,

	silentKill: true,
	epoch:      "UNIX_TIMESTAMP",
	moment:     "FROM_UNIXTIME",
	instant:    mysqlInstant,
}

// bindMySQL casts each value to its type, since the driver sends it as text,
// and a text meets a DECIMAL as a float.
func bindMySQL(t ParamType, item string, null bool, zone *time.Location) bound {
	if null {
		return bound{}
	}
	switch t {
	case IntegerParam:
		if v, err := strconv.ParseInt(item, 10, 64); err == nil {
			return bound{value: v}
		}
		return mysqlDecimal(item)
	case DecimalParam:
		return mysqlDecimal(item)
	case BooleanParam:
		if item == "true" {
			return bound{value: int64(1)}
		}
		return bound{value: int64(0)}
	case DateParam:
		return mysqlDate(item)
	case DateTimeParam:
		return mysqlMoment(isoTime(item, zone))
	}
	return bound{value: item}
}

// mysqlConfig reads a URL; what follows its ? are parameters of the driver.
func mysqlConfig(address string) (*mysql.Config, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	host := u.Host
	if u.Port() == "" {
		host += ":3306"
	}
	// The driver reads its parameters from its own form of address only.
	dsn := "tcp(" + host + ")/" + url.PathEscape(strings.TrimPrefix(u.Path, "/"))
	if u.Query().Has("strict") {
		return nil, errors.New("the URL has the parameter strict, which the driver has no more")
	}
	if u.RawQuery != "" {
		// It would take a slash, as in loc=Asia/Seoul, for the one before the
		// database's name.
		dsn += "?" + strings.ReplaceAll(u.RawQuery, "/", "%2F")
	}
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, errors.New("the URL's parameters are malformed")
	}
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	// Values must come as the server has them, by the binary protocol, one
	// statement at a time.
	config.ParseTime, config.InterpolateParams = false, false
	config.MultiStatements, config.ColumnsWithAlias = false, false
	if config.Timeout == 0 {
		config.Timeout = connectTimeout
	}
	if config.Params == nil {
		config.Params = map[string]string{}
	}
	delete(config.Params, "time_zone")
	if err := config.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return nil, err
	}
	return config, nil
}

type mysqlEngine struct {
	db        *sql.DB
	connector *mysqlConnector
	options   SourceOptions
	closing   context.Context
	shutDown  context.CancelFunc

	mu    sync.Mutex
	zones map[string]bool // by name, whether the server has the same rules
}

func openMySQL(config *mysql.Config, o SourceOptions) (engine, error) {
	config.Logger = mysqlLogger{o.Logger}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	bounded := &mysqlConnector{Connector: connector, limit: config.Timeout}
	e := &mysqlEngine{db: sql.OpenDB(bounded), connector: bounded, options: o, zones: map[string]bool{}}
	e.closing, e.shutDown = context.WithCancel(context.Background())
	e.db.SetMaxOpenConns(o.MaxConns)
	e.db.SetMaxIdleConns(o.MaxConns)
	// Shorter than the server's own limit, after which it hangs up.
	e.db.SetConnMaxIdleTime(time.Minute)
	return e, nil
}

// mysqlLogger takes what the driver also returns as errors.
type mysqlLogger struct{ to *slog.Logger }

func (l mysqlLogger) Print(v ...any) { l.to.Debug("mysql driver", "text", fmt.Sprint(v...)) }

// close stops the running statements; their connections end with their sessions.
func (e *mysqlEngine) close() error {
	e.shutDown()
	return e.db.Close()
}

// Error numbers of MySQL and MariaDB that another try may outlive.
var mysqlPassing = map[uint16]bool{
	1021: true, 1037: true, 1038: true, 1041: true, 1114: true, // disk, memory
	1042: true, 1043: true, 1047: true, 1053: true, 1077: true, 1079: true, // connecting, shutting down
	1044: true, 1045: true, 1049: true, 1698: true, // the sign-in was refused: passwords change
	1152: true, 1158: true, 1159: true, 1160: true, 1161: true, 1184: true, 1927: true, // cut connections
	1205: true, 1213: true, 3572: true, // locks
	1317: true, 1028: true, 1969: true, 3024: true, 1094: true, // stopped by someone else or by a limit
	1290: true, 1836: true, 1412: true, // read-only or changing server; table changed in the snapshot
}

// mysqlFull are those of a server or a user at the limit of its connections.
var mysqlFull = map[uint16]bool{1040: true, 1203: true, 1226: true}

const mysqlDuplicateColumn = 1060

func (e *mysqlEngine) classify(err error) fault.Code {
	refused, ok := errors.AsType[*mysql.MySQLError](err)
	switch {
	case !ok || mysqlPassing[refused.Number]:
		return fault.Unavailable
	case mysqlFull[refused.Number]:
		return fault.Busy
	}
	return fault.Unprocessable
}
