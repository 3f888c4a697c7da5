package dataset

import (
	"bytes"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/cell"
)

// mysqlRows is what the driver's rows can do.
type mysqlRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypePrecisionScale
}

// mysqlCursor reads one statement. It asks the driver itself for its rows: the
// Scan of database/sql would convert and lock for every value.
//
// Texts, decimals and bytes point into the driver's buffer. Numbers come by the
// binary protocol as numbers and are written into text. The driver allocates
// once for each value that is not NULL, twice for one with a date or time, and
// not at all for integers from 0 to 255.
type mysqlCursor struct {
	session *mysqlSession
	stmt    driver.Stmt
	rows    mysqlRows
	fields  []cell.Field
	types   []string
	raw     []driver.Value
	more    bool // raw holds a row
	row     []cell.Value
	text    []byte // numbers of the current row, and its instants with their offset
	failure error
	ended   bool
}

// start prepares the statement and runs it with its values. conn is the driver's
// connection.
func (c *mysqlCursor) start(conn any, st *statement) error {
	preparer, err := driverPart[driver.ConnPrepareContext](conn)
	if err != nil {
		return err
	}
	if c.stmt, err = preparer.PrepareContext(c.session.inner, st.sql()); err != nil {
		return err
	}
	runner, err := driverPart[driver.StmtQueryContext](c.stmt)
	if err != nil {
		return err
	}
	args := make([]driver.NamedValue, len(st.values))
	for i, b := range st.values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: b.value}
	}
	rows, err := runner.QueryContext(c.session.inner, args)
	if err != nil {
		return err
	}
	c.rows, err = driverPart[mysqlRows](rows)
	return err
}

// driverPart is v as what the driver is known to make of it.
func driverPart[T any](v any) (T, error) {
	part, ok := v.(T)
	if !ok {
		return part, fmt.Errorf("mysql: the driver's %T is no %T", v, &part)
	}
	return part, nil
}

// describe reads the columns.
func (c *mysqlCursor) describe() error {
	for i, name := range c.rows.Columns() {
		typed := c.rows.ColumnTypeDatabaseTypeName(i)
		f := cell.Field{Name: name, Kind: mysqlType(typed), Scale: -1}
		switch f.Kind {
		case cell.Integer:
			f.Scale = 0
		case cell.Decimal:
			if _, scale, ok := c.rows.ColumnTypePrecisionScale(i); ok {
				f.Scale = int(scale)
			}
		case cell.DateTime, cell.Instant, cell.Time:
			if _, places, ok := c.rows.ColumnTypePrecisionScale(i); ok && places > maxPlaces && places != anyPlaces {
				return &unreadableError{column: name}
			}
		}
		c.fields = append(c.fields, f)
		c.types = append(c.types, typed)
	}
	c.raw = make([]driver.Value, len(c.fields))
	c.row = make([]cell.Value, len(c.fields))
	return nil
}

// The numbers of decimals that times and date-times may have for the driver.
const (
	maxPlaces = 6
	anyPlaces = 31
)

// unreadableError is a column whose values the driver would refuse: MariaDB
// leaves the number of decimals of FROM_UNIXTIME(a text or a double) open. Its
// text is shown to users.
type unreadableError struct{ column string }

func (e *unreadableError) Error() string {
	return fmt.Sprintf("the times of the column %q have an open number of decimals; CAST(… AS DATETIME(6)) gives them one", e.column)
}

func (c *mysqlCursor) columns() []cell.Field { return c.fields }

func (c *mysqlCursor) values() []cell.Value { return c.row }

func (c *mysqlCursor) err() error { return c.failure }

func (c *mysqlCursor) next() bool {
	if c.ended {
		return false
	}
	c.more = false
	err := c.session.onDriver(c.read)
	switch {
	case err != nil:
	case c.more:
		err = c.decode()
	default:
		// MariaDB gives no rows and no error where KILL QUERY reaches it in the
		// middle of planning.
		err = c.session.stopped()
	}
	if err != nil {
		c.failure = err
		c.abandon()
	}
	c.ended = err != nil || !c.more
	return !c.ended
}

// read takes the next row from the driver. The end of the data is the server's
// own word; a cut connection is another error.
func (c *mysqlCursor) read(any) error {
	switch err := c.rows.Next(c.raw); {
	case err == nil:
		c.more = true
		return nil
	case errors.Is(err, io.EOF):
		return c.release()
	default:
		return err
	}
}

// decode makes the current row's values.
func (c *mysqlCursor) decode() error {
	c.text = c.text[:0]
	for i, v := range c.raw {
		kind, begin := c.fields[i].Kind, len(c.text)
		switch v := v.(type) {
		case nil:
			c.row[i] = cell.Value{}
			continue
		case []byte:
			if kind == cell.Instant {
				c.row[i] = c.instant(v)
			} else {
				c.row[i] = cell.Value{Kind: kind, Bytes: v}
			}
			continue
		case int64:
			c.text = strconv.AppendInt(c.text, v, 10)
		case float64:
			c.text = strconv.AppendFloat(c.text, v, 'g', -1, 64)
		case float32:
			c.text = strconv.AppendFloat(c.text, float64(v), 'g', -1, 32)
		default:
			return fmt.Errorf("mysql: the driver gave a %T", v)
		}
		c.row[i] = cell.Value{Kind: kind, Bytes: c.text[begin:]}
	}
	return nil
}

// instant adds the offset. The zero timestamp is no instant at all.
func (c *mysqlCursor) instant(b []byte) cell.Value {
	if bytes.HasPrefix(b, []byte("0000-00-00")) {
		return cell.Value{}
	}
	begin := len(c.text)
	c.text = append(append(c.text, b...), c.session.zone.offsetOf(b)...)
	return cell.Value{Kind: cell.Instant, Bytes: c.text[begin:]}
}

// key binds a value in the column's own type.
func (c *mysqlCursor) key(i int) (bound, error) {
	switch v := c.raw[i].(type) {
	case nil:
		return bound{}, errNullKey
	case []byte:
		return c.textKey(i, v)
	case float32:
		return bound{value: float64(v)}, nil
	default: // as the driver takes it, too
		return bound{value: v}, nil
	}
}

// textKey binds a value that came as text.
func (c *mysqlCursor) textKey(i int, b []byte) (bound, error) {
	if err := c.orderable(i); err != nil {
		return bound{}, err
	}
	text := string(b)
	switch c.fields[i].Kind {
	case cell.Integer: // too large for an int64
		v, err := strconv.ParseUint(text, 10, 64)
		return bound{value: v}, err
	case cell.Decimal:
		return mysqlDecimal(text), nil
	case cell.Date:
		return mysqlDate(text), nil
	case cell.DateTime:
		return mysqlMoment(text), nil
	case cell.Instant:
		key := mysqlMoment(text)
		key.twice = c.session.zone.shownTwice(b)
		return key, nil
	case cell.Time:
		return mysqlTime(text), nil
	case cell.Binary:
		if len(b) > sortBytes {
			return bound{}, errLongText
		}
		return mysqlBinary(hex.EncodeToString(b)), nil
	case cell.Bits:
		v := uint64(0)
		for _, one := range b {
			v = v<<8 | uint64(one)
		}
		return bound{value: v}, nil
	default:
		if utf8.RuneCount(b) > sortBytes/bytesOfCharacter {
			return bound{}, errLongText
		}
		return bound{value: text}, nil
	}
}

// orderable is nil for the types that textKey binds.
func (c *mysqlCursor) orderable(i int) error {
	switch c.fields[i].Kind {
	case cell.JSON, cell.Other:
		return errKeyType
	case cell.Text, cell.Binary:
		switch c.types[i] {
		case "ENUM", "SET": // sorted by number, compared as text
			return errKeyType
		case "GEOMETRY", "VECTOR":
			return errKeyType
		}
	}
	return nil
}

// release closes what the driver holds for the statement. It would read all
// rows that are left; none are after the last one, or once the connection is
// closed.
func (c *mysqlCursor) release() error {
	var err error
	if c.rows != nil {
		err = c.rows.Close()
	}
	if c.stmt != nil {
		err = errors.Join(err, c.stmt.Close())
	}
	return err
}

// abandon closes the connection with what is left on it.
func (c *mysqlCursor) abandon() {
	c.session.broken = true
	// Whatever it still had to say is of no interest. It stays the session's
	// until its close.
	_ = c.session.conn.Raw(func(conn any) error {
		if closer, ok := conn.(io.Closer); ok {
			_ = closer.Close()
		}
		_ = c.release()
		return nil
	})
}

// close stops a statement whose rows are not wanted any more: first at the
// server, then by closing the connection.
func (c *mysqlCursor) close() error {
	if c.ended {
		return nil
	}
	c.ended = true
	s := c.session
	if s.ctx.Err() == nil && s.engine.closing.Err() == nil {
		if err := s.kill(); err != nil {
			s.engine.options.Logger.Warn("a statement could not be stopped at its server; its connection is cut", "error", err)
		}
	} else {
		<-s.killed
	}
	c.abandon()
	return nil
}
