package dataset

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// How MySQL's and MariaDB's types become kinds. All come by the binary
// protocol.
//
//	TINYINT … BIGINT, also UNSIGNED; YEAR     Integer (TINYINT(1) is one too)
//	DECIMAL(p,s)                              Decimal with s places
//	FLOAT, DOUBLE                             Float32, Float
//	CHAR, VARCHAR, TEXT, ENUM, SET            Text
//	DATE                                      Date (zero dates as they are)
//	DATETIME                                  DateTime (likewise)
//	TIMESTAMP                                 Instant, with the session's offset;
//	                                          the zero timestamp is NULL
//	TIME                                      Time, perhaps negative or beyond a day
//	BINARY, VARBINARY, BLOB, GEOMETRY, VECTOR Binary
//	BIT                                       Bits
//	JSON                                      JSON on MySQL; MariaDB's JSON is a LONGTEXT: Text
//	UUID, INET4, INET6 (MariaDB)              Text
func mysqlType(name string) cell.Kind {
	switch strings.TrimPrefix(name, "UNSIGNED ") {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "YEAR":
		return cell.Integer
	case "DECIMAL":
		return cell.Decimal
	case "FLOAT":
		return cell.Float32
	case "DOUBLE":
		return cell.Float
	case "DATE":
		return cell.Date
	case "DATETIME":
		return cell.DateTime
	case "TIMESTAMP":
		return cell.Instant
	case "TIME":
		return cell.Time
	case "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "GEOMETRY", "VECTOR":
		return cell.Binary
	case "BIT":
		return cell.Bits
	case "JSON":
		return cell.JSON
	case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET":
		return cell.Text
	}
	return cell.Other
}

// mysqlCursor reads one statement. Its values point into the driver's buffer.
type mysqlCursor struct {
	session *mysqlSession
	stmt    *sql.Stmt
	rows    *sql.Rows
	fields  []cell.Field
	types   []string
	raw     []sql.RawBytes
	scan    []any
	row     []cell.Value
	zoned   []byte // timestamps of the current row with their offset
	failure error
	ended   bool
}

// describe reads the columns.
func (c *mysqlCursor) describe() error {
	columns, err := c.rows.ColumnTypes()
	if err != nil {
		return err
	}
	for _, t := range columns {
		f := cell.Field{Name: t.Name(), Kind: mysqlType(t.DatabaseTypeName()), Scale: -1}
		switch f.Kind {
		case cell.Integer:
			f.Scale = 0
		case cell.Decimal:
			if _, scale, ok := t.DecimalSize(); ok {
				f.Scale = int(scale)
			}
		}
		c.fields = append(c.fields, f)
		c.types = append(c.types, t.DatabaseTypeName())
	}
	c.raw = make([]sql.RawBytes, len(c.fields))
	c.row = make([]cell.Value, len(c.fields))
	for i := range c.raw {
		c.scan = append(c.scan, &c.raw[i])
	}
	return nil
}

func (c *mysqlCursor) columns() []cell.Field { return c.fields }

func (c *mysqlCursor) values() []cell.Value { return c.row }

func (c *mysqlCursor) err() error { return c.failure }

func (c *mysqlCursor) next() bool {
	if c.ended {
		return false
	}
	more := false
	err := c.session.call(func() error {
		if more = c.rows.Next(); !more {
			return c.rows.Err()
		}
		return c.rows.Scan(c.scan...)
	})
	if err != nil || !more {
		c.ended = true
		c.failure = errors.Join(err, c.release())
		if err != nil {
			c.session.broken = true
		}
		return false
	}
	c.zoned = c.zoned[:0]
	for i, b := range c.raw {
		switch {
		case b == nil:
			c.row[i] = cell.Value{}
		case c.fields[i].Kind == cell.Instant:
			c.row[i] = c.instant(b)
		default:
			c.row[i] = cell.Value{Kind: c.fields[i].Kind, Bytes: b}
		}
	}
	return true
}

// instant adds the session's offset. The zero timestamp is no instant at all.
func (c *mysqlCursor) instant(b []byte) cell.Value {
	if bytes.HasPrefix(b, []byte("0000-00-00")) {
		return cell.Value{}
	}
	begin := len(c.zoned)
	c.zoned = append(append(c.zoned, b...), c.session.offset...)
	return cell.Value{Kind: cell.Instant, Bytes: c.zoned[begin:]}
}

// key binds a value in the column's own type.
func (c *mysqlCursor) key(i int) (bound, error) {
	b := c.raw[i]
	if b == nil {
		return bound{}, errNullKey
	}
	text := string(b)
	switch c.fields[i].Kind {
	case cell.Integer, cell.Decimal:
		return mysqlDecimalKey(text, c.fields[i].Kind)
	case cell.Float, cell.Float32:
		v, err := strconv.ParseFloat(text, 64)
		if c.fields[i].Kind == cell.Float32 {
			v, err = strconv.ParseFloat(text, 32)
		}
		return bound{value: v}, err
	case cell.Date:
		return bound{before: "CAST(", after: " AS DATE)", value: text}, nil
	case cell.DateTime, cell.Instant:
		return bound{before: "CAST(", after: " AS DATETIME(6))", value: text}, nil
	case cell.Time:
		return bound{before: "CAST(", after: " AS TIME(6))", value: text}, nil
	case cell.Binary:
		if c.types[i] == "GEOMETRY" || c.types[i] == "VECTOR" {
			return bound{}, errKeyType
		}
		return bound{before: "UNHEX(", after: ")", value: hex.EncodeToString(b)}, nil
	case cell.Bits:
		v := uint64(0)
		for _, one := range b {
			v = v<<8 | uint64(one)
		}
		return bound{value: v}, nil
	case cell.Text:
		if c.types[i] == "ENUM" || c.types[i] == "SET" {
			return bound{}, errKeyType // sorted by number, compared as text
		}
		return bound{value: text}, nil
	}
	return bound{}, errKeyType
}

func mysqlDecimalKey(text string, kind cell.Kind) (bound, error) {
	if kind == cell.Decimal {
		return mysqlDecimal(text), nil
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return bound{value: v}, nil
	}
	v, err := strconv.ParseUint(text, 10, 64)
	return bound{value: v}, err
}

// release closes what the driver holds for a statement that is over.
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

// close stops a statement whose rows are not wanted any more: first at the
// server, then by cutting the connection, since the driver would read all that
// is left.
func (c *mysqlCursor) close() error {
	if c.ended {
		return nil
	}
	c.ended = true
	s := c.session
	s.broken = true
	if s.ctx.Err() == nil && s.engine.closing.Err() == nil {
		if err := s.kill(); err != nil {
			s.engine.options.Logger.Warn("a statement could not be stopped at its server; its connection is cut", "error", err)
		}
	} else {
		<-s.killed
	}
	s.cut()
	_ = c.release() // whatever it still had to say is of no interest
	return nil
}
