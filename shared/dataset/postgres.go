package dataset

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/haexcel/haexcel/shared/fault"
)

const (
	connectTimeout = 10 * time.Second

	// postgresGrace is how long a statement may take to end after the cancel
	// request; then its connection is cut.
	postgresGrace = 10 * time.Second

	// leaveTimeout bounds the end of a transaction or connection.
	leaveTimeout = 5 * time.Second
)

var postgresDialect = &dialect{
	name:     "postgres",
	dollar:   true,
	nested:   true,
	quote:    '"',
	numbered: true,
	textOID:  pgtype.TextOID,
	bind:     bindPostgres,
	placed:   postgresPlaced,

	nullsLast:  true,
	nullsApart: true,
}

// bindPostgres sends every value as text, with its type's number. Strings leave
// the type to the statement, so that they also meet enums and uuids.
func bindPostgres(t ParamType, item string, null bool, zone *time.Location) bound {
	b := bound{}
	switch t {
	case IntegerParam:
		b.oid = pgtype.Int8OID
		if len(item) > 18 { // perhaps beyond a bigint
			b.oid = pgtype.NumericOID
		}
	case DecimalParam:
		b.oid = pgtype.NumericOID
	case BooleanParam:
		b.oid = pgtype.BoolOID
	case DateParam:
		b.oid = pgtype.DateOID
	case DateTimeParam:
		b.oid = pgtype.TimestampOID
		item = isoTime(item, zone)
	}
	if !null {
		b.value = []byte(item)
	}
	return b
}

// postgresConfig reads a URL; everything in it that pgx knows is allowed.
func postgresConfig(address string, o SourceOptions) (*pgxpool.Config, error) {
	if _, err := parseURL(address); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the URL is malformed")
	}
	config.MaxConns = int32(o.MaxConns)
	config.MinConns, config.MinIdleConns = 0, 0
	config.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if _, named := config.ConnConfig.RuntimeParams["application_name"]; !named {
		config.ConnConfig.RuntimeParams["application_name"] = "haexcel"
	}
	// An ended context asks the server to cancel the statement; cutting the
	// connection alone would leave it running.
	config.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: postgresGrace}
	}
	return config, nil
}

type postgresEngine struct {
	pool     *pgxpool.Pool
	closing  context.Context
	shutDown context.CancelFunc
}

func openPostgres(config *pgxpool.Config) (engine, error) {
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	e := &postgresEngine{pool: pool}
	e.closing, e.shutDown = context.WithCancel(context.Background())
	return e, nil
}

// close stops the running statements and waits for their sessions' close.
func (e *postgresEngine) close() error {
	e.shutDown()
	e.pool.Close()
	return nil
}

func (e *postgresEngine) begin(ctx context.Context, zone *time.Location, snapshot bool) (session, error) {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := &postgresSession{conn: conn, level: "READ COMMITTED", zone: zone}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.release = context.AfterFunc(e.closing, s.stop)
	if snapshot {
		s.level = "REPEATABLE READ"
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// postgresSession is one transaction. Without a snapshot it is a READ COMMITTED
// one, in which every statement sees the data of its own start.
type postgresSession struct {
	conn    *pgxpool.Conn
	ctx     context.Context
	stop    context.CancelFunc
	release func() bool // ends the watch for the engine's close
	level   string
	zone    *time.Location
	at      int64
	cursor  *postgresCursor
	once    sync.Once
}

// postgresTexts settles how values are printed and what the text of a statement
// means, whatever the URL, the role and the database say. What is left to them
// is named in GUIDE.md.
const postgresTexts = "; SET LOCAL DateStyle TO ISO; SET LOCAL IntervalStyle TO postgres" +
	"; SET LOCAL bytea_output TO hex; SET LOCAL xmlbinary TO base64" +
	// Every digit: 3 is what servers before version 12 need for it.
	"; SET LOCAL extra_float_digits TO 3" +
	"; SET LOCAL standard_conforming_strings TO on"

func (s *postgresSession) open() error {
	// LOCAL settings end with the transaction, behind a pooler too.
	setup := "BEGIN ISOLATION LEVEL " + s.level + " READ ONLY; SET LOCAL TimeZone TO " + quoteText(postgresZone(s.zone)) +
		"; SET LOCAL client_encoding TO " + postgresEncoding(s.conn.Conn().PgConn()) + postgresTexts
	if _, err := s.conn.Conn().PgConn().Exec(s.ctx, setup).ReadAll(); err != nil {
		return err
	}
	// The snapshot begins with the transaction's first query.
	st := newStatement(postgresDialect)
	st.write("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)")
	var err error
	s.at, err = readNumber(s, st)
	return err
}

// postgresEncoding is what the server has to send texts in. A database without an
// encoding would refuse to send what is no UTF-8; its bytes come as they are.
func postgresEncoding(conn *pgconn.PgConn) string {
	const none = "SQL_ASCII"
	if conn.ParameterStatus("server_encoding") == none {
		return none
	}
	return "UTF8"
}

// postgresZone is the zone's name where the server will know it, else its
// present offset in the form of POSIX, whose signs point west.
func postgresZone(zone *time.Location) string {
	if named(zone) {
		return zone.String()
	}
	offset := standardOffset(zone)
	return "<" + offset + ">" + strings.NewReplacer("+", "-", "-", "+").Replace(offset)
}

// named reports whether a zone's name means the same elsewhere.
func named(zone *time.Location) bool {
	_, err := time.LoadLocation(zone.String())
	return err == nil && zone.String() != "Local" && zone.String() != ""
}

// standardOffset is the zone's offset outside summer time, such as +09:00.
func standardOffset(zone *time.Location) string {
	standard := time.Date(2026, time.January, 1, 0, 0, 0, 0, zone)
	other := time.Date(2026, time.July, 1, 0, 0, 0, 0, zone) // winter in the south
	_, a := standard.Zone()
	if _, b := other.Zone(); b < a {
		standard = other
	}
	return standard.Format("-07:00")
}

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func (s *postgresSession) asOf() int64 { return s.at }

func (s *postgresSession) query(st *statement) (cursor, error) {
	values := make([][]byte, len(st.values))
	oids := make([]uint32, len(st.values))
	for i, b := range st.values {
		values[i], _ = b.value.([]byte) // nil is NULL
		oids[i] = b.oid
	}
	// Results come as text, as no format is named.
	reader := s.conn.Conn().PgConn().ExecParams(s.ctx, st.sql(), values, oids, nil, nil)
	c := newPostgresCursor(s, reader)
	s.cursor = c
	if len(c.fields) == 0 {
		// Refused, or a statement without a result.
		c.ended = true
		if _, err := reader.Close(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// close ends the transaction. Where a statement still runs or failed, the
// connection goes with it.
func (s *postgresSession) close() error {
	var err error
	s.once.Do(func() {
		if s.cursor != nil {
			err = s.cursor.close()
		}
		// The session's context may have ended; its transaction must end anyway.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), leaveTimeout)
		defer cancel()
		c := s.conn.Conn().PgConn()
		s.release()
		clean := s.ctx.Err() == nil && !c.IsClosed() && !c.IsBusy()
		s.stop()
		if clean {
			_, rollback := c.Exec(ctx, "ROLLBACK").ReadAll()
			clean = rollback == nil
		}
		if !clean {
			// Whatever it still had to say is of no interest.
			_ = s.conn.Conn().Close(ctx)
		}
		s.conn.Release()
	})
	return err
}

func (e *postgresEngine) classify(err error) fault.Code {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || len(refused.Code) < 2 {
		return fault.Unavailable
	}
	switch refused.Code {
	case "25P03": // the transaction was idle for too long
		return fault.Unavailable
	case "53300": // too many connections: to the server, the database or of the role
		return fault.Busy
	}
	switch refused.Code[:2] {
	case "08", // connection
		"28",       // the sign-in was refused: passwords change
		"40",       // serialisation, deadlock
		"53",       // resources
		"55",       // locks
		"57",       // shut down, cancelled
		"58", "XX": // the server's own trouble
		return fault.Unavailable
	}
	return fault.Unprocessable
}
